#include "store/memory/memory_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "decide/approval/approval.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::store {
namespace {

using model::DispatchStatus;
using model::ExecutionStatus;
using test::instant;
using test::json;

const char* const kTenant = model::kDefaultTenant;

// A store in memory and short ways to say what is done to it.
class MemoryStoreTest : public testing::Test {
protected:
    static decide::Plan new_plan(const std::string& name, const test::Edit& edit = {},
                                 const std::string& at = "2026-06-01T09:30:00Z") {
        const auto definition = test::definition([&](auto& schedule) {
            schedule.name = name;
            schedule.id = "id-" + name;
            if (edit) edit(schedule);
        });
        return decide::plan_create(test::compiled(definition), instant(at)).value();
    }

    Result<void> create(const std::string& name, const test::Edit& edit = {}) {
        const std::vector plans{new_plan(name, edit)};
        return store.create(plans);
    }

    TickOutcome tick(const std::string& at, std::vector<std::int64_t> keys = {}) {
        const TickRequest request{.now = instant(at), .keys = std::move(keys)};
        return store.tick(request, [&](const auto& facts) { return decide::plan_tick(facts, request.now); }).value();
    }

    Result<decide::Plan> trigger(const std::string& name, const std::string& at) {
        const FactsRequest needs{.now = instant(at), .slots = std::pair{instant(at), instant(at)}};
        return store.change({kTenant, {}, name}, needs,
                            [&](const auto& facts) { return decide::plan_trigger(facts, {}, needs.now); });
    }

    Result<decide::Plan> remove(const std::string& name, const std::string& at) {
        return store.change({kTenant, {}, name}, {.now = instant(at)},
                            [&](const auto& facts) { return decide::plan_delete(facts, "asked", instant(at)); });
    }

    std::vector<model::Task> claim(const std::string& at, std::size_t limit = 10) {
        return store.claim({.tenant = kTenant, .worker = "w1", .limit = limit, .now = instant(at)}).value();
    }

    Result<decide::AttemptPlan> complete(const AttemptReport& ending, const std::string& at) {
        const auto done = store.complete(std::vector{ending}, instant(at), [&](const auto& facts, const auto& end) {
            return decide::plan_attempt_end(facts, end, instant(at));
        });
        return done.value().at(0);
    }

    ScheduleRecord record(const std::string& name) { return store.schedule({kTenant, {}, name}).value(); }
    std::vector<model::Run> runs_of(const std::string& name) {
        return store.runs({.tenant = kTenant, .schedule_id = "id-" + name}, {}).value().items;
    }

    static std::vector<std::string> names_of(const std::vector<model::Task>& tasks) {
        std::vector<std::string> names;
        for (const auto& task : tasks) names.push_back(task.schedule_name);
        return names;
    }

