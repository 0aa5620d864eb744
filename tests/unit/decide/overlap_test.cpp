// What a due occurrence does while earlier runs are still in flight.
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::overlap_test {
namespace {

using enum model::OverlapPolicy;
using model::ExecutionStatus;
using model::OverlapPolicy;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;
using test::lines_of;

test::Edit with_policy(OverlapPolicy policy, std::optional<int> max_concurrency = {}) {
    return [policy, max_concurrency](model::Schedule& schedule) {
        schedule.overlap = {policy, max_concurrency};
        schedule.missed = {.policy = model::MissedPolicy::fire_all, .grace = std::chrono::minutes{10}};
    };
}

// One word for what the occurrence of 10:00 does while `in_flight` others run.
std::string outcome(OverlapPolicy policy, std::optional<int> max_concurrency, int in_flight) {
    const auto facts =
        test::with_in_flight(test::facts_at("2026-06-01T09:30:00Z", with_policy(policy, max_concurrency)), in_flight);
    const auto plan = plan_tick(facts, instant("2026-06-01T10:00:00Z"));
    test::expect_sound(facts, plan);
    const auto& run = plan.runs.front();
    if (run.reason) return std::string(name_of(*run.reason));
    std::string text(name_of(run.dispatch));
    for (const auto& end : plan.ends) text += " " + std::string(name_of(end.status));
    return text;
}

struct Row {
    OverlapPolicy policy;
    std::optional<int> max_concurrency;
    std::vector<std::string> with_0_1_2_in_flight;
};

TEST(Overlap, EveryPolicyByRunsInFlightAndTheConcurrencyCap) {
    const std::string fires = "dispatched";
    const std::string waits = "buffered";
    const std::string overlap = "overlap_in_flight";
    const std::string cap = "max_concurrency_reached";
    const std::vector<Row> rows{
        {skip, {}, {fires, overlap, overlap}},
        {skip, 1, {fires, cap, cap}},
        {skip, 2, {fires, fires, cap}},
        {skip, 3, {fires, fires, fires}},
        {buffer_one, {}, {fires, waits, waits}},
        {buffer_one, 1, {fires, waits, waits}},
        {buffer_one, 2, {fires, fires, waits}},
        {buffer_one, 3, {fires, fires, fires}},
        {buffer_all, {}, {fires, waits, waits}},
        {buffer_all, 1, {fires, waits, waits}},
        {buffer_all, 2, {fires, fires, waits}},
        {buffer_all, 3, {fires, fires, fires}},
        {allow_all, {}, {fires, fires, fires}},
        {allow_all, 1, {fires, cap, cap}},
        {allow_all, 2, {fires, fires, cap}},
        {allow_all, 3, {fires, fires, fires}},
        {cancel_other, {}, {fires, fires + " cancelled", fires + " cancelled cancelled"}},
        {cancel_other, 1, {fires, fires + " cancelled", fires + " cancelled cancelled"}},
        {cancel_other, 2, {fires, fires, fires + " cancelled"}},
        {cancel_other, 3, {fires, fires, fires}},
        {terminate_other, {}, {fires, fires + " terminated", fires + " terminated terminated"}},
        {terminate_other, 1, {fires, fires + " terminated", fires + " terminated terminated"}},
        {terminate_other, 2, {fires, fires, fires + " terminated"}},
        {terminate_other, 3, {fires, fires, fires}},
    };
    for (const auto& row : rows) {
        for (int in_flight = 0; in_flight < 3; ++in_flight) {
            EXPECT_EQ(outcome(row.policy, row.max_concurrency, in_flight),
                      row.with_0_1_2_in_flight[static_cast<std::size_t>(in_flight)])
                << name_of(row.policy) << ", maxConcurrency " << row.max_concurrency.value_or(0) << ", " << in_flight
                << " in flight";
        }
    }
}

TEST(Overlap, OfSeveralRunsInFlightTheOldestAreEnded) {
    const auto facts = test::with_in_flight(test::facts_at("2026-06-01T09:30:00Z", with_policy(cancel_other, 2)), 2);
    const auto plan = plan_tick(facts, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(lines_of(facts, plan),
              (Lines{"end tick 2026-06-01T08:00:00Z cancelled (replaced by a newer run)",
                     "tick 2026-06-01T10:00:00Z dispatched #1", "active, next 2026-06-01T11:00:00Z"}));
}

TEST(Overlap, AVetoedTickNeverCancelsTerminatesOrBuffers) {
    const std::vector<std::pair<std::string, test::Edit>> vetoes{
        {"calendar (june-2nd)", [](auto& schedule) { schedule.calendars = {"june-2nd"}; }},
        {"condition_failed (/last_24h_stats/total is 0, must be greater than 0)",
         [](auto& schedule) { schedule.condition = test::json(R"({"/last_24h_stats/total":{"gt":0}})"); }},
    };
    for (const auto policy : {buffer_one, buffer_all, cancel_other, terminate_other}) {
        for (const auto& veto : vetoes) {
            const auto edit = [&](model::Schedule& schedule) {
                with_policy(policy)(schedule);
                veto.second(schedule);
            };
            const auto facts = test::with_in_flight(test::facts_at("2026-06-02T09:30:00Z", edit), 1);
            const auto plan = plan_tick(facts, instant("2026-06-02T10:00:00Z"));
            test::expect_sound(facts, plan);
            EXPECT_EQ(lines_of(facts, plan),
                      (Lines{"tick 2026-06-02T10:00:00Z skipped " + veto.first, "active, next 2026-06-02T11:00:00Z"}))
                << name_of(policy);
            EXPECT_EQ(plan.state.in_flight, 1);
        }
    }
}

TEST(Overlap, BufferOneKeepsOneAndSkipsTheRestUntilItIsDrained) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_one));
    EXPECT_EQ(life.play("2026-06-01T13:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T11:00:00Z buffered",
                     "tick 2026-06-01T12:00:00Z skipped buffer_full (1 buffered)",
                     "tick 2026-06-01T13:00:00Z skipped buffer_full (1 buffered)"}));
    EXPECT_EQ(life.finish("2026-06-01T13:20:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "release tick 2026-06-01T11:00:00Z dispatched #2",
                     "active, next 2026-06-01T14:00:00Z"}));
    EXPECT_EQ(life.tick("2026-06-01T14:00:00Z"),
              (Lines{"tick 2026-06-01T14:00:00Z buffered", "active, next 2026-06-01T15:00:00Z, 1 buffered"}));
}

