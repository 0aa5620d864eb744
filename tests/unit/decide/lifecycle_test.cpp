#include "decide/schedule/lifecycle.hpp"

#include <set>

#include "decide/schedule/tick.hpp"
#include "model/schedule/schedule_fields.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using model::ScheduleStatus;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;

Error create_error(const std::string& at, const test::Edit& edit) {
    const auto plan = plan_create(test::compiled(test::definition(edit)), instant(at));
    return plan ? Error{.message = "accepted"} : plan.error();
}

// --- Create ---------------------------------------------------------------------------------------------------------

TEST(PlanCreate, PutsTheCursorOnTheFirstOccurrenceAfterNow) {
    const Life life("2026-06-01T09:30:00Z", {}, {.principal = "ada", .source = "api"});
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(life.state().revision, 1);
    EXPECT_EQ(life.plan.revision, 0) << "nothing was there before";
    EXPECT_EQ(life.plan.definition, life.facts.schedule->definition);
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(1 ScheduleCreated {"spec":{"cron":["0 * * * *"],"intervals":[],"at":[],"timezone":"UTC",)"
                    R"("startAt":null,"endAt":null,)"
                    R"("dst":{"gap":"shift","repeat":"auto"},"jitter":{"before":null,"after":null}},)"
                    R"("action":{"type":"workflow","workflowKind":"report","version":null,"input":null,"metadata":{},)"
                    R"("queue":"default",)"
                    R"("connection":null,"priority":0},"overlap_policy":"skip","next_fire_at":"2026-06-01T10:00:00Z",)"
                    R"("command_context":{"principal":"ada","source":"api"}})"});
}

TEST(PlanCreate, ComputesTheFirstRunFromTheStartOfTheWindowWhenThatIsLater) {
    const Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.start_at = "2026-06-03T12:00:00Z"; });
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-03T12:00:00Z"));
}

TEST(PlanCreate, CountsTheRunsThatAreAllowed) {
    const Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.max_runs = 3; });
    EXPECT_EQ(life.state().remaining_actions, 3);
    EXPECT_EQ(Life("2026-06-01T09:30:00Z").state().remaining_actions, std::nullopt);
}

TEST(PlanCreate, MayBeginPaused) {
    const auto at = instant("2026-06-01T09:30:00Z");
    const auto plan =
        plan_create(test::compiled(test::definition()), at, {}, PauseRequest{.reason = "not yet"}).value();
    EXPECT_EQ(plan.state.status, model::ScheduleStatus::paused);
    EXPECT_EQ(plan.state.next_fire, std::nullopt);
    EXPECT_EQ(plan.state.pause_reason, "not yet");
    ASSERT_EQ(plan.events.size(), 2);
    EXPECT_EQ(plan.events[0].type, model::EventType::schedule_created);
    EXPECT_EQ(events_of(plan).back(), R"(2 SchedulePaused {"reason":"not yet","paused_at":"2026-06-01T09:30:00Z"})");
    const auto over = plan_create(test::compiled(test::definition()), at, {}, PauseRequest{.until = at});
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().field, "/until");
}