    MemoryStore store{test::zones()};
};

const decide::AttemptEnd kFailed{.status = ExecutionStatus::failed, .error = "no route"};

TEST_F(MemoryStoreTest, HasTheDefaultTenantFromTheStart) {
    const auto tenants = store.tenants().value();
    ASSERT_EQ(tenants.size(), 1U);
    EXPECT_EQ(tenants[0], (model::Tenant{.name = "default"}));
    EXPECT_EQ(store.put_tenant({.name = "default", .version = 1}).error().code, ErrorCode::conflict);
    EXPECT_TRUE(store.put_tenant({.name = "default", .version = 2}));
}

TEST_F(MemoryStoreTest, CreatesAllSchedulesOfABatchOrNone) {
    ASSERT_TRUE(create("b"));
    const std::vector twice{new_plan("a"), new_plan("b", [](auto& schedule) { schedule.id = "other"; })};
    EXPECT_EQ(store.create(twice).error().code, ErrorCode::already_exists);
    EXPECT_EQ(store.create(std::vector{new_plan("a"), new_plan("a", [](auto& schedule) { schedule.id = "x"; })})
                  .error()
                  .field,
              "/name");
    EXPECT_EQ(store.create(std::vector{new_plan("c"), new_plan("d", [](auto& schedule) { schedule.id = "id-b"; })})
                  .error()
                  .field,
              "/id");
    EXPECT_EQ(store.schedules({.tenant = kTenant}, {}).value().items.size(), 1U);
    EXPECT_EQ(store.events({kTenant, "id-a"}, 0, 10).error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, ATenantHoldsNoMoreSchedulesThanItMayAndDeletedOnesDoNotCount) {
    ASSERT_TRUE(store.put_tenant({.name = kTenant, .schedules_max = 1, .version = 2}));
    EXPECT_EQ(store.create(std::vector{new_plan("a"), new_plan("b")}).error().code, ErrorCode::exhausted);
    ASSERT_TRUE(create("a"));
    EXPECT_EQ(create("b").error().code, ErrorCode::exhausted);
    ASSERT_TRUE(remove("a", "2026-06-01T09:40:00Z"));
    EXPECT_TRUE(create("b"));
}

TEST_F(MemoryStoreTest, TicksWhatIsDueAndTellsWhenEverythingItLookedAtFiresNext) {
    ASSERT_TRUE(create("a"));
    ASSERT_TRUE(create("later", [](auto& schedule) { schedule.spec.cron = {"0 12 * * *"}; }));
    const auto a = model::key_of("id-a");
    const auto later = model::key_of("id-later");

    const auto first = tick("2026-06-01T10:00:00Z", {later, a, 1});
    ASSERT_EQ(first.plans.size(), 1U);
    EXPECT_EQ(first.plans[0].schedule_id, "id-a");
    const auto tenant = model::tenant_key(kTenant);
    std::vector<Upcoming> expected{{a, instant("2026-06-01T11:00:00Z"), tenant},
                                   {later, instant("2026-06-01T12:00:00Z")}};
    std::ranges::sort(expected, {}, &Upcoming::key);
    EXPECT_EQ(first.upcoming, expected) << "with the tenant of the one that was due";

    EXPECT_TRUE(tick("2026-06-01T10:30:00Z").upcoming.empty()) << "a scan looks at what is due only";
    EXPECT_EQ(runs_of("a").size(), 1U);
    EXPECT_EQ(runs_of("a")[0].execution, ExecutionStatus::queued);
    for (auto& each : expected) each.tenant = tenant;
    EXPECT_EQ(store.upcoming(-1, 10).value(), expected);
}

TEST_F(MemoryStoreTest, AnUpdateByAnEarlierClockGoesOnAfterWhatWasDecided) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; }));
    tick("2026-06-01T10:00:00Z");
    // The same minute again: the occurrence already has a row.
    const auto change = store.change({kTenant, {}, "a"}, {}, [](const auto& facts) {
        auto changed = facts.schedule->definition;
        changed.spec.cron = {"*/30 * * * *"};
        return decide::plan_update(facts, test::compiled(changed), instant("2026-06-01T09:59:00Z"));
    });
    ASSERT_TRUE(change);
    EXPECT_EQ(record("a").state.next_occurrence, instant("2026-06-01T10:30:00Z"));
    tick("2026-06-01T10:30:00Z");
    EXPECT_EQ(runs_of("a").size(), 2U);
    EXPECT_EQ(record("a").state.runs, 2);
}

TEST_F(MemoryStoreTest, ASpoiltDecisionIsPoisonedAndTheOthersGoOn) {
    ASSERT_TRUE(create("good"));
    ASSERT_TRUE(create("refused"));
    auto broken = new_plan("broken");
    broken.definition->spec.cron = {"nonsense"};
    ASSERT_TRUE(store.create(std::vector{broken}));
    const auto now = instant("2026-06-01T10:00:00Z");
    const auto outcome = store.tick({.now = now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        if (facts.schedule->definition.name == "refused") return invalid("no");
        return decide::plan_tick(facts, now);
    });
    ASSERT_EQ(outcome->plans.size(), 1U);
    EXPECT_EQ(outcome->plans[0].schedule_id, "id-good");
    EXPECT_EQ(outcome->upcoming.size(), 1U) << "nothing of the poisoned";
    ASSERT_EQ(outcome->poisoned.size(), 2U);
    for (const auto& each : outcome->poisoned)
        EXPECT_EQ(each.error.code, each.id == "id-broken" ? ErrorCode::corrupt : ErrorCode::invalid_argument);
    EXPECT_EQ(record("refused").state.revision, 1);
}

