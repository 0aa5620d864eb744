// The requirements that the decisions answer, one test each, named by the number in docs/requirements.md. What several
// requirements share is tested in depth elsewhere; here stands the example that a reader of the requirement would try.
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::requirements_test {
namespace {

using enum model::ExecutionStatus;
using enum model::OverlapPolicy;
using model::MissedPolicy;
using model::OverlapPolicy;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;
using test::lines_of;

test::Edit every_five_minutes(OverlapPolicy overlap, MissedPolicy missed = MissedPolicy::skip) {
    return [=](model::Schedule& schedule) {
        schedule.spec.cron = {"*/5 * * * *"};
        schedule.overlap.policy = overlap;
        schedule.missed.policy = missed;
    };
}

test::Edit with_condition(const char* condition) {
    return [condition](model::Schedule& schedule) { schedule.condition = test::json(condition); };
}

constexpr const char* kPriorRunWasGood =
    R"({"/prior_run_result/status":{"eq":"completed"},"/last_24h_stats/failed":{"lt":3}})";

void three_audiences(model::Schedule& schedule) {
    schedule.spec.cron = {"*/5 * * * *"};
    schedule.overlap.policy = allow_all;
    schedule.inputs_template = test::json("\"template\"");
    schedule.inputs_rotation = {test::json("\"tech\""), test::json("\"business\""), test::json("\"research\"")};
}

// --- S0: calendars, conditions, rotation, preview -------------------------------------------------------------------

TEST(Requirements, S0_8_ASkipStartsNothing) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.tick("2026-06-02T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().execution, none);
    EXPECT_EQ(life.state().in_flight, 0);
}

TEST(Requirements, S0_9_ASkipDoesNotAdvanceTheLastRunAndTheNextTickStartsFromScratch) {
    Life life("2026-06-02T22:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.tick("2026-06-02T23:00:00Z");
    EXPECT_EQ(life.state().last_fired_at, std::nullopt);
    EXPECT_EQ(life.tick("2026-06-03T00:00:00Z").front(), "tick 2026-06-03T00:00:00Z dispatched #1");
}

TEST(Requirements, S0_16_TheCalendarsZoneDecidesWhichDayAnOccurrenceIsOn) {
    // 1 January in New York begins at 05:00Z; the schedule itself lives in Istanbul.
    Life life("2025-12-31T12:00:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 7,8,9 1 1 *"};
        schedule.spec.timezone = "Europe/Istanbul";
        schedule.calendars = {"us-federal-holidays-2026"};
        schedule.overlap.policy = allow_all;
    });
    EXPECT_EQ(life.play("2026-01-01T23:00:00Z"),
              (Lines{"tick 2026-01-01T04:00:00Z dispatched #1",
                     "tick 2026-01-01T05:00:00Z skipped calendar (us-federal-holidays-2026)",
                     "tick 2026-01-01T06:00:00Z skipped calendar (us-federal-holidays-2026)"}));
}

TEST(Requirements, S0_36_WithoutAPriorRunItsResultIsNull) {
    Life life("2026-06-01T09:30:00Z", with_condition(R"({"/prior_run_result":{"eq":null}})"));
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(), "tick 2026-06-01T10:00:00Z dispatched #1");
}

TEST(Requirements, S0_37_TheContextCountsTheRunsOfTheLastDay) {
    const auto edit = with_condition(
        R"({"/last_24h_stats/succeeded":{"gt":2},"/last_24h_stats/failed":{"lt":2},"/last_24h_stats/total":{"eq":4}})");
    Life life("2026-06-01T09:30:00Z", edit);
    life.facts.last_24h = {.succeeded = 3, .failed = 1, .total = 4};
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(), "tick 2026-06-01T10:00:00Z dispatched #1");
}

TEST(Requirements, S0_40_TheSignalIsNullUntilSomebodyAnswers) {
    Life life("2026-06-01T09:30:00Z", with_condition(R"({"/signal_rpc_result/load":{"lt":5}})"));
    EXPECT_EQ(
        life.tick("2026-06-01T10:00:00Z").front(),
        "tick 2026-06-01T10:00:00Z skipped condition_failed (/signal_rpc_result/load is missing, must be less than 5)");
    life.facts.signal_result = test::json(R"({"load":4})");
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #1");
}

