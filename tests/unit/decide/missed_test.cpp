// What becomes of occurrences that came due while nobody could fire them.
#include "decide/schedule/missed.hpp"

#include <algorithm>

#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::missed_test {
namespace {

using enum model::MissedPolicy;
using model::MissedPolicy;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;

test::Edit on_missed(MissedPolicy policy, const std::string& cron = "0 * * * *", int max_backfill = 100) {
    return [=](model::Schedule& schedule) {
        schedule.spec.cron = {cron};
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
        schedule.missed.policy = policy;
        schedule.missed.max_backfill = max_backfill;
    };
}

TEST(Missed, SkipDropsTheOutageAsOneRecordAndGoesOnWithTheNextOccurrence) {
    Life life("2026-06-01T09:30:00Z", on_missed(skip));
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T13:00:00Z skipped missed_run (policy skip) 4 occurrences",
                     "active, next 2026-06-01T14:00:00Z"}));
    EXPECT_EQ(life.state().skips, 4);
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(2 ScheduleTriggerSkipped {"reason":"missed_run","skipped_trigger_count":4,)"
                    R"("last_skipped_at":"2026-06-01T13:30:00Z",)"
                    R"("occurrence_time":"2026-06-01T10:00:00Z","cause":"tick","detail":"policy skip",)"
                    R"("occurrence_until":"2026-06-01T13:00:00Z","occurrence_count":4})"});
}

TEST(Missed, SkipStillFiresWhatIsOnlyLate) {
    Life life("2026-06-01T09:30:00Z", on_missed(skip));
    EXPECT_EQ(life.tick("2026-06-01T12:00:30Z"),
              (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T11:00:00Z skipped missed_run (policy skip) 2 occurrences",
                     "tick 2026-06-01T12:00:00Z dispatched #1", "active, next 2026-06-01T13:00:00Z"}));
}

TEST(Missed, FireOnceCarriesTheOldestAndTheOthersBecomeOneRecord) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_once));
    EXPECT_EQ(
        life.tick("2026-06-01T13:30:00Z"),
        (Lines{"tick 2026-06-01T10:00:00Z dispatched #1",
               "tick 2026-06-01T11:00:00Z..2026-06-01T13:00:00Z skipped missed_run (policy fire_once) 3 occurrences",
               "active, next 2026-06-01T14:00:00Z"}));
}

TEST(Missed, FireOnceAfterASingleMissedOccurrenceHasNothingToDrop) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_once));
    EXPECT_EQ(life.tick("2026-06-01T10:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "active, next 2026-06-01T11:00:00Z"}));
}

TEST(Missed, FireOnceFiresOnceHoweverSmallThePace) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_once));
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z", {.catchup_per_tick = 1}).size(), 3U);
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z", {.catchup_per_tick = 1}), Lines{"nothing"});
    EXPECT_EQ(life.state().runs, 1);
}

TEST(Missed, ABufferThatTakesThePaceOfATickDoesNotCostTheOneRun) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(fire_once)(schedule);
        schedule.overlap = {model::OverlapPolicy::buffer_all, 2};
    });
    life.play("2026-06-01T12:00:00Z");
    life.pause("2026-06-01T12:10:00Z");
    life.finish("2026-06-01T12:20:00Z");
    life.facts.switches.queue = false;
    life.resume("2026-06-01T12:30:00Z");
    life.facts.switches.queue = true;
    EXPECT_EQ(life.tick("2026-06-01T15:30:00Z", {.catchup_per_tick = 1}),
              (Lines{"release tick 2026-06-01T12:00:00Z dispatched #3", "active, next 2026-06-01T13:00:00Z"}));
    EXPECT_EQ(
        life.tick("2026-06-01T15:30:00Z", {.catchup_per_tick = 1}),
        (Lines{"tick 2026-06-01T13:00:00Z buffered",
               "tick 2026-06-01T14:00:00Z..2026-06-01T15:00:00Z skipped missed_run (policy fire_once) 2 occurrences",
               "active, next 2026-06-01T16:00:00Z, 1 buffered"}));
}

TEST(Missed, FireAllRunsEveryMissedOccurrenceOldestFirstAtOnce) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_all));
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T11:00:00Z dispatched #2",
                     "tick 2026-06-01T12:00:00Z dispatched #3", "tick 2026-06-01T13:00:00Z dispatched #4",
                     "active, next 2026-06-01T14:00:00Z"}));
}

