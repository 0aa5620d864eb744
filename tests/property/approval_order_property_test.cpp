// Random approval policies: "not weaker" is a partial order, and a policy that is not weaker lets nothing begin that
// the other held back, by the word of the code that holds it back.
#include "decide/approval/approval_order.hpp"

#include <gtest/gtest.h>

#include "decide/approval/gate.hpp"
#include "decide/run/workflow_run.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::decide {
namespace {

using namespace std::chrono_literals;
using model::ApprovalMode;
using model::ApprovalPolicy;
using model::NodeStatus;
using test::Random;

const std::vector<std::string> kActions{"",       "publish", "spend", "delete", "external_message", "schedule_change",
                                        "launch", "look"};
const Instant kStart = parse_instant("2026-06-01T12:00:00Z").value();

ApprovalPolicy random_policy(Random& random) {
    static const std::vector<std::optional<ApprovalMode>> kModes{
        {}, ApprovalMode::every_node, ApprovalMode::sensitive_actions, ApprovalMode::on_block};
    static const std::vector<std::optional<std::chrono::milliseconds>> kTimes{
        {}, 3'600'000ms, 86'400'000ms, 172'800'000ms};
    ApprovalPolicy policy{.requires_approval = random.percent(40), .mode = random.pick(kModes)};
    const int chance = random.number(0, 60);
    for (const auto& action : kActions) {
        if (random.percent(chance)) policy.gates.push_back(action);
    }
    policy.expires_after = random.pick(kTimes);
    return policy;
}

// Mostly it is near the other one: unrelated policies are hardly ever comparable.
ApprovalPolicy near(const ApprovalPolicy& other, Random& random) {
    if (random.percent(20)) return random_policy(random);
    auto policy = other;
    const auto drawn = random_policy(random);
    if (random.percent(30)) policy.requires_approval = drawn.requires_approval;
    if (random.percent(30)) policy.mode = drawn.mode;
    if (random.percent(30)) policy.gates = drawn.gates;
    if (random.percent(30)) policy.expires_after = drawn.expires_after;
    return policy;
}

// Which nodes of a workflow with one of each action begin at once, and one whose action no gate names.
std::vector<bool> begun(const ApprovalPolicy& policy) {
    model::Workflow workflow{.name = "w"};
    for (std::size_t i = 0; i < kActions.size(); ++i)
        workflow.nodes.push_back({.id = "n" + std::to_string(i), .action = kActions[i]});
    workflow.nodes.push_back({.id = "other", .action = "unheard-of"});
    const auto nodes = begin_workflow(workflow, {}, {.id = "r", .approval = policy}, kStart).value();
    std::vector<bool> all;
    for (const auto& node : nodes) all.push_back(node.status == NodeStatus::queued);
    return all;
}

TEST(ApprovalOrder, WhatIsNotWeakerLetsNothingBeginThatWasHeldBack) {
    Random random(61);
    int comparable = 0;
    int loosened = 0;
    for (std::size_t i = 0; i < test::case_count(4'000); ++i) {
        const auto before = random_policy(random);
        const auto after = near(before, random);
        bool frees = false;
        for (const bool walks : {false, true})
            frees = frees || (is_run_gated(before, walks) && !is_run_gated(after, walks));
        const auto was = begun(before);
        const auto is = begun(after);
        for (std::size_t k = 0; k < is.size(); ++k) frees = frees || (is[k] && !was[k]);
        if (frees) {
            ++loosened;
            EXPECT_TRUE(is_weaker(after, before));
        }
        if (!is_weaker(after, before)) ++comparable;
        // And nothing is called weaker without a reason.
        const bool shorter = expiry_of(after) <= expiry_of(before);
        const bool still_blocks = before.mode != ApprovalMode::on_block || after.mode == ApprovalMode::on_block;
        const bool asks_run = !before.requires_approval || after.requires_approval;
        if (!frees && shorter && still_blocks && asks_run) {
            EXPECT_FALSE(is_weaker(after, before));
        }
    }
    EXPECT_GT(comparable, 0);
    EXPECT_GT(loosened, 0);
}

TEST(ApprovalOrder, NotWeakerIsAPartialOrder) {
    Random random(62);
    int chains = 0;
    for (std::size_t i = 0; i < test::case_count(4'000); ++i) {
        const auto a = random_policy(random);
        const auto b = near(a, random);
        const auto c = near(b, random);
        EXPECT_FALSE(is_weaker(a, a));
        if (!is_weaker(b, a) && !is_weaker(c, b)) {
            ++chains;
            EXPECT_FALSE(is_weaker(c, a));
        }
    }
    EXPECT_GT(chains, 0);
}

TEST(ApprovalOrder, TheUnionIsNotWeakerThanEither) {
    Random random(63);
    for (std::size_t i = 0; i < test::case_count(4'000); ++i) {
        const auto a = random_policy(random);
        const auto b = random_policy(random);
        EXPECT_FALSE(is_weaker(stricter_of(a, b), a));
        EXPECT_FALSE(is_weaker(stricter_of(a, b), b));
    }
}

}  // namespace
}  // namespace belfry::decide
