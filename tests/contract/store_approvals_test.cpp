// Approvals: what is asked for is written with what waits, and nothing begins without them.
#include "decide/approval/gate.hpp"
#include "walk_contract.hpp"

namespace belfry::store {
namespace {

using model::Approval;
using model::ApprovalMode;
using model::ApprovalStatus;
using model::ApprovalWhy;

class ApprovalContract : public WorkflowRunContract {
protected:
    // A diamond whose b publishes and waits for approval; the id of its run. a is over.
    std::string begin_gated(const test::Edit& edit = {}) {
        const auto id = begin(
            [&](auto& s) {
                s.approval.gates = {"publish"};
                if (edit) edit(s);
            },
            [](auto& w) { w.nodes[1].action = "publish"; });
        end("a", kTen + 1min, test::succeeded(test::json(R"({"rows":[1,2]})")));
        return id;
    }

    std::vector<Approval> of_run(const std::string& run_id) {
        auto found = store->approvals_of("default", {&run_id, 1});
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : std::vector<Approval>{};
    }
    // `b gate publish pending`, ` run approved ada: fine`: oldest first.
    test::Lines lines(const std::vector<Approval>& approvals) {
        test::Lines lines;
        for (const auto& each : approvals) {
            auto line = each.node + " " + std::string(name_of(each.why)) +
                        (each.action.empty() ? "" : " " + each.action) + " " + std::string(name_of(each.status));
            if (!each.decided_by.empty() || !each.comment.empty()) line += " " + each.decided_by + ": " + each.comment;
            lines.push_back(line);
        }
        return lines;
    }
    test::Lines approvals(const std::string& run_id) { return lines(of_run(run_id)); }