TEST(Missed, MaxBackfillKeepsTheNewestAndRunsThemOldestFirst) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_all, "0 * * * *", 2));
    EXPECT_EQ(
        life.tick("2026-06-01T13:30:00Z"),
        (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T11:00:00Z skipped missed_run (policy fire_all) 2 occurrences",
               "tick 2026-06-01T12:00:00Z dispatched #1", "tick 2026-06-01T13:00:00Z dispatched #2",
               "active, next 2026-06-01T14:00:00Z"}));
}

TEST(Missed, MaxBackfillCountsWhatIsMissedAndNotWhatIsLate) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_all, "0 * * * *", 1));
    EXPECT_EQ(life.tick("2026-06-01T12:00:10Z"),
              (Lines{"tick 2026-06-01T10:00:00Z skipped missed_run (policy fire_all)",
                     "tick 2026-06-01T11:00:00Z dispatched #1", "tick 2026-06-01T12:00:00Z dispatched #2",
                     "active, next 2026-06-01T13:00:00Z"}));
}

TEST(Missed, MaxBackfillPacedOverSeveralTicksIsStillTheSameOccurrences) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_all, "0 * * * *", 3));
    Lines all;
    for (int i = 0; i < 10; ++i) {
        const auto lines = life.tick("2026-06-01T20:30:00Z", {.catchup_per_tick = 2});
        if (life.plan.empty()) break;
        all.insert(all.end(), lines.begin(), lines.end() - 1);
    }
    EXPECT_EQ(
        all,
        (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T17:00:00Z skipped missed_run (policy fire_all) 8 occurrences",
               "tick 2026-06-01T18:00:00Z dispatched #1", "tick 2026-06-01T19:00:00Z dispatched #2",
               "tick 2026-06-01T20:00:00Z dispatched #3"}));
}

// When a run was decided, and the run.
Lines with_times(Life& life, const std::string& from, const std::string& until) {
    Lines lines;
    life.tick(from);
    while (life.state().next_fire && *life.state().next_fire <= instant(until)) {
        const auto at = format_instant(*life.state().next_fire);
        auto rows = life.tick(at);
        rows.pop_back();
        for (const auto& row : rows) lines.push_back(at.substr(11) + " " + row);
    }
    return lines;
}

TEST(Missed, SpreadDecidesEachMissedOccurrenceAtATimeOfItsOwn) {
    Life life("2026-06-01T09:30:00Z", on_missed(spread));
    EXPECT_EQ(
        with_times(life, "2026-06-01T13:30:00Z", "2026-06-01T13:59:00Z"),
        (Lines{"13:30:12Z tick 2026-06-01T10:00:00Z dispatched #1", "13:30:24Z tick 2026-06-01T11:00:00Z dispatched #2",
               "13:30:36Z tick 2026-06-01T12:00:00Z dispatched #3",
               "13:30:48Z tick 2026-06-01T13:00:00Z dispatched #4"}));
    EXPECT_EQ(life.state().next_fire, instant("2026-06-01T14:00:00Z"));
    EXPECT_FALSE(life.state().spread_until);
}

TEST(Missed, WhatIsSpreadIsNotInFlightBeforeItsTime) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(spread)(schedule);
        schedule.overlap.policy = model::OverlapPolicy::skip;
    });
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z"),
              Lines{"active, next 2026-06-01T10:00:00Z, fires 2026-06-01T13:30:12Z"});
    EXPECT_EQ(life.state().in_flight, 0);
    life.tick("2026-06-01T13:30:12Z");
    life.finish("2026-06-01T13:30:20Z");
    EXPECT_EQ(life.tick("2026-06-01T13:30:24Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    EXPECT_EQ(life.tick("2026-06-01T13:30:36Z").front(),
              "tick 2026-06-01T12:00:00Z skipped overlap_in_flight (1 in flight)");
}

TEST(Missed, SpreadHonoursMaxBackfillToo) {
    Life life("2026-06-01T09:30:00Z", on_missed(spread, "0 * * * *", 2));
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z").front(),
              "tick 2026-06-01T10:00:00Z..2026-06-01T11:00:00Z skipped missed_run (policy spread) 2 occurrences");
    EXPECT_EQ(life.play("2026-06-01T13:31:00Z"),
              (Lines{"tick 2026-06-01T12:00:00Z dispatched #1", "tick 2026-06-01T13:00:00Z dispatched #2"}));
}

