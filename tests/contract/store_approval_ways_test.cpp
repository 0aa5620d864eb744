// Every way to start or to advance a run, in any order, under every policy, be it the schedule's, its assignment's, its
// workflow's or of several: nothing that is to be approved ever gets a task that can be claimed unless an approved
// decision is on record.
#include <algorithm>
#include <map>
#include <set>

#include "support/worlds/seed.hpp"
#include "walk_contract.hpp"

namespace belfry::store {
namespace {

using model::Approval;
using model::ApprovalMode;
using model::ApprovalStatus;
using model::ApprovalWhy;

struct Policy {
    const char* name;
    bool walks;
    model::ApprovalPolicy approval;
};

const std::vector<Policy>& policies() {
    static const std::vector<Policy> all{
        {"a single task, the run", false, {.requires_approval = true}},
        {"a single task, every node", false, {.mode = ApprovalMode::every_node}},
        {"the run", true, {.requires_approval = true}},
        {"every node", true, {.mode = ApprovalMode::every_node}},
        {"sensitive actions", true, {.mode = ApprovalMode::sensitive_actions}},
        {"gates alone", true, {.gates = {"launch"}}},
        {"the run and gates", true, {.requires_approval = true, .gates = {"launch", "spend"}}},
        {"what is blocked", true, {.mode = ApprovalMode::on_block}},
        {"what is blocked, and gates", true, {.mode = ApprovalMode::on_block, .gates = {"launch"}}},
    };
    return all;
}

// Said once more, in the words of the manual: the tests must not ask the code that they test.
bool is_gated(const Policy& policy, const std::string& action) {
    static const std::set<std::string> kSensitive{"publish", "spend", "delete", "external_message", "schedule_change"};
    if (policy.approval.mode == ApprovalMode::every_node) return true;
    if (policy.approval.mode == ApprovalMode::sensitive_actions && kSensitive.contains(action)) return true;
    return std::ranges::find(policy.approval.gates, action) != policy.approval.gates.end();
}

class ApprovalWays : public WorkflowRunContract {
protected:
    static constexpr int kRetries = 1;

    void start(const Policy& policy, test::Random& random) {
        policy_ = &policy;
        name_ = "ways-" + std::to_string(++number_);
        auto own = policy.approval;
        own.expires_after = 3'600'000ms;
        assignment_ = {.id = name_, .workflow = name_, .assignee = {"agent", "bo"}, .approval = own, .version = 0};
        // Who wants it: the schedule; or its assignment or its workflow alone, and the schedule perhaps a part of it.
        by_workflow_ = policy.walks && random.percent(40);
        assigned_ = !by_workflow_ && random.percent(60);
        if (assigned_ || by_workflow_)
            own = {.gates = random.percent(50) ? policy.approval.gates : std::vector<std::string>()};
        if (assigned_) assign();
        strict_versions_.clear();
        const auto edit = [&](model::Schedule& s) {
            s.name = name_;
            s.approval = own;
            if (assigned_) s.assignment = name_;
            s.retry.max_retries = kRetries;
            s.retry.backoff = 1000ms;
            s.spec.cron = {"*/10 * * * *"};
            s.target.queue = name_;
            s.missed = {model::MissedPolicy::fire_all, 60s, 3};
            s.overlap.policy = random.pick(
                std::vector{OverlapPolicy::allow_all, OverlapPolicy::buffer_all, OverlapPolicy::cancel_other});
            s.failure = {random.percent(40) ? FailureMode::fallback : FailureMode::isolate, "somebody"};
        };
        if (policy.walks) {
            deploy_version(true);
            schedule = create_walking(edit);
        } else {
            schedule = create(edit);
        }
        now_ = kNine;
    }