    Result<Plan> decide(const std::string& run_id, const decide::ApprovalDecision& decision, Instant now) {
        return store->change(ref_of(schedule), {.now = now, .run = run_id}, [&](const Facts& facts) {
            return decide::plan_approval(facts, decision, now, {.principal = "ada"});
        });
    }
    Result<Plan> expire(const std::string& run_id, const std::string& node, Instant now) {
        return test::expire_approval(*store, ref_of(schedule), run_id, node, now);
    }
    std::vector<Approval> pending(const std::string& tenant = "default", std::size_t page = 100) {
        std::vector<Approval> all;
        Page at{.limit = page};
        do {
            auto listing = store->approvals({tenant}, at);
            EXPECT_TRUE(listing) << listing.error().message;
            if (!listing) return all;
            all.insert(all.end(), listing->items.begin(), listing->items.end());
            at.after = listing->next;
        } while (!at.after.empty());
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, ApprovalContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ApprovalContract, ARunIsAskedForWhenItIsMade) {
    schedule = create([](auto& s) { s.approval = {.requires_approval = true, .expires_after = 3'600'000ms}; });
    tick(kTen);
    const auto id = runs(schedule).front().id;
    EXPECT_EQ(of_run(id), (std::vector{Approval{.run_id = id, .requested_at = kTen, .expires_at = kTen + 1h}}));
    EXPECT_EQ(pending(), of_run(id));
    ASSERT_TRUE(decide(id, {true, "fine"}, kTen + 1min));
    EXPECT_EQ(approvals(id), (test::Lines{" run approved ada: fine"}));
    EXPECT_EQ(of_run(id).front().decided_at, kTen + 1min);
    EXPECT_TRUE(pending().empty());
    reopen();
    EXPECT_EQ(approvals(id), (test::Lines{" run approved ada: fine"}));
    EXPECT_EQ(claim_one(kTen + 1min).run_id, id);
}

TEST_P(ApprovalContract, AGatedNodeHasNoTaskUntilSomebodyApprovesIt) {
    const auto id = begin_gated();
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b awaiting_approval", "c queued"}));
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish pending"}));
    EXPECT_EQ(told(id), (test::Lines{"2 run.started", "3 node.started a", "4 node.succeeded a",
                                     "5 approval.requested b", "6 node.ready c"}));
    const auto tasks = claim(kTen + 2min);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks.front().node, "c");
    reopen();
    EXPECT_TRUE(claim(kTen + 2min).empty());
    ASSERT_TRUE(decide(id, {.approved = true, .node = "b"}, kTen + 3min));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b queued", "c running"}));
    const auto task = claim_one(kTen + 3min);
    EXPECT_EQ(task.node, "b");
    EXPECT_EQ(task.action, "publish");
    complete(task, kTen + 4min);
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish approved ada: "}));
}

TEST_P(ApprovalContract, ARunWhoseFirstNodesAllWaitIsQueuedAndHasNoTask) {
    const auto id = begin([](auto& s) { s.approval.mode = ApprovalMode::every_node; });
    EXPECT_EQ(nodes(id), (test::Lines{"a awaiting_approval"}));
    EXPECT_EQ(status(id), ExecutionStatus::queued);
    EXPECT_EQ(ids(RunState::queued), (std::vector{id}));
    EXPECT_EQ(approvals(id), (test::Lines{"a every_node pending"}));
    EXPECT_TRUE(claim(kTen + 1min).empty());
    ASSERT_TRUE(decide(id, {.approved = true, .node = "a"}, kTen + 1min));
    end("a", kTen + 2min, test::succeeded(test::json(R"({"rows":[1,2]})")));
    EXPECT_EQ(told(id).at(3), "5 run.started") << "after what was to be approved";
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b awaiting_approval", "c awaiting_approval"}));
    EXPECT_EQ(ids(RunState::running), (std::vector{id}));
}

TEST_P(ApprovalContract, AnApprovedRunStillWaitsAtItsGates) {
    const auto id = begin([](auto& s) { s.approval = {.requires_approval = true, .gates = {"spend"}}; },
                          [](auto& w) { w.nodes[0].action = "spend"; });
    EXPECT_EQ(approvals(id), (test::Lines{" run pending"}));
    ASSERT_TRUE(decide(id, {true, "fine"}, kTen + 1min));
    EXPECT_EQ(approvals(id), (test::Lines{" run approved ada: fine", "a gate spend pending"}));
    EXPECT_TRUE(claim(kTen + 1min).empty());
    EXPECT_EQ(told(id), (test::Lines{"2 approval.requested", "3 approval.decided", "4 approval.requested a"}));
}

TEST_P(ApprovalContract, ARefusedNodeFailsAndSaysByWhom) {
    const auto id = begin_gated();
    ASSERT_TRUE(decide(id, {false, "not today", "b"}, kTen + 2min));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b failed", "c queued", "d skipped"}));
    EXPECT_EQ(workflow_run(id).find("b")->error, "refused by ada: not today");
    end("c", kTen + 3min);
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish rejected ada: not today"}));
}

TEST_P(ApprovalContract, TheSameDecisionAgainChangesNothing) {
    const auto id = begin_gated();
    ASSERT_TRUE(decide(id, {.approved = true, .node = "b"}, kTen + 2min));
    const auto before = of_run(id);
    EXPECT_TRUE(decide(id, {.approved = true, .node = "b"}, kTen + 3min).value().empty());
    EXPECT_EQ(code_of(decide(id, {.approved = false, .node = "b"}, kTen + 3min)), ErrorCode::conflict);
    EXPECT_EQ(of_run(id), before);
}

TEST_P(ApprovalContract, WhatNobodyApprovesInTimeIsRefused) {
    const auto id = begin_gated();
    const auto asked = of_run(id).front();
    EXPECT_EQ(asked.expires_at, kTen + 1min + 24h);
    EXPECT_TRUE(store->overdue_approvals(asked.expires_at - 1us, 10).value().empty());
    EXPECT_EQ(store->overdue_approvals(asked.expires_at, 10).value(), (std::vector{OverdueApproval{"default", asked}}));
    EXPECT_EQ(code_of(expire(id, "b", asked.expires_at - 1us)), ErrorCode::conflict);
    EXPECT_EQ(code_of(decide(id, {.approved = true, .node = "b"}, asked.expires_at)), ErrorCode::conflict)
        << "too late";
    ASSERT_TRUE(expire(id, "b", asked.expires_at));
    EXPECT_EQ(workflow_run(id).find("b")->status, NodeStatus::failed);
    EXPECT_EQ(workflow_run(id).find("b")->error, "not approved within 24 h");
    EXPECT_TRUE(store->overdue_approvals(asked.expires_at, 10).value().empty());
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish expired"}));
}

TEST_P(ApprovalContract, ABlockedNodeKeepsItsRounds) {
    const auto id =
        begin([](auto& s) { s.approval.mode = ApprovalMode::on_block; }, [](auto& w) { w.nodes.resize(1); });
    end("a", kTen + 1min, test::failed());
    EXPECT_EQ(nodes(id), (test::Lines{"a awaiting_approval"}));
    EXPECT_EQ(status(id), ExecutionStatus::running);
    EXPECT_TRUE(claim(kTen + 1h).empty());
    ASSERT_TRUE(decide(id, {true, "again", "a"}, kTen + 2min));
    end("a", kTen + 3min, test::failed("worse"));
    EXPECT_EQ(approvals(id), (test::Lines{"a blocked approved ada: again", "a blocked pending"}));
    ASSERT_TRUE(decide(id, {false, "enough", "a"}, kTen + 4min));
    EXPECT_EQ(approvals(id), (test::Lines{"a blocked approved ada: again", "a blocked rejected ada: enough"}));
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(run(id).error, "node a: worse (refused by ada: enough)");
}

TEST_P(ApprovalContract, WhatARunLeavesOpenIsVoid) {
    const auto id = begin_gated();
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen + 2min));
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish void"}));
    EXPECT_EQ(of_run(id).front().decided_at, kTen + 2min);
    EXPECT_TRUE(pending().empty());
    EXPECT_EQ(code_of(decide(id, {.approved = true, .node = "b"}, kTen + 3min)), ErrorCode::conflict);
    EXPECT_TRUE(store->overdue_approvals(kTen + 99h, 10).value().empty());
    EXPECT_TRUE(claim(kTen + 3min).empty());
}

