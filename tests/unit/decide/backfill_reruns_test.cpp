// Which occurrences a backfill runs, in which order, and what it leaves alone.
#include "decide/schedule/backfill.hpp"
#include "model/identity.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::backfill_reruns_test {
namespace {

using enum model::BackfillRerun;
using model::ExecutionStatus;
using model::OverlapPolicy;
using test::instant;
using test::Life;
using test::Lines;

constexpr const char* kNow = "2026-06-06T09:00:00Z";

test::Edit nightly(OverlapPolicy policy = OverlapPolicy::skip) {
    return [policy](model::Schedule& schedule) {
        schedule.spec.cron = {"0 2 * * *"};
        schedule.overlap.policy = policy;
    };
}

// The nights of the 2nd to the 4th, one after the other.
BackfillRequest in_turn(model::BackfillRerun rerun = missing, int concurrency = 1) {
    return {.from = instant("2026-06-02T00:00:00Z"),
            .to = instant("2026-06-04T23:59:59Z"),
            .concurrency = concurrency,
            .rerun = rerun};
}

// All of them, as far as its runs can end.
Lines all_of(Life& life, BackfillRequest request) {
    Lines lines;
    for (int turns = 0; turns < 100; ++turns) {
        const auto page = plan_backfill(life.facts, request, instant(kNow), 100).value();
        auto told = life.backfill(kNow, request);
        for (const auto& line : told) {
            if (line.starts_with("backfill")) lines.push_back(line);
        }
        if (!page.next_from) return lines;
        request.from = *page.next_from;
        if (!life.facts.in_flight.empty()) life.finish(kNow);
    }
    ADD_FAILURE() << "it does not come to its end";
    return lines;
}

std::string left(const BackfillPage& page) {
    std::string text;
    for (const auto& [occurrence, why] : page.passed_over)
        text += (text.empty() ? "" : ", ") + format_instant(occurrence) + " " + std::string(name_of(why));
    return text;
}

TEST(BackfillInTurn, OneOccurrenceRunsAfterTheOther) {
    Life life(kNow, nightly());
    EXPECT_EQ(life.backfill(kNow, in_turn()),
              (Lines{"backfill 2026-06-02T02:00:00Z dispatched #1", "active, next 2026-06-07T02:00:00Z",
                     "waits at 2026-06-03T02:00:00Z"}));
    auto rest = in_turn();
    rest.from = instant("2026-06-03T02:00:00Z");
    EXPECT_EQ(life.backfill(kNow, rest), (Lines{"nothing", "waits at 2026-06-03T02:00:00Z"}));
    life.finish(kNow, ExecutionStatus::failed);
    EXPECT_EQ(life.backfill(kNow, rest), (Lines{"backfill 2026-06-03T02:00:00Z dispatched #2",
                                                "active, next 2026-06-07T02:00:00Z", "waits at 2026-06-04T02:00:00Z"}))
        << "also when the one before has failed";
    life.finish(kNow);
    rest.from = instant("2026-06-04T02:00:00Z");
    EXPECT_EQ(life.backfill(kNow, rest),
              (Lines{"backfill 2026-06-04T02:00:00Z dispatched #3", "active, next 2026-06-07T02:00:00Z"}));
}

TEST(BackfillInTurn, SoManyAtATimeAsTheConcurrencySays) {
    Life life(kNow, nightly());
    const auto lines = life.backfill(kNow, in_turn(missing, 2));
    EXPECT_EQ(lines.size(), 4U) << "two, the state, and where it waits";
    EXPECT_EQ(life.state().in_flight, 2);
}

TEST(BackfillInTurn, RunsOfTheScheduleItselfAreNotWaitedForUnlessItsOwnCapSaysSo) {
    Life free("2026-06-05T09:00:00Z", nightly());
    free.tick("2026-06-06T02:00:00Z");
    ASSERT_EQ(free.state().in_flight, 1);
    EXPECT_EQ(free.backfill(kNow, in_turn()).front(), "backfill 2026-06-02T02:00:00Z dispatched #2");
    Life capped("2026-06-05T09:00:00Z", [](auto& schedule) {
        nightly()(schedule);
        schedule.overlap.max_concurrency = 1;
    });
    capped.tick("2026-06-06T02:00:00Z");
    EXPECT_EQ(capped.backfill(kNow, in_turn()), (Lines{"nothing", "waits at 2026-06-02T02:00:00Z"}))
        << "it waits, and nothing is skipped";
}

TEST(BackfillInTurn, ARunThatNobodyHasApprovedIsWaitedFor) {
    Life life(kNow, [](auto& schedule) {
        nightly()(schedule);
        schedule.approval.requires_approval = true;
    });
    EXPECT_EQ(life.backfill(kNow, in_turn()).front(), "backfill 2026-06-02T02:00:00Z dispatched #1 awaiting_approval");
    auto rest = in_turn();
    rest.from = instant("2026-06-03T02:00:00Z");
    EXPECT_EQ(life.backfill(kNow, rest).front(), "nothing");
}

TEST(BackfillInTurn, WhatAPauseOwesToTheTicksIsNotRunTwice) {
    const auto pausing = [](bool counts) {
        return [counts](auto& schedule) {
            nightly()(schedule);
            schedule.missed.policy = model::MissedPolicy::fire_all;
            schedule.missed.while_paused = counts;
        };
    };
    auto request = in_turn();
    request.of_paused = true;
    Life owing("2026-06-01T09:00:00Z", pausing(true));
    owing.pause("2026-06-01T10:00:00Z");
    EXPECT_EQ(owing.backfill(kNow, request), Lines{"nothing"}) << "the end of the pause decides them";
    Life later("2026-06-01T09:00:00Z", pausing(false));
    later.pause("2026-06-01T10:00:00Z");
    EXPECT_EQ(later.backfill(kNow, request).front(), "backfill 2026-06-02T02:00:00Z dispatched #1");
    later.update(kNow, pausing(true));
    later.resume(kNow);
    EXPECT_EQ(later.state().next_occurrence, instant("2026-06-03T02:00:00Z"))
        << "the policy changed after the backfill";
}

TEST(BackfillInTurn, WhatAGuardRefusesIsSkippedAndTheNextFollows) {
    Life life(kNow, [](auto& schedule) {
        nightly()(schedule);
        schedule.calendars = {"june-2nd"};
    });
    EXPECT_EQ(life.backfill(kNow, in_turn()),
              (Lines{"backfill 2026-06-02T02:00:00Z skipped calendar (june-2nd)",
                     "backfill 2026-06-03T02:00:00Z dispatched #1", "active, next 2026-06-07T02:00:00Z",
                     "waits at 2026-06-04T02:00:00Z"}));
}

TEST(BackfillReruns, ASkippedOccurrenceNeverBlocksALaterBackfill) {
    Life life(kNow, nightly());
    const Lines first = life.backfill(kNow, "2026-06-02T00:00:00Z", "2026-06-04T23:59:59Z", OverlapPolicy::skip);
    EXPECT_EQ(first[1], "backfill 2026-06-03T02:00:00Z skipped overlap_in_flight (1 in flight)");
    life.finish(kNow);
    EXPECT_EQ(all_of(life, in_turn()),
              (Lines{"backfill 2026-06-03T02:00:00Z dispatched #2", "backfill 2026-06-04T02:00:00Z dispatched #3"}));
    EXPECT_TRUE(life.plan.runs.front().replaces) << "the row of the skip is written over: one slot, one row";
    EXPECT_EQ(all_of(life, in_turn()), Lines{}) << "and now they have run";
}

TEST(BackfillReruns, WhatIsSkippedOnceMoreMayBeAskedForAgain) {
    Life life(kNow, [](auto& schedule) {
        nightly()(schedule);
        schedule.calendars = {"june-2nd"};
    });
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(life.backfill(kNow, in_turn()).front(), "backfill 2026-06-02T02:00:00Z skipped calendar (june-2nd)");
        life.finish(kNow);
    }
    life.update(kNow, [](auto& schedule) { schedule.calendars.clear(); });
    EXPECT_EQ(life.backfill(kNow, in_turn()).front(), "backfill 2026-06-02T02:00:00Z dispatched #3");
}