    // The version that a run walks decides, whatever comes after it: one that somebody with the right to do so has made
    // loose is no floor.
    void deploy_version(bool strict) {
        const auto version = deploy([&](auto& w) {
            w.nodes[0].action = "spend";
            w.nodes[1].action = "launch";
            w.nodes[2].action = "look";
            if (!by_workflow_ || !strict) return;
            w.approval = policy_->approval;
            w.approval.expires_after = 3'600'000ms;
        });
        if (strict) strict_versions_.insert(version);
    }

    // Once more, as it is: whoever has read it must read it again.
    void assign() {
        ++assignment_.version;
        ASSERT_TRUE(store->put_assignment("default", assignment_));
    }
    // What an assignment or a workflow wants nobody gets rid of.
    void change_definition() {
        ignore(test::update(*store, ref_of(schedule), now_, [this](auto& s) {
            s.description += ".";
            if (assigned_ || by_workflow_) s.approval = {};
        }));
    }

    void check(const model::Task& task) {
        if (by_workflow_ && !strict_versions_.contains(task.workflow_version.value_or(0))) return;
        SCOPED_TRACE(std::string(policy_->name) + ": run " + task.run_id + " node " + task.node + " attempt " +
                     std::to_string(task.attempt));
        const auto approvals = store->approvals_of("default", {&task.run_id, 1}).value();
        const auto approved = [&](const std::string& node, int attempts) {
            return std::ranges::any_of(approvals, [&](const Approval& each) {
                return each.node == node && each.attempts == attempts && each.status == ApprovalStatus::approved &&
                       each.decided_by == "ada";
            });
        };
        const bool run_gated = policy_->approval.requires_approval ||
                               (!policy_->walks && policy_->approval.mode == ApprovalMode::every_node);
        if (run_gated) {
            EXPECT_TRUE(approved("", 0)) << "nobody approved the run";
        }
        if (!task.node.empty() && is_gated(*policy_, task.action)) {
            EXPECT_TRUE(approved(task.node, 0)) << "nobody approved the node";
        }
        if (policy_->approval.mode != ApprovalMode::on_block) return;
        // As many attempts as the policy allows, to begin with and after every approval.
        int base = 0;
        for (const auto& each : approvals) {
            if (each.node == task.node && each.why == ApprovalWhy::blocked && each.status == ApprovalStatus::approved)
                base = std::max(base, each.attempts);
        }
        const int rounds = schedule.failure.mode == FailureMode::fallback && base == 0 ? 2 : 1;
        EXPECT_LE(task.attempt - base, rounds * (1 + kRetries)) << "it was tried again, and nobody allowed it";
    }

    // Whatever can be claimed, by whomever; each is held against what was approved.
    void claim_all() {
        for (const auto* const assignee : {"", "somebody"}) {
            for (const auto& task : claim_from(name_, assignee, now_)) {
                check(task);
                held_.push_back(task);
                ++claimed_;
            }
        }
    }

    void step(test::Random& random) {
        now_ += random.number(1, 400) * 1s;
        const int way = random.number(0, 15);
        ++ways_[way];
        switch (way) {
            case 0: tick(now_); break;
            case 1: now_ += 35min, tick(now_); break;  // some were missed
            case 2: ignore(test::trigger(*store, ref_of(schedule), now_)); break;
            case 3: backfill(); break;
            case 4: change_definition(); break;
            case 5: reopen(); break;
            case 6: replay(random); break;
            case 7: cancel(random); break;
            case 8: end(random, test::succeeded(test::json(R"({"rows":[1,2]})"))); break;
            case 9: end(random, test::failed()); break;
            case 10: reap(random); break;
            case 11:
            case 12: decide(random); break;
            case 13:
                if (assigned_) assign();
                break;
            case 14:
                if (by_workflow_) deploy_version(random.percent(60));
                break;
            default: expire(); break;
        }
        claim_all();
    }

    void settle_down(test::Random& random) {
        for (int i = 0; i < 30; ++i) {
            now_ += 100s;
            decide(random);
            claim_all();
            end(random, test::succeeded(test::json(R"({"rows":[1,2]})")));
        }
    }

