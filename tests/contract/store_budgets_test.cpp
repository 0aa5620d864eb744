// Assignees and their budgets: what a dispatch reserves, what an end settles, and what attempts report to have used.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::AssigneePolicies;
using model::AssigneeRecord;
using model::BudgetDay;
using model::Credits;
using model::OverlapPolicy;
using model::Usage;

constexpr Credits credits(std::int64_t whole) { return {whole * 1'000'000}; }
const model::Day kDay = model::day_of(kTen);

class BudgetContract : public StoreContract {
protected:
    void put(AssigneePolicies policies, const std::string& id = "bo", const std::string& tenant = "default") {
        const auto stored = store->assignee(tenant, id);
        AssigneeRecord record{.id = id,
                              .policies = std::move(policies),
                              .created_at = kNine,
                              .version = stored ? stored->version + 1 : 1};
        const auto done = store->put_assignee(tenant, record);
        ASSERT_TRUE(done) << done.error().message;
    }
    model::Schedule create_for(const std::string& assignee, const std::string& name = "report",
                               const test::Edit& edit = {}) {
        return create_named(name, [&](model::Schedule& schedule) {
            schedule.assignee = model::Assignee{"agent", assignee};
            if (edit) edit(schedule);
        });
    }
    BudgetDay budget(const std::string& id = "bo", model::Day day = kDay) {
        auto found = store->budget("default", id, day);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : BudgetDay{};
    }
    // The only task that is ready for the assignee.
    model::Task claim_for(const std::string& assignee, Instant now) {
        auto tasks = store->claim(
            {.tenant = "default", .worker = "w1", .limit = 10, .now = now, .lease = 30min, .assignee = assignee});
        EXPECT_TRUE(tasks && tasks->size() == 1);
        return tasks && !tasks->empty() ? tasks->front() : model::Task{};
    }
    static decide::AttemptEnd reporting(Usage usage, decide::AttemptEnd end) {
        end.usage = std::move(usage);
        return end;
    }
    Result<decide::AttemptPlan> tell(const model::Task& task, Usage usage, const decide::AttemptEnd& end,
                                     Instant now = kTen + 1min) {
        return test::complete(*store, {lease_of(task), reporting(std::move(usage), end)}, now);
    }
    Result<decide::AttemptPlan> report(const model::Task& task, Usage usage) {
        auto taken = test::report_usage(*store, {{lease_of(task), std::move(usage)}}, kTen + 1min);
        return taken ? std::move(taken->front()) : taken.error();
    }
    static std::string limit_of(const Result<decide::AttemptPlan>& done) {
        if (!done) return done.error().message;
        const auto* const plan = std::get_if<Plan>(&*done);
        if (plan == nullptr) return "retry";
        for (const auto& note : plan->notes) {
            if (const auto* const limit = note.event.payload.get_object().if_contains("limit")) return to_text(*limit);
        }
        return "none";
    }
};
INSTANTIATE_TEST_SUITE_P(Every, BudgetContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

// --- Assignees
// -----------------------------------------------------------------------------------------------------------

TEST_P(BudgetContract, AnAssigneeIsKeptAsItWasWritten) {
    const AssigneeRecord record{.id = "bo",
                                .type = model::AssigneeType::team,
                                .display_name = "Bo and Co",
                                .policies = {.spending_limit = Credits{1},
                                             .credits_per_day = model::kCreditsMax,
                                             .max_runs_per_day = 0,
                                             .max_tokens = 7,
                                             .max_tool_calls = 8,
                                             .allow_tools = {{"search", "a \"b\""}}},
                                .created_at = kNine};
    ASSERT_TRUE(store->put_assignee("default", record));
    EXPECT_EQ(store->assignee("default", "bo").value(), record);
    auto changed = record;
    changed.policies = {.allow_tools = std::vector<std::string>()};
    changed.type = model::AssigneeType::agent;
    changed.created_at = kTen;
    changed.version = 2;
    ASSERT_TRUE(store->put_assignee("default", changed));
    reopen();
    changed.created_at = kNine;
    EXPECT_EQ(store->assignee("default", "bo").value(), changed) << "it was made when it was made";
    EXPECT_EQ(code_of(store->put_assignee("default", changed)), ErrorCode::conflict) << "somebody else was first";
}

TEST_P(BudgetContract, AssigneesBelongToTheirTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    put({}, "bo");
    EXPECT_EQ(code_of(store->assignee("acme", "bo")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_assignee("acme", "bo")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->put_assignee("nobody", {.id = "bo"})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->assignees("nobody", {})), ErrorCode::not_found);
    EXPECT_TRUE(store->remove_assignee("default", "bo"));
    EXPECT_EQ(code_of(store->remove_assignee("default", "bo")), ErrorCode::not_found);
}

TEST_P(BudgetContract, AssigneesAreListedByIdInPages) {
    for (const auto* id : {"c", "a", "B", "d"}) put({}, id);
    std::vector<std::string> seen;
    Page page{.limit = 2};
    do {
        const auto listing = store->assignees("default", page).value();
        EXPECT_LE(listing.items.size(), 2U);
        for (const auto& record : listing.items) seen.push_back(record.id);
        page.after = listing.next;
    } while (!page.after.empty());
    EXPECT_EQ(seen, (std::vector<std::string>{"B", "a", "c", "d"}));
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto cursor = store->assignees("default", {.limit = 1}).value().next;
    EXPECT_FALSE(store->assignees("acme", {.after = cursor})) << "a cursor of another list";
}

// --- What is reserved and settled
// ----------------------------------------------------------------------------------------

TEST_P(BudgetContract, ATickReservesAndTheEndSettles) {
    put({.spending_limit = credits(3), .credits_per_day = credits(10)});
    create_for("bo", "report", [](auto& s) { s.approval.requires_approval = false; });
    tick(kTen);
    EXPECT_EQ(budget(), (BudgetDay{1, credits(3), {}}));
    const auto task = claim_for("bo", kTen);
    ASSERT_TRUE(report(task, {.credits = credits(1)}));
    EXPECT_EQ(budget(), (BudgetDay{1, credits(3), {}})) << "a report takes nothing";
    ASSERT_TRUE(tell(task, {.credits = credits(2)}, test::succeeded()));
    EXPECT_EQ(budget(), (BudgetDay{1, {}, credits(2)}));
    EXPECT_EQ(code_of(report(task, {.credits = credits(3)})), ErrorCode::conflict)
        << "what comes after the end is refused";
    EXPECT_EQ(run(task.run_id).used, (Usage{.credits = credits(2)}));
}

TEST_P(BudgetContract, WhoIsNotRegisteredHasNoBudget) {
    put({.max_runs_per_day = 0}, "somebody else");
    const auto schedule = create_for("bo");
    tick(kTen);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued"}));
    EXPECT_EQ(budget(), BudgetDay{});
}

TEST_P(BudgetContract, TheDayIsThatOfTheDispatch) {
    put({.spending_limit = credits(3), .credits_per_day = credits(10)});
    create_for("bo");
    tick(kTen);
    const auto task = claim_for("bo", kTen);
    ASSERT_TRUE(
        test::complete(*store, {lease_of(task), reporting({.credits = credits(2)}, test::succeeded())}, kTen + 25min));
    const auto tomorrow = kTen + 24h;
    tick(tomorrow - 1h);
    tick(tomorrow);
    const auto late =
        store->claim({.tenant = "default", .worker = "w1", .now = kTen + 23h, .lease = 24h, .assignee = "bo"}).value();
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(budget("bo", kDay + std::chrono::days{1}).runs, 1) << "the one that is in flight";
    ASSERT_TRUE(test::complete(*store, {lease_of(late.front()), reporting({.credits = credits(1)}, test::succeeded())},
                               tomorrow + 24h));
    EXPECT_EQ(budget("bo", kDay + std::chrono::days{1}), (BudgetDay{1, {}, credits(1)}));
    EXPECT_EQ(budget("bo", kDay + std::chrono::days{2}), BudgetDay{});
}

TEST_P(BudgetContract, WhateverEndsARunSettlesItOnce) {
    put({.spending_limit = credits(3)});
    const auto begin = [this](const std::string& name) {
        const auto schedule = create_for("bo", name);
        const auto plan = test::trigger(*store, ref_of(schedule), kTen);
        EXPECT_TRUE(plan);
        return schedule;
    };
    const auto run_of = [this](const model::Schedule& schedule) { return runs(schedule).front().id; };
    std::int64_t begun = 0;
    const auto expect_settled = [&](Credits spent, const char* how) {
        EXPECT_EQ(budget(), (BudgetDay{++begun, {}, spent})) << how;
    };

    const auto queued = begin("queued");
    ASSERT_TRUE(test::cancel(*store, ref_of(queued), run_of(queued), kTen));
    expect_settled({}, "cancelled before anybody had it");
    EXPECT_FALSE(test::cancel(*store, ref_of(queued), run_of(queued), kTen)) << "it is over";

    const auto running = begin("running");
    ASSERT_TRUE(report(claim_for("bo", kTen), {.credits = credits(2)}));
    ASSERT_TRUE(test::cancel(*store, ref_of(running), run_of(running), kTen));
    expect_settled(credits(2), "cancelled");

    const auto lost = begin("lost");
    const auto task = claim_for("bo", kTen);
    ASSERT_TRUE(report(task, {.credits = credits(1)}));
    ASSERT_TRUE(test::complete(*store, test::reaped(lease_of(task), kTen + 9h), kTen + 9h));
    expect_settled(credits(3), "timed out");
    EXPECT_EQ(runs(lost).front().execution, ExecutionStatus::timed_out);

    const auto refused = create_for("bo", "refused", [](auto& s) { s.approval.requires_approval = true; });
    ASSERT_TRUE(test::trigger(*store, ref_of(refused), kTen));
    EXPECT_EQ(budget().reserved, credits(3)) << "it waits, and holds what it may use";
    ASSERT_TRUE(test::judge(*store, ref_of(refused), run_of(refused), {.approved = false}, kTen));
    expect_settled(credits(3), "refused");

    const auto replaced = begin("replaced");
    ASSERT_TRUE(test::trigger(*store, ref_of(replaced), kTen + 1min, {.overlap = OverlapPolicy::terminate_other}));
    EXPECT_EQ(budget(), (BudgetDay{begun + 2, credits(3), credits(3)})) << "the newer run holds its own";
    begun += 1;
    ASSERT_TRUE(test::remove(*store, ref_of(replaced), kTen + 2min));
    EXPECT_EQ(budget().reserved, credits(3)) << "a run goes on when its schedule is gone";
    ASSERT_TRUE(test::cancel(*store, ref_of(replaced), run_of(replaced), kTen + 3min));
    expect_settled(credits(3), "cancelled after its schedule was deleted");
    ASSERT_TRUE(store->purge(ref_of(replaced), 10));
    EXPECT_EQ(budget().runs, begun) << "what is forgotten has been spent";
}

TEST_P(BudgetContract, ARetryIsTheSameRunAndAddsUp) {
    put({.spending_limit = credits(5)});
    const auto schedule = create_for("bo", "report", [](auto& s) { s.retry = {2, 1000ms, {}, {}}; });
    tick(kTen);
    const auto first = claim_for("bo", kTen);
    ASSERT_TRUE(tell(first, {.credits = credits(2), .tokens = 10, .tools = {"search"}}, test::failed(), kTen));
    EXPECT_EQ(budget(), (BudgetDay{1, credits(5), {}})) << "it goes on";
    const auto second = claim_for("bo", kTen + 1min);
    EXPECT_EQ(second.attempt, 2);
    ASSERT_TRUE(tell(second, {.credits = credits(3), .tokens = 5, .tools = {"browse"}}, test::succeeded()));
    EXPECT_EQ(budget(), (BudgetDay{1, {}, credits(5)}));
    const Usage all{credits(5), 15, 0, {"browse", "search"}};
    EXPECT_EQ(run(first.run_id).used, all);
    EXPECT_EQ(runs(schedule).front().used, all);
}

TEST_P(BudgetContract, ADefinitionThatChangesSettlesWhatTheOldOneReserved) {
    put({.spending_limit = credits(3)});
    const auto schedule = create_for("bo");
    tick(kTen);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen, [](auto& s) { s.assignee.reset(); }));
    ASSERT_TRUE(store->remove_assignee("default", "bo"));
    ASSERT_TRUE(tell(claim_for("bo", kTen), {.credits = credits(2)}, test::succeeded()));
    EXPECT_EQ(budget(), (BudgetDay{1, {}, credits(2)}));
}