TEST_F(MemoryStoreTest, HandsOutTasksByPriorityThenByAge) {
    const auto ranked = [](int priority, const char* cron) {
        return [=](auto& schedule) {
            schedule.target.priority = priority;
            schedule.spec.cron = {cron};
        };
    };
    ASSERT_TRUE(create("young", ranked(0, "5 10 * * *")));
    ASSERT_TRUE(create("old", ranked(0, "0 10 * * *")));
    ASSERT_TRUE(create("urgent", ranked(7, "10 10 * * *")));
    for (const auto* at : {"2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z"}) tick(at);

    EXPECT_EQ(names_of(claim("2026-06-01T10:09:59Z", 1)), (std::vector<std::string>{"old"}))
        << "the urgent one is not ready yet";
    tick("2026-06-01T10:10:00Z");
    EXPECT_EQ(names_of(claim("2026-06-01T10:10:00Z")), (std::vector<std::string>{"urgent", "young"}));
    EXPECT_TRUE(claim("2026-06-01T10:10:00Z").empty());
    EXPECT_EQ(store.claim({.tenant = "nobody", .worker = "w"}).error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, ATaskIsWhatItsRunWasDecidedBy) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.retry.timeout = std::chrono::seconds{5}; }));
    tick("2026-06-01T10:00:00Z");
    const auto renamed = store.change({kTenant, {}, "a"}, {}, [](const auto& facts) {
        auto changed = facts.schedule->definition;
        changed.name = "b";
        changed.target.kind = "other";
        changed.target.queue = "slow";
        return decide::plan_update(facts, test::compiled(changed), instant("2026-06-01T10:01:00Z"));
    });
    ASSERT_TRUE(renamed);
    const auto tasks = claim("2026-06-01T10:02:00Z");
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].schedule_name, "a");
    EXPECT_EQ(tasks[0].instance_id, "schedule:a:1780308000");
    EXPECT_EQ(tasks[0].target.kind, "report");
    EXPECT_EQ(tasks[0].timeout, std::chrono::seconds{5});
    EXPECT_EQ(tasks[0].lease_until, instant("2026-06-01T10:02:05Z")) << "the timeout comes before the lease of 30 s";
    EXPECT_EQ(store.schedule({kTenant, {}, "a"}).error().code, ErrorCode::not_found);
    EXPECT_EQ(record("b").definition.version, 2);
}

TEST_F(MemoryStoreTest, ARunEndsOnceAndOnlyByTheAttemptThatHoldsItsLease) {
    ASSERT_TRUE(create("a"));
    tick("2026-06-01T10:00:00Z");
    const auto task = claim("2026-06-01T10:00:01Z").at(0);
    EXPECT_EQ(store.run(kTenant, task.run_id)->execution, ExecutionStatus::running);
    EXPECT_EQ(store.run(kTenant, task.run_id)->started_at, instant("2026-06-01T10:00:01Z"));

    const AttemptReport stranger{.lease = {task.run_id, 2}};
    EXPECT_EQ(complete(stranger, "2026-06-01T10:00:02Z").error().code, ErrorCode::conflict);
    EXPECT_EQ(store.run(kTenant, task.run_id)->execution, ExecutionStatus::running);

    const AttemptReport ending{.lease = {task.run_id, 1}, .end = {.result = json(R"({"rows":3})")}};
    ASSERT_TRUE(complete(ending, "2026-06-01T10:00:02Z"));
    EXPECT_EQ(complete(ending, "2026-06-01T10:00:03Z").error().code, ErrorCode::conflict);
    const auto run = store.run(kTenant, task.run_id).value();
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded);
    EXPECT_EQ(run.attempts, 1);
    EXPECT_EQ(run.completed_at, instant("2026-06-01T10:00:02Z"));
    EXPECT_EQ(run.result, json(R"({"rows":3})"));
    EXPECT_TRUE(store.expired(instant("2027-01-01T00:00:00Z"), 10)->empty());
    EXPECT_EQ(complete({.lease = {"no-run", 1}}, "2026-06-01T10:00:04Z").error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, ARetryWaitsAndIsHandedOutUnderAHigherToken) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.retry.max_retries = 1; }));
    tick("2026-06-01T10:00:00Z");
    const auto first = claim("2026-06-01T10:00:00Z").at(0);
    const auto decided = complete({.lease = {first.run_id, 1}, .end = kFailed}, "2026-06-01T10:00:10Z").value();
    EXPECT_GE(std::get<decide::Retry>(decided).ready_at, instant("2026-06-01T10:00:11Z"));
    const auto waiting = store.run(kTenant, first.run_id).value();
    EXPECT_EQ(waiting.execution, ExecutionStatus::queued);
    EXPECT_EQ(waiting.error, "no route");
    EXPECT_EQ(waiting.started_at, instant("2026-06-01T10:00:00Z"));

    EXPECT_TRUE(claim("2026-06-01T10:00:10Z").empty());
    const auto second = claim("2026-06-01T10:00:20Z").at(0);
    EXPECT_EQ(second.attempt, 2);
    EXPECT_EQ(complete({.lease = {first.run_id, 1}}, "2026-06-01T10:00:21Z").error().code, ErrorCode::conflict)
        << "the first attempt comes too late";
    ASSERT_TRUE(complete({.lease = {first.run_id, 2}, .end = kFailed}, "2026-06-01T10:00:22Z"));
    EXPECT_EQ(store.run(kTenant, first.run_id)->execution, ExecutionStatus::failed);
    EXPECT_EQ(record("a").state.failures, 1);
}