TEST(Requirements, S0_42_AMalformedConditionFailsClosed) {
    Life life("2026-06-01T09:30:00Z", with_condition(R"({"/a":{"matches":"x"}})"));
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().reason, model::SkipReason::condition_failed);
}

// The example's trap: a fresh schedule has no prior run, so it would wait for ever. A manual trigger, which no
// condition holds back, breaks the circle.
TEST(Requirements, S0_43_TheExampleNeverFiresOnAFreshScheduleUntilSomebodyTriggersIt) {
    Life life("2026-06-01T09:30:00Z", with_condition(kPriorRunWasGood));
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(),
              R"(tick 2026-06-01T10:00:00Z skipped condition_failed (/prior_run_result/status is missing, )"
              R"(must be "completed"))");
    EXPECT_EQ(life.trigger("2026-06-01T10:30:00Z").front(), "trigger 2026-06-01T10:30:00Z dispatched #1");
    life.finish("2026-06-01T10:31:00Z", succeeded, test::json(R"({"status":"completed"})"));
    life.facts.prior_run_result = life.plan.ends.front().result;
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    life.finish("2026-06-01T11:01:00Z");
    life.facts.last_24h.failed = 3;
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(),
              "tick 2026-06-01T12:00:00Z skipped condition_failed (/last_24h_stats/failed is 3, must be less than 3)");
}

TEST(Requirements, S0_44_RotationReplacesTheTemplate) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().input, Json("tech"));
}

TEST(Requirements, S0_45_WithoutRotationTheTemplateIsUsed) {
    Life life("2026-06-01T09:59:00Z", [](auto& schedule) {
        three_audiences(schedule);
        schedule.inputs_rotation.clear();
    });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().input, Json("template"));
}

TEST(Requirements, S0_46_TheEntryIsTheIndexModuloTheLength) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    life.facts.state.rotation_index = 3'000'000'001;
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().rotation_index_used, 1);
    EXPECT_EQ(life.plan.runs.front().input, Json("business"));
}

TEST(Requirements, S0_48_TheIndexAdvancesWithADispatch) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.state().rotation_index, 1);
}

TEST(Requirements, S0_49_ASkipDoesNotAdvanceTheIndex) {
    Life life("2026-06-02T09:59:00Z", [](auto& schedule) {
        three_audiences(schedule);
        schedule.calendars = {"june-2nd"};
    });
    life.tick("2026-06-02T10:00:00Z");
    EXPECT_EQ(life.state().rotation_index, 0);
}

TEST(Requirements, S0_50_ThreeTicksUseTheEntriesInOrderAndTheFourthWraps) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    EXPECT_EQ(life.play("2026-06-01T10:15:00Z"), (Lines{R"(tick 2026-06-01T10:00:00Z dispatched #1 "tech")",
                                                        R"(tick 2026-06-01T10:05:00Z dispatched #2 "business")",
                                                        R"(tick 2026-06-01T10:10:00Z dispatched #3 "research")",
                                                        R"(tick 2026-06-01T10:15:00Z dispatched #4 "tech")"}));
}

TEST(Requirements, S0_51_ClearingTheRotationResetsArrayAndIndexTogether) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    life.tick("2026-06-01T10:00:00Z");
    life.update("2026-06-01T10:01:00Z", [](auto& schedule) { schedule.inputs_rotation.clear(); });
    EXPECT_TRUE(life.facts.schedule->definition.inputs_rotation.empty());
    EXPECT_EQ(life.state().rotation_index, 0);
}

TEST(Requirements, S0_54_APreviewRowSaysDispatchOrSkipWithItsReason) {
    const auto facts =
        test::facts_at("2026-06-01T22:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    EXPECT_EQ(lines_of(preview(facts, instant("2026-06-01T22:30:00Z"), 2)),
              (Lines{"2026-06-01T23:00:00Z local 2026-06-01T23:00:00 dispatched",
                     "2026-06-02T00:00:00Z local 2026-06-02T00:00:00 skipped calendar (june-2nd)"}));
}

TEST(Requirements, S0_56_PreviewDoesNotMoveTheRotation) {
    const auto facts = test::facts_at("2026-06-01T09:59:00Z", three_audiences);
    const auto rows = preview(facts, instant("2026-06-01T09:59:00Z"), 4);
    EXPECT_EQ(rows[3].input, Json("tech"));
    EXPECT_EQ(facts.state.rotation_index, 0);
}