// --- What is refused
// -----------------------------------------------------------------------------------------------------

TEST_P(BudgetContract, WhatIsUsedUpRefusesEveryKindOfRun) {
    put({.max_runs_per_day = 1});
    const auto schedule = create_for("bo", "report", [](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    tick(kTen + 1h);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 90min));
    const auto backfill = test::new_backfill(schedule, kTen - 2h, kTen - 1h, kTen + 2h);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    ASSERT_TRUE(test::step(*store, "default", backfill, kTen + 100min, 10));
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"08:00 skipped budget_exceeded", "09:00 skipped budget_exceeded", "10:00 queued",
                           "11:00 skipped budget_exceeded", "11:30 skipped budget_exceeded"}));
    EXPECT_EQ(runs(schedule).front().detail, "maxRunsPerDay of bo: 1 of 1");
    EXPECT_EQ(budget(), (BudgetDay{.runs = 1}));
    tick(kTen + 24h);
    EXPECT_EQ(budget("bo", kDay + std::chrono::days{1}).runs, 1) << "a new day";
}

TEST_P(BudgetContract, SchedulesOfOneTickShareWhatIsLeft) {
    put({.spending_limit = credits(4), .credits_per_day = credits(10)});
    for (int i = 0; i < 5; ++i) create_for("bo", "s" + std::to_string(i));
    const auto outcome = tick(kTen);
    EXPECT_TRUE(outcome.poisoned.empty());
    EXPECT_EQ(budget(), (BudgetDay{2, credits(8), {}}));
    EXPECT_EQ(test::all_runs(*store, {.tenant = "default", .state = RunState::skipped}).size(), 3U);
}