TEST(Missed, ASpreadThatIsLateCatchesUpAndOneThatNobodyCameForBeginsAnew) {
    Life late("2026-06-01T09:30:00Z", on_missed(spread));
    late.tick("2026-06-01T13:30:00Z");
    EXPECT_EQ(late.tick("2026-06-01T13:30:30Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T11:00:00Z dispatched #2",
                     "active, next 2026-06-01T12:00:00Z, fires 2026-06-01T13:30:36Z"}));
    Life away("2026-06-01T09:30:00Z", on_missed(spread));
    away.tick("2026-06-01T13:30:00Z");
    EXPECT_EQ(away.tick("2026-06-01T14:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1",
                     "active, next 2026-06-01T11:00:00Z, fires 2026-06-01T14:30:12Z"}))
        << "one all the same, however seldom a server comes";
    EXPECT_EQ(away.play("2026-06-01T14:31:00Z").size(), 4U);
}

TEST(Missed, WhatComesDueBehindASpreadIsOnlyLate) {
    Life life("2026-06-01T09:59:30Z", on_missed(spread, "* * * * *"));
    life.tick("2026-06-01T10:05:59Z");  // 10:05 is late and not missed, and so are 10:06 and what follows
    EXPECT_EQ(life.play("2026-06-01T10:07:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:01:00Z dispatched #2",
                     "tick 2026-06-01T10:02:00Z dispatched #3", "tick 2026-06-01T10:03:00Z dispatched #4",
                     "tick 2026-06-01T10:04:00Z dispatched #5", "tick 2026-06-01T10:05:00Z dispatched #6",
                     "tick 2026-06-01T10:06:00Z dispatched #7", "tick 2026-06-01T10:07:00Z dispatched #8"}));
}

TEST(Missed, PausingChangingTheTimesAndDeletingSkipWhatIsStillToBeSpread) {
    const auto spreading = [] {
        Life life("2026-06-01T09:30:00Z", on_missed(spread));
        life.tick("2026-06-01T13:30:00Z");
        life.tick("2026-06-01T13:30:12Z");
        return life;
    };
    const std::string rest =
        "tick 2026-06-01T11:00:00Z..2026-06-01T13:00:00Z skipped missed_run (policy spread) 3 occurrences";
    auto paused = spreading();
    EXPECT_EQ(paused.pause("2026-06-01T13:30:13Z"), (Lines{rest, "paused"}));
    EXPECT_EQ(paused.resume("2026-06-01T13:40:00Z"), Lines{"active, next 2026-06-01T14:00:00Z"});
    auto changed = spreading();
    EXPECT_EQ(changed.update("2026-06-01T13:30:13Z", [](auto& schedule) { schedule.spec.cron = {"5 * * * *"}; }),
              (Lines{rest, "active, next 2026-06-01T14:05:00Z"}));
    auto renamed = spreading();
    renamed.update("2026-06-01T13:30:13Z", [](auto& schedule) { schedule.notes = "seen"; });
    EXPECT_EQ(renamed.play("2026-06-01T13:31:00Z").size(), 3U) << "nothing else disturbs it";
    auto removed = spreading();
    EXPECT_EQ(removed.remove("2026-06-01T13:30:13Z"), (Lines{rest, "deleted"}));
}

TEST(Missed, WhatIsNotDueYetIsNotSkippedWithASpread) {
    const auto change = [](auto& schedule) { schedule.spec.cron = {"5 * * * *"}; };
    Life behind("2026-06-01T09:30:00Z", on_missed(spread));
    behind.tick("2026-06-01T13:30:00Z");
    EXPECT_EQ(behind.update("2026-06-01T09:40:00Z", change), Lines{"active, next 2026-06-01T10:05:00Z"})
        << "the clock was put back";
    Life early("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(spread)(schedule);
        schedule.spec.jitter.before = "PT20M";
    });
    early.tick("2026-06-01T13:30:00Z");
    early.update("2026-06-01T13:59:59.999Z", change);
    EXPECT_EQ(early.plan.runs.at(0).range->last, instant("2026-06-01T14:00:00Z")) << "it was due before its occurrence";
}