TEST_P(ApprovalContract, AReplacedRunLeavesNothingOpen) {
    schedule = create([](auto& s) {
        s.approval.requires_approval = true;
        s.overlap.policy = OverlapPolicy::cancel_other;
    });
    tick(kTen);
    tick(kTen + 1h);
    const auto first = runs(schedule).at(1).id;
    EXPECT_EQ(approvals(first), (test::Lines{" run void"}));
    EXPECT_EQ(pending().size(), 1U);
}

TEST_P(ApprovalContract, AWeakerPolicyFreesNothingThatWaits) {
    const auto id = begin_gated();
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen + 2min, [](auto& s) { s.approval = {}; }));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b awaiting_approval", "c queued"}));
    end("c", kTen + 3min);
    EXPECT_TRUE(claim(kTen + 1h).empty());
    EXPECT_EQ(approvals(id), (test::Lines{"b gate publish pending"}));
    ASSERT_TRUE(decide(id, {.approved = true, .node = "b"}, kTen + 4min));
    EXPECT_EQ(claim_one(kTen + 4min).node, "b");
}

// The last guard: whatever a planner thinks, the store looks at what is on record.
TEST_P(ApprovalContract, RefusesAPlanThatLetsAnUnapprovedNodeBegin) {
    const auto id = begin_gated();
    const auto sneak = [&](const Facts& facts) -> Result<Plan> {
        auto node = *facts.workflow_run->find("b");
        node.status = NodeStatus::queued;
        Plan plan{.schedule_id = schedule.id, .revision = facts.state.revision, .decided_at = kTen + 2min};
        plan.state = facts.state;
        plan.state.revision += 1;
        plan.nodes.push_back({id, node});
        return plan;
    };
    const auto try_it = [&] { return store->change(ref_of(schedule), {.now = kTen + 2min, .run = id}, sneak); };
    const auto before = everything(schedule);
    EXPECT_EQ(try_it().error().message, "node b of run " + id + " must not start: it is not approved");
    ASSERT_TRUE(decide(id, {.approved = true, .node = "b"}, kTen + 2min));
    EXPECT_EQ(claim(kTen + 2min).size(), 2U);
    EXPECT_TRUE(try_it()) << "approved, it may be queued again";
    EXPECT_NE(everything(schedule), before);
}