TEST(Requirements, S0_58_EverySkipWritesExactlyOneEvent) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.tick("2026-06-02T10:00:00Z");
    ASSERT_EQ(life.plan.events.size(), 1U);
    EXPECT_EQ(life.plan.events.front().type, model::EventType::schedule_trigger_skipped);
}

TEST(Requirements, S0_65_TheReasonIsInThePayload) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.tick("2026-06-02T10:00:00Z");
    EXPECT_EQ(life.plan.events.front().payload.at("reason"), Json("calendar"));
}

TEST(Requirements, S0_67_ARotationDispatchRecordsTheEntryThatItUsed) {
    Life life("2026-06-01T09:59:00Z", three_audiences);
    life.tick("2026-06-01T10:00:00Z");
    life.tick("2026-06-01T10:05:00Z");
    EXPECT_EQ(life.plan.events.front().payload.at("rotation_index_used"), Json(1));
}

TEST(Requirements, S0_69_PreviewGoesFarBeyondTwoHundredRowsAndAMonth) {
    const auto facts = test::facts_at("2026-06-01T09:59:00Z", every_five_minutes(allow_all));
    const auto rows = preview(facts, instant("2026-06-01T09:59:00Z"), 10'000);
    EXPECT_EQ(rows.size(), 10'000U);
    EXPECT_GT(rows.back().occurrence, instant("2026-07-01T09:59:00Z"));
}

TEST(Requirements, S0_74_SimulationShowsHowAConditionChangesAfterADispatch) {
    const auto facts =
        test::facts_at("2026-06-01T09:30:00Z", with_condition(R"({"/prior_run_result/stop":{"neq":true}})"));
    const SimulationRequest request{instant("2026-06-01T09:30:00Z"),
                                    instant("2026-06-01T11:30:00Z"),
                                    {{Seconds{60}, succeeded, test::json(R"({"stop":true})")}}};
    EXPECT_EQ(
        lines_of(simulate(facts, request)),
        (Lines{
            "tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T10:01:00Z",
            "tick 2026-06-01T11:00:00Z skipped condition_failed (/prior_run_result/stop is true, must not be true)"}));
}

// --- S1: missed runs ------------------------------------------------------------------------------------------------

TEST(Requirements, S1_75_SkipIsTheDefaultForDowntimeAndPause) {
    EXPECT_EQ(test::definition().missed.policy, MissedPolicy::skip);
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.tick("2026-06-01T12:30:00Z").front(),
              "tick 2026-06-01T10:00:00Z..2026-06-01T12:00:00Z skipped missed_run (policy skip) 3 occurrences");
}

TEST(Requirements, S1_77_OnMissedSkipDropsTheSlotsAndGoesOnWithTheFuture) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all));
    life.tick("2026-06-01T10:32:00Z");
    EXPECT_EQ(life.state().runs, 0);
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T10:35:00Z"));
}

// Down from 9:59 to 10:32, then paused from 10:34 to 11:04: as S1 counts them, both are windows in which slots were
// missed.
Life down_and_paused(const char* on_missed) {
    Life life("2026-06-01T09:59:00Z", [&](auto& schedule) {
        every_five_minutes(allow_all, model::parse_missed_policy(on_missed).value())(schedule);
        schedule.missed.while_paused = true;
    });
    life.tick("2026-06-01T10:32:00Z");
    life.pause("2026-06-01T10:34:00Z");
    life.resume("2026-06-01T11:04:00Z");
    return life;
}

TEST(Requirements, S1_78_OnMissedRunOnceDispatchesOneRunForTheWindow) {
    auto life = down_and_paused("run_once");
    EXPECT_EQ(life.state().runs, 1);
    EXPECT_EQ(
        life.tick("2026-06-01T11:04:00Z"),
        (Lines{"tick 2026-06-01T10:35:00Z dispatched #2",
               "tick 2026-06-01T10:40:00Z..2026-06-01T11:00:00Z skipped missed_run (policy fire_once) 5 occurrences",
               "active, next 2026-06-01T11:05:00Z"}));
}

