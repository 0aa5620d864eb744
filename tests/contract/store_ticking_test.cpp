// Ticks: what is due is decided once, on fresh facts, and moves the cursor in the same commit.
#include "decide/schedule/tick.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;
using model::SkipReason;

class TickContract : public StoreContract {
protected:
    Result<TickOutcome> tick_with(Instant now, const Planner& planner, std::vector<std::int64_t> keys = {}) {
        return store->tick({.now = now, .keys = std::move(keys)}, planner);
    }
};
INSTANTIATE_TEST_SUITE_P(Every, TickContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

std::vector<std::string> ids_of(const std::vector<Plan>& plans) {
    std::vector<std::string> ids;
    for (const auto& plan : plans) ids.push_back(plan.schedule_id);
    std::ranges::sort(ids);
    return ids;
}

std::vector<Upcoming> sorted(std::vector<Upcoming> upcoming) {
    std::ranges::sort(upcoming, {}, &Upcoming::key);
    return upcoming;
}

TEST_P(TickContract, DecidesWhatIsDueAndMovesTheCursor) {
    const auto schedule = create([](auto& s) { s.target.input = test::json(R"({"a":1})"); });
    const auto outcome = tick(kTen + 5s, {key_of(schedule)});
    ASSERT_EQ(outcome.plans.size(), 1U);
    const auto& plan = outcome.plans[0];
    EXPECT_EQ(outcome.upcoming, (std::vector<Upcoming>{{key_of(schedule), kTen + 1h, tenant_key_of(schedule)}}));
    EXPECT_TRUE(outcome.poisoned.empty());

    EXPECT_EQ(state(schedule), plan.state);
    EXPECT_EQ(state(schedule).next_occurrence, kTen + 1h);
    const auto rows = runs(schedule);
    ASSERT_EQ(rows.size(), 1U);
    model::Run expected;
    expected.id = model::run_id(schedule.id, {model::RunCause::tick, kTen});
    expected.schedule_id = schedule.id;
    expected.slot = {model::RunCause::tick, kTen};
    expected.version = 1;
    expected.fire_at = kTen;
    expected.decided_at = kTen + 5s;
    expected.dispatch = DispatchStatus::dispatched;
    expected.execution = ExecutionStatus::queued;
    expected.input = test::json(R"({"a":1})");
    expected.trigger_number = 1;
    EXPECT_EQ(rows[0], expected);
    EXPECT_EQ(run(expected.id), expected);
    EXPECT_EQ(events(schedule).size(), 2U);
}

TEST_P(TickContract, AskingAgainDecidesNothingMore) {
    const auto schedule = create();
    tick(kTen);
    const auto before = everything(schedule);
    const auto again = tick(kTen, {key_of(schedule)});
    EXPECT_TRUE(again.plans.empty());
    EXPECT_EQ(again.upcoming, (std::vector<Upcoming>{{key_of(schedule), kTen + 1h}})) << "looked at, though not due";
    EXPECT_TRUE(tick(kTen).plans.empty());
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(TickContract, LooksOnlyWhereItIsTold) {
    const auto told = create_named("told");
    const auto untold = create_named("untold");
    const auto later = create_named("later", [](auto& s) { s.spec.cron = {"30 11 * * *"}; });
    const auto resting = create_named("resting");
    ASSERT_TRUE(test::pause(*store, ref_of(resting), kNine));
    const auto gone = create_named("gone");
    ASSERT_TRUE(test::remove(*store, ref_of(gone), kNine));

    std::vector<std::string> asked;
    const auto outcome = tick_with(kTen,
                                   [&](const Facts& facts) -> Result<Plan> {
                                       asked.push_back(facts.schedule->definition.name);
                                       return decide::plan_tick(facts, kTen);
                                   },
                                   {key_of(told), key_of(later), key_of(resting), key_of(gone), 12345});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(asked, (std::vector<std::string>{"told"})) << "only what is due is decided";
    EXPECT_EQ(ids_of(outcome->plans), (std::vector{told.id}));
    EXPECT_EQ(sorted(outcome->upcoming), sorted({{key_of(told), kTen + 1h, tenant_key_of(told)},
                                                 {key_of(later), kTen + 90min},
                                                 {key_of(resting), {}},
                                                 {key_of(gone), {}}}))
        << "all that were looked at, and not the one that does not exist";
    EXPECT_TRUE(runs(untold).empty());
}

TEST_P(TickContract, AScanFindsWhateverIsDueAndALimitLeavesTheRestForTheNext) {
    std::vector<std::string> due;
    for (const char* const name : {"a", "b", "c", "d", "e"}) due.push_back(create_named(name).id);
    create_named("not yet", [](auto& s) { s.spec.cron = {"0 12 * * *"}; });
    std::ranges::sort(due);
    std::vector<std::string> decided;
    for (int round = 0; round < 3; ++round) {
        const auto outcome = store->tick({.now = kTen, .limit = 2}, [](const Facts& facts) -> Result<Plan> {
            return decide::plan_tick(facts, kTen);
        });
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(outcome->plans.size(), round < 2 ? 2U : 1U);
        for (const auto& plan : outcome->plans) decided.push_back(plan.schedule_id);
    }
    std::ranges::sort(decided);
    EXPECT_EQ(decided, due) << "each of them once";
}

TEST_P(TickContract, APoisonedScheduleDoesNotStopTheOthers) {
    const auto a = create_named("a");
    const auto refused = create_named("refused");
    const auto unsound = create_named("unsound");
    const auto z = create_named("z");
    const auto before_refused = everything(refused);
    const auto before_unsound = everything(unsound);
    const auto outcome = tick_with(kTen, [](const Facts& facts) -> Result<Plan> {
        auto plan = decide::plan_tick(facts, kTen);
        if (facts.schedule->definition.name == "refused") return Error{ErrorCode::corrupt, "it hurts"};
        if (facts.schedule->definition.name == "unsound") plan.events.at(0).payload.as_object()["unheard_of"] = 1;
        return plan;
    });
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(ids_of(outcome->plans), (std::vector{a.id, z.id}));
    ASSERT_EQ(outcome->poisoned.size(), 2U);
    for (const auto& poisoned : outcome->poisoned) {
        EXPECT_TRUE(poisoned.id == refused.id || poisoned.id == unsound.id);
        EXPECT_EQ(poisoned.key, model::key_of(poisoned.id));
        if (poisoned.id == refused.id) {
            EXPECT_EQ(poisoned.error, (Error{ErrorCode::corrupt, "it hurts"}));
        }
    }
    const auto tenant = tenant_key_of(a);
    EXPECT_EQ(sorted(outcome->upcoming), sorted({{key_of(a), kTen + 1h, tenant}, {key_of(z), kTen + 1h, tenant}}))
        << "nothing of the poisoned";
    EXPECT_EQ(everything(refused), before_refused);
    EXPECT_EQ(everything(unsound), before_unsound);
    EXPECT_EQ(runs(z).size(), 1U);
    EXPECT_EQ(ids_of(tick(kTen).plans), (std::vector{refused.id, unsound.id})) << "they are due still";
}

// What the database refuses is found out one by one, and the id is not always at hand.
TEST_P(TickContract, AScheduleThatTheStoreRefusesIsPoisonedByItsKeyAndTheOthersAreDecided) {
    const auto a = create_named("a");
    const auto twice = create_named("twice");
    const auto z = create_named("z");
    const auto later = create_named("later", [](auto& s) { s.spec.cron = {"0 12 * * *"}; });
    const auto before = everything(twice);
    const auto outcome =
        store->tick({.now = kTen, .keys = {key_of(z), key_of(a), key_of(z), key_of(later), key_of(twice)}},
                    [](const Facts& facts) -> Result<Plan> {
                        auto plan = decide::plan_tick(facts, kTen);
                        if (facts.schedule->definition.name == "twice") plan.runs.push_back(plan.runs.at(0));
                        return plan;
                    });
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(ids_of(outcome->plans), (std::vector{a.id, z.id})) << "each once, although one was named twice";
    ASSERT_EQ(outcome->poisoned.size(), 1U);
    EXPECT_EQ(outcome->poisoned[0].key, key_of(twice));
    EXPECT_EQ(outcome->poisoned[0].error.code, ErrorCode::conflict);
    const auto tenant = tenant_key_of(a);
    EXPECT_EQ(sorted(outcome->upcoming),
              sorted({{key_of(a), kTen + 1h, tenant}, {key_of(z), kTen + 1h, tenant}, {key_of(later), kTen + 2h}}));
    EXPECT_EQ(everything(twice), before);
    EXPECT_EQ(ids_of(tick(kTen).plans), (std::vector{twice.id})) << "it is due still";
}

TEST_P(TickContract, LooksAtCursorsWithoutDeciding) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto due = create_named("due");
    const auto theirs = create_named("theirs", [](auto& s) { s.tenant = "acme"; });
    const auto paused = create_named("paused");
    const auto deleted = create_named("deleted");
    const auto unasked = create_named("unasked");
    ASSERT_TRUE(test::pause(*store, ref_of(paused), kNine));
    ASSERT_TRUE(test::remove(*store, ref_of(deleted), kNine));
    const auto before = everything(due);
    const std::vector<std::int64_t> keys{key_of(paused), key_of(theirs), 7, key_of(due), key_of(deleted), key_of(due)};
    const auto looked = store->peek_next_fires(keys);
    ASSERT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(*looked, sorted({{key_of(due), kTen, tenant_key_of(due)},
                               {key_of(theirs), kTen, model::tenant_key("acme")},
                               {key_of(paused), std::nullopt, tenant_key_of(paused)},
                               {key_of(deleted), std::nullopt, tenant_key_of(deleted)}}))
        << "each once, by key, and nobody's key is missing";
    EXPECT_EQ(everything(due), before);
    EXPECT_EQ(store->peek_next_fires({}).value(), std::vector<Upcoming>{});
    EXPECT_EQ(code_of(store->peek_next_fires(std::vector<std::int64_t>(kTickBatchMax + 1, 1))),
              ErrorCode::invalid_argument);
    EXPECT_EQ(store->peek_next_fires(std::vector<std::int64_t>(kTickBatchMax, key_of(due))).value().size(), 1U);
}

// Somebody else is in the middle of deciding it.
TEST_P(TickContract, LooksAtAScheduleThatIsLocked) {
    if (GetParam().name == "memory")
        GTEST_SKIP() << "in memory one lock is around everything: a look inside a decision would wait for itself";
    const auto schedule = create();
    const auto other = world->open();
    const std::vector keys{key_of(schedule)};
    tick_with(kTen, [&](const Facts& facts) -> Result<Plan> {
        const auto looked = other->peek_next_fires(keys);
        EXPECT_TRUE(looked) << looked.error().message;
        EXPECT_EQ(looked.value(), (std::vector<Upcoming>{{key_of(schedule), kTen, tenant_key_of(schedule)}}));
        return decide::plan_tick(facts, kTen);
    }).value();
    EXPECT_EQ(store->peek_next_fires(keys).value().at(0).next_fire, kTen + 1h);
}

// Jitter fires an occurrence early; an update then puts the cursor back on it.
TEST_P(TickContract, AnOccurrenceThatHasItsRowIsNotDecidedAgain) {
    const auto schedule = create([](auto& s) {
        s.spec.jitter.before = "PT20M";
        s.overlap.policy = OverlapPolicy::allow_all;
    });
    const auto fires = *state(schedule).next_fire;
    ASSERT_LT(fires, kTen) << "the hash of this id happens to fire early";
    tick(fires);
    ASSERT_EQ(runs(schedule).size(), 1U);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), fires, [](auto& s) { s.spec.cron.push_back("59 23 31 12 *"); }));
    ASSERT_EQ(state(schedule).next_occurrence, kTen) << "the update computes the cursor anew";
    for (auto now = fires; now < kTen + 30min; now += 1min) tick(now);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued"})) << "1: at most one run per occurrence";
    EXPECT_EQ(state(schedule).runs, 1);
    EXPECT_GT(*state(schedule).next_occurrence, kTen);
}