TEST_P(ApprovalContract, RefusesAPlanThatStartsAnUnapprovedRun) {
    schedule = create([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    const auto id = runs(schedule).front().id;
    const auto before = everything(schedule);
    const auto started =
        store->change(ref_of(schedule), {.now = kTen, .run = id}, [&](const Facts& facts) -> Result<Plan> {
            Plan plan{.schedule_id = schedule.id, .revision = facts.state.revision, .decided_at = kTen};
            plan.state = facts.state;
            plan.state.revision += 1;
            plan.starts.push_back({id, kTen});
            return plan;
        });
    EXPECT_EQ(code_of(started), ErrorCode::conflict);
    // And a new run that does not even wait.
    const auto queued = store->change(ref_of(schedule), {.now = kTen + 1min}, [&](const Facts& facts) {
        auto plan = decide::plan_trigger(facts, {.overlap = OverlapPolicy::allow_all}, kTen + 1min);
        plan->asks.clear();
        plan->runs.front().execution = ExecutionStatus::queued;
        return plan;
    });
    EXPECT_EQ(code_of(queued), ErrorCode::conflict);
    // And one for which nobody is asked.
    const auto forgotten = store->change(ref_of(schedule), {.now = kTen + 1min}, [&](const Facts& facts) {
        auto plan = decide::plan_trigger(facts, {.overlap = OverlapPolicy::allow_all}, kTen + 1min);
        plan->asks.clear();
        return plan;
    });
    EXPECT_EQ(code_of(forgotten), ErrorCode::corrupt);
    EXPECT_EQ(everything(schedule), before);
    EXPECT_TRUE(claim(kTen + 1h).empty());
}

TEST_P(ApprovalContract, ListsTheLongestAskedForFirstPageByPage) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto waits = [](auto& s) {
        s.approval.requires_approval = true;
        s.overlap.policy = OverlapPolicy::allow_all;
    };
    schedule = create_named("one", waits);
    create_named("two", waits);
    const auto foreign = create_named("three", [&](auto& s) { waits(s), s.tenant = "acme"; });
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
    const auto all = pending();
    ASSERT_EQ(all.size(), 6U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].requested_at, kTen + (i / 2) * 1h);
    EXPECT_EQ(pending("default", 1), all);
    EXPECT_EQ(pending("default", 4), all);
    EXPECT_EQ(pending("acme").size(), 3U);
    EXPECT_EQ(code_of(store->approvals({"nobody"}, {})), ErrorCode::not_found);
    EXPECT_TRUE(store->approvals({"default", ApprovalStatus::approved}, {}).value().items.empty());
    const auto second = store->approvals({"default"}, {.limit = 1}).value().next;
    EXPECT_EQ(code_of(store->approvals({"acme"}, {.after = second})), ErrorCode::invalid_argument) << "another list";
    EXPECT_EQ(code_of(store->approvals({"default", ApprovalStatus::approved}, {.after = second})),
              ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(store->approvals({"default"}, {.after = "nonsense"})), ErrorCode::invalid_argument);
    const auto theirs = pending("acme").front().run_id;
    EXPECT_TRUE(store->approvals_of("default", {&theirs, 1}).value().empty()) << "another tenant's";
    const auto counts = store->counts(kTen + 3h).value();
    EXPECT_EQ(counts.approvals, (std::vector{ApprovalCount{"default", 6, kTen}, ApprovalCount{"acme", 3, kTen}}));
    EXPECT_EQ(counts.at, kTen + 3h);
    const auto overdue = store->overdue_approvals(kTen + 1h + 24h, 100).value();
    ASSERT_EQ(overdue.size(), 6U);
    EXPECT_LE(overdue.front().approval.expires_at, overdue.back().approval.expires_at);
    EXPECT_EQ(store->overdue_approvals(kTen + 1h + 24h, 2).value().size(), 2U);
}

TEST_P(ApprovalContract, GoWithTheirRun) {
    schedule =
        create([](auto& s) { s.approval.requires_approval = true, s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    const auto id = runs(schedule).front().id;
    ASSERT_TRUE(decide(id, {false, "no"}, kTen));
    tick(kTen + 1h);
    const auto second = runs(schedule).front().id;
    ASSERT_TRUE(decide(second, {false, "no"}, kTen + 1h));
    EXPECT_EQ(store->prune(ref_of(schedule), {.keep_newest = 1}, 10).value(), 1);
    EXPECT_TRUE(of_run(id).empty());
    EXPECT_EQ(of_run(second).size(), 1U);
}

TEST_P(ApprovalContract, ABypassAttemptIsOnRecordOnce) {
    schedule = create([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    const auto id = runs(schedule).front().id;
    const auto record_it = [&](const std::string& who) {
        return store->change(ref_of(schedule), {.now = kTen}, [&](const Facts& facts) -> Result<Plan> {
            return decide::plan_bypass_record(facts, {id, "", "decided_without_role"}, kTen, {.principal = who});
        });
    };
    ASSERT_TRUE(record_it("key:w"));
    EXPECT_EQ(code_of(record_it("key:w")), ErrorCode::already_exists);
    ASSERT_TRUE(record_it("key:x"));
    const auto all = events(schedule);
    EXPECT_EQ(std::ranges::count(all, model::EventType::approval_bypass_attempt,
                                 [](const auto& each) { return each.event.type; }),
              2);
    test::expect_chain(record(schedule), all);
}

}  // namespace
}  // namespace belfry::store