TEST(Requirements, S1_79_OnMissedBackfillDispatchesOneRunPerSlot) {
    auto life = down_and_paused("backfill");
    EXPECT_EQ(life.state().runs, 7);
    life.tick("2026-06-01T11:04:00Z");
    EXPECT_EQ(life.state().runs, 13) << "10:35 to 11:00";
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T11:05:00Z"));
}

TEST(Requirements, S1_80_MaxBackfillCapsTheNumberOfRuns) {
    Life life("2026-06-01T09:59:00Z", [](auto& schedule) {
        every_five_minutes(allow_all, MissedPolicy::fire_all)(schedule);
        schedule.missed.max_backfill = 3;
    });
    EXPECT_EQ(
        life.tick("2026-06-01T10:32:00Z"),
        (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T10:15:00Z skipped missed_run (policy fire_all) 4 occurrences",
               "tick 2026-06-01T10:20:00Z dispatched #1", "tick 2026-06-01T10:25:00Z dispatched #2",
               "tick 2026-06-01T10:30:00Z dispatched #3", "active, next 2026-06-01T10:35:00Z"}));
}

TEST(Requirements, S1_88_MaxConcurrencyCapsTheRunsInFlight) {
    Life life("2026-06-01T09:59:00Z", [](auto& schedule) {
        every_five_minutes(allow_all)(schedule);
        schedule.overlap.max_concurrency = 2;
    });
    EXPECT_EQ(life.play("2026-06-01T10:10:00Z").back(),
              "tick 2026-06-01T10:10:00Z skipped max_concurrency_reached (2 in flight)");
}

TEST(Requirements, S1_89_ADailyBudgetThatIsSpentSkips) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all));
    life.facts.budget.limit_runs(7, 9, test::instant("2026-06-01T09:59:00Z"));
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(),
              "tick 2026-06-01T10:00:00Z skipped budget_exceeded (runsPerDay of the tenant: 9 of 7; it starts again at "
              "2026-06-02T00:00:00Z)")
        << "the limit was lowered since";
}

// --- S2: overlap, catch-up, idempotency -----------------------------------------------------------------------------

TEST(Requirements, S2_58_AllowAlwaysFires) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(model::parse_overlap_policy("allow").value()));
    life.play("2026-06-01T10:10:00Z");
    EXPECT_EQ(life.state().in_flight, 3);
}

TEST(Requirements, S2_59_SkipMarksATickAsSkippedWhileARunIsInFlight) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(skip));
    EXPECT_EQ(life.play("2026-06-01T10:05:00Z").back(),
              "tick 2026-06-01T10:05:00Z skipped overlap_in_flight (1 in flight)");
}

TEST(Requirements, S2_60_QueueStartsNothingMoreWhileARunIsInFlight) {
    Life life("2026-06-01T09:59:00Z",
              every_five_minutes(model::parse_overlap_policy("queue").value(), MissedPolicy::fire_all));
    EXPECT_EQ(life.tick("2026-06-01T10:11:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:05:00Z buffered",
                     "tick 2026-06-01T10:10:00Z buffered", "active, next 2026-06-01T10:15:00Z, 2 buffered"}));
}

TEST(Requirements, S2_68_QueueDefersUntilThePriorRunFinishes) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(buffer_all));
    life.play("2026-06-01T10:05:00Z");
    EXPECT_EQ(life.finish("2026-06-01T10:07:00Z")[1], "release tick 2026-06-01T10:05:00Z dispatched #2");
}

TEST(Requirements, S2_69_CatchUpNoneIgnoresWhatWasMissed) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all, model::parse_missed_policy("none").value()));
    life.tick("2026-06-01T10:32:00Z");
    EXPECT_EQ(life.state().runs, 0);
}

TEST(Requirements, S2_70_CatchUpFireImmediatelyEmitsAllMissedTicksAtTheNextWake) {
    Life life("2026-06-01T09:59:00Z",
              every_five_minutes(allow_all, model::parse_missed_policy("fire_immediately").value()));
    life.tick("2026-06-01T10:32:00Z");
    ASSERT_EQ(life.plan.runs.size(), 7U);
    for (const auto& run : life.plan.runs) EXPECT_EQ(run.fire_at, instant("2026-06-01T10:32:00Z"));
}