TEST(PlanCreate, RefusesASpecWhoseTimeIsOver) {
    const auto error =
        create_error("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.end_at = "2026-06-01T09:00:00Z"; });
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    EXPECT_EQ(error.field, "/spec");
    EXPECT_EQ(error.message, "the spec has no occurrence after 2026-06-01T09:30:00Z: it would never fire");
}

TEST(PlanCreate, AnInstantThatHasJustPassedStillFiresAndAnOlderOneIsRefused) {
    const auto once = [](model::Schedule& schedule) { schedule.spec = {.at = {"2026-06-01T09:30:00Z"}}; };
    Life life("2026-06-01T09:30:20Z", once);
    EXPECT_EQ(life.tick("2026-06-01T09:30:21Z"), (Lines{"tick 2026-06-01T09:30:00Z dispatched #1", "completed"}));
    EXPECT_NE(create_error("2026-06-01T09:31:00Z", once).message, "accepted");
}

// --- Update ---------------------------------------------------------------------------------------------------------

TEST(PlanUpdate, ASpecThatChangedRecomputesTheNextFireTimeFromNow) {
    const std::vector<std::pair<std::string, test::Edit>> rows{
        {"2026-06-01T11:30:00Z", [](auto& schedule) { schedule.spec.cron = {"30 * * * *"}; }},
        {"2026-06-01T10:30:00Z", [](auto& schedule) { schedule.spec.timezone = "Asia/Kolkata"; }},
        {"2026-06-05T00:00:00Z", [](auto& schedule) { schedule.spec.start_at = "2026-06-05T00:00:00Z"; }},
    };
    for (const auto& [next, edit] : rows) {
        Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.cron = {"0 * * * *"}; });
        life.tick("2026-06-01T10:00:00Z");
        life.update(next == "2026-06-01T11:30:00Z" ? "2026-06-01T10:45:00Z" : "2026-06-01T10:15:00Z", edit);
        EXPECT_EQ(life.state().next_occurrence, instant(next));
        EXPECT_EQ(life.plan.events.front().payload.at("changed_fields"), test::json(R"(["spec"])"));
        EXPECT_EQ(life.plan.events.front().payload.at("next_fire_at"), Json(next));
    }
}

TEST(PlanUpdate, JitterThatChangedRecomputesTheFireTimeOfTheSameOccurrence) {
    Life life("2026-06-01T09:30:00Z");
    life.update("2026-06-01T09:40:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT5M"; });
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T10:00:00Z"));
    EXPECT_GT(life.state().next_fire, instant("2026-06-01T10:00:00Z"));
}

TEST(PlanUpdate, AnythingElseLeavesTheCursorWhereItIs) {
    Life life("2026-06-01T09:30:00Z");
    // Overdue on purpose: a recomputed cursor would lose the occurrence of 10:00.
    EXPECT_EQ(life.update("2026-06-01T10:00:30Z",
                          [](auto& schedule) {
                              schedule.notes = "n";
                              schedule.overlap.policy = model::OverlapPolicy::allow_all;
                              schedule.missed.grace = Seconds{5};
                              schedule.worker_lost = model::WorkerLostPolicy::fail;
                              schedule.calendars = {"weekends-only"};
                              schedule.breaker_failures = 2;
                          }),
              Lines{"active, next 2026-06-01T10:00:00Z"});
    EXPECT_EQ(life.plan.events.front().payload.at("changed_fields"),
              test::json(R"(["notes","overlapPolicy","missedRunPolicy","workerLostPolicy","calendars","breaker"])"));
    EXPECT_EQ(life.plan.definition->version, 2);
    EXPECT_EQ(life.plan.definition->updated_at, instant("2026-06-01T10:00:30Z"));
}

TEST(PlanUpdate, NothingChangedIsNothingToDo) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.update("2026-06-01T09:40:00Z", [](auto&) {}), Lines{"nothing"});
}