// The restart of a server at 02:30 must not cost the night's run; a minutely one has the next in a minute.
TEST(Missed, AutoForgivesHalfOfTheTimeToTheNextOccurrence) {
    struct Row {
        const char* cron;
        const char* in_time;  // the last moment at which the first occurrence after 2026-06-01T00:30 is merely late
    };
    for (const auto& row : {Row{"0 2 * * *", "2026-06-01T03:00:00Z"}, Row{"0 * * * *", "2026-06-01T01:30:00Z"},
                            Row{"*/10 * * * *", "2026-06-01T00:45:00Z"}, Row{"* * * * *", "2026-06-01T00:32:00Z"},
                            Row{"0 2 1 6 * 2026", "2026-06-01T03:00:00Z"}}) {
        Life life("2026-06-01T00:30:00Z", [&](auto& schedule) {
            on_missed(skip, row.cron)(schedule);
            schedule.missed.grace.reset();
            if (std::string_view(row.cron).ends_with("2026")) schedule.spec = {.at = {"2026-06-01T02:00:00Z"}};
        });
        const auto& schedule = *life.facts.schedule;
        const auto first = *life.state().next_occurrence;
        EXPECT_FALSE(split_missed(schedule, first, instant(row.in_time))) << row.cron;
        EXPECT_TRUE(split_missed(schedule, first, instant(row.in_time) + Micros{1})) << row.cron;
    }
}

TEST(Missed, AutoJudgesEachOccurrenceOfAnUnevenScheduleByItsOwnDistance) {
    Life life("2026-06-01T07:00:00Z", [](auto& schedule) {
        on_missed(skip)(schedule);
        schedule.spec.cron = {"0,1,2 8 * * *", "0 20 * * *"};
        schedule.missed.grace.reset();
    });
    EXPECT_EQ(life.tick("2026-06-01T08:30:00Z"),
              (Lines{"tick 2026-06-01T08:00:00Z..2026-06-01T08:01:00Z skipped missed_run (policy skip) 2 occurrences",
                     "tick 2026-06-01T08:02:00Z dispatched #1", "active, next 2026-06-01T20:00:00Z"}));
}

TEST(Missed, AfterWeeksOneRecordTellsTheWholeOutage) {
    Life life("2026-06-01T09:30:00Z", on_missed(fire_once, "0 2 * * *"));
    EXPECT_EQ(
        life.tick("2026-06-22T09:30:00Z"),
        (Lines{"tick 2026-06-02T02:00:00Z dispatched #1",
               "tick 2026-06-03T02:00:00Z..2026-06-22T02:00:00Z skipped missed_run (policy fire_once) 20 occurrences",
               "active, next 2026-06-23T02:00:00Z"}));
}

TEST(Missed, AfterTenYearsOfEveryMinuteTheWorkIsBoundedWhateverThePolicy) {
    const auto plan_after_years = [](MissedPolicy policy) {
        Life life("2026-06-01T09:59:30Z", on_missed(policy, "* * * * *"));
        auto lines = life.tick("2036-06-01T10:00:10Z");
        EXPECT_LE(life.plan.runs.size(), 101U) << name_of(policy);
        EXPECT_EQ(life.state().skips, kRangeCountMax) << "counted up to a bound only";
        const auto says_so = [](const model::Event& event) {
            return event.payload.get_object().contains("occurrence_count_at_least");
        };
        EXPECT_EQ(std::ranges::count_if(life.plan.events, says_so), 1) << "and the audit says so";
        return lines;
    };
    EXPECT_EQ(plan_after_years(skip),
              (Lines{"tick 2026-06-01T10:00:00Z..2036-06-01T09:59:00Z skipped missed_run (policy skip) at least 10000 "
                     "occurrences",
                     "tick 2036-06-01T10:00:00Z dispatched #1", "active, next 2036-06-01T10:01:00Z"}));
    EXPECT_EQ(plan_after_years(fire_once)[1],
              "tick 2026-06-01T10:01:00Z..2036-06-01T09:59:00Z skipped missed_run (policy fire_once) at least 10000 "
              "occurrences");
    EXPECT_EQ(plan_after_years(fire_all).front(),
              "tick 2026-06-01T10:00:00Z..2036-06-01T08:19:00Z skipped missed_run (policy fire_all) at least 10000 "
              "occurrences");
    EXPECT_EQ(plan_after_years(spread).front(),
              "tick 2026-06-01T10:00:00Z..2036-06-01T08:19:00Z skipped missed_run (policy spread) at least 10000 "
              "occurrences");
}

TEST(Missed, AnOutageOverTheEndOfTheWindowCompletesTheSchedule) {
    const auto edit = [](model::Schedule& schedule) {
        on_missed(fire_all)(schedule);
        schedule.spec.end_at = "2026-06-01T11:00:00Z";
    };
    Life life("2026-06-01T09:30:00Z", edit);
    EXPECT_EQ(life.tick("2026-06-10T00:00:00Z"), (Lines{"tick 2026-06-01T10:00:00Z dispatched #1",
                                                        "tick 2026-06-01T11:00:00Z dispatched #2", "completed"}));
}