TEST(Requirements, S2_71_CatchUpSpreadDistributesMissedTicksAcrossTheLookahead) {
    // With the overlap policy that the cron service gives: each is decided at its own time, when the one before has
    // ended.
    Life life("2026-06-01T09:59:00Z", every_five_minutes(skip, MissedPolicy::spread));
    const decide::Limits limits{.lookahead = Seconds{70}};
    life.tick("2026-06-01T10:27:00Z", limits);
    for (int i = 1; i <= 6; ++i) {
        EXPECT_EQ(life.state().in_flight, 0);
        ASSERT_EQ(life.state().next_fire, instant("2026-06-01T10:27:00Z") + i * Seconds{10});
        life.tick(format_instant(*life.state().next_fire), limits);
        EXPECT_EQ(life.plan.runs.front().slot.occurrence,
                  instant("2026-06-01T09:55:00Z") + i * std::chrono::minutes{5});
        ASSERT_EQ(life.state().in_flight, 1);
        life.finish(format_instant(life.plan.decided_at + Seconds{5}));
    }
    EXPECT_EQ(life.state().runs, 6);
    EXPECT_EQ(life.state().next_fire, instant("2026-06-01T10:30:00Z"));
}

TEST(Requirements, S2_72_JitterMovesWhenARunFiresAndNotWhichOneItIs) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter = {"PT2M", "PT2M"}; });
    const auto fire = *life.state().next_fire;
    EXPECT_GE(fire, instant("2026-06-01T09:58:00Z"));
    EXPECT_LE(fire, instant("2026-06-01T10:02:00Z"));
    EXPECT_EQ(life.tick(format_instant(fire)).front(), "tick 2026-06-01T10:00:00Z dispatched #1");
}

TEST(Requirements, S2_73_AnOccurrenceWhoseKeyExistsStartsNoOtherRun) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    EXPECT_TRUE(plan_tick(facts, instant("2026-06-01T10:00:00Z")).runs.empty());
}

TEST(Requirements, S2_105_AnExistingRowIsPassedInSilence) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    EXPECT_TRUE(plan_tick(facts, instant("2026-06-01T10:00:00Z")).events.empty());
}

TEST(Requirements, S2_113_InFlightIsQueuedOrStarted) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(skip));
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().execution, queued);
    EXPECT_TRUE(model::is_in_flight(queued) && model::is_in_flight(running));
    EXPECT_EQ(life.tick("2026-06-01T10:05:00Z").front(),
              "tick 2026-06-01T10:05:00Z skipped overlap_in_flight (1 in flight)");
}

// --- S3: durable schedules ------------------------------------------------------------------------------------------

TEST(Requirements, S3_32_SkipIsTheDefaultOverlapPolicy) { EXPECT_EQ(test::definition().overlap.policy, skip); }

TEST(Requirements, S3_33_BufferOneBuffersOneTriggerAndSkipsTheRestUntilItIsDrained) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(buffer_one));
    EXPECT_EQ(life.play("2026-06-01T10:15:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:05:00Z buffered",
                     "tick 2026-06-01T10:10:00Z skipped buffer_full (1 buffered)",
                     "tick 2026-06-01T10:15:00Z skipped buffer_full (1 buffered)"}));
    life.finish("2026-06-01T10:16:00Z");
    EXPECT_EQ(life.tick("2026-06-01T10:20:00Z").front(), "tick 2026-06-01T10:20:00Z buffered");
}

TEST(Requirements, S3_34_BufferOneDrainsAfterTheActiveRunCompletes) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(buffer_one));
    life.play("2026-06-01T10:05:00Z");
    EXPECT_EQ(life.finish("2026-06-01T10:06:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "release tick 2026-06-01T10:05:00Z dispatched #2",
                     "active, next 2026-06-01T10:10:00Z"}));
}

TEST(Requirements, S3_35_BufferAllBuffersWithoutACapAndDrainsOneByOne) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(buffer_all));
    life.play("2026-06-01T18:15:00Z");
    EXPECT_EQ(life.state().buffered, 99);
    for (int left = 98; left >= 0; --left) {
        life.finish("2026-06-01T18:16:00Z");
        EXPECT_EQ(life.state().buffered, left);
        EXPECT_EQ(life.state().in_flight, 1);
    }
    EXPECT_EQ(life.state().runs, 100);
}