TEST(PlanUpdate, EveryFieldThatAPersonWritesIsCompared) {
    const std::vector<std::pair<std::string, test::Edit>> edits{
        {"name", [](auto& s) { s.name = "x"; }},
        {"description", [](auto& s) { s.description = "x"; }},
        {"notes", [](auto& s) { s.notes = "x"; }},
        {"labels",
         [](auto& s) {
             s.labels = {{"a", "b"}};
         }},
        {"memo", [](auto& s) { s.memo = test::json(R"({"a":1})"); }},
        {"searchAttributes", [](auto& s) { s.search_attributes = test::json(R"({"a":1})"); }},
        {"spec", [](auto& s) { s.spec.cron = {"1 * * * *"}; }},
        {"target", [](auto& s) { s.target.queue = "high"; }},
        {"assignee",
         [](auto& s) {
             s.assignee = model::Assignee{"team", "t"};
         }},
        {"overlapPolicy", [](auto& s) { s.overlap.max_concurrency = 3; }},
        {"overlapPolicy", [](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; }},
        {"missedRunPolicy", [](auto& s) { s.missed.max_backfill = 3; }},
        {"missedRunPolicy", [](auto& s) { s.missed.grace.reset(); }},
        {"missedRunPolicy", [](auto& s) { s.missed.while_paused = true; }},
        {"workerLostPolicy", [](auto& s) { s.worker_lost = model::WorkerLostPolicy::fail; }},
        {"retryPolicy", [](auto& s) { s.retry.max_retries = 3; }},
        {"failurePolicy", [](auto& s) { s.failure.mode = model::FailureMode::halt; }},
        {"approvalPolicy", [](auto& s) { s.approval.requires_approval = true; }},
        {"maxRuns", [](auto& s) { s.max_runs = 3; }},
        {"calendars", [](auto& s) { s.calendars = {"weekends-only"}; }},
        {"preDispatchCondition", [](auto& s) { s.condition = test::json("{}"); }},
        {"inputsTemplate", [](auto& s) { s.inputs_template = test::json("{}"); }},
        {"inputsRotation", [](auto& s) { s.inputs_rotation = {test::json("{}")}; }},
        {"signal", [](auto& s) { s.signal = model::Signal{"https://kpi.internal/health"}; }},
        {"breaker", [](auto& s) { s.breaker_failures = 3; }},
        {"workflowAssignmentId", [](auto& s) { s.assignment = "as-1"; }},
    };
    std::set<std::string_view> compared;
    for (const auto& [field, edit] : edits) {
        EXPECT_EQ(model::changed_fields(test::definition(), test::definition(edit)), Lines{field});
        compared.insert(field);
    }
    for (const auto& field : model::schedule_fields()) {
        EXPECT_EQ(compared.contains(field.changes), field.set_by == model::SetBy::client) << field.name;
    }
}

TEST(PlanUpdate, AFieldIsNamedOnceHoweverManyOfItsMembersChange) {
    const auto with_breaker = [](auto& s) { s.breaker_failures = 3; };
    const auto all = [](auto& s) {
        s.overlap = {model::OverlapPolicy::allow_all, 3};
        s.missed = {model::MissedPolicy::fire_all, Seconds{5}, 3, true};
        s.breaker_failures = 3;
        s.breaker_retry_after = Seconds{30};
        s.updated_at = instant("2026-06-01T09:30:00Z");
    };
    EXPECT_EQ(model::changed_fields(test::definition(with_breaker), test::definition(all)),
              (Lines{"overlapPolicy", "missedRunPolicy", "breaker"}));
}

TEST(PlanUpdate, MaxRunsCountsTheRunsSoFar) {
    Life life("2026-06-01T09:30:00Z");
    life.tick("2026-06-01T10:00:00Z");
    life.finish("2026-06-01T10:05:00Z");
    life.update("2026-06-01T10:10:00Z", [](auto& schedule) { schedule.max_runs = 2; });
    EXPECT_EQ(life.state().remaining_actions, 1);
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z"), (Lines{"tick 2026-06-01T11:00:00Z dispatched #2", "deleted"}));
}

TEST(PlanUpdate, RemovingMaxRunsLiftsTheLimit) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.max_runs = 1; });
    life.update("2026-06-01T09:40:00Z", [](auto& schedule) { schedule.max_runs.reset(); });
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "active, next 2026-06-01T11:00:00Z"}));
}

