// Random workflows, walked with random outcomes under every failure policy, against a naive judge: it keeps the
// outcomes of each node's attempts and nothing else, and tells from them anew, after every step, what each node must
// be.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "decide/run/workflow_run.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::decide::walk_property_test {
namespace {

using namespace std::chrono_literals;
using model::ExecutionStatus;
using model::FailureCategory;
using model::FailureMode;
using model::NodeKind;
using model::NodeRun;
using model::NodeStatus;
using model::Workflow;
using model::WorkflowNode;
using test::Random;

const Instant kStart = parse_instant("2026-06-01T12:00:00Z").value();
constexpr const char* kFallback = "b-team";
constexpr std::optional<FailureCategory> kCategories[] = {std::nullopt, FailureCategory::timeout,
                                                          FailureCategory::provider_error, FailureCategory::rate_limit,
                                                          FailureCategory::contract_violated};

std::string id_of(int node) { return "n" + std::to_string(node); }

model::RetryPolicy random_retry(Random& random) {
    model::RetryPolicy policy{.max_retries = random.number(0, 3),
                              .backoff = std::chrono::milliseconds{random.number(0, 3'000'000)}};
    if (random.percent(30)) policy.retry_on = {FailureCategory::timeout, FailureCategory::rate_limit};
    return policy;
}

// Results are {"v": N}, so that `/v` leads somewhere and `/w` nowhere.
Workflow random_workflow(Random& random) {
    Workflow workflow{.name = "w"};
    const int count = random.number(1, 9);
    const int chance = random.number(0, 60);
    std::vector<int>
        order;  // in which they stand in the workflow, which is not the one in which they depend on each other
    for (int i = 0; i < count; ++i) order.insert(order.begin() + random.number(0, i), i);
    for (const int i : order) {
        auto& node = workflow.nodes.emplace_back(WorkflowNode{.id = id_of(i)});
        for (int j = 0; j < i; ++j) {
            if (random.percent(chance)) node.depends_on.push_back(id_of(j));
        }
        if (random.percent(15)) node.kind = NodeKind::http;
        if (random.percent(30)) node.retry = random_retry(random);
        if (!node.depends_on.empty() && random.percent(60)) {
            node.input =
                "${nodes." + random.pick(node.depends_on) + ".output" + (random.percent(12) ? "/w" : "/v") + "}";
        }
    }
    return workflow;
}

// What a node must be, by the outcomes of its attempts and of those before it.
struct Expected {
    NodeStatus status = NodeStatus::waiting;
    int before = 0;  // attempts before the fallback
};

class Judge {
public:
    Judge(const Workflow& workflow, const model::Schedule& definition) : workflow_(workflow), definition_(definition) {}

    void note(const std::string& node, const AttemptEnd& end) { outcomes_[node].push_back(end); }

    [[nodiscard]] int attempts(const std::string& node) const {
        const auto found = outcomes_.find(node);
        return found == outcomes_.end() ? 0 : static_cast<int>(found->second.size());
    }

    [[nodiscard]] Expected expected(const std::string& name) const {
        const auto& node = *workflow_.find(name);
        for (const auto& before : node.depends_on) {
            const auto status = expected(before).status;
            if (status == NodeStatus::failed || status == NodeStatus::timed_out || status == NodeStatus::skipped)
                return {NodeStatus::skipped};
        }
        for (const auto& before : node.depends_on) {
            if (expected(before).status != NodeStatus::succeeded) return {NodeStatus::waiting};
        }
        if (leads_nowhere(node)) return {NodeStatus::failed};
        Expected result{NodeStatus::queued};
        const auto found = outcomes_.find(name);
        if (found == outcomes_.end()) return result;
        const auto& policy = node.retry ? *node.retry : definition_.retry;
        int used = 0;
        for (std::size_t i = 0; i < found->second.size(); ++i) {
            const auto& end = found->second[i];
            EXPECT_EQ(result.status, NodeStatus::queued) << name << " was tried after its end";
            used += 1;
            EXPECT_LE(used, policy.max_retries + 1) << name << " was tried too often";
            if (end.status == ExecutionStatus::succeeded) {
                result.status = NodeStatus::succeeded;
            } else if (used <= policy.max_retries && is_retried(policy, end)) {
                continue;
            } else if (definition_.failure.mode == FailureMode::fallback && node.kind == NodeKind::task &&
                       result.before == 0) {
                result.before = static_cast<int>(i) + 1;
                used = 0;
            } else {
                result.status = end.status == ExecutionStatus::timed_out ? NodeStatus::timed_out : NodeStatus::failed;
            }
        }
        return result;
    }

private:
    static bool is_retried(const model::RetryPolicy& policy, const AttemptEnd& end) {
        if (policy.retry_on.empty()) return true;
        const bool is_timeout =
            end.category ? *end.category == FailureCategory::timeout : end.status == ExecutionStatus::timed_out;
        return is_timeout || end.category == FailureCategory::rate_limit;  // what random_retry names
    }