TEST(Requirements, S3_37_CancelOtherCancelsThePreviousRunAndStartsTheNewOne) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(cancel_other));
    EXPECT_EQ(life.play("2026-06-01T10:05:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1",
                     "end tick 2026-06-01T10:00:00Z cancelled (replaced by a newer run)",
                     "tick 2026-06-01T10:05:00Z dispatched #2"}));
}

TEST(Requirements, S3_38_TerminateOtherTerminatesThePreviousRunAndStartsTheNewOne) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(terminate_other));
    EXPECT_EQ(life.play("2026-06-01T10:05:00Z")[1],
              "end tick 2026-06-01T10:00:00Z terminated (replaced by a newer run)");
}

TEST(Requirements, S3_39_APausedScheduleDoesNotTrigger) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all));
    life.pause("2026-06-01T09:59:30Z");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), Lines{"nothing"});
    EXPECT_EQ(life.trigger("2026-06-01T10:01:00Z").front(),
              "trigger 2026-06-01T10:01:00Z skipped status_not_triggerable (paused)");
}

TEST(Requirements, S3_40_ResumeCalculatesTheNextFireTimeFromNow) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all));
    life.pause("2026-06-01T09:59:30Z");
    EXPECT_EQ(life.resume("2026-06-02T14:02:00Z"), Lines{"active, next 2026-06-02T14:05:00Z"});
}

TEST(Requirements, S3_42_ANewExpressionOrZoneRecalculatesTheNextFireTime) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.update("2026-06-01T09:40:00Z", [](auto& schedule) { schedule.spec.cron = {"45 9 * * *"}; }),
              Lines{"active, next 2026-06-01T09:45:00Z"});
    EXPECT_EQ(life.update("2026-06-01T09:41:00Z", [](auto& schedule) { schedule.spec.timezone = "America/New_York"; }),
              Lines{"active, next 2026-06-01T13:45:00Z"});
}

TEST(Requirements, S3_44_ADeletedScheduleCannotBePausedResumedUpdatedOrTriggered) {
    Life life("2026-06-01T09:30:00Z");
    life.remove("2026-06-01T09:40:00Z");
    EXPECT_TRUE(life.pause("2026-06-01T09:41:00Z").front().starts_with("refused: "));
    EXPECT_TRUE(life.resume("2026-06-01T09:41:00Z").front().starts_with("refused: "));
    EXPECT_TRUE(life.update("2026-06-01T09:41:00Z", [](auto& schedule) { schedule.notes = "x"; })
                    .front()
                    .starts_with("refused: "));
    EXPECT_EQ(life.trigger("2026-06-01T09:41:00Z").front(),
              "trigger 2026-06-01T09:41:00Z skipped status_not_triggerable (deleted)");
}

TEST(Requirements, S3_55_AfterDowntimeItFiresOnceAndThenResumes) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all, MissedPolicy::fire_once));
    life.tick("2026-06-01T10:32:00Z");
    EXPECT_EQ(life.state().runs, 1);
    EXPECT_EQ(life.tick("2026-06-01T10:35:00Z").front(), "tick 2026-06-01T10:35:00Z dispatched #2");
}

TEST(Requirements, S3_56_TheOneRunCarriesTheOverdueOccurrenceAndTheScheduleAdvancesFromTheCurrentClock) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all, MissedPolicy::fire_once));
    life.tick("2026-06-01T10:32:00Z");
    EXPECT_EQ(life.plan.events.front().payload.at("occurrence_time"), Json("2026-06-01T10:00:00Z"));
    EXPECT_EQ(life.state().next_fire, instant("2026-06-01T10:35:00Z"));
}

TEST(Requirements, S3_57_TheOtherOccurrencesOfTheDowntimeAreSkipped) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all, MissedPolicy::fire_once));
    EXPECT_EQ(life.tick("2026-06-01T10:32:00Z")[1],
              "tick 2026-06-01T10:05:00Z..2026-06-01T10:30:00Z skipped missed_run (policy fire_once) 6 occurrences");
}

TEST(Requirements, S3_58_ABackfillRunsEveryOccurrenceThatTheDowntimeSkipped) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(allow_all, MissedPolicy::fire_once));
    life.tick("2026-06-01T10:32:00Z");
    life.backfill("2026-06-01T10:33:00Z", "2026-06-01T10:00:00Z", "2026-06-01T10:30:00Z");
    EXPECT_EQ(life.plan.runs.size(), 6U);
    EXPECT_EQ(life.state().runs, 7);
}