TEST_F(MemoryStoreTest, TheReaperLeavesALeaseAloneThatWasProlongedMeanwhile) {
    ASSERT_TRUE(create("a"));
    tick("2026-06-01T10:00:00Z");
    const auto task = claim("2026-06-01T10:00:00Z").at(0);
    const auto now = instant("2026-06-01T10:00:31Z");
    const auto expired = store.expired(now, 10).value();
    ASSERT_EQ(expired.size(), 1U);
    EXPECT_EQ(expired[0], (model::Lease{{task.run_id, 1},
                                        "w1",
                                        instant("2026-06-01T10:00:00Z"),
                                        instant("2026-06-01T10:00:30Z"),
                                        instant("2026-06-08T10:00:00Z"),
                                        instant("2026-06-01T10:00:00Z")}))
        << "its run may take seven days";

    const std::vector<model::LeaseRef> asked{{task.run_id, 9}, {task.run_id, 1}};
    EXPECT_EQ(store.heartbeat(asked, instant("2026-06-01T10:00:00Z"), instant("2026-06-01T10:01:00Z")).value(),
              (std::vector<model::LeaseRef>{{task.run_id, 1}}));
    const AttemptReport reaped{
        .lease = {task.run_id, 1}, .end = {.status = ExecutionStatus::timed_out}, .expired_before = now};
    EXPECT_EQ(complete(reaped, "2026-06-01T10:00:31Z").error().code, ErrorCode::conflict);
    EXPECT_EQ(store.run(kTenant, task.run_id)->execution, ExecutionStatus::running);
}

TEST_F(MemoryStoreTest, TheBudgetOfATenantCountsItsDayInUtc) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; }));
    ASSERT_TRUE(create("b", [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; }));
    ASSERT_TRUE(store.put_tenant({.name = kTenant, .runs_per_day = 2, .version = 2}));
    tick("2026-06-01T22:00:00Z", {model::key_of("id-a")});
    tick("2026-06-01T23:00:00Z");
    const bool a_first = model::key_of("id-a") < model::key_of("id-b");
    EXPECT_EQ(runs_of(a_first ? "a" : "b").at(0).dispatch, DispatchStatus::dispatched);
    EXPECT_EQ(runs_of(a_first ? "b" : "a").at(0).reason, model::SkipReason::budget_exceeded);
    tick("2026-06-02T00:00:00Z");
    EXPECT_EQ(runs_of("a").at(0).dispatch, DispatchStatus::dispatched);
    EXPECT_EQ(runs_of("b").at(0).dispatch, DispatchStatus::dispatched);
}

TEST_F(MemoryStoreTest, APlanIsAppliedOnceAndWholeOrNotAtAll) {
    ASSERT_TRUE(create("a"));
    const auto plan = trigger("a", "2026-06-01T09:45:00Z").value();
    const auto before = record("a");
    EXPECT_EQ(store.apply(std::vector{plan}).value().at(0)->code, ErrorCode::conflict)
        << "it was made on an older revision";

    // Right in everything but one slot, which has a row.
    auto spoilt = store
                      .change({kTenant, {}, "a"}, {},
                              [](const auto& facts) {
                                  auto planned =
                                      decide::plan_trigger(facts, {}, instant("2026-06-01T09:46:00Z")).value();
                                  planned.runs.push_back(planned.runs.front());
                                  return Result<decide::Plan>(std::move(planned));
                              })
                      .error();
    EXPECT_EQ(spoilt.code, ErrorCode::conflict);
    const auto refused =
        store.change({kTenant, {}, "a"}, {}, [](const auto&) { return Result<decide::Plan>(invalid("no")); });
    EXPECT_EQ(refused.error().message, "no");
    EXPECT_EQ(record("a"), before);
    EXPECT_EQ(runs_of("a").size(), 1U);
    EXPECT_EQ(claim("2026-06-01T09:50:00Z").size(), 1U);
    EXPECT_EQ(store.events({kTenant, {}, "a"}, 0, 10)->size(), 2U);
}