TEST(Missed, TheGuardsBeforeTheMissedPolicyKeepTheirPrecedenceForAWholeRange) {
    Life life("2026-06-01T09:30:00Z", on_missed(skip));
    life.facts.switches.server = false;
    EXPECT_EQ(life.tick("2026-06-01T12:30:00Z").front(),
              "tick 2026-06-01T10:00:00Z..2026-06-01T12:00:00Z skipped dispatch_disabled (server) 3 occurrences");
}

TEST(Missed, TheOneRunOfFireOnceObeysTheGuardsAfterIt) {
    Life life("2026-06-01T23:30:00Z", [](auto& schedule) {
        on_missed(fire_once)(schedule);
        schedule.calendars = {"june-2nd"};
    });
    EXPECT_EQ(life.tick("2026-06-02T03:30:00Z").front(), "tick 2026-06-02T00:00:00Z skipped calendar (june-2nd)");
}

TEST(Missed, WithMaxRunsTheCatchUpEndsWithTheLastAllowedRun) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(fire_all)(schedule);
        schedule.max_runs = 2;
    });
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T11:00:00Z dispatched #2", "deleted"}));
}

TEST(Missed, WithJitterAnOccurrenceIsLateFromItsFireTimeOrItsOwnWhicheverIsLater) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(skip)(schedule);
        schedule.spec.jitter = {.before = "PT20M", .after = "PT20M"};
    });
    const auto& schedule = *life.facts.schedule;
    const auto fire = [&](const char* occurrence) {
        return schedule.spec.fire_time(schedule.definition.id, instant(occurrence));
    };
    const auto first = instant("2026-06-01T10:00:00Z");
    const auto last_dropped = [&](Instant now) { return split_missed(schedule, first, now)->drop.last; };

    // Late by exactly the grace is not missed; a microsecond later it is. Some of these fire early and some late.
    bool early = false;
    bool late = false;
    for (const auto* at : {"2026-06-01T13:00:00Z", "2026-06-01T14:00:00Z", "2026-06-01T15:00:00Z",
                           "2026-06-01T16:00:00Z", "2026-06-01T17:00:00Z"}) {
        const auto occurrence = instant(at);
        const auto time = std::max(occurrence, fire(at));
        (fire(at) < occurrence ? early : late) = true;
        EXPECT_EQ(last_dropped(time + Seconds{60}), occurrence - std::chrono::hours{1}) << at;
        EXPECT_EQ(last_dropped(time + Seconds{60} + Micros{1}), occurrence) << at;
    }
    EXPECT_TRUE(early && late) << "another id draws other offsets: choose occurrences of both kinds";
}

TEST(Missed, WhatJitterFiresEarlyIsNotMissedBeforeItsTimeHasCome) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        on_missed(skip)(schedule);
        schedule.spec.jitter.before = "PT20M";
    });
    ASSERT_LT(*life.state().next_fire, instant("2026-06-01T09:55:00Z"));
    EXPECT_EQ(life.tick("2026-06-01T09:59:00Z").front(), "tick 2026-06-01T10:00:00Z dispatched #1");
}

TEST(Missed, WhatPassedWhilePausedIsNotMissed) {
    for (const auto policy : {skip, fire_once, fire_all, spread}) {
        Life life("2026-06-01T09:30:00Z", on_missed(policy));
        life.pause("2026-06-01T09:40:00Z");
        EXPECT_EQ(life.resume("2026-06-05T09:40:00Z"), Lines{"active, next 2026-06-05T10:00:00Z"});
        EXPECT_EQ(life.tick("2026-06-05T09:50:00Z"), Lines{"nothing"}) << name_of(policy);
    }
}

TEST(Missed, TheAliasesOfOtherSchedulersNameTheFourPolicies) {
    const std::vector<std::pair<std::string, MissedPolicy>> rows{{"skip", skip},
                                                                 {"none", skip},
                                                                 {"fire_once", fire_once},
                                                                 {"run_once", fire_once},
                                                                 {"execute_once", fire_once},
                                                                 {"fire_all", fire_all},
                                                                 {"backfill", fire_all},
                                                                 {"fire_immediately", fire_all},
                                                                 {"spread", spread}};
    for (const auto& [text, policy] : rows) EXPECT_EQ(model::parse_missed_policy(text).value(), policy) << text;
}

}  // namespace
}  // namespace belfry::decide::missed_test