TEST(BackfillReruns, FailedRunsThoseWhoseNewestRunHasFailed) {
    Life life("2026-06-01T09:00:00Z", nightly(OverlapPolicy::allow_all));
    life.tick("2026-06-02T02:00:00Z");
    life.finish("2026-06-02T03:00:00Z", ExecutionStatus::failed);
    life.tick("2026-06-03T02:00:00Z");
    life.finish("2026-06-03T03:00:00Z");
    life.tick(kNow);  // the others are missed
    EXPECT_EQ(all_of(life, in_turn(failed)), Lines{"backfill 2026-06-02T02:00:00Z dispatched #3"});
    EXPECT_EQ(life.facts.in_flight.size(), 1U);
    life.finish(kNow, ExecutionStatus::timed_out);
    EXPECT_EQ(all_of(life, in_turn(failed)), Lines{"backfill 2026-06-02T02:00:00Z again 1 dispatched #4"});
    life.finish(kNow);
    EXPECT_EQ(all_of(life, in_turn(failed)), Lines{}) << "the newest has succeeded";
}

TEST(BackfillReruns, AllRunsEveryOccurrenceAgainAndAgain) {
    Life life(kNow, nightly());
    all_of(life, in_turn(all));
    life.finish(kNow);
    EXPECT_EQ(all_of(life, in_turn(all)), (Lines{"backfill 2026-06-02T02:00:00Z again 1 dispatched #4",
                                                 "backfill 2026-06-03T02:00:00Z again 1 dispatched #5",
                                                 "backfill 2026-06-04T02:00:00Z again 1 dispatched #6"}));
    const auto page = plan_backfill(life.facts, in_turn(all), instant(kNow), 100).value();
    EXPECT_EQ(page.next_from, instant("2026-06-02T02:00:00Z"))
        << "the last one goes on, so the next waits for its turn";
}