TEST_F(MemoryStoreTest, ANameCanBeTakenNeitherByCreationNorByARename) {
    ASSERT_TRUE(create("a"));
    ASSERT_TRUE(create("b"));
    const auto rename = [&] {
        return store.change({kTenant, "id-b"}, {}, [](const auto& facts) {
            auto changed = facts.schedule->definition;
            changed.name = "a";
            return decide::plan_update(facts, test::compiled(changed), instant("2026-06-01T09:40:00Z"));
        });
    };
    EXPECT_EQ(rename().error().code, ErrorCode::already_exists);
    EXPECT_EQ(record("b").definition.version, 1);
    ASSERT_TRUE(remove("a", "2026-06-01T09:41:00Z"));
    EXPECT_TRUE(rename());
    EXPECT_EQ(record("a").definition.id, "id-b");
    EXPECT_EQ(store.schedule({kTenant, "id-a"})->state.status, model::ScheduleStatus::deleted);
}

TEST_F(MemoryStoreTest, AnApprovedRunBecomesATask) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.approval.requires_approval = true; }));
    tick("2026-06-01T10:00:00Z");
    EXPECT_TRUE(claim("2026-06-01T10:00:00Z").empty());
    const auto run = runs_of("a").at(0);
    const FactsRequest needs{.run = run.id};
    const auto approve = [](const auto& facts) {
        return decide::plan_approval(facts, {.approved = true}, instant("2026-06-01T10:05:00Z"));
    };
    ASSERT_TRUE(store.change({kTenant, {}, "a"}, needs, approve));
    EXPECT_EQ(claim("2026-06-01T10:05:00Z").size(), 1U);
    EXPECT_EQ(store.change({kTenant, {}, "a"}, {.run = "no-run"}, approve).error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, TheEndOfARunDrainsTheBuffer) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_one; }));
    tick("2026-06-01T10:00:00Z");
    tick("2026-06-01T11:00:00Z");
    EXPECT_EQ(runs_of("a").at(0).dispatch, DispatchStatus::buffered);
    const auto task = claim("2026-06-01T11:00:00Z").at(0);
    ASSERT_TRUE(complete({.lease = {task.run_id, 1}}, "2026-06-01T11:10:00Z"));
    EXPECT_EQ(runs_of("a").at(0).execution, ExecutionStatus::queued);
    EXPECT_EQ(record("a").state.buffered, 0);
    EXPECT_EQ(claim("2026-06-01T11:10:00Z").at(0).slot.occurrence, instant("2026-06-01T11:00:00Z"));
}

TEST_F(MemoryStoreTest, AConditionSeesTheResultBeforeAndTheLastDay) {
    ASSERT_TRUE(
        create("a", [](auto& schedule) { schedule.condition = json(R"({"/last_24h_stats/failed":{"lt":9}})"); }));
    tick("2026-06-01T10:00:00Z");
    const auto task = claim("2026-06-01T10:00:00Z").at(0);
    auto failed = kFailed;
    failed.result = json(R"({"status":"bad"})");
    ASSERT_TRUE(complete({.lease = {task.run_id, 1}, .end = failed}, "2026-06-01T10:01:00Z"));
    const auto facts_at = [&](const char* now) {
        decide::Facts seen;
        const auto change = store.change({kTenant, {}, "a"}, {.now = instant(now)}, [&](const decide::Facts& facts) {
            seen = facts;
            return Result<decide::Plan>(invalid("only looking"));
        });
        EXPECT_FALSE(change);
        return seen;
    };
    EXPECT_EQ(facts_at("2026-06-02T10:00:59Z").last_24h, (decide::RunStats{.failed = 1, .total = 1}));
    EXPECT_EQ(facts_at("2026-06-02T09:59:59Z").prior_run_result, json(R"({"status":"bad"})"));
    EXPECT_EQ(facts_at("2026-06-02T10:01:00Z").last_24h, decide::RunStats{});
}