TEST(Overlap, BufferAllKeepsEverythingAndDrainsOneByOneOldestFirst) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_all));
    life.play("2026-06-01T13:00:00Z");
    EXPECT_EQ(life.state().buffered, 3);
    EXPECT_EQ(life.finish("2026-06-01T13:10:00Z")[1], "release tick 2026-06-01T11:00:00Z dispatched #2");
    EXPECT_EQ(life.finish("2026-06-01T13:20:00Z")[1], "release tick 2026-06-01T12:00:00Z dispatched #3");
    EXPECT_EQ(life.finish("2026-06-01T13:30:00Z")[1], "release tick 2026-06-01T13:00:00Z dispatched #4");
    EXPECT_EQ(life.finish("2026-06-01T13:40:00Z"),
              (Lines{"end tick 2026-06-01T13:00:00Z succeeded", "active, next 2026-06-01T14:00:00Z"}));
}

TEST(Overlap, ABufferedRunKeepsItsOccurrenceAndIsReadyWhenItIsReleased) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_one));
    life.play("2026-06-01T11:00:00Z");
    const auto buffered = life.plan.runs.front();
    life.finish("2026-06-01T11:07:00Z");
    ASSERT_EQ(life.plan.releases.size(), 1U);
    const auto& released = life.plan.releases.front();
    EXPECT_EQ(released.id, buffered.id);
    EXPECT_EQ(released.slot, buffered.slot);
    EXPECT_EQ(released.fire_at, instant("2026-06-01T11:07:00Z"));
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(4 ScheduleTriggered {"workflow_instance_id":"schedule:report:1780311600","workflow_run_id":")" +
                    released.id +
                    R"(","outcome":"queued","effective_overlap_policy":"buffer_one","trigger_number":2,)"
                    R"("occurrence_time":"2026-06-01T11:00:00Z","cause":"buffer"})"});
}

TEST(Overlap, ATickDrainsWhatACompletionCouldNotAndTheNewOccurrenceQueuesUpBehindIt) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_all));
    life.play("2026-06-01T11:00:00Z");
    life.facts.switches.queue = false;
    EXPECT_EQ(life.finish("2026-06-01T11:10:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "active, next 2026-06-01T12:00:00Z, 1 buffered"}));
    life.facts.switches.queue = true;
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z"),
              (Lines{"release tick 2026-06-01T11:00:00Z dispatched #2", "tick 2026-06-01T12:00:00Z buffered",
                     "active, next 2026-06-01T13:00:00Z, 1 buffered"}));
}