TEST_P(TickContract, BuffersSurviveARestartAndAreReleasedOldestFirst) {
    const auto schedule = create([](auto& s) {
        s.overlap.policy = OverlapPolicy::buffer_all;
        s.inputs_rotation = {test::json("1"), test::json("2"), test::json("3")};
    });
    tick(kTen);
    const auto first = claim_one(kTen);
    tick(kTen + 1h);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 90min, {.input = test::json(R"({"mine":1})")}));
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 running", "11:00 buffered", "11:30 buffered", "12:00 buffered"}));
    reopen();
    const auto end = [&](const model::Task& task, Instant now) {
        const auto done = test::complete(*store, {lease_of(task), test::succeeded()}, now);
        ASSERT_TRUE(done) << done.error().message;
    };
    end(first, kTen + 121min);
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 succeeded", "11:00 queued", "11:30 buffered", "12:00 buffered"}));
    const auto second = claim_one(kTen + 122min);
    EXPECT_EQ(second.input, test::json("2"));
    end(second, kTen + 123min);
    const auto third = claim_one(kTen + 124min);
    EXPECT_EQ(third.input, test::json(R"({"mine":1})")) << "a buffered run keeps what its caller gave";
    end(third, kTen + 125min);
    EXPECT_EQ(claim_one(kTen + 126min).input, test::json("3"));
    EXPECT_EQ(state(schedule).buffered, 0);
}

