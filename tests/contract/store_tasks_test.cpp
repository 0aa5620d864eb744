// Tasks: claimed by one worker at a time under a lease, whose attempt number fences everybody who lost it.
#include <thread>

#include "base/concurrency/mutex.hpp"
#include "base/text/ascii.hpp"
#include "store_contract.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class TaskContract : public StoreContract {
protected:
    model::Schedule create_retrying(int max_retries) {
        return create([=](auto& s) { s.retry = {max_retries, 1000ms, {}, {}}; });
    }
};
INSTANTIATE_TEST_SUITE_P(Every, TaskContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(TaskContract, AClaimTellsTheWorkerEverything) {
    const auto schedule = create([](auto& s) {
        s.target.input = test::json(R"({"a":1})");
        s.target.metadata = {{"k", "v"}};
        s.retry.timeout = 45'000ms;
    });
    tick(kTen);
    const auto task = claim_one(kTen + 5s);
    const model::RunSlot slot{model::RunCause::tick, kTen};
    model::Task expected;
    expected.run_id = model::run_id(schedule.id, slot);
    expected.schedule_id = schedule.id;
    expected.tenant = "default";
    expected.schedule_name = "report";
    expected.idempotency_key = model::idempotency_key(schedule.id, slot);
    expected.instance_id = model::instance_id("report", slot);
    expected.target = schedule.target;
    expected.task_kind = schedule.target.kind;
    expected.input = test::json(R"({"a":1})");
    expected.slot = slot;
    expected.attempt = 1;
    expected.lease_until = kTen + 35s;
    expected.timeout = 45'000ms;
    expected.ready_at = kTen;
    expected.queue = "default";
    EXPECT_EQ(task, expected);

    const auto row = run(task.run_id);
    EXPECT_EQ(row.execution, ExecutionStatus::running);
    EXPECT_EQ(row.started_at, kTen + 5s);
    EXPECT_EQ(row.attempts, 1);
    EXPECT_FALSE(row.completed_at);
    EXPECT_TRUE(claim(kTen + 6s).empty()) << "one lease per task";
}

TEST_P(TaskContract, TheHighestPriorityComesFirstThenTheLongestReady) {
    const auto with = [this](const std::string& name, int priority, const std::string& cron) {
        return create_named(name, [&](auto& s) { s.target.priority = priority, s.spec.cron = {cron}; });
    };
    with("low early", -3, "10 10 * * *");
    with("normal late", 0, "30 10 * * *");
    with("normal early", 0, "20 10 * * *");
    with("high late", 9, "40 10 * * *");
    for (int minute = 10; minute <= 40; minute += 10) tick(kTen + minute * 1min);
    std::vector<std::string> names;
    for (int i = 0; i < 2; ++i) {
        for (const auto& task : claim(kTen + 1h, 2)) names.push_back(task.schedule_name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"high late", "normal early", "normal late", "low early"}));
    EXPECT_TRUE(claim(kTen + 1h).empty());
}