TEST(Overlap, WithRoomForTwoATickDrainsTwoBeforeANewOccurrenceGetsItsTurn) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_all, 2));
    life.play("2026-06-01T13:00:00Z");
    EXPECT_EQ(life.state().buffered, 2);
    life.pause("2026-06-01T13:05:00Z");
    life.finish("2026-06-01T13:10:00Z");
    life.finish("2026-06-01T13:20:00Z");
    life.facts.switches.queue = false;
    life.resume("2026-06-01T13:30:00Z");
    life.facts.switches.queue = true;
    EXPECT_EQ(
        life.tick("2026-06-01T14:00:00Z"),
        (Lines{"release tick 2026-06-01T12:00:00Z dispatched #3", "release tick 2026-06-01T13:00:00Z dispatched #4",
               "tick 2026-06-01T14:00:00Z buffered", "active, next 2026-06-01T15:00:00Z, 1 buffered"}));
}

TEST(Overlap, ABufferedRunThatAGuardRefusesWhenItsTurnComesIsSkipped) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_one)(schedule);
        schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":1}})");
    });
    life.play("2026-06-01T11:00:00Z");
    life.facts.last_24h.failed = 1;
    EXPECT_EQ(life.finish("2026-06-01T11:10:00Z", ExecutionStatus::failed, nullptr, "boom"),
              (Lines{"end tick 2026-06-01T10:00:00Z failed (boom)",
                     "release tick 2026-06-01T11:00:00Z skipped condition_failed (/last_24h_stats/failed is 1, must be "
                     "less than 1)",
                     "active, next 2026-06-01T12:00:00Z"}));
}

// The guards of its cause, then and now: a person's trigger was never asked about calendar or condition.
TEST(Overlap, ABufferedTriggerIsReleasedPastCalendarAndConditionLikeAnyTrigger) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_one)(schedule);
        schedule.condition = test::json(R"({"/last_24h_stats/total":{"gt":99}})");
    });
    life.trigger("2026-06-02T09:40:00Z");
    EXPECT_EQ(life.trigger("2026-06-02T09:41:00Z").front(), "trigger 2026-06-02T09:41:00Z buffered");
    EXPECT_EQ(life.finish("2026-06-02T09:50:00Z")[1], "release trigger 2026-06-02T09:41:00Z dispatched #2");
}

TEST(Overlap, ABufferedTriggerKeepsTheInputThatItsCallerGave) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_one)(schedule);
        schedule.inputs_rotation = {test::json("1"), test::json("2")};
    });
    life.trigger("2026-06-02T09:40:00Z");
    EXPECT_EQ(life.trigger("2026-06-02T09:41:00Z", {.input = test::json(R"({"only":"this"})")}).front(),
              R"(trigger 2026-06-02T09:41:00Z buffered {"only":"this"})");
    EXPECT_EQ(life.finish("2026-06-02T09:50:00Z")[1],
              R"(release trigger 2026-06-02T09:41:00Z dispatched #2 {"only":"this"})");
    EXPECT_EQ(life.state().rotation_index, 1) << "an input of its own takes no turn in the rotation";
}

TEST(Overlap, WhatIsBufferedWhenTheLastOccurrenceHasPassedStillRuns) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_all)(schedule);
        schedule.spec = {.at = {"2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z", "2026-06-01T10:10:00Z"}};
    });
    EXPECT_EQ(life.play("2026-06-01T10:10:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:05:00Z buffered",
                     "tick 2026-06-01T10:10:00Z buffered"}));
    EXPECT_EQ(life.state().status, model::ScheduleStatus::completed);
    EXPECT_EQ(life.finish("2026-06-01T10:20:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "release tick 2026-06-01T10:05:00Z dispatched #2",
                     "completed, 1 buffered"}));
    EXPECT_EQ(life.finish("2026-06-01T10:30:00Z"),
              (Lines{"end tick 2026-06-01T10:05:00Z succeeded", "release tick 2026-06-01T10:10:00Z dispatched #3",
                     "completed"}));
}

TEST(Overlap, ACompletedScheduleLeavesNothingInItsBufferWhenTheGuardsRefuse) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_all)(schedule);
        schedule.spec = {.at = {"2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z", "2026-06-01T10:10:00Z"}};
        schedule.breaker_failures = 1;
    });
    life.play("2026-06-01T10:10:00Z");
    EXPECT_EQ(life.finish("2026-06-01T10:20:00Z", ExecutionStatus::failed),
              (Lines{"end tick 2026-06-01T10:00:00Z failed",
                     "release tick 2026-06-01T10:05:00Z skipped breaker_open (1 failure)",
                     "release tick 2026-06-01T10:10:00Z skipped breaker_open (1 failure)", "completed"}));
}