TEST_P(TickContract, ABufferedRunIsDecidedByTheDefinitionOfItsRelease) {
    const auto schedule =
        create([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_one, s.target.input = test::json("1"); });
    tick(kTen);
    tick(kTen + 1h);
    ASSERT_TRUE(
        test::update(*store, ref_of(schedule), kTen + 70min, [](auto& s) { s.target.input = test::json("2"); }));
    finish(kTen + 80min);
    const auto released = runs(schedule).at(0);
    EXPECT_EQ(released.execution, ExecutionStatus::queued);
    EXPECT_EQ(released.version, 2);
    EXPECT_EQ(released.input, test::json("2"));
    EXPECT_EQ(released.decided_at, kTen + 80min);
    EXPECT_EQ(claim_one(kTen + 80min).target.input, test::json("2"));
}

TEST_P(TickContract, CancelOtherEndsTheOldestAndFencesItsWorker) {
    const auto schedule = create([](auto& s) { s.overlap = {OverlapPolicy::cancel_other, 2}; });
    tick(kTen);
    const auto oldest = claim_one(kTen);
    tick(kTen + 1h);
    const auto younger = claim_one(kTen + 1h, "w2");
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 cancelled", "11:00 running", "12:00 queued"}));
    const auto cancelled = run(oldest.run_id);
    EXPECT_EQ(cancelled.completed_at, kTen + 2h);

    EXPECT_TRUE(store->heartbeat(std::vector{lease_of(oldest)}, kTen, kTen + 3h).value().empty());
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(oldest), test::succeeded()}, kTen + 2h)), ErrorCode::conflict);
    EXPECT_EQ(run(oldest.run_id), cancelled);
    EXPECT_TRUE(test::complete(*store, {lease_of(younger), test::succeeded()}, kTen + 2h)) << "the other goes on";
    EXPECT_EQ(store->expired(kTen + 9h, 10).value().size(), 0U);
}