TEST(BackfillReruns, AllLeavesAloneWhatGoesOn) {
    Life life("2026-06-01T09:00:00Z", nightly(OverlapPolicy::allow_all));
    life.tick("2026-06-02T02:00:00Z");
    life.tick(kNow);
    const auto page = plan_backfill(life.facts, in_turn(all), instant(kNow), 100).value();
    EXPECT_EQ(left(page), "2026-06-02T02:00:00Z not_over");
    ASSERT_EQ(page.plan.runs.size(), 1U);
    EXPECT_EQ(page.plan.runs.front().slot.occurrence, instant("2026-06-03T02:00:00Z"));
}

TEST(BackfillReruns, AnOccurrenceIsRunAgainAtMost999Times) {
    Life life(kNow, nightly(OverlapPolicy::allow_all));
    auto request = in_turn(all);
    request.to = instant("2026-06-02T23:59:59Z");
    life.facts.taken.push_back({model::RunCause::backfill, instant("2026-06-02T02:00:00Z"), model::kRerunsMax});
    const auto page = plan_backfill(life.facts, request, instant(kNow), 100).value();
    EXPECT_TRUE(page.plan.runs.empty());
    EXPECT_EQ(left(page), "2026-06-02T02:00:00Z rerun_too_often");
}

TEST(BackfillReruns, APausedScheduleMayBeBackfilled) {
    Life life("2026-06-01T09:00:00Z", nightly());
    life.pause("2026-06-01T10:00:00Z");
    EXPECT_EQ(all_of(life, in_turn()).size(), 3U);
    EXPECT_EQ(life.state().status, model::ScheduleStatus::paused);
    life.resume(kNow);
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-07T02:00:00Z"));
    auto strict = in_turn();
    strict.of_paused = false;
    life.pause(kNow);
    EXPECT_EQ(life.backfill(kNow, strict), Lines{"refused: cannot backfill a schedule that is paused"});
    life.remove(kNow);
    EXPECT_EQ(life.backfill(kNow, in_turn()), Lines{"refused: cannot backfill a schedule that is deleted"});
}