TEST_F(MemoryStoreTest, ASchedulesNextDecisionSeesAChangedCalendar) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.calendars = {"ours"}; }));
    const CalendarRecord open{{.name = "ours", .dates = {"2026-01-01"}}, 1};
    const CalendarRecord closed{{.name = "ours", .dates = {"2026-06-01"}}, 2};
    tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(runs_of("a").at(0).reason, model::SkipReason::calendar) << "nobody knows it yet";
    ASSERT_TRUE(store.put_calendar(kTenant, open));
    EXPECT_EQ(store.put_calendar(kTenant, open).error().code, ErrorCode::conflict);
    tick("2026-06-01T11:00:00Z");
    EXPECT_EQ(runs_of("a").at(0).dispatch, DispatchStatus::dispatched);
    ASSERT_TRUE(complete({.lease = {claim("2026-06-01T11:00:00Z").at(0).run_id, 1}}, "2026-06-01T11:01:00Z"));
    ASSERT_TRUE(store.put_calendar(kTenant, closed));
    tick("2026-06-01T12:00:00Z");
    EXPECT_EQ(runs_of("a").at(0).reason, model::SkipReason::calendar);

    EXPECT_EQ(store.remove_calendar(kTenant, "ours").error().code, ErrorCode::conflict);
    ASSERT_TRUE(remove("a", "2026-06-01T12:30:00Z"));
    EXPECT_TRUE(store.remove_calendar(kTenant, "ours"));
    EXPECT_EQ(store.calendar(kTenant, "ours").error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, PurgesOnlyADeletedScheduleAndOnlyWhatIsHistory) {
    ASSERT_TRUE(create("a"));
    for (const auto* at : {"2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z", "2026-06-01T12:00:00Z"}) tick(at);
    const ScheduleRef ref{kTenant, "id-a"};
    EXPECT_EQ(store.purge(ref, 10).error().code, ErrorCode::invalid_argument);
    ASSERT_TRUE(remove("a", "2026-06-01T12:30:00Z"));
    EXPECT_EQ(store.purge(ref, 1).value(), 1);
    EXPECT_EQ(runs_of("a").at(0).slot.occurrence, instant("2026-06-01T12:00:00Z")) << "the oldest goes first";
    EXPECT_EQ(store.purge(ref, 10).value(), 1);
    EXPECT_EQ(runs_of("a").at(0).execution, ExecutionStatus::queued) << "what is in flight stays";
    EXPECT_EQ(store.events(ref, 0, 10)->size(), 5U);
}

TEST_F(MemoryStoreTest, PrunesByAgeOrByNumberButNeverWhatTheStateNames) {
    ASSERT_TRUE(create("a"));
    tick("2026-06-01T10:00:00Z");
    ASSERT_TRUE(complete({.lease = {claim("2026-06-01T10:00:00Z").at(0).run_id, 1}}, "2026-06-01T10:01:00Z"));
    ASSERT_TRUE(store.put_tenant({.name = kTenant, .dispatch_enabled = false, .version = 2}));
    for (const auto* at : {"2026-06-01T11:00:00Z", "2026-06-01T12:00:00Z", "2026-06-01T13:00:00Z"}) tick(at);
    const ScheduleRef ref{kTenant, "id-a"};
    EXPECT_EQ(store.prune(ref, {}, 10).value(), 0);
    EXPECT_EQ(store.prune(ref, {.occurred_before = instant("2026-06-01T12:00:00Z")}, 10).value(), 1)
        << "10:00 is the last run";
    EXPECT_EQ(store.prune(ref, {.keep_newest = 1}, 10).value(), 1);
    const auto left = runs_of("a");
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].slot.occurrence, instant("2026-06-01T13:00:00Z"));
    EXPECT_EQ(left[1].slot.occurrence, instant("2026-06-01T10:00:00Z"));
}