TEST(PlanUpdate, MaxRunsThatTheRunsSoFarHaveReachedEndsTheSchedule) {
    for (const int most : {1, 2}) {
        Life life("2026-06-01T09:30:00Z",
                  [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_all; });
        life.tick("2026-06-01T10:00:00Z");
        life.finish("2026-06-01T10:05:00Z");
        life.play("2026-06-01T12:00:00Z");
        EXPECT_EQ(life.update("2026-06-01T12:10:00Z", [most](auto& schedule) { schedule.max_runs = most; }),
                  (Lines{"release tick 2026-06-01T12:00:00Z skipped remaining_actions_exhausted", "deleted"}));
        EXPECT_EQ(life.state().remaining_actions, 0);
        EXPECT_EQ(test::events_of(life.plan).back(),
                  R"(7 ScheduleDeleted {"reason":"max_runs_exhausted","deleted_at":"2026-06-01T12:10:00Z"})");
        EXPECT_EQ(life.trigger("2026-06-01T12:20:00Z").front(),
                  "trigger 2026-06-01T12:20:00Z skipped status_not_triggerable (deleted)");
    }
}

TEST(PlanUpdate, ANewSpecWakesACompletedSchedule) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec = {.at = {"2026-06-01T10:00:00Z"}}; });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.update("2026-06-01T11:00:00Z", [](auto& schedule) { schedule.spec.at = {"2026-06-01T12:00:00Z"}; }),
              Lines{"active, next 2026-06-01T12:00:00Z"});
}

TEST(PlanUpdate, ASpecWithoutAFutureIsRefused) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(
        life.update("2026-06-01T10:30:00Z", [](auto& schedule) { schedule.spec.end_at = "2026-06-01T10:15:00Z"; }),
        Lines{"refused: the spec has no occurrence after 2026-06-01T10:30:00Z: it would never fire"});
}

TEST(PlanUpdate, APausedScheduleStaysPausedWithoutANextFireTime) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z", {.until = instant("2026-06-02T00:00:00Z")});
    life.update("2026-06-01T09:50:00Z", [](auto& schedule) { schedule.spec.cron = {"30 * * * *"}; });
    EXPECT_EQ(life.state().status, ScheduleStatus::paused);
    EXPECT_EQ(life.state().next_occurrence, std::nullopt);
    EXPECT_EQ(life.plan.events.front().payload.at("next_fire_at"), Json(nullptr))
        << "the end of a pause is no fire time";
    EXPECT_EQ(life.resume("2026-06-01T10:00:00Z"), Lines{"active, next 2026-06-01T10:30:00Z"});
}

// --- Pause and resume -----------------------------------------------------------------------------------------------

TEST(PlanPause, StopsTheScheduleAndKeepsTheReason) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.pause("2026-06-01T09:40:00Z", {.reason = "maintenance"}, {.principal = "ada"}), Lines{"paused"});
    EXPECT_EQ(life.state().next_fire, std::nullopt);
    EXPECT_EQ(life.state().paused_at, instant("2026-06-01T09:40:00Z"));
    EXPECT_EQ(life.state().pause_reason, "maintenance");
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(2 SchedulePaused {"reason":"maintenance","paused_at":"2026-06-01T09:40:00Z",)"
                    R"("command_context":{"principal":"ada"}})"});
}

TEST(PlanPause, TwiceIsFineAndSilent) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z");
    EXPECT_EQ(life.pause("2026-06-01T09:50:00Z"), Lines{"nothing"});
}

TEST(PlanResume, GoesOnFromNowAndForgetsThePause) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z", {.reason = "maintenance"});
    EXPECT_EQ(life.resume("2026-06-03T12:34:00Z"), Lines{"active, next 2026-06-03T13:00:00Z"});
    EXPECT_EQ(life.state().paused_at, std::nullopt);
    EXPECT_EQ(life.state().pause_reason, "");
    EXPECT_EQ(life.state().skips, 0);
    EXPECT_EQ(events_of(life.plan), Lines{R"(3 ScheduleResumed {"next_fire_at":"2026-06-03T13:00:00Z"})"});
}

// The clock was a day ahead, and was put back: what was decided then has its outcomes.
struct DecidedAhead : Life {
    DecidedAhead()
        : Life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.missed.policy = model::MissedPolicy::skip; }) {
        tick("2026-06-02T09:59:00Z");
    }
};