TEST_P(TickContract, TerminateOtherTakesBackWhatNobodyHasClaimedYet) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::terminate_other; });
    tick(kTen);
    tick(kTen + 1h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 terminated", "11:00 queued"}));
    EXPECT_EQ(claim_one(kTen + 2h).slot.occurrence, kTen + 1h) << "a run that has ended cannot be claimed";
}

TEST_P(TickContract, ATriggerMayCancelAlthoughThePolicyDoesNot) {
    const auto schedule = create();
    tick(kTen);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 1min, {.overlap = OverlapPolicy::cancel_other}));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 cancelled", "10:01 queued"}));
}

TEST_P(TickContract, TheLastAllowedRunDeletesTheSchedule) {
    const auto schedule = create([](auto& s) { s.max_runs = 1; });
    tick(kTen);
    EXPECT_EQ(state(schedule).status, ScheduleStatus::deleted);
    EXPECT_EQ(code_of(store->schedule({.tenant = "default", .name = "report"})), ErrorCode::not_found)
        << "its name is free";
    create();
    EXPECT_TRUE(test::all_upcoming(*store).size() == 1);
    EXPECT_EQ(claim_one(kTen).schedule_id, schedule.id) << "the last run itself goes on";
}

TEST_P(TickContract, ALongOutageIsOneRecordThatNamesTheRange) {
    const auto schedule = create([](auto& s) { s.spec.cron = {"* * * * *"}; });
    tick(kNine + 24h * 30);
    const auto rows = runs(schedule);
    ASSERT_EQ(rows.size(), 3U) << "and one for each of the two that are merely late";
    EXPECT_EQ(rows[2].reason, SkipReason::missed_run);
    EXPECT_EQ(rows[2].range, (model::SkippedRange{kNine + 24h * 30 - 2min, 10'000, true}));
    reopen();
    EXPECT_EQ(runs(schedule), rows);
}

TEST_P(TickContract, APauseThatRunsOutWakesTheSchedule) {
    const auto schedule = create();
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine, {"lunch", kTen + 30min}));
    EXPECT_EQ(test::all_upcoming(*store),
              (std::vector<Upcoming>{{key_of(schedule), kTen + 30min, tenant_key_of(schedule)}}));
    EXPECT_TRUE(tick(kTen).plans.empty());
    EXPECT_EQ(tick(kTen + 30min).plans.size(), 1U);
    EXPECT_EQ(state(schedule).status, ScheduleStatus::active);
    EXPECT_EQ(sorted(test::all_upcoming(*store)),
              (std::vector<Upcoming>{{key_of(schedule), kTen + 1h, tenant_key_of(schedule)}}));
}

}  // namespace
}  // namespace belfry::store