TEST_F(MemoryStoreTest, ListsPageByPage) {
    for (const auto* name : {"c", "a", "b"}) ASSERT_TRUE(create(name));
    ASSERT_TRUE(remove("b", "2026-06-01T09:40:00Z"));
    ASSERT_TRUE(create("b", [](auto& schedule) { schedule.id = "second"; }));
    tick("2026-06-01T10:00:00Z");
    claim("2026-06-01T10:00:00Z", 1);

    std::string names;
    for (Page page{.limit = 1};;) {
        const auto listing = store.schedules({.tenant = kTenant}, page).value();
        for (const auto& item : listing.items) names += item.definition.name + " ";
        if (listing.next.empty()) break;
        page.after = listing.next;
    }
    EXPECT_EQ(names, "a b c ");
    EXPECT_EQ(store.schedules({.tenant = kTenant, .status = model::ScheduleStatus::deleted}, {})->items.size(), 1U);

    std::vector<model::Run> paged;
    for (Page page{.limit = 2};;) {
        const auto listing = store.runs({.tenant = kTenant}, page).value();
        paged.insert(paged.end(), listing.items.begin(), listing.items.end());
        if (listing.next.empty()) break;
        page.after = listing.next;
    }
    EXPECT_EQ(paged, store.runs({.tenant = kTenant}, {})->items);
    EXPECT_EQ(paged.size(), 3U);
    EXPECT_EQ(store.runs({.tenant = kTenant, .state = RunState::running}, {})->items.size(), 1U);
    EXPECT_EQ(store.runs({.tenant = kTenant, .schedule_id = "nobody"}, {}).error().code, ErrorCode::not_found);
    EXPECT_EQ(store.runs({.tenant = kTenant}, {.after = "x"}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(store.runs({.tenant = "nobody"}, {}).error().code, ErrorCode::not_found);
}

TEST_F(MemoryStoreTest, ABackfillGoesOnPageByPageAndHasNoRival) {
    ASSERT_TRUE(create("a", [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; }));
    model::Backfill backfill{.id = "f1",
                             .schedule_id = "id-a",
                             .from = instant("2026-05-31T00:00:00Z"),
                             .to = instant("2026-05-31T03:00:00Z")};
    ASSERT_TRUE(store.create_backfill(kTenant, backfill, {}));
    backfill.id = "f2";
    EXPECT_EQ(store.create_backfill(kTenant, backfill, {}).error().code, ErrorCode::conflict);
    EXPECT_EQ(store.backfill("other", "f1").error().code, ErrorCode::not_found);

    const auto step = [](int more) {
        return [more](const decide::Facts& facts, const model::Backfill& stored) -> Result<BackfillStep> {
            auto page =
                decide::plan_backfill(facts, {stored.from, stored.to}, instant("2026-06-01T09:40:00Z"), 100).value();
            auto next = stored;
            next.status = model::BackfillStatus::completed;
            next.version += more;
            return BackfillStep{std::move(page.plan), std::move(next)};
        };
    };
    const FactsRequest needs{.now = instant("2026-06-01T09:40:00Z"), .slots = std::pair{backfill.from, backfill.to}};
    EXPECT_EQ(store.step_backfill(kTenant, "f1", needs, step(0)).error().code, ErrorCode::conflict);
    EXPECT_TRUE(runs_of("a").empty());
    EXPECT_EQ(store.running_backfills(10)->size(), 1U);
    ASSERT_TRUE(store.step_backfill(kTenant, "f1", needs, step(1)));
    EXPECT_EQ(runs_of("a").size(), 4U);
    EXPECT_TRUE(store.running_backfills(10)->empty());
    EXPECT_TRUE(store.create_backfill(kTenant, backfill, {}));
}

TEST_F(MemoryStoreTest, EventsAreChained) {
    ASSERT_TRUE(create("a"));
    tick("2026-06-01T10:00:00Z");
    const auto events = store.events({kTenant, {}, "a"}, 0, 10).value();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].hash.size(), 64U);
    EXPECT_NE(events[0].hash, events[1].hash);
    EXPECT_EQ(store.events({kTenant, {}, "a"}, 1, 10).value(), (std::vector{events[1]}));
}

TEST_F(MemoryStoreTest, TheListenerIsToldOnceTheStoreIsFreeAgain) {
    std::vector<Notification> heard;
    store.listen([&](const Notification& news) {
        EXPECT_TRUE(store.tenants()) << "it may call the store";
        heard.push_back(news);
    });
    const auto key = model::key_of("id-a");
    ASSERT_TRUE(create("a"));
    tick("2026-06-01T10:00:00Z");
    ASSERT_TRUE(remove("a", "2026-06-01T10:30:00Z"));
    const auto tenant = model::tenant_key(kTenant);
    EXPECT_EQ(heard,
              (std::vector<Notification>{ScheduleMoved{key, instant("2026-06-01T10:00:00Z"), tenant},
                                         TasksReady{kTenant, "default"}, ScheduleMoved{key, std::nullopt, tenant}}));
    store.listen({});
    ASSERT_TRUE(create("b"));
    EXPECT_EQ(heard.size(), 3U);
}

}  // namespace
}  // namespace belfry::store