TEST_P(TaskContract, AClaimEndsWithTheTaskThatReachesItsBytesAndTheOthersStayReady) {
    for (int i = 0; i < 7; ++i) {
        create_named("s" + std::to_string(i), [](auto& s) { s.target.input = Json(std::string(100'000, 'x')); });
    }
    tick(kTen);
    // With its definition, each has a little more than 200,000.
    const auto claim_bytes = [&](std::size_t bytes, std::size_t limit) {
        const auto tasks = store->claim(
            {.tenant = "default", .worker = "w", .limit = limit, .now = kTen, .lease = 30s, .bytes = bytes});
        EXPECT_TRUE(tasks) << tasks.error().message;
        return tasks.value();
    };
    std::map<std::string, int> attempts;
    const auto count = [&](const std::vector<model::Task>& tasks) {
        for (const auto& task : tasks) attempts[task.schedule_name] += task.attempt;
        return tasks.size();
    };
    EXPECT_EQ(count(claim_bytes(500'000, 10)), 3U);
    EXPECT_EQ(count(claim_bytes(1, 10)), 1U) << "there is always one";
    EXPECT_EQ(count(claim_bytes(500'000, 2)), 2U);
    reopen();
    EXPECT_EQ(count(claim_bytes(500'000, 10)), 1U);
    EXPECT_EQ(count(claim_bytes(500'000, 10)), 0U);
    EXPECT_EQ(attempts.size(), 7U);
    for (const auto& [name, sum] : attempts) EXPECT_EQ(sum, 1) << name << " was claimed once, and lost no attempt";
}

TEST_P(TaskContract, WhatAClaimHasNoRoomForIsAnnounced) {
    for (const std::string name : {"a", "b"})
        create_named(name, [](auto& s) { s.target.input = Json(std::string(1'000, 'x')); });
    tick(kTen);
    Mutex mutex;
    int heard = 0;
    store->listen([&](const Notification& notification) {
        const MutexLock lock(mutex);
        if (notification == Notification(TasksReady{.tenant = "default", .queue = "default"})) ++heard;
    });
    const auto tasks =
        store->claim({.tenant = "default", .worker = "w", .limit = 2, .now = kTen, .lease = 30s, .bytes = 1});
    ASSERT_TRUE(tasks);
    EXPECT_EQ(tasks->size(), 1U);
    EXPECT_TRUE(test::within_a_minute([&] {
        const MutexLock lock(mutex);
        return heard > 0;
    })) << "a claim that waits has to look again";
    store->listen({});
}

TEST_P(TaskContract, ClaimsAtTheSameTimeShareTheTasksAndEachHasItsOwnRoom) {
    constexpr int kTasks = 24;
    for (int i = 0; i < kTasks; ++i) {
        create_named("s" + std::to_string(i), [](auto& s) { s.target.input = Json(std::string(10'000, 'x')); });
    }
    tick(kTen);
    Mutex mutex;
    std::map<std::string, int> claimed;
    {
        std::vector<std::jthread> workers;
        for (int i = 0; i < 4; ++i) {
            workers.emplace_back([&, i] {
                const std::size_t limit = i == 0 ? 1 : 10;
                // With its definition, each has a little more than 20,000.
                for (int round = 0; round < kTasks; ++round) {
                    const auto tasks = store->claim({.tenant = "default",
                                                     .worker = "w" + std::to_string(i),
                                                     .limit = limit,
                                                     .now = kTen,
                                                     .lease = 30s,
                                                     .bytes = 50'000});
                    ASSERT_TRUE(tasks) << tasks.error().message;
                    EXPECT_LE(tasks->size(), std::min<std::size_t>(limit, 3));
                    const MutexLock lock(mutex);
                    for (const auto& task : *tasks) claimed[task.schedule_name] += task.attempt;
                }
            });
        }
    }
    EXPECT_EQ(claimed.size(), std::size_t{kTasks});
    for (const auto& [name, attempts] : claimed) EXPECT_EQ(attempts, 1) << name;
}

TEST_P(TaskContract, ATenantAndAQueueHaveTasksOfTheirOwn) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    create_named("ours");
    create_named("slow", [](auto& s) { s.target.queue = "slow"; });
    create_named("theirs", [](auto& s) { s.tenant = "acme"; });
    tick(kTen);
    const auto names = [&](const std::string& tenant, const std::string& queue) {
        std::vector<std::string> found;
        for (const auto& task :
             store->claim({.tenant = tenant, .queue = queue, .worker = "w", .limit = 10, .now = kTen}).value()) {
            found.push_back(task.schedule_name);
        }
        return found;
    };
    EXPECT_EQ(names("acme", "slow"), (std::vector<std::string>{}));
    EXPECT_EQ(names("default", "slow"), (std::vector<std::string>{"slow"}));
    EXPECT_EQ(names("acme", "default"), (std::vector<std::string>{"theirs"}));
    EXPECT_EQ(names("default", "default"), (std::vector<std::string>{"ours"}));
}

TEST_P(TaskContract, NothingIsClaimedBeforeItIsReady) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    const auto now = kTen + 1min;
    for (int i = 4; i > 0; --i) {
        const auto later = store->change(ref_of(schedule), {.now = now}, [&](const Facts& facts) {
            auto plan = decide::plan_trigger(facts, {.occurrence = now + i * 1ms}, now);
            if (plan) plan->runs.front().fire_at = now + i * 12s;
            return plan;
        });
        ASSERT_TRUE(later) << later.error().message;
    }
    auto rows = runs(schedule);
    ASSERT_EQ(rows.size(), 4U);
    std::ranges::sort(rows, {}, &model::Run::fire_at);
    std::vector<std::string> ready;
    for (auto at = now; at <= now + 60s; at += 1s) {
        for (const auto& task : claim(at)) {
            EXPECT_LE(run(task.run_id).fire_at, at);
            ready.push_back(task.run_id);
        }
    }
    EXPECT_EQ(ready, (std::vector{rows[0].id, rows[1].id, rows[2].id, rows[3].id}));
}

TEST_P(TaskContract, ACompletionEndsTheRunAndTellsTheSchedule) {
    const auto schedule = create();
    tick(kTen);
    const auto task = claim_one(kTen + 1s);
    const auto done = test::complete(*store, {lease_of(task), test::succeeded(test::json(R"({"rows":3})"))}, kTen + 9s);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(std::get<Plan>(*done).state, state(schedule));
    const auto row = run(task.run_id);
    EXPECT_EQ(row.execution, ExecutionStatus::succeeded);
    EXPECT_EQ(row.dispatch, DispatchStatus::dispatched);
    EXPECT_EQ(row.started_at, kTen + 1s);
    EXPECT_EQ(row.completed_at, kTen + 9s);
    EXPECT_EQ(row.result, test::json(R"({"rows":3})"));
    EXPECT_EQ(row.attempts, 1);
    EXPECT_EQ(state(schedule).in_flight, 0);
    EXPECT_EQ(state(schedule).last_completed_run, task.run_id);
    EXPECT_TRUE(store->expired(kTen + 24h, 10).value().empty()) << "the lease is gone";
    EXPECT_TRUE(claim(kTen + 24h).empty());
}

TEST_P(TaskContract, AFailureKeepsItsError) {
    const auto schedule = create();
    tick(kTen);
    finish(kTen + 1s,
           {ExecutionStatus::failed, model::FailureCategory::provider_error, test::json("[1]"), "it's \"broken\"\n"});
    const auto row = runs(schedule).at(0);
    EXPECT_EQ(row.execution, ExecutionStatus::failed);
    EXPECT_EQ(row.error, "it's \"broken\"\n");
    EXPECT_EQ(row.result, test::json("[1]"));
    EXPECT_EQ(state(schedule).failures, 1);
}

TEST_P(TaskContract, ARetryIsReadyLaterAndHasTheNextNumber) {
    const auto schedule = create_retrying(2);
    tick(kTen);
    auto now = kTen;
    for (int attempt = 1; attempt <= 2; ++attempt) {
        const auto task = claim_one(now);
        EXPECT_EQ(task.attempt, attempt);
        const auto done = test::complete(*store, {lease_of(task), test::failed()}, now + 1s);
        ASSERT_TRUE(done) << done.error().message;
        ASSERT_TRUE(std::holds_alternative<decide::Retry>(*done));
        const auto ready = std::get<decide::Retry>(*done).ready_at;
        const auto row = run(task.run_id);
        EXPECT_EQ(row.execution, ExecutionStatus::queued);
        EXPECT_EQ(row.attempts, attempt);
        EXPECT_FALSE(row.completed_at);
        EXPECT_EQ(state(schedule).in_flight, 1) << "a run that waits for its next attempt is in flight";
        EXPECT_TRUE(store->expired(ready + 24h, 10).value().empty()) << "nobody holds it";
        EXPECT_TRUE(claim(ready - Micros{1}).empty());
        reopen();
        now = ready;
    }
    const auto last = claim_one(now);
    EXPECT_EQ(last.attempt, 3);
    EXPECT_EQ(last.idempotency_key, model::idempotency_key(schedule.id, last.slot))
        << "12: the same key however often it is sent";
    const auto done = test::complete(*store, {lease_of(last), test::failed("for good")}, now + 1s);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(std::holds_alternative<Plan>(*done)) << "10: attempts never exceed the limit";
    const auto row = run(last.run_id);
    EXPECT_EQ(row.execution, ExecutionStatus::failed);
    EXPECT_EQ(row.attempts, 3);
    EXPECT_EQ(row.started_at, now) << "of the newest attempt";
    EXPECT_TRUE(claim(now + 24h).empty());
}

TEST_P(TaskContract, AnEndIsForEver) {
    const auto schedule = create_retrying(3);
    tick(kTen);
    const auto task = claim_one(kTen);
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::succeeded(test::json("1"))}, kTen + 1s));
    const auto before = everything(schedule);
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::failed()}, kTen + 2s)), ErrorCode::conflict);
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::succeeded(test::json("2"))}, kTen + 2s)),
              ErrorCode::conflict);
    EXPECT_EQ(code_of(test::cancel(*store, ref_of(schedule), task.run_id, kTen + 2s)), ErrorCode::conflict);
    EXPECT_TRUE(store->heartbeat(std::vector{lease_of(task)}, kTen, kTen + 1h).value().empty());
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(TaskContract, HeartbeatsProlongWhatIsHeldAndNameIt) {
    create_named("a");
    create_named("b");
    tick(kTen);
    const auto tasks = claim(kTen);
    ASSERT_EQ(tasks.size(), 2U);
    const model::LeaseRef wrong{tasks[0].run_id, tasks[0].attempt + 1};
    const auto held =
        store->heartbeat(std::vector{lease_of(tasks[1]), wrong, model::LeaseRef{"nothing", 1}}, kTen, kTen + 10min);
    ASSERT_TRUE(held) << held.error().message;
    EXPECT_EQ(*held, (std::vector{lease_of(tasks[1])}));
    const auto expired = store->expired(kTen + 5min, 10).value();
    ASSERT_EQ(expired.size(), 1U);
    EXPECT_EQ(expired[0],
              (model::Lease{lease_of(tasks[0]), "w1", kTen, kTen + 30s, kTen + decide::RunCaps{}.timeout, kTen}));
    EXPECT_EQ(store->expired(kTen + 11min, 10).value().size(), 2U);
    EXPECT_EQ(store->expired(kTen + 11min, 1).value().size(), 1U);
    EXPECT_TRUE(store->expired(kTen + 29s, 10).value().empty());
}

TEST_P(TaskContract, AWorkerThatLostItsLeaseIsFenced) {
    const auto schedule = create_retrying(5);
    tick(kTen);
    const auto lost = claim_one(kTen, "frozen");
    const auto reaped = test::complete(*store, test::reaped(lease_of(lost), kTen + 1min), kTen + 1min);
    ASSERT_TRUE(reaped) << reaped.error().message;
    const auto ready = std::get<decide::Retry>(*reaped).ready_at;
    const auto expect_fenced = [&] {
        const auto before = everything(schedule);
        EXPECT_TRUE(store->heartbeat(std::vector{lease_of(lost)}, ready, ready + 1h).value().empty());
        EXPECT_EQ(code_of(test::complete(*store, {lease_of(lost), test::succeeded()}, ready)), ErrorCode::conflict);
        EXPECT_EQ(code_of(test::complete(*store, test::reaped(lease_of(lost), ready), ready)), ErrorCode::conflict);
        EXPECT_EQ(everything(schedule), before) << "9: a stale token changes nothing";
    };
    expect_fenced();
    const auto current = claim_one(ready, "w2");
    EXPECT_GT(current.attempt, lost.attempt);
    expect_fenced();
    EXPECT_EQ(store->expired(ready + 24h, 10).value(),
              (std::vector<model::Lease>{
                  {lease_of(current), "w2", ready, current.lease_until, kTen + decide::RunCaps{}.timeout, ready}}))
        << "the new lease is as it was";
    ASSERT_TRUE(test::complete(*store, {lease_of(current), test::succeeded()}, ready + 1s));
    expect_fenced();
}

TEST_P(TaskContract, AStaleTokenBesideTheCurrentOneTakesNothingFromIt) {
    create_retrying(1);
    tick(kTen);
    const auto stale = lease_of(claim_one(kTen));
    const auto retry = test::complete(*store, {stale, test::failed()}, kTen);
    ASSERT_TRUE(retry) << retry.error().message;
    const auto now = std::get<decide::Retry>(*retry).ready_at;
    const auto current = lease_of(claim_one(now));
    EXPECT_EQ(store->heartbeat(std::vector{stale, current, stale}, now, now + 1h).value(), (std::vector{current}));
    EXPECT_TRUE(store->expired(now + 30min, 10).value().empty()) << "it was renewed";
    const auto done = test::complete(*store, {{stale, test::failed()}, {current, test::succeeded()}}, now);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(code_of(done->at(0)), ErrorCode::conflict);
    EXPECT_TRUE(done->at(1)) << "a stale token refuses only itself";
}

TEST_P(TaskContract, TheReaperLeavesALeaseThatWasProlongedMeanwhile) {
    const auto schedule = create();
    tick(kTen);
    const auto task = claim_one(kTen);
    const auto noticed = kTen + 31s;
    ASSERT_EQ(store->expired(noticed, 10).value().size(), 1U);
    ASSERT_EQ(store->heartbeat(std::vector{lease_of(task)}, kTen, kTen + 5min).value().size(), 1U);
    const auto before = everything(schedule);
    EXPECT_EQ(code_of(test::complete(*store, test::reaped(lease_of(task), noticed), noticed)), ErrorCode::conflict);
    EXPECT_EQ(everything(schedule), before);
    EXPECT_TRUE(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 1min)) << "and its worker goes on";
}

TEST_P(TaskContract, EndingsAreAnsweredOneByOneInTheirOrder) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    const auto other = create_named("other");
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
    auto tasks = claim(kTen + 3h);
    std::erase_if(tasks, [&](const auto& task) { return task.schedule_id != schedule.id; });
    ASSERT_EQ(tasks.size(), 3U);
    const auto now = kTen + 3h;
    const auto done = test::complete(*store,
                                     {{lease_of(tasks[0]), test::succeeded(test::json("0"))},
                                      {{tasks[1].run_id, 7}, test::succeeded()},
                                      {lease_of(tasks[0]), test::failed()},
                                      {lease_of(tasks[2]), test::failed("2")},
                                      {{"nothing", 1}, test::succeeded()}},
                                     now);
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->size(), 5U);
    EXPECT_TRUE(done->at(0));
    EXPECT_EQ(code_of(done->at(1)), ErrorCode::conflict);
    EXPECT_EQ(code_of(done->at(2)), ErrorCode::conflict) << "its lease went with the first ending";
    EXPECT_TRUE(done->at(3)) << "the second end sees what the first one left";
    EXPECT_FALSE(done->at(4));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 running", "12:00 failed"}));
    EXPECT_EQ(state(schedule).in_flight, 1);
    EXPECT_EQ(std::get<Plan>(*done->at(3)).state, state(schedule));
    EXPECT_EQ(state(other).in_flight, 1);
}

TEST_P(TaskContract, AnEndingThatCannotBeDecidedLeavesTheLeaseAndTheOthers) {
    const auto a = create_named("a");
    const auto b = create_named("b");
    tick(kTen);
    const auto tasks = claim(kTen);
    ASSERT_EQ(tasks.size(), 2U);
    ASSERT_TRUE(store->heartbeat(std::vector{lease_of(tasks[0]), lease_of(tasks[1])}, kTen + 500ms, kTen + 20s));
    const auto lease_of_a = [&] {
        auto leases = store->expired(kInstantMax, 10).value();
        std::erase_if(leases, [&](const model::Lease& each) {
            return model::parse_run_id(each.ref.run_id)->schedule != model::key_of(a.id);
        });
        return leases;
    };
    const auto held = lease_of_a();
    const auto before = everything(a);
    const auto done = store->complete(
        std::vector<AttemptReport>{{lease_of(tasks[0]), test::succeeded()}, {lease_of(tasks[1]), test::succeeded()}},
        kTen + 1s, [&](const Facts& facts, const decide::AttemptEnd& end) -> Result<decide::AttemptPlan> {
            if (facts.schedule->definition.id == a.id) return Error{ErrorCode::corrupt, "it hurts"};
            return decide::plan_attempt_end(facts, end, kTen + 1s);
        });
    ASSERT_TRUE(done) << done.error().message;
    const std::size_t of_a = tasks[0].schedule_id == a.id ? 0 : 1;
    EXPECT_EQ(code_of(done->at(of_a)), ErrorCode::corrupt);
    EXPECT_TRUE(done->at(1 - of_a));
    EXPECT_EQ(everything(a), before);
    EXPECT_EQ(lease_of_a(), held);
    EXPECT_EQ(run_lines(b), (test::Lines{"10:00 succeeded"}));
    EXPECT_TRUE(test::complete(*store, {lease_of(tasks[of_a]), test::succeeded()}, kTen + 2s))
        << "it still holds its lease";
}

TEST_P(TaskContract, ACancelledRunIsTakenFromItsWorkerOrFromTheQueue) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    const auto task = claim_one(kTen);
    tick(kTen + 1h);
    const auto queued = runs(schedule).at(0).id;
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), task.run_id, kTen + 1h));
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), queued, kTen + 1h));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 cancelled", "11:00 cancelled"}));
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 1h)), ErrorCode::conflict);
    EXPECT_TRUE(claim(kTen + 2h).empty());
    EXPECT_EQ(state(schedule).in_flight, 0);
}

TEST_P(TaskContract, ARunWaitsForItsApproval) {
    const auto schedule =
        create([](auto& s) { s.approval.requires_approval = true, s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    tick(kTen + 1h);
    const auto second = runs(schedule).at(0).id;
    const auto first = runs(schedule).at(1).id;
    EXPECT_TRUE(claim(kTen + 1h).empty()) << "nothing runs that was not approved";
    const auto now = kTen + 2h - 1s;
    ASSERT_TRUE(test::judge(*store, ref_of(schedule), first, {true}, now));
    ASSERT_TRUE(test::judge(*store, ref_of(schedule), second, {false, "too dear"}, now));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued", "11:00 cancelled"}));
    EXPECT_EQ(run(second).error, "refused: too dear");
    EXPECT_TRUE(test::judge(*store, ref_of(schedule), first, {true}, now).value().empty()) << "once";
    EXPECT_EQ(code_of(test::judge(*store, ref_of(schedule), second, {true}, now)), ErrorCode::conflict);
    EXPECT_EQ(claim_one(now).run_id, first);
}

TEST_P(TaskContract, TheSpaceBetweenTenantAndQueueDoesNotMixTheirTasks) {
    ASSERT_TRUE(store->put_tenant({.name = "a"}));
    ASSERT_TRUE(store->put_tenant({.name = "a b"}));
    create([](auto& s) {
        s.tenant = "a b";
        s.target.queue = "c";
    });
    tick(kTen);
    EXPECT_TRUE(store->claim({.tenant = "a", .queue = "b c", .worker = "w", .limit = 10, .now = kTen}).value().empty());
    EXPECT_EQ(store->claim({.tenant = "a b", .queue = "c", .worker = "w", .limit = 10, .now = kTen}).value().size(),
              1U);
}

TEST_P(TaskContract, ARetryStaysInTheQueueOfTheDefinitionThatItsRunWasDecidedBy) {
    const auto schedule = create_retrying(2);
    tick(kTen);
    const auto task = claim_one(kTen);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen, [](auto& s) { s.target.queue = "elsewhere"; }));
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::failed()}, kTen));
    EXPECT_TRUE(
        store->claim({.tenant = "default", .queue = "elsewhere", .worker = "w", .limit = 10, .now = kTen + 30min})
            .value()
            .empty());
    EXPECT_EQ(claim_one(kTen + 30min).run_id, task.run_id);
}