TEST(PlanResume, AfterAClockThatWasPutBackItContinuesAfterWhatIsDecided) {
    DecidedAhead life;
    ASSERT_EQ(life.state().newest_decided, instant("2026-06-02T09:00:00Z"));
    life.pause("2026-06-01T10:10:00Z");
    EXPECT_EQ(life.resume("2026-06-01T10:11:00Z"), Lines{"active, next 2026-06-02T10:00:00Z"});
}

TEST(PlanResume, APauseThatEndedBeforeWhatIsDecidedAndIsFoundLaterDecidesNothingAgain) {
    DecidedAhead life;
    life.pause("2026-06-01T10:10:00Z", {.until = instant("2026-06-01T12:00:00Z")});
    EXPECT_EQ(life.tick("2026-06-03T09:30:00Z"), Lines{"active, next 2026-06-02T10:00:00Z"});
}

TEST(PlanUpdate, AfterAClockThatWasPutBackItContinuesAfterWhatIsDecided) {
    DecidedAhead life;
    EXPECT_EQ(life.update("2026-06-01T10:10:00Z", [](auto& schedule) { schedule.spec.cron = {"*/10 * * * *"}; }),
              Lines{"active, next 2026-06-02T09:10:00Z"});
}

TEST(PlanUpdate, WhatJitterLetFireEarlyHoldsUpNothing) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.before = "PT20M"; });
    const auto fires = *life.state().next_fire;
    ASSERT_LT(fires, instant("2026-06-01T09:59:00Z"));
    life.tick(format_instant(fires));
    ASSERT_EQ(life.state().newest_decided, instant("2026-06-01T10:00:00Z"));
    life.update(format_instant(fires), [](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    EXPECT_LT(*life.state().next_occurrence, instant("2026-06-01T10:00:00Z"));
}

TEST(PlanResume, WhatIsNotPausedIsRefused) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.resume("2026-06-01T09:40:00Z"), Lines{"refused: cannot resume a schedule that is active"});
}

TEST(PlanResume, AfterTheEndOfTheWindowTheScheduleIsCompleted) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.end_at = "2026-06-01T12:00:00Z"; });
    life.pause("2026-06-01T09:40:00Z");
    EXPECT_EQ(life.resume("2026-06-01T13:00:00Z"), Lines{"completed"});
    EXPECT_EQ(events_of(life.plan), (Lines{R"(3 ScheduleResumed {"next_fire_at":null})",
                                           R"(4 ScheduleCompleted {"reason":"no_occurrence_left"})"}));
}

TEST(PlanResume, AnOccurrenceThatJitterHadAlreadyFiredDoesNotFireAgain) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.spec.jitter.before = "PT20M";
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
    });
    const auto fire = *life.state().next_fire;
    ASSERT_LT(fire, instant("2026-06-01T09:59:00Z"));
    life.tick(format_instant(fire));
    life.pause(format_instant(fire + Seconds{1}));
    life.resume(format_instant(fire + Seconds{2}));
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T11:00:00Z"));
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), Lines{"nothing"});
}

TEST(PlanPause, UntilAnInstantEndsByItselfAndFiresWhatComesDueThen) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.pause("2026-06-01T09:40:00Z", {.reason = "freeze", .until = instant("2026-06-01T12:00:00Z")}),
              Lines{"paused, fires 2026-06-01T12:00:00Z"});
    EXPECT_EQ(events_of(life.plan), Lines{R"(2 SchedulePaused {"reason":"freeze","paused_at":"2026-06-01T09:40:00Z",)"
                                          R"("paused_until":"2026-06-01T12:00:00Z"})"});
    EXPECT_EQ(life.tick("2026-06-01T11:59:59Z"), Lines{"nothing"});
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z"), Lines{"active, next 2026-06-01T12:00:00Z"})
        << "the pause ends before its last instant";
    EXPECT_EQ(life.plan.events.front().payload.at("command_context"),
              test::json(R"({"source":"tick","reason":"the pause has run out"})"));
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(), "tick 2026-06-01T12:00:00Z dispatched #1");
}