    static bool leads_nowhere(const WorkflowNode& node) {
        return node.input.is_string() &&
               std::string_view(node.input.get_string()).find("/w}") != std::string_view::npos;
    }

    const Workflow& workflow_;
    const model::Schedule& definition_;
    std::map<std::string, std::vector<AttemptEnd>> outcomes_;
};

class Play {
public:
    Play(Random& random, FailureMode mode)
        : random_(random), workflow_(std::make_shared<const Workflow>(random_workflow(random))) {
        definition_.id = "s-1";
        definition_.name = "report";
        definition_.retry = random_retry(random);
        definition_.failure = {mode,
                               mode == FailureMode::fallback ? std::optional<std::string>(kFallback) : std::nullopt};
        walk_.workflow = workflow_;
    }

    void run() {
        Judge judge(*workflow_, definition_);
        walk_.nodes = begin_workflow(*workflow_, definition_, run_, now_).value();
        for (const auto& node : walk_.nodes) EXPECT_TRUE(workflow_->find(node.node)->depends_on.empty());
        check_nodes(judge, false);
        for (int steps = 0; !over_; ++steps) {
            ASSERT_LT(steps, 1'000) << "it does not come to an end";
            const auto names = in_progress();
            ASSERT_FALSE(names.empty()) << "nothing goes on, and the run is not over";
            step(judge, random_.pick(names));
            if (::testing::Test::HasFailure()) return;
        }
        check_end(judge);
    }

private:
    [[nodiscard]] std::vector<std::string> in_progress() const {
        std::vector<std::string> names;
        for (const auto& node : walk_.nodes) {
            if (!is_over(node.status)) names.push_back(node.node);
        }
        return names;
    }

    AttemptEnd random_end() {
        if (random_.percent(65))
            return {.status = ExecutionStatus::succeeded, .result = Json{{"v", random_.number(0, 9)}}};
        AttemptEnd end{.status = random_.percent(40) ? ExecutionStatus::timed_out : ExecutionStatus::failed,
                       .error = "no"};
        if (end.status == ExecutionStatus::failed) end.category = kCategories[random_.number(0, 4)];
        if (random_.percent(20)) end.retry_after = Seconds{random_.number(0, 10'000)};
        return end;
    }

    void step(Judge& judge, const std::string& name) {
        now_ += Seconds{random_.number(0, 100)};
        for (auto& node : walk_.nodes) {
            if (node.node != name) continue;
            node.attempts += 1;  // as a claim does
            node.started_at = now_;
        }
        const auto end = random_end();
        judge.note(name, end);
        const auto result = step_workflow(walk_, definition_, run_, name, end, now_);
        ASSERT_TRUE(result) << result.error().message;
        apply(*result);
        check_retry(name, end, *result);
        over_ = result->over;
        check_nodes(judge, definition_.failure.mode == FailureMode::halt && over_);
        check_events(*result);
    }

    void apply(const WorkflowStep& step) {
        std::set<std::string> names;
        for (const auto& changed : step.changed) {
            EXPECT_TRUE(names.insert(changed.node).second) << changed.node << " is changed twice in one step";
            const auto found = std::ranges::find(walk_.nodes, changed.node, &NodeRun::node);
            if (found == walk_.nodes.end()) {
                walk_.nodes.push_back(changed);
                if (changed.status == NodeStatus::queued) check_start(changed);
            } else {
                EXPECT_FALSE(is_over(found->status)) << changed.node << " ends twice";
                *found = changed;
            }
            EXPECT_EQ(is_over(changed.status), changed.completed_at.has_value()) << changed.node;
        }
    }

    // Nothing starts before what it depends on, and it is given what came out of that.
    void check_start(const NodeRun& node) const {
        const auto& described = *workflow_->find(node.node);
        for (const auto& before : described.depends_on) {
            const auto* const row = walk_.find(before);
            ASSERT_NE(row, nullptr) << node.node << " starts before " << before;
            EXPECT_EQ(row->status, NodeStatus::succeeded) << node.node << " starts before " << before;
        }
        EXPECT_EQ(node.ready_at, now_);
        EXPECT_EQ(node.queue, described.kind == NodeKind::http ? "@http" : "default");
        if (!described.input.is_string()) return;
        const std::string text(described.input.get_string());
        const auto other = text.substr(8, text.find(".output") - 8);
        EXPECT_TRUE(same_json(node.input, walk_.find(other)->result.at("v"))) << text;
    }

    // The wait doubles, is at least what the worker asked for, and is at most an hour and a quarter.
    void check_retry(const std::string& name, const AttemptEnd& end, const WorkflowStep& step) const {
        const auto& node = *walk_.find(name);
        if (node.status != NodeStatus::queued) return;
        const bool is_handed_over =
            std::ranges::any_of(step.events, [](const auto& event) { return event.type == "node.reassigned"; });
        EXPECT_EQ(node.assignee, node.attempts_before > 0 ? kFallback : "");
        if (is_handed_over) {
            EXPECT_EQ(node.ready_at, now_);
            return;
        }
        const auto& described = *workflow_->find(name);
        const auto& policy = described.retry ? *described.retry : definition_.retry;
        Micros wait = policy.backoff;
        for (int i = 1; i < node.attempts - node.attempts_before; ++i) wait *= 2;
        wait = std::min<Micros>(std::max<Micros>(std::min<Micros>(wait, 1h), end.retry_after.value_or(Micros{0})), 1h);
        EXPECT_GE(node.ready_at, now_ + wait);
        EXPECT_LE(node.ready_at, now_ + wait + wait / 4);
    }

    // Halting leaves behind what was not over: begun or not, it never will be.
    void check_nodes(const Judge& judge, bool halted) const {
        for (const auto& described : workflow_->nodes) {
            const auto expected = judge.expected(described.id);
            const auto* const row = walk_.find(described.id);
            if (halted &&
                (expected.status == NodeStatus::queued || expected.status == NodeStatus::waiting ||
                 expected.status == NodeStatus::skipped || (expected.status == NodeStatus::failed && row == nullptr))) {
                EXPECT_TRUE(row == nullptr || row->status == NodeStatus::cancelled) << described.id;
                continue;
            }
            if (expected.status == NodeStatus::waiting) {
                EXPECT_EQ(row, nullptr) << described.id;
                continue;
            }
            ASSERT_NE(row, nullptr) << described.id << " must be " << name_of(expected.status);
            EXPECT_EQ(row->status, expected.status) << described.id << ": " << name_of(row->status);
            EXPECT_EQ(row->attempts, judge.attempts(described.id)) << described.id;
            EXPECT_EQ(row->attempts_before, expected.before) << described.id;
        }
    }

    // One event for everything that came to pass, and none for anything else.
    void check_events(const WorkflowStep& step) const {
        std::map<std::string, int> told;
        for (const auto& event : step.events) {
            EXPECT_EQ(event.at, now_);
            told[event.type + " " + event.node] += 1;
        }
        for (const auto& [what, times] : told) EXPECT_EQ(times, 1) << what;
        for (const auto& changed : step.changed) {
            const auto has = [&](const char* type) { return told.contains(std::string(type) + " " + changed.node); };
            EXPECT_EQ(has("node.succeeded"), changed.status == NodeStatus::succeeded) << changed.node;
            EXPECT_EQ(has("node.skipped"), changed.status == NodeStatus::skipped) << changed.node;
            const bool is_broken = changed.status == NodeStatus::failed || changed.status == NodeStatus::timed_out;
            EXPECT_TRUE(!is_broken || has("node.failed")) << changed.node;
            EXPECT_TRUE(changed.status != NodeStatus::queued || has("node.ready") != has("node.failed"))
                << changed.node;
        }
    }

    void check_end(const Judge& judge) const {
        EXPECT_TRUE(in_progress().empty()) << "the run is over, and something goes on";
        bool all = true;
        bool has_failed = false;
        for (const auto& described : workflow_->nodes) {
            const auto* const row = walk_.find(described.id);
            all = all && row != nullptr && row->status == NodeStatus::succeeded;
            has_failed = has_failed || (row != nullptr && row->status == NodeStatus::failed);
            if (definition_.failure.mode != FailureMode::halt) {
                EXPECT_TRUE(is_over(judge.expected(described.id).status)) << described.id;
            }
        }
        EXPECT_EQ(over_->status, all          ? ExecutionStatus::succeeded
                                 : has_failed ? ExecutionStatus::failed
                                              : ExecutionStatus::timed_out);
        EXPECT_EQ(over_->error.empty(), all);
        if (all) check_result();
    }

    void check_result() const {
        boost::json::object last;
        for (const auto& described : workflow_->nodes) {
            bool is_last = true;
            for (const auto& other : workflow_->nodes)
                is_last = is_last && std::ranges::count(other.depends_on, described.id) == 0;
            if (is_last) last[described.id] = walk_.find(described.id)->result;
        }
        EXPECT_TRUE(same_json(over_->result, last.size() == 1 ? last.begin()->value() : Json{{"nodes", last}}));
    }

    Random& random_;
    model::WorkflowPtr workflow_;
    model::Schedule definition_;
    model::WorkflowRun walk_;
    WorkflowRunContext run_{.id = "r-1", .slot = {model::RunCause::tick, kStart}, .input = nullptr, .ready_at = kStart};
    Instant now_ = kStart;
    std::optional<WorkflowRunVerdict> over_;
};

TEST(WorkflowRunProperty, EveryNodeEndsOnceAndTheRunWithTheLast) {
    Random random(63);
    for (std::size_t i = 0; i < test::case_count(3'000); ++i) {
        for (const auto mode : {FailureMode::isolate, FailureMode::halt, FailureMode::fallback}) {
            Play(random, mode).run();
            ASSERT_FALSE(HasFailure()) << "case " << i << ", " << name_of(mode);
        }
    }
}

}  // namespace
}  // namespace belfry::decide::walk_property_test