TEST_P(TaskContract, AnApprovedRunGoesToTheQueueOfTheDefinitionThatItWasDecidedBy) {
    const auto schedule = create([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen, [](auto& s) { s.target.queue = "elsewhere"; }));
    const auto id = runs(schedule).at(0).id;
    ASSERT_TRUE(test::judge(*store, ref_of(schedule), id, {.approved = true}, kTen));
    EXPECT_EQ(claim_one(kTen).run_id, id);
}

TEST_P(TaskContract, AnyErrorTextCanBeKept) {
    const auto schedule = create();
    tick(kTen);
    std::string text = "x";
    while (text.size() < 3'000) text += "\u00e9";  // the first thousand bytes end inside a character
    text[500] = '\0';                              // and this breaks another one
    finish(kTen, {ExecutionStatus::failed, {}, nullptr, text});
    EXPECT_EQ(runs(schedule).at(0).error, storable(text));
    EXPECT_LE(state(schedule).last_error.size(), 1'000U);
    EXPECT_GT(state(schedule).last_error.size(), 990U);
}

// As many as one claim makes ready, and more, stand in another queue, and have been due for longer.
TEST_P(TaskContract, ADelayedTaskIsFoundHoweverManyOfOtherQueuesAreDue) {
    constexpr int kOthers = 1'001;
    const auto of_queue = [](const std::string& queue, int number) {
        return task_schedule([&](auto& s) {
            s.name = queue + std::to_string(number);
            s.target.queue = queue;
            s.retry.max_retries = 1;
        });
    };
    std::vector<model::Schedule> others;
    for (int i = 0; i < kOthers; ++i) others.push_back(of_queue("other", i));
    ASSERT_TRUE(test::create(*store, others, kNine));
    ASSERT_TRUE(test::create(*store, {of_queue("mine", 0)}, kNine));
    for (int i = 0; i < 2; ++i) tick(kTen);
    const auto fail_all = [this](const std::string& queue, Instant now) {
        const auto tasks =
            store->claim({.tenant = "default", .queue = queue, .worker = "w", .limit = kClaimMax, .now = now}).value();
        std::vector<AttemptReport> endings;
        for (const auto& task : tasks) endings.push_back({lease_of(task), test::failed()});
        EXPECT_TRUE(test::complete(*store, endings, now));
        return tasks.size();
    };
    EXPECT_EQ(fail_all("other", kTen), kClaimMax);
    EXPECT_EQ(fail_all("other", kTen), kOthers - kClaimMax);
    EXPECT_EQ(fail_all("mine", kTen + 1h), 1U);
    const auto later = kTen + 24h;
    EXPECT_EQ(
        store->claim({.tenant = "default", .queue = "mine", .worker = "w", .limit = 10, .now = later}).value().size(),
        1U);
    EXPECT_EQ(store->claim({.tenant = "default", .queue = "other", .worker = "w", .limit = kClaimMax, .now = later})
                  .value()
                  .size(),
              kClaimMax);
}

TEST_P(TaskContract, LeasesThatRanOutComeTheLongestAgoFirst) {
    for (const char* const name : {"a", "b", "c"}) create_named(name);
    tick(kTen);
    std::vector<std::string> claimed;
    for (const auto lease : {3min, 1min, 2min}) {
        const auto tasks =
            store->claim({.tenant = "default", .worker = "w", .limit = 1, .now = kTen, .lease = lease}).value();
        ASSERT_EQ(tasks.size(), 1U);
        claimed.push_back(tasks.front().run_id);
    }
    const auto expired = [this](Instant now, std::size_t limit) {
        std::vector<std::string> runs;
        for (const auto& lease : store->expired(now, limit).value()) runs.push_back(lease.ref.run_id);
        return runs;
    };
    using Runs = std::vector<std::string>;
    EXPECT_EQ(expired(kTen + 1min, 10), Runs{});
    EXPECT_EQ(expired(kTen + 1h, 2), (Runs{claimed[1], claimed[2]}));
    EXPECT_EQ(expired(kTen + 1h, 10), (Runs{claimed[1], claimed[2], claimed[0]}));
    ASSERT_TRUE(store->heartbeat(std::vector<model::LeaseRef>{{claimed[1], 1}}, kTen, kTen + 2h));
    EXPECT_EQ(expired(kTen + 1h, 10), (Runs{claimed[2], claimed[0]}));
}

TEST_P(TaskContract, ARunOfAnotherTenantIsNotFoundWhetherItsLeaseIsHeldOrLost) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    create();
    tick(kTen);
    const auto task = claim_one(kTen);
    const auto end = [&](int attempt, const std::string& tenant) {
        AttemptReport ending{lease_of(task), test::succeeded(), {}, tenant};
        ending.lease.attempt = attempt;
        return code_of(test::complete(*store, ending, kTen));
    };
    EXPECT_EQ(end(7, "acme"), ErrorCode::not_found) << "the lease is lost, and nobody need know that there is a run";
    EXPECT_EQ(end(1, "acme"), ErrorCode::not_found);
    EXPECT_EQ(end(7, "default"), ErrorCode::conflict);
    EXPECT_EQ(end(1, "default"), std::nullopt);
    EXPECT_EQ(end(1, "acme"), ErrorCode::not_found) << "over";
}

// --- A clock that is put back

TEST_P(TaskContract, ATaskThatWasReadyIsClaimedByAClockThatWasPutBack) {
    create();
    tick(kTen);
    EXPECT_EQ(store->counts(kTen - 1h)->queues.front().ready, 1);
    EXPECT_EQ(claim_one(kTen - 1h).lease_until, kTen - 1h + 30s);
}

TEST_P(TaskContract, ATaskThatWaitsForItsTimeIsReadyOnceItHasCome) {
    for (const char* const name : {"a", "b"}) create_named(name, [](auto& s) { s.retry = {1, 1000ms, {}, {}}; });
    tick(kTen);
    auto ready = kTen;
    for (const auto& task : claim(kTen)) {
        const auto retry = test::complete(*store, {lease_of(task), test::failed()}, kTen);
        ASSERT_TRUE(retry) << retry.error().message;
        ready = std::max(ready, std::get<decide::Retry>(*retry).ready_at);
    }
    ASSERT_GT(ready, kTen);
    EXPECT_TRUE(claim(kTen + Micros{1}).empty());
    // A claim finds that both have become due and takes one; then the clock is put back.
    EXPECT_EQ(claim(ready, 1).size(), 1U);
    EXPECT_EQ(claim(kTen - 1h).size(), 1U);
}

TEST_P(TaskContract, ALeaseOfALaterTimeIsFoundAndRedated) {
    create([](auto& s) { s.retry = {1, 1000ms, {}, 600'000ms}; });
    tick(kTen);
    const auto task = claim_one(kTen);
    const auto now = kTen - 1h;
    EXPECT_TRUE(store->expired(kTen - 1s, 10)->empty()) << "a second is no step";
    auto found = store->expired(now, 10).value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], (model::Lease{lease_of(task), "w1", kTen, kTen + 30s, kTen + 10min, kTen}));
    const std::vector<Redated> redated{{found[0], -1h}};
    ASSERT_TRUE(store->redate(redated, now));
    reopen();
    EXPECT_TRUE(store->expired(now + 30s, 10)->empty());
    found = store->expired(now + 30s + Micros{1}, 10).value();
    ASSERT_EQ(found.size(), 1U) << "and ends as if the clock had not stepped";
    EXPECT_EQ(found[0], (model::Lease{lease_of(task), "w1", kTen, now + 30s, now + 10min, now}));
    ASSERT_TRUE(store->redate(redated, now + 5s));
    EXPECT_EQ(store->expired(now + 31s, 10).value(), found) << "twice is once";
}

TEST_P(TaskContract, ALeaseThatWasRenewedByAnEarlierClockIsNotReaped) {
    create();
    tick(kTen);
    const auto task = claim_one(kTen);
    const auto found = store->expired(kTen + 1h, 10).value();
    ASSERT_EQ(found.size(), 1U);
    // Another server, whose clock does not show an hour too much, lets the worker go on.
    ASSERT_EQ(store->heartbeat(std::vector{lease_of(task)}, kTen + 20s, kTen + 50s)->size(), 1U);
    auto ending = test::reaped(lease_of(task), kTen + 1h);
    ending.renewed_at = found.front().renewed;
    EXPECT_EQ(code_of(test::complete(*store, ending, kTen + 1h)), ErrorCode::conflict);
    ending.renewed_at = kTen + 20s;
    EXPECT_EQ(code_of(test::complete(*store, ending, kTen + 1h)), std::nullopt);
}

TEST_P(TaskContract, RedatingLeavesALeaseThatItsWorkerHasProlonged) {
    create();
    tick(kTen);
    const auto task = claim_one(kTen);
    const auto now = kTen - 1h;
    const auto found = store->expired(now, 10).value();
    ASSERT_EQ(store->heartbeat(std::vector{lease_of(task)}, now, now + 5min)->size(), 1U);
    EXPECT_TRUE(store->expired(now, 10)->empty()) << "it is of this time again";
    ASSERT_TRUE(store->redate(std::vector<Redated>{{found.at(0), -1h}}, now));
    EXPECT_TRUE(store->expired(now + 5min, 10)->empty());
    EXPECT_EQ(store->expired(now + 5min + Micros{1}, 10)->size(), 1U);
}

}  // namespace
}  // namespace belfry::store