    template <typename T>
    static void ignore(const Result<T>& /*answer*/) {}

    void backfill() {
        const auto backfill = test::new_backfill(schedule, now_ - 90min, now_ - 60min, now_);
        if (store->create_backfill("default", backfill)) ignore(test::step(*store, "default", backfill, now_, 2));
        ignore(test::set_status(*store, "default", backfill.id, model::BackfillStatus::cancelled, now_));
    }
    void replay(test::Random& random) {
        const auto dead = test::all_dead_letters(*store, "default");
        std::vector<model::Run> own;
        for (const auto& run : dead) {
            if (run.schedule_id == schedule.id) own.push_back(run);
        }
        if (!own.empty()) ignore(test::replay(*store, ref_of(schedule), random.pick(own).id, now_));
    }
    void cancel(test::Random& random) {
        std::vector<model::Run> open;
        for (const auto& run : runs(schedule)) {
            if (is_in_flight(run.execution)) open.push_back(run);
        }
        if (!open.empty()) ignore(test::cancel(*store, ref_of(schedule), random.pick(open).id, now_));
    }
    void end(test::Random& random, const decide::AttemptEnd& how) {
        if (held_.empty()) return;
        const auto task = random.pick(held_);
        std::erase(held_, task);
        ignore(test::complete(*store, {lease_of(task), how}, now_));
    }
    void reap(test::Random& random) {
        if (held_.empty()) return;
        const auto task = random.pick(held_);
        std::erase(held_, task);
        now_ = std::max(now_, task.lease_until + 1s);
        ignore(test::complete(*store, test::reaped(lease_of(task), now_), now_));
    }
    void decide(test::Random& random) {
        const auto pending = store->approvals({"default"}, {.limit = 100}).value().items;
        std::vector<Approval> own;
        for (const auto& each : pending) {
            if (model::parse_run_id(each.run_id)->schedule == key_of(schedule)) own.push_back(each);
        }
        if (own.empty()) return;
        const auto& asked = random.pick(own);
        const decide::ApprovalDecision decision{random.percent(75), "", asked.node};
        const auto decided = store->change(
            ref_of(schedule), {.now = now_, .run = asked.run_id},
            [&](const Facts& facts) { return decide::plan_approval(facts, decision, now_, {.principal = "ada"}); });
        if (decided) ++decided_;
    }
    void expire() {
        for (const auto& [tenant, asked] : store->overdue_approvals(now_, 100).value()) {
            if (model::parse_run_id(asked.run_id)->schedule != key_of(schedule)) continue;
            ignore(test::expire_approval(*store, ref_of(schedule), asked.run_id, asked.node, now_));
            ++expired_;
        }
    }

    const Policy* policy_ = nullptr;
    model::WorkflowAssignment assignment_;
    bool assigned_ = false;
    bool by_workflow_ = false;
    std::set<std::int64_t> strict_versions_;
    std::string name_;
    int number_ = 0;
    Instant now_ = {};
    std::vector<model::Task> held_;
    std::map<int, int> ways_;
    int claimed_ = 0;
    int decided_ = 0;
    int expired_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Every, ApprovalWays, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ApprovalWays, NothingGatedGetsATaskWithoutAnApprovedDecision) {
    test::Random random(17);
    const auto rounds = test::case_count(2);
    for (std::size_t round = 0; round < rounds && !HasFailure(); ++round) {
        for (const auto& policy : policies()) {
            start(policy, random);
            held_.clear();
            for (int i = 0; i < 60 && !HasFailure(); ++i) step(random);
            settle_down(random);
            ignore(test::remove(*store, ref_of(schedule), now_));
        }
    }
    EXPECT_EQ(ways_.size(), 16U) << "every way was gone";
    EXPECT_GT(claimed_, 0);
    EXPECT_GT(decided_, 0);
    EXPECT_GT(expired_, 0);
}

}  // namespace
}  // namespace belfry::store