TEST(Overlap, AScheduleThatCompletesWhenItIsResumedReleasesWhatItHeldBack) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_one)(schedule);
        schedule.spec.end_at = "2026-06-01T11:30:00Z";
        schedule.spec.cron = {"*/30 * * * *"};
    });
    life.play("2026-06-01T10:30:00Z");
    life.pause("2026-06-01T10:40:00Z");
    life.finish("2026-06-01T10:50:00Z");
    EXPECT_EQ(life.resume("2026-06-01T12:00:00Z"),
              (Lines{"release tick 2026-06-01T10:30:00Z dispatched #2", "completed"}));
}

TEST(Overlap, DeletingAScheduleSkipsWhatItHadBuffered) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_all));
    life.play("2026-06-01T12:00:00Z");
    EXPECT_EQ(life.remove("2026-06-01T12:10:00Z"),
              (Lines{"release tick 2026-06-01T11:00:00Z skipped status_not_triggerable (deleted)",
                     "release tick 2026-06-01T12:00:00Z skipped status_not_triggerable (deleted)", "deleted"}));
    EXPECT_EQ(life.finish("2026-06-01T12:20:00Z"), (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "deleted"}));
}

TEST(Overlap, TheLastAllowedRunTakesWhatIsBufferedWithTheSchedule) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        with_policy(buffer_all)(schedule);
        schedule.max_runs = 2;
    });
    life.play("2026-06-01T12:00:00Z");
    EXPECT_EQ(life.finish("2026-06-01T12:10:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "release tick 2026-06-01T11:00:00Z dispatched #2",
                     "release tick 2026-06-01T12:00:00Z skipped remaining_actions_exhausted", "deleted"}));
}

TEST(Overlap, CancelOtherInOneCatchUpLeavesOnlyTheNewestRunning) {
    Life life("2026-06-01T09:59:30Z", [](auto& schedule) {
        with_policy(cancel_other)(schedule);
        schedule.spec.cron = {"* * * * *"};
    });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(
        life.tick("2026-06-01T10:03:10Z"),
        (Lines{"end tick 2026-06-01T10:00:00Z cancelled (replaced by a newer run)",
               "tick 2026-06-01T10:01:00Z dispatched #2 cancelled", "tick 2026-06-01T10:02:00Z dispatched #3 cancelled",
               "tick 2026-06-01T10:03:00Z dispatched #4", "active, next 2026-06-01T10:04:00Z"}));
    ASSERT_EQ(life.facts.in_flight.size(), 1U);
    EXPECT_EQ(life.facts.in_flight.front().slot.occurrence, instant("2026-06-01T10:03:00Z"));
}

TEST(Overlap, CancelOtherAlsoEndsARunThatTheSameTickReleased) {
    Life life("2026-06-01T09:30:00Z", with_policy(buffer_one));
    life.play("2026-06-01T11:00:00Z");
    life.facts.switches.server = false;
    life.finish("2026-06-01T11:10:00Z");
    life.facts.switches.server = true;
    life.update("2026-06-01T11:20:00Z", [](auto& schedule) { schedule.overlap.policy = cancel_other; });
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z"),
              (Lines{"release tick 2026-06-01T11:00:00Z dispatched #2 cancelled",
                     "tick 2026-06-01T12:00:00Z dispatched #3", "active, next 2026-06-01T13:00:00Z"}));
}

TEST(Overlap, AQueuedOrAwaitingRunIsInFlightLikeARunningOne) {
    using enum ExecutionStatus;
    for (const auto status : {awaiting_approval, queued, running})
        EXPECT_TRUE(model::is_in_flight(status)) << name_of(status);
    for (const auto status : {none, succeeded, failed, cancelled, terminated, timed_out})
        EXPECT_FALSE(model::is_in_flight(status)) << name_of(status);
}

TEST(Overlap, TheAliasesOfOtherSchedulersNameTheSixPolicies) {
    const std::vector<std::pair<std::string, OverlapPolicy>> rows{{"skip", skip},
                                                                  {"serial", skip},
                                                                  {"buffer_one", buffer_one},
                                                                  {"buffer_all", buffer_all},
                                                                  {"queue", buffer_all},
                                                                  {"allow_all", allow_all},
                                                                  {"allow", allow_all},
                                                                  {"parallel", allow_all},
                                                                  {"cancel_other", cancel_other},
                                                                  {"cancel_previous", cancel_other},
                                                                  {"terminate_other", terminate_other}};
    for (const auto& [text, policy] : rows) EXPECT_EQ(model::parse_overlap_policy(text).value(), policy) << text;
    EXPECT_FALSE(model::parse_overlap_policy("replace"));
}

}  // namespace
}  // namespace belfry::decide::overlap_test