TEST_P(BudgetContract, ABufferedRunTakesWhatTheOneBeforeItLeft) {
    put({.spending_limit = credits(2), .credits_per_day = credits(5)});
    const auto schedule = create_for("bo", "report", [](auto& s) { s.overlap.policy = OverlapPolicy::buffer_one; });
    tick(kTen);
    tick(kTen + 1h);
    put({.spending_limit = credits(4), .credits_per_day = credits(5)});
    ASSERT_TRUE(tell(claim_for("bo", kTen + 1h), {.credits = credits(1)}, test::succeeded(), kTen + 70min));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 queued"}))
        << "with what was reserved for it, the first would be in the way";
    EXPECT_EQ(budget(), (BudgetDay{2, credits(4), credits(1)}));
}

TEST_P(BudgetContract, RegisteredWhileOthersDecideItCountsFromTheNextDecision) {
    const auto schedule = create_for("bo", "report", [](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    put({.max_runs_per_day = 1});
    tick(kTen + 1h);
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued", "11:00 queued", "12:00 skipped budget_exceeded"}));
}

// --- What is reported
// ----------------------------------------------------------------------------------------------------

TEST_P(BudgetContract, AReportBeyondALimitEndsTheAttempt) {
    put({.spending_limit = credits(3), .max_tokens = 100, .allow_tools = {{"search"}}});
    const auto schedule = create_for("bo", "report", [](auto& s) { s.retry = {5, 1000ms, {}, {}}; });
    tick(kTen);
    const auto task = claim_for("bo", kTen);
    EXPECT_EQ(limit_of(report(task, {credits(3), 100, 0, {"search"}})), "none");
    EXPECT_EQ(limit_of(report(task, {.tokens = 101})),
              R"({"limit":"maxTokens","assignee":"bo","allowed":100,"used":101,"tool":null})");
    const auto ended = run(task.run_id);
    EXPECT_EQ(ended.execution, ExecutionStatus::failed);
    EXPECT_EQ(ended.used, (Usage{credits(3), 101, 0, {"search"}})) << "a report that says less takes nothing back";
    EXPECT_EQ(budget(), (BudgetDay{1, {}, credits(3)}));
    EXPECT_EQ(store->heartbeat(std::vector{lease_of(task)}, kTen, kTen + 1h).value().size(), 0U) << "its lease is lost";
    const auto told = store->run_events("default", task.run_id, 0, 10).value();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front().type, "run.failed");
    EXPECT_EQ(told.front().sequence, 3);
    EXPECT_EQ(told.front().payload.at("limit").at("limit"), Json("maxTokens"));
    EXPECT_EQ(state(schedule).failures, 1);
}

TEST_P(BudgetContract, ACompletionWhoseOwnReportIsTooMuchFails) {
    put({.spending_limit = credits(3)});
    create_for("bo");
    tick(kTen);
    const auto task = claim_for("bo", kTen);
    EXPECT_NE(limit_of(tell(task, {.credits = credits(4)}, test::succeeded())), "none");
    EXPECT_EQ(run(task.run_id).execution, ExecutionStatus::failed);
    EXPECT_EQ(budget(), (BudgetDay{1, {}, credits(4)})) << "what was used was used";
}

TEST_P(BudgetContract, TheLimitsOfWhoeverHasTheNodeCount) {
    put({.max_tool_calls = 1}, "ann");
    auto workflow = test::diamond();
    workflow.version = 0;
    for (auto& node : workflow.nodes) {
        if (node.id == "b") node.assignee = "ann";
    }
    ASSERT_TRUE(store->put_workflow(workflow));
    auto schedule = test::workflow_schedule([](auto& s) { s.retry = {3, 1000ms, {}, {}}; });
    ASSERT_TRUE(test::create(*store, {schedule}, kNine));
    tick(kTen);
    const auto a = claim_one(kTen);
    ASSERT_TRUE(tell(a, {.credits = credits(1), .tool_calls = 1}, test::succeeded(test::json(R"({"rows":[1,2]})"))));
    const auto b = claim_for("ann", kTen + 1min);
    EXPECT_EQ(b.node, "b");
    EXPECT_EQ(limit_of(report(b, {.credits = credits(2), .tool_calls = 1})),
              R"({"limit":"maxToolCalls","assignee":"ann","allowed":1,"used":2,"tool":null})")
        << "of the whole run";
    const auto walk = store->workflow_run("default", b.run_id).value();
    EXPECT_EQ(walk.find("b")->status, model::NodeStatus::failed);
    EXPECT_EQ(walk.find("b")->category, model::FailureCategory::contract_violated);
    EXPECT_EQ(walk.find("b")->used, (Usage{.credits = credits(2), .tool_calls = 1}));
    EXPECT_EQ(walk.find("a")->used, (Usage{.credits = credits(1), .tool_calls = 1}));
    EXPECT_FALSE(walk.find("c")->used);
    EXPECT_EQ(run(b.run_id).used, (Usage{.credits = credits(3), .tool_calls = 2}));
    EXPECT_EQ(run(b.run_id).execution, ExecutionStatus::running) << "the failure policy lets the others go on";
    const auto told = store->run_events("default", b.run_id, 0, 100).value();
    const auto failed = std::ranges::find(told, "node.failed", &model::RunEvent::type);
    ASSERT_NE(failed, told.end());
    EXPECT_EQ(failed->payload.at("retryAt"), Json(nullptr));
    EXPECT_EQ(failed->payload.at("limit").at("assignee"), Json("ann"));
}

TEST_P(BudgetContract, SeveralReportsAreTakenTogetherEachOnItsOwn) {
    put({.spending_limit = credits(3)});
    std::vector<UsageReport> reports;
    for (int i = 0; i < 4; ++i) create_for("bo", "s" + std::to_string(i));
    tick(kTen);
    const auto tasks =
        store->claim({.tenant = "default", .worker = "w", .limit = 10, .now = kTen, .lease = 1h, .assignee = "bo"})
            .value();
    ASSERT_EQ(tasks.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
        reports.push_back({lease_of(tasks[i]), {.credits = credits(static_cast<std::int64_t>(i) + 1)}});
    ASSERT_TRUE(tell(tasks[0], reports[0].usage, test::succeeded()));
    reports[1].lease.attempt = 7;
    const auto done = test::report_usage(*store, reports, kTen + 1min).value();
    EXPECT_EQ(code_of(done[0]), ErrorCode::conflict) << "it has ended";
    EXPECT_EQ(code_of(done[1]), ErrorCode::conflict);
    EXPECT_EQ(limit_of(done[2]), "none");
    EXPECT_NE(limit_of(done[3]), "none");
    EXPECT_EQ(budget(), (BudgetDay{4, credits(6), credits(5)}));
    EXPECT_FALSE(run(tasks[1].run_id).used);
}

TEST_P(BudgetContract, ForgottenRunsTakeTheirUsageAlong) {
    const auto schedule = create();
    tick(kTen);
    ASSERT_TRUE(tell(claim_one(kTen), {.tokens = 5}, test::succeeded()));
    tick(kTen + 1h);
    ASSERT_TRUE(tell(claim_one(kTen + 1h), {.tokens = 6}, test::succeeded(), kTen + 2h));
    ASSERT_EQ(store->prune(ref_of(schedule), {.keep_newest = 1}, 10).value(), 1);
    EXPECT_EQ(runs(schedule).front().used, (Usage{.tokens = 6}));
    EXPECT_EQ(runs(schedule).size(), 1U);
}

// --- Old days
// ------------------------------------------------------------------------------------------------------------

TEST_P(BudgetContract, OldDaysAreForgottenOnceNothingIsReserved) {
    put({.spending_limit = credits(3)}, "bo");
    put({.spending_limit = credits(3)}, "ann");
    create_for("bo", "one");
    create_for("ann", "two");
    tick(kTen);
    ASSERT_TRUE(tell(claim_for("ann", kTen), {.credits = credits(1)}, test::succeeded()));
    EXPECT_EQ(store->prune_budgets(kDay, 10).value(), 0) << "not old enough";
    EXPECT_EQ(store->prune_budgets(kDay + std::chrono::days{1}, 10).value(), 1);
    EXPECT_EQ(budget("ann"), BudgetDay{});
    EXPECT_EQ(budget("bo"), (BudgetDay{1, credits(3), {}})) << "its run is in flight";
    ASSERT_TRUE(tell(claim_for("bo", kTen), {.credits = credits(1)}, test::succeeded()));
    EXPECT_EQ(store->prune_budgets(kDay + std::chrono::days{1}, 0).value(), 0);
    EXPECT_EQ(store->prune_budgets(kDay + std::chrono::days{1}, 10).value(), 1);
}

}  // namespace
}  // namespace belfry::store