TEST(Requirements, S3_63_ASchedulesRemainingActionsCountDown) {
    Life life("2026-06-01T09:59:00Z", [](auto& schedule) {
        every_five_minutes(allow_all)(schedule);
        schedule.max_runs = 3;
    });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.state().remaining_actions, 2);
}

TEST(Requirements, S3_65_MaxRuns3OnEveryFiveMinutesIsDeletedAfterThreeTriggers) {
    Life life("2026-06-01T09:59:00Z", [](auto& schedule) {
        every_five_minutes(allow_all)(schedule);
        schedule.max_runs = 3;
    });
    EXPECT_EQ(life.play("2026-06-01T11:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:05:00Z dispatched #2",
                     "tick 2026-06-01T10:10:00Z dispatched #3"}));
    EXPECT_EQ(life.state().status, model::ScheduleStatus::deleted);
    EXPECT_EQ(life.state().deleted_at, instant("2026-06-01T10:10:00Z"));
    EXPECT_EQ(events_of(life.plan).back(),
              R"(5 ScheduleDeleted {"reason":"max_runs_exhausted","deleted_at":"2026-06-01T10:10:00Z"})");
}

TEST(Requirements, S3_70_BuffersAreAllowAllDuringABackfill) {
    for (const auto policy : {buffer_one, buffer_all}) {
        Life life("2026-06-01T10:17:00Z", every_five_minutes(policy));
        life.backfill("2026-06-01T10:17:00Z", "2026-06-01T10:00:00Z", "2026-06-01T10:15:00Z");
        EXPECT_EQ(life.state().in_flight, 4);
        EXPECT_EQ(life.state().buffered, 0);
    }
}

TEST(Requirements, S3_71_AnOverrideReplacesThePolicyOfABackfill) {
    Life life("2026-06-01T10:17:00Z", every_five_minutes(allow_all));
    EXPECT_EQ(life.backfill("2026-06-01T10:17:00Z", "2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z", terminate_other),
              (Lines{"backfill 2026-06-01T10:00:00Z dispatched #1 terminated",
                     "backfill 2026-06-01T10:05:00Z dispatched #2", "active, next 2026-06-01T10:20:00Z"}));
}

TEST(Requirements, S3_72_MaxRunsStopsABackfillMidWayAndDeletesTheSchedule) {
    Life life("2026-06-01T10:17:00Z", [](auto& schedule) {
        every_five_minutes(allow_all)(schedule);
        schedule.max_runs = 2;
    });
    EXPECT_EQ(life.backfill("2026-06-01T10:17:00Z", "2026-06-01T10:00:00Z", "2026-06-01T10:15:00Z"),
              (Lines{"backfill 2026-06-01T10:00:00Z dispatched #1", "backfill 2026-06-01T10:05:00Z dispatched #2",
                     "deleted"}));
}

TEST(Requirements, S3_73_BackfillInstanceIdsAreDeterministic) {
    Life life("2026-06-01T10:17:00Z", every_five_minutes(allow_all));
    life.backfill("2026-06-01T10:17:00Z", "2026-06-01T10:00:00Z", "2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.events.front().payload.at("workflow_instance_id"), Json("schedule:report:backfill:1780308000"));
}

TEST(Requirements, S3_79_AFireTimeIsComputedAfterTriggerResumeAndUpdateAndIsTheSameEachTime) {
    const auto jittered = [](model::Schedule& schedule) { schedule.spec.jitter.after = "PT5M"; };
    Life life("2026-06-01T09:30:00Z", jittered);
    const auto fire = life.state().next_fire;
    life.pause("2026-06-01T09:31:00Z");
    life.resume("2026-06-01T09:32:00Z");
    EXPECT_EQ(life.state().next_fire, fire) << "stable per occurrence: a restart or a second server computes the same";
}

TEST(Requirements, S3_93_TheAuditSequenceStartsAtOneWithTheCreation) {
    const Life life("2026-06-01T09:30:00Z");
    EXPECT_TRUE(events_of(life.plan).front().starts_with("1 ScheduleCreated "));
}

TEST(Requirements, S3_95_PausedRecordsReasonAndTime) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z", {.reason = "freeze"});
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(2 SchedulePaused {"reason":"freeze","paused_at":"2026-06-01T09:40:00Z"})"});
}