TEST(Lifecycle, ANewerPauseCountsWithItsEndAndItsReason) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z", {.reason = "lunch", .until = instant("2026-06-01T09:50:00Z")});
    EXPECT_EQ(life.pause("2026-06-01T09:45:00Z", {.reason = "incident"}), Lines{"paused"});
    EXPECT_EQ(life.state().paused_until, std::nullopt);
    EXPECT_EQ(life.state().paused_at, instant("2026-06-01T09:40:00Z")) << "since when it is";
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(3 SchedulePaused {"reason":"incident","paused_at":"2026-06-01T09:40:00Z"})"});
    EXPECT_EQ(life.tick("2026-06-01T10:30:00Z"), Lines{"nothing"});
    EXPECT_EQ(life.pause("2026-06-01T10:31:00Z", {.reason = "again"}), Lines{"nothing"}) << "it is so already";
}

// The server was down when the pause ran out: what came due after it was not paused and needs its outcome.
TEST(PlanPause, WhatCameDueAfterThePauseRanOutIsNotLost) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.missed.policy = model::MissedPolicy::fire_once; });
    life.pause("2026-06-01T09:40:00Z", {.until = instant("2026-06-01T11:30:00Z")});
    EXPECT_EQ(life.tick("2026-06-01T14:30:00Z"), Lines{"active, next 2026-06-01T12:00:00Z"});
    EXPECT_EQ(
        life.tick("2026-06-01T14:30:00Z"),
        (Lines{"tick 2026-06-01T12:00:00Z dispatched #1",
               "tick 2026-06-01T13:00:00Z..2026-06-01T14:00:00Z skipped missed_run (policy fire_once) 2 occurrences",
               "active, next 2026-06-01T15:00:00Z"}));
}

TEST(PlanPause, AnEndThatIsNotInTheFutureIsRefused) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.pause("2026-06-01T09:40:00Z", {.until = instant("2026-06-01T09:40:00Z")}),
              Lines{"refused: until must be in the future"});
}

// --- Delete ---------------------------------------------------------------------------------------------------------

TEST(PlanDelete, IsSoftAndWritesAFinalEvent) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.remove("2026-06-01T09:40:00Z", "obsolete", {.principal = "ada"}), Lines{"deleted"});
    EXPECT_EQ(life.state().deleted_at, instant("2026-06-01T09:40:00Z"));
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(2 ScheduleDeleted {"reason":"obsolete","deleted_at":"2026-06-01T09:40:00Z",)"
                    R"("command_context":{"principal":"ada"}})"});
}

TEST(PlanDelete, WhatIsDeletedCannotBePausedResumedUpdatedOrDeletedAgain) {
    Life life("2026-06-01T09:30:00Z");
    life.remove("2026-06-01T09:40:00Z");
    EXPECT_EQ(life.pause("2026-06-01T09:50:00Z"), Lines{"refused: cannot pause a schedule that is deleted"});
    EXPECT_EQ(life.resume("2026-06-01T09:50:00Z"), Lines{"refused: cannot resume a schedule that is deleted"});
    EXPECT_EQ(life.update("2026-06-01T09:50:00Z", [](auto& schedule) { schedule.notes = "x"; }),
              Lines{"refused: cannot update a schedule that is deleted"});
    EXPECT_EQ(life.remove("2026-06-01T09:50:00Z"), Lines{"refused: cannot delete a schedule that is deleted"});
}

TEST(PlanDelete, APausedOrCompletedScheduleCanBeDeleted) {
    Life paused("2026-06-01T09:30:00Z");
    paused.pause("2026-06-01T09:40:00Z", {.until = instant("2026-06-05T00:00:00Z")});
    EXPECT_EQ(paused.remove("2026-06-01T09:50:00Z"), Lines{"deleted"});
    EXPECT_EQ(paused.tick("2026-06-06T00:00:00Z"), Lines{"nothing"}) << "the end of its pause does not wake it";
}

}  // namespace
}  // namespace belfry::decide