// A pause with an end is over then, however late a tick notices it: what came due since is the tick's.
TEST(BackfillReruns, WhatTheEndOfAPauseLeavesToTheTicksIsTheirs) {
    Life life("2026-06-01T09:00:00Z", [](auto& schedule) {
        nightly(OverlapPolicy::allow_all)(schedule);
        schedule.missed.policy = model::MissedPolicy::fire_all;
    });
    life.pause("2026-06-01T10:00:00Z", {.until = instant("2026-06-03T00:00:00Z")});
    const auto page = plan_backfill(life.facts, in_turn(), instant(kNow), 100).value();
    EXPECT_EQ(left(page), "2026-06-03T02:00:00Z not_due, 2026-06-04T02:00:00Z not_due");
    EXPECT_EQ(all_of(life, in_turn()), Lines{"backfill 2026-06-02T02:00:00Z dispatched #1"});
    life.tick(kNow);
    EXPECT_EQ(life.tick(kNow).front(), "tick 2026-06-03T02:00:00Z dispatched #2");
}

TEST(BackfillReruns, ADryRunSaysWhatWillRunAndWhatNotAndWhyNot) {
    Life life("2026-06-01T09:00:00Z", [](auto& schedule) {
        nightly()(schedule);
        schedule.overlap.max_concurrency = 1;
    });
    life.tick("2026-06-02T02:00:00Z");
    life.finish("2026-06-02T03:00:00Z");
    life.tick(kNow);
    auto request = in_turn();
    request.foreseen = true;
    const auto dry = plan_backfill(life.facts, request, instant(kNow), 100).value();
    EXPECT_EQ(left(dry), "2026-06-02T02:00:00Z has_run");
    ASSERT_EQ(dry.plan.runs.size(), 2U) << "also those that will have to wait for their turn";
    for (const auto& run : dry.plan.runs) EXPECT_EQ(run.dispatch, model::DispatchStatus::dispatched);
    EXPECT_FALSE(dry.next_from);
    request.rerun = failed;
    EXPECT_EQ(left(plan_backfill(life.facts, request, instant(kNow), 100).value()),
              "2026-06-02T02:00:00Z has_not_failed, 2026-06-03T02:00:00Z has_not_failed, 2026-06-04T02:00:00Z "
              "has_not_failed");
}

TEST(BackfillReruns, ARerunIsNamedByItsNumber) {
    const model::RunSlot first{model::RunCause::backfill, instant("2026-06-01T10:00:00Z")};
    const model::RunSlot second{model::RunCause::backfill, instant("2026-06-01T10:00:00Z"), 1};
    EXPECT_EQ(model::slot_text(first), "backfill:1780308000");
    EXPECT_EQ(model::slot_text(second), "backfill:1780308000:1");
    EXPECT_EQ(model::instance_id("nightly", second), "schedule:nightly:backfill:1780308000:1");
    EXPECT_NE(model::idempotency_key("s", first), model::idempotency_key("s", second));
    for (const auto* const at : {"2026-06-01T10:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"}) {
        for (const int rerun : {0, 1, model::kRerunsMax}) {
            const model::RunSlot slot{model::RunCause::backfill, instant(at), rerun};
            EXPECT_EQ(model::slot_from_number(model::slot_number(slot)), slot);
            EXPECT_EQ(model::slot_from_number(model::parse_run_id(run_id("s", slot))->slot), slot);
        }
    }
}

}  // namespace
}  // namespace belfry::decide::backfill_reruns_test