TEST(Requirements, S3_101_AContextIsOmittedRatherThanBlank) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z", {}, {.principal = "ada"});
    EXPECT_EQ(life.plan.events.front().payload.at("command_context"), test::json(R"({"principal":"ada"})"));
    life.resume("2026-06-01T09:50:00Z");
    EXPECT_FALSE(life.plan.events.front().payload.as_object().contains("command_context"));
}

TEST(Requirements, S3_129_AStreamThatBeginsWithAPauseStartsAtOne) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.state.events = 0;  // a schedule from before there was an audit stream
    const auto plan = plan_pause(facts, {}, instant("2026-06-01T09:40:00Z")).value();
    EXPECT_EQ(plan.events.front().sequence, 1);
}

TEST(Requirements, S3_130_EveryEvaluationWritesTriggeredOrSkipped) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(skip));
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.events.front().type, model::EventType::schedule_triggered);
    life.tick("2026-06-01T10:05:00Z");
    EXPECT_EQ(life.plan.events.front().type, model::EventType::schedule_trigger_skipped);
}

TEST(Requirements, S3_132_TheLastSkipIsRemembered) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(skip));
    life.play("2026-06-01T10:10:00Z");
    EXPECT_EQ(life.state().last_skip_reason, "overlap_in_flight");
    EXPECT_EQ(life.state().last_skipped_at, instant("2026-06-01T10:10:00Z"));
    EXPECT_EQ(life.state().skips, 2);
}

TEST(Requirements, S3_135_TheReasonForOverlapHasItsOtherSpellingToo) {
    EXPECT_EQ(model::parse_skip_reason("overlap_policy_skip").value(), model::SkipReason::overlap_in_flight);
}

TEST(Requirements, S3_137_WithoutRemainingActionsATriggerIsSkipped) {
    Life life("2026-06-01T09:30:00Z");
    life.facts.state.remaining_actions = 0;
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z").front(),
              "trigger 2026-06-01T09:40:00Z skipped remaining_actions_exhausted");
}

// --- S4: defaults and aliases ---------------------------------------------------------------------------------------

TEST(Requirements, S4_28_BothPoliciesDefaultToSkip) {
    EXPECT_EQ(test::definition().missed.policy, MissedPolicy::skip);
    EXPECT_EQ(test::definition().overlap.policy, skip);
}

TEST(Requirements, S4_33_ExecuteOnceRunsOnceOnRecoveryAndThenResumes) {
    Life life("2026-06-01T09:30:00Z",
              [](auto& schedule) { schedule.missed.policy = model::parse_missed_policy("execute_once").value(); });
    life.tick("2026-06-01T15:30:00Z");
    EXPECT_EQ(life.state().runs, 1);
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T16:00:00Z"));
}

TEST(Requirements, S4_36_CancelPreviousCancelsAndStartsTheNew) {
    Life life("2026-06-01T09:59:00Z", every_five_minutes(model::parse_overlap_policy("cancel_previous").value()));
    life.play("2026-06-01T10:05:00Z");
    EXPECT_EQ(life.plan.ends.size(), 1U);
    EXPECT_EQ(life.state().in_flight, 1);
}

TEST(Requirements, S4_60_TwoOClockInNewYorkFiresOnceAtThreeOnTheDayTheClocksGoForward) {
    Life life("2026-03-07T12:00:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 2 * * *"};
        schedule.spec.timezone = "America/New_York";
        schedule.overlap.policy = allow_all;
    });
    EXPECT_EQ(life.play("2026-03-09T12:00:00Z"),
              (Lines{"tick 2026-03-08T07:00:00Z dispatched #1", "tick 2026-03-09T06:00:00Z dispatched #2"}));
}

TEST(Requirements, S4_61_HalfPastOneFiresOnceOnTheDayTheClocksGoBack) {
    Life life("2026-10-31T12:00:00Z", [](auto& schedule) {
        schedule.spec.cron = {"30 1 * * *"};
        schedule.spec.timezone = "America/New_York";
        schedule.overlap.policy = allow_all;
    });
    EXPECT_EQ(life.play("2026-11-01T12:00:00Z"), Lines{"tick 2026-11-01T05:30:00Z dispatched #1"});
}

}  // namespace
}  // namespace belfry::decide::requirements_test
