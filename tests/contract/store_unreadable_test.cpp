// A schedule that cannot be read: its zone is gone with an update of the zone data, or somebody has damaged its row. It
// does nothing any more, and nobody else notices; its operator sees it, and can pause, replace and delete it.
#include "decide/schedule/tick.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "store_contract.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::store {
namespace {

using engine::Backfiller;
using engine::Reaper;

const std::string kPoison = "poison";

class UnreadableContract : public ::testing::TestWithParam<test::StoreUnderTest> {
protected:
    void SetUp() override {
        ASSERT_TRUE(engine.store->put_tenant({.name = "other"}));
        touch_calendar();
    }

    // "poison" of the tenant "default", and "sound" of the tenant "other"; both fire every hour from ten on.
    store::ScheduleRecord create_poison(const test::Edit& edit = {}) {
        return engine.create([&](model::Schedule& schedule) {
            schedule.name = kPoison;
            schedule.spec.timezone = "Europe/Lisbon";
            schedule.target = {.type = model::TargetType::task, .kind = "t"};
            schedule.calendars = {"mine"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            if (edit) edit(schedule);
        });
    }
    store::ScheduleRecord create_sound() {
        return engine.create([](model::Schedule& schedule) {
            schedule.tenant = "other";
            schedule.name = "sound";
            schedule.target = {.type = model::TargetType::task, .kind = "t"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
        });
    }
    ScheduleRef poison() const { return {.tenant = "default", .name = kPoison}; }

    // What a schedule was compiled from has changed, so that it is compiled again.
    void touch_calendar() {
        const spec::CalendarText calendar{.name = "mine", .dates = {"2020-01-01"}};
        ASSERT_TRUE(engine.store->put_calendar("default", {calendar, ++calendar_version}));
    }
    void lose_zone() {
        zones = test::utc_alone();
        touch_calendar();
    }

    std::string trigger(const ScheduleRef& ref) {
        engine.clock.pass(1s);
        const auto run = engine.schedules.trigger(ref, {}, {});
        EXPECT_TRUE(run) << run.error().message;
        return run ? run->id : std::string();
    }
    std::vector<model::Task> claim(const std::string& tenant, std::size_t limit = 1'000) {
        return engine.runs.claim({.tenant = tenant, .worker = "w", .limit = limit, .lease = 30s}).value();
    }
    model::Run run(const std::string& tenant, const std::string& id) { return engine.store->run(tenant, id).value(); }

    spec::ZoneDatabase zones = test::own_zones();
    std::int64_t calendar_version = 0;
    std::unique_ptr<test::StoreWorld> place = GetParam().make();
    test::EngineWorld engine{"2026-06-01T09:30:00Z", [this](const Clock& clock) { return place->open(zones, &clock); }};
    Reaper reaper{*engine.store, engine.journal, [] { return true; }, {.batch = 2}, [] { return std::uint64_t{0}; }};
    Backfiller backfiller{
        *engine.store, engine.journal, [] { return true; }, {.at_once = 1}, [] { return std::uint64_t{0}; }};
};
INSTANTIATE_TEST_SUITE_P(Every, UnreadableContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(UnreadableContract, AScheduleWhoseZoneIsGoneCanBePaused) {
    create_poison();
    lose_zone();
    engine.clock.set(test::instant("2026-06-01T10:30:00Z"));
    const auto paused = engine.schedules.pause(poison(), {.reason = "its zone is gone"}, {});
    ASSERT_TRUE(paused) << paused.error().message;
    EXPECT_EQ(paused->state.status, ScheduleStatus::paused);
    EXPECT_EQ(engine.store->schedule(poison())->state.pause_reason, "its zone is gone");
    EXPECT_EQ(engine.schedules.resume(poison(), {}).error().code, ErrorCode::corrupt) << "it has no next time";
}

TEST_P(UnreadableContract, AScheduleWhoseZoneIsGoneCanBeReplacedAndFiresAgain) {
    create_poison();
    lose_zone();
    engine.clock.set(test::instant("2026-06-01T10:30:00Z"));
    engine.settle();
    EXPECT_EQ(engine.ticker.quarantined().size(), 1U);
    const auto in_utc = [](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        changed.spec.timezone = "UTC";
        return changed;
    };
    const auto replaced = engine.schedules.update(poison(), std::nullopt, in_utc, {});
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(replaced->definition.version, 2);
    engine.play("2026-06-01T11:00:10Z");
    EXPECT_EQ(engine.runs_of(kPoison), test::Lines{"tick 2026-06-01T11:00:00Z dispatched"});
    EXPECT_TRUE(engine.ticker.quarantined().empty());
}

TEST_P(UnreadableContract, APausedScheduleLeavesTheQuarantineWhenItIsRepaired) {
    create_poison();
    const auto in_utc = [](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        changed.spec.timezone = "UTC";
        return changed;
    };
    ASSERT_TRUE(
        engine.schedules.pause(poison(), {.reason = "a while", .until = test::instant("2026-06-01T12:00:00Z")}, {}));
    lose_zone();
    engine.clock.set(test::instant("2026-06-01T12:00:10Z"));
    engine.settle();
    ASSERT_EQ(engine.ticker.quarantined().size(), 1U) << "its pause cannot end";
    const auto again =
        engine.schedules.pause(poison(), {.reason = "longer", .until = test::instant("2026-06-03T12:00:00Z")}, {});
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_TRUE(engine.schedules.update(poison(), std::nullopt, in_utc, {}));
    const auto is_out = [&] {
        engine.settle();
        return engine.ticker.quarantined().empty();
    };
    EXPECT_TRUE(test::within_a_minute(is_out))
        << "PostgreSQL tells of the change a moment later; the clock of the engine stands still";
}

TEST_P(UnreadableContract, AScheduleWhoseZoneIsGoneCanBeDeletedAndItsNameGivenAway) {
    create_poison();
    lose_zone();
    const auto removed = engine.schedules.remove(poison(), "useless", {});
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_EQ(engine.store->schedule(poison()).error().code, ErrorCode::not_found);
    engine.create([](model::Schedule& schedule) { schedule.name = kPoison; });
}

TEST_P(UnreadableContract, TheBackfillOfAScheduleWhoseZoneIsGoneKeepsNobodyWaitingAndCanBeCancelled) {
    create_poison();
    create_sound();
    const decide::BackfillRequest request{
        test::instant("2026-05-01T00:30:00Z"), test::instant("2026-05-01T03:30:00Z"), {}};
    const auto stuck = engine.backfills.start(poison(), request, {});
    ASSERT_TRUE(stuck) << stuck.error().message;
    engine.clock.pass(1s);
    const auto other = engine.backfills.start({.tenant = "other", .name = "sound"}, request, {});
    ASSERT_TRUE(other) << other.error().message;
    lose_zone();
    int steps = 0;
    while (backfiller.step() == Micros{0} && ++steps < 100) {
    }
    EXPECT_LT(steps, 100) << "it waits, instead of looking at once again";
    EXPECT_EQ(engine.store->backfill("other", other->id)->status, model::BackfillStatus::completed);
    EXPECT_EQ(engine.store->backfill("default", stuck->id)->status, model::BackfillStatus::running);
    const auto cancelled = engine.backfills.cancel("default", stuck->id);
    ASSERT_TRUE(cancelled) << cancelled.error().message;
    EXPECT_EQ(engine.store->backfill("default", stuck->id)->status, model::BackfillStatus::cancelled);
}

TEST_P(UnreadableContract, RunsOfAScheduleWhoseZoneIsGoneEndAsAnyOther) {
    create_poison();
    create_sound();
    const auto done = trigger(poison());
    const auto lost = trigger(poison());
    const auto unwanted = trigger(poison());
    const auto beside = trigger({.tenant = "other", .name = "sound"});
    ASSERT_EQ(claim("default", 2).size(), 2U);
    ASSERT_EQ(claim("other").size(), 1U);
    lose_zone();
    const auto ended =
        engine.runs.complete("default", {{{done, 1}, {.status = ExecutionStatus::succeeded}}}, {}).value();
    ASSERT_TRUE(ended[0]) << ended[0].error().message;
    EXPECT_TRUE(engine.runs.cancel("default", unwanted, "not needed"));
    engine.clock.pass(31s);
    reaper.step();
    EXPECT_EQ(run("default", done).execution, ExecutionStatus::succeeded);
    EXPECT_EQ(run("default", lost).execution, ExecutionStatus::timed_out);
    EXPECT_EQ(run("default", unwanted).execution, ExecutionStatus::cancelled);
    EXPECT_EQ(run("other", beside).execution, ExecutionStatus::queued) << "what can be read is handed out again";
}

// What a person with a client may do to a row. The store in memory has no texts that could be damaged.
class DamagedContract : public UnreadableContract {
protected:
    // Its definitions are no JSON any more, and all that remembers them is gone.
    bool damage_definition(const std::string& id) {
        return damage("UPDATE definitions SET body = '{' WHERE schedule_key = " + std::to_string(model::key_of(id)));
    }
    bool damage(const std::string& statement) { return place->damage(statement); }
    // As another server would see it.
    test::StorePtr anew() { return place->open(zones, &engine.clock); }
};
INSTANTIATE_TEST_SUITE_P(Every, DamagedContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(DamagedContract, AListShowsAScheduleThatCannotBeReadAndTheOthers) {
    const auto poisoned = create_poison();
    engine.create([](model::Schedule& schedule) { schedule.name = "sound"; });
    const auto id = trigger(poison());
    if (!damage_definition(poisoned.definition.id)) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    const auto listed = store->schedules({.tenant = "default"}, {});
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_EQ(listed->items.size(), 2U);
    EXPECT_EQ(listed->items[0].definition.name, kPoison);
    EXPECT_EQ(listed->items[0].definition.id, poisoned.definition.id);
    EXPECT_NE(listed->items[0].unreadable, "");
    EXPECT_EQ(listed->items[1].unreadable, "");
    const auto runs = store->runs({.tenant = "default"}, {});
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_EQ(runs->items.size(), 1U);
    EXPECT_EQ(store->run("default", id)->schedule_id, poisoned.definition.id);
}

TEST_P(DamagedContract, ADamagedScheduleCanBePausedReplacedAndDeleted) {
    const auto poisoned = create_poison();
    if (!damage_definition(poisoned.definition.id)) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    engine::Schedules schedules(*store, test::zones(), engine.journal, engine.ids, {});
    const auto paused = schedules.pause(poison(), {.reason = "damaged"}, {});
    ASSERT_TRUE(paused) << paused.error().message;
    const auto part = [](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        changed.notes = "mine";
        return changed;
    };
    EXPECT_EQ(schedules.update(poison(), std::nullopt, part, {}).error().code, ErrorCode::conflict)
        << "only as a whole";
    const auto whole = [&](const model::Schedule&) -> Result<model::Schedule> { return poisoned.definition; };
    EXPECT_EQ(schedules.update(poison(), std::nullopt, whole, {}).error().code, ErrorCode::forbidden)
        << "it may have asked for more approvals";
    const auto replaced = schedules.update(poison(), std::nullopt, whole, {.may_loosen = true});
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(store->schedule(poison())->unreadable, "");
    EXPECT_TRUE(schedules.resume(poison(), {}));
    ASSERT_TRUE(damage("UPDATE definitions SET body = '{'"));
    const auto again = anew();
    engine::Schedules others(*again, test::zones(), engine.journal, engine.ids, {});
    EXPECT_TRUE(others.remove(poison(), "useless", {}));
    EXPECT_TRUE(again->schedules({.tenant = "default"}, {})->items.empty());
}

TEST_P(DamagedContract, TasksOfADamagedScheduleAreNotHandedOutAndTheOthersAre) {
    const auto poisoned = create_poison();
    engine.create([](model::Schedule& schedule) {
        schedule.name = "sound";
        schedule.target = {.type = model::TargetType::task, .kind = "t"};
    });
    const auto stuck = trigger(poison());
    const auto id = trigger({.tenant = "default", .name = "sound"});
    if (!damage_definition(poisoned.definition.id)) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    const auto tasks =
        store->claim({.tenant = "default", .worker = "w", .limit = 10, .now = engine.clock.now(), .lease = 30s});
    ASSERT_TRUE(tasks) << tasks.error().message;
    ASSERT_EQ(tasks->size(), 1U);
    EXPECT_EQ(tasks->front().run_id, id);
    engine.clock.pass(31s);
    Reaper other{*store, engine.journal, [] { return true; }, {}, [] { return std::uint64_t{0}; }};
    other.step();
    EXPECT_EQ(store->run("default", stuck)->execution, ExecutionStatus::queued) << "nobody has had it";
    EXPECT_EQ(store->run_events("default", id, 0, 100).value().back().type, "node.redelivered")
        << "its worker was lost";
}

TEST_P(DamagedContract, ATaskOfADamagedScheduleWaitsForTheRepairAndLosesNoAttempt) {
    const auto poisoned = create_poison();
    const auto stuck = trigger(poison());
    engine.create([](model::Schedule& schedule) {
        schedule.name = "sound";
        schedule.target = {.type = model::TargetType::task, .kind = "t"};
    });
    const auto behind = trigger({.tenant = "default", .name = "sound"});
    const auto repair = "UPDATE definitions SET body = (SELECT d.body FROM definitions d WHERE d.schedule_key <> " +
                        std::to_string(model::key_of(poisoned.definition.id)) +
                        " LIMIT 1) WHERE schedule_key = " + std::to_string(model::key_of(poisoned.definition.id));
    if (!damage_definition(poisoned.definition.id)) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    const auto claim_one = [&](const test::StorePtr& from) {
        return from->claim({.tenant = "default", .worker = "w", .limit = 1, .now = engine.clock.now(), .lease = 30s})
            .value();
    };
    const auto first = claim_one(store);
    ASSERT_EQ(first.size(), 1U) << "the claim goes on with the others";
    EXPECT_EQ(first.front().run_id, behind);
    EXPECT_TRUE(claim_one(store).empty());
    ASSERT_TRUE(damage(repair));
    engine.clock.pass(10min);
    const auto again = anew();
    const auto repaired = claim_one(again);
    ASSERT_EQ(repaired.size(), 1U);
    EXPECT_EQ(repaired.front().run_id, stuck);
    EXPECT_EQ(repaired.front().attempt, 1);
}

TEST_P(DamagedContract, TheBackfillOfADamagedScheduleThatIsDeletedIsCancelled) {
    const auto poisoned = create_poison();
    const decide::BackfillRequest request{
        test::instant("2026-05-01T00:30:00Z"), test::instant("2026-05-01T03:30:00Z"), {}};
    const auto stuck = engine.backfills.start(poison(), request, {});
    ASSERT_TRUE(stuck) << stuck.error().message;
    if (!damage_definition(poisoned.definition.id)) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    engine::Schedules schedules(*store, test::zones(), engine.journal, engine.ids, {});
    ASSERT_TRUE(schedules.remove(poison(), "useless", {}));
    Backfiller other{*store, engine.journal, [] { return true; }, {}, [] { return std::uint64_t{0}; }};
    other.step();
    const auto ended = store->backfill("default", stuck->id);
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(ended->status, model::BackfillStatus::cancelled);
    EXPECT_NE(ended->error, "");
}

TEST_P(DamagedContract, AScheduleWhoseDefinitionIsMissingIsNamedByItsId) {
    const auto poisoned = create_poison();
    const auto key = model::key_of(poisoned.definition.id);
    if (!damage("DELETE FROM definitions WHERE schedule_key = " + std::to_string(key)))
        GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    const auto tick = [&](const test::StorePtr& on) {
        return on->tick({.now = test::instant("2026-06-01T10:30:00Z"), .keys = {key}}, [](const decide::Facts& facts) {
            return decide::plan_tick(facts, test::instant("2026-06-01T10:30:00Z"));
        });
    };
    const auto outcome = tick(store);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(outcome->poisoned.size(), 1U);
    EXPECT_EQ(outcome->poisoned.front().id, poisoned.definition.id);
    const auto& message = outcome->poisoned.front().error.message;
    EXPECT_NE(message.find(poisoned.definition.id), std::string::npos) << message;
    EXPECT_EQ(message.find(std::to_string(key)), std::string::npos) << message;
    // Its other row is gone as well: nothing says which it was.
    ASSERT_TRUE(damage("DELETE FROM schedules WHERE schedule_key = " + std::to_string(key)));
    const auto lost = tick(anew());
    ASSERT_TRUE(lost) << lost.error().message;
    ASSERT_EQ(lost->poisoned.size(), 1U);
    EXPECT_EQ(lost->poisoned.front().id, "");
    EXPECT_NE(lost->poisoned.front().error.message.find("neither its id nor its name is known"), std::string::npos)
        << lost->poisoned.front().error.message;
}

class DamagedWorkflowRuns : public DamagedContract {
protected:
    // Runs of a workflow whose stored text is no JSON any more: whoever ends one of their nodes cannot know what comes
    // next.
    std::vector<std::string> stuck_runs(std::size_t count) {
        const model::Workflow workflow{
            .tenant = "default", .name = "steps", .version = 0, .nodes = {{.id = "a"}, {.id = "b"}}};
        EXPECT_TRUE(engine.store->put_workflow(workflow));
        create_poison([](model::Schedule& schedule) {
            schedule.target = {.type = model::TargetType::workflow, .kind = "steps"};
        });
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < count; ++i) ids.push_back(trigger(poison()));
        return ids;
    }
    bool damage_workflow() { return damage("UPDATE workflow_versions SET body = '{'"); }
};
INSTANTIATE_TEST_SUITE_P(Every, DamagedWorkflowRuns, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(DamagedWorkflowRuns, OneAttemptThatCannotBeReadDoesNotKeepTheOthersFromEnding) {
    const auto stuck = stuck_runs(1);
    engine.create([](model::Schedule& schedule) {
        schedule.name = "sound";
        schedule.target = {.type = model::TargetType::task, .kind = "t"};
    });
    const auto id = trigger({.tenant = "default", .name = "sound"});
    ASSERT_EQ(claim("default").size(), 3U);
    if (!damage_workflow()) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    engine::Runs runs(*store, engine.journal);
    const auto ended = runs.complete("default",
                                     {{{stuck[0], 1, "a"}, {.status = ExecutionStatus::succeeded}},
                                      {{id, 1}, {.status = ExecutionStatus::succeeded}}},
                                     {});
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ((*ended)[0].error().code, ErrorCode::corrupt);
    EXPECT_TRUE((*ended)[1]);
    EXPECT_EQ(store->run("default", id)->execution, ExecutionStatus::succeeded);
}

TEST_P(DamagedWorkflowRuns, TheReaperComesToWhatIsBehindLeasesThatItCannotEnd) {
    create_sound();
    stuck_runs(3);
    ASSERT_EQ(claim("default").size(), 6U);
    const auto behind = trigger({.tenant = "other", .name = "sound"});
    ASSERT_EQ(claim("other").size(), 1U);
    if (!damage_workflow()) GTEST_SKIP() << "in memory there is no row to damage";
    const auto store = anew();
    Reaper other{*store, engine.journal, [] { return true; }, {.batch = 2}, [] { return std::uint64_t{0}; }};
    engine.clock.pass(31s);
    int steps = 0;
    while (other.step() == Micros{0} && ++steps < 100) {
    }
    EXPECT_LT(steps, 100) << "it waits, instead of looking at the same leases for ever";
    EXPECT_EQ(store->run("other", behind)->execution, ExecutionStatus::queued);
    EXPECT_EQ(
        std::ranges::count_if(engine.journal.lines, [](const auto& line) { return line.starts_with("quarantined"); }),
        6);
    EXPECT_TRUE(
        std::ranges::none_of(engine.journal.lines, [](const auto& line) { return line.starts_with("reaper failed"); }));
}

TEST_P(DamagedWorkflowRuns, NodesThatCannotBeReadAreNotHandedOutAndTheOthersAre) {
    stuck_runs(1);
    engine.create([](model::Schedule& schedule) {
        schedule.name = "sound";
        schedule.target = {.type = model::TargetType::task, .kind = "t"};
    });
    const auto id = trigger({.tenant = "default", .name = "sound"});
    if (!damage_workflow()) GTEST_SKIP() << "in memory there is no row to damage";
    const auto tasks =
        anew()->claim({.tenant = "default", .worker = "w", .limit = 10, .now = engine.clock.now(), .lease = 30s});
    ASSERT_TRUE(tasks) << tasks.error().message;
    ASSERT_EQ(tasks->size(), 1U);
    EXPECT_EQ(tasks->front().run_id, id);
}

}  // namespace
}  // namespace belfry::store
