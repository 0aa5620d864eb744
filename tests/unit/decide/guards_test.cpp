// The order of the guards, as the table in the design has it.
#include "decide/schedule/guards.hpp"

#include "decide/explain/guard_chain.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using model::Credits;
using model::OverlapPolicy;
using model::RunCause;
using model::SkipReason;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;

constexpr const char* kOccurrence = "2026-06-02T10:00:00Z";

// A situation in which one guard refuses, and the words in which it does.
struct FailureTracker {
    int guard;
    SkipReason reason;
    std::string detail;
    std::function<void(model::Schedule&)> define = {};
    std::function<void(Facts&, Candidate&)> happen = {};
};

const std::vector<FailureTracker>& troubles() {
    static const std::vector<FailureTracker> all{
        {1,
         SkipReason::dispatch_disabled,
         "tenant",
         {},
         [](Facts& facts, Candidate&) { facts.switches.tenant = false; }},
        {2,
         SkipReason::status_not_triggerable,
         "completed",
         {},
         [](Facts& facts, Candidate&) { facts.state.status = model::ScheduleStatus::completed; }},
        {3,
         SkipReason::outside_window,
         "",
         [](model::Schedule& schedule) { schedule.spec.end_at = "2026-06-02T09:30:00Z"; },
         {}},
        {4,
         SkipReason::remaining_actions_exhausted,
         "",
         {},
         [](Facts& facts, Candidate&) { facts.state.remaining_actions = 0; }},
        {5,
         SkipReason::schedule_slot_exists,
         "",
         {},
         [](Facts& facts, Candidate& candidate) { facts.taken.push_back(candidate.slot); }},
        {6,
         SkipReason::missed_run,
         "policy skip",
         {},
         [](Facts&, Candidate& candidate) { candidate.dropped_as_missed = true; }},
        {7,
         SkipReason::budget_exceeded,
         "creditsPerDay of bo: 4 spent and 5.5 reserved of 10",
         {},
         [](Facts& facts, Candidate&) {
             facts.budget.assignee = AssigneeBudget{
                 .id = "bo",
                 .policies = {.spending_limit = Credits{500'001}, .credits_per_day = Credits{10'000'000}},
                 .today = {.runs = 2, .reserved = Credits{5'500'000}, .spent = Credits{4'000'000}}};
         }},
        {8,
         SkipReason::validation_failed,
         "no workflow report",
         {},
         [](Facts& facts, Candidate&) {
             facts.target = {TargetCheck::Verdict::not_found, "no workflow report"};
         }},
        {9,
         SkipReason::overlap_in_flight,
         "1 in flight",
         {},
         [](Facts& facts, Candidate&) { facts.state.in_flight = 1; }},
        {10,
         SkipReason::calendar,
         "june-2nd",
         [](model::Schedule& schedule) { schedule.calendars = {"june-2nd"}; },
         {}},
        {11, SkipReason::condition_failed, "/last_24h_stats/failed is 3, must be less than 3",
         [](model::Schedule& schedule) { schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})"); },
         [](Facts& facts, Candidate&) { facts.last_24h.failed = 3; }},
        {12, SkipReason::breaker_open, "5 failures in a row",
         [](model::Schedule& schedule) { schedule.breaker_failures = 5; },
         [](Facts& facts, Candidate&) { facts.state.consecutive_failures = 5; }},
    };
    return all;
}

// What refuses a candidate of that cause when all of these troubles come at once.
std::optional<Refusal> refusal(RunCause cause, const std::vector<const FailureTracker*>& at_once) {
    Facts facts = test::facts_at("2026-06-01T09:30:00Z", [&](model::Schedule& schedule) {
        for (const auto* trouble : at_once) {
            if (trouble->define) trouble->define(schedule);
        }
    });
    Candidate candidate{{cause, instant(kOccurrence)}, instant(kOccurrence), false, {}, {}};
    for (const auto* trouble : at_once) {
        if (trouble->happen) trouble->happen(facts, candidate);
    }
    return first_refusal({facts, facts.state, facts.budget, candidate});
}

std::vector<int> guards_that_apply_to(RunCause cause) {
    std::vector<int> numbers;
    for (const auto& trouble : troubles()) {
        if (refusal(cause, {&trouble})) numbers.push_back(trouble.guard);
    }
    return numbers;
}

TEST(Guards, EachRefusesForItsOwnReasonInItsOwnWords) {
    for (const auto& trouble : troubles()) {
        EXPECT_EQ(refusal(RunCause::tick, {&trouble}), (Refusal{trouble.reason, trouble.detail}))
            << name_of(trouble.reason);
    }
}

TEST(Guards, OfTwoThatRefuseTheEarlierOneSpeaksForEveryPair) {
    for (const auto& earlier : troubles()) {
        for (const auto& later : troubles()) {
            if (later.guard <= earlier.guard) continue;
            EXPECT_EQ(refusal(RunCause::tick, {&later, &earlier}), (Refusal{earlier.reason, earlier.detail}))
                << name_of(earlier.reason) << " against " << name_of(later.reason);
        }
    }
}

TEST(Guards, WhenEverythingIsWrongTheFirstOfTheOrderSpeaksAndThenTheNext) {
    std::vector<const FailureTracker*> all;
    for (const auto& trouble : troubles()) all.push_back(&trouble);
    while (!all.empty()) {
        EXPECT_EQ(refusal(RunCause::tick, all), (Refusal{all.front()->reason, all.front()->detail}));
        all.erase(all.begin());
    }
    EXPECT_EQ(refusal(RunCause::tick, all), std::nullopt);
}

TEST(Guards, TheChainNamesThoseBeforeTheRefusalAndThoseNotReached) {
    for (const auto& trouble : troubles()) {
        const auto chain = guard_chain(RunCause::tick, refusal(RunCause::tick, {&trouble}));
        ASSERT_EQ(chain.size(), troubles().size());
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const auto number = static_cast<int>(i) + 1;
            const auto expected = number < trouble.guard    ? GuardOutcome::passed
                                  : number == trouble.guard ? GuardOutcome::refused
                                                            : GuardOutcome::not_reached;
            EXPECT_EQ(chain[i].outcome, expected) << name_of(trouble.reason) << ", guard " << number;
            EXPECT_EQ(chain[i].guard, guard_names()[i]);
        }
    }
}

TEST(Guards, AFullBufferRefusesAfterAllOfThem) {
    const auto chain = guard_chain(RunCause::trigger, Refusal{SkipReason::buffer_full});
    ASSERT_EQ(chain.size(), guards_of(RunCause::trigger).size() + 1);
    EXPECT_EQ(chain.back(), (GuardStep{"buffer", GuardOutcome::refused, "the buffer was full"}));
    EXPECT_EQ(chain.front().outcome, GuardOutcome::passed);
}

TEST(Guards, ATickPassesAllOfThem) {
    EXPECT_EQ(guards_that_apply_to(RunCause::tick), (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(Guards, AManualTriggerSkipsWindowMissedRunsCalendarsAndCondition) {
    EXPECT_EQ(guards_that_apply_to(RunCause::trigger), (std::vector{1, 2, 4, 5, 7, 8, 9, 12}));
}

TEST(Guards, ABackfillHonoursCalendarsAndNeitherTheConditionNorTheMissedPolicy) {
    EXPECT_EQ(guards_that_apply_to(RunCause::backfill), (std::vector{1, 2, 3, 4, 5, 7, 8, 9, 10, 12}));
}

TEST(Guards, OnlyABackfillPassesAPause) {
    const FailureTracker paused{2, SkipReason::status_not_triggerable, "paused", {}, [](Facts& facts, Candidate&) {
                                    facts.state.status = model::ScheduleStatus::paused;
                                }};
    for (const auto cause : {RunCause::tick, RunCause::trigger})
        EXPECT_EQ(refusal(cause, {&paused}), (Refusal{paused.reason, paused.detail}));
    EXPECT_EQ(refusal(RunCause::backfill, {&paused}), std::nullopt);
}

TEST(Guards, DispatchCanBeOffForServerTenantOrQueueAndTheWidestIsNamed) {
    const auto refuse = [](DispatchSwitches switches) {
        Life life("2026-06-01T09:30:00Z");
        life.facts.switches = switches;
        return life.tick("2026-06-01T10:00:00Z").front();
    };
    EXPECT_EQ(refuse({.server = false, .tenant = false, .queue = false}),
              "tick 2026-06-01T10:00:00Z skipped dispatch_disabled (server)");
    EXPECT_EQ(refuse({.tenant = false, .queue = false}),
              "tick 2026-06-01T10:00:00Z skipped dispatch_disabled (tenant)");
    EXPECT_EQ(refuse({.queue = false}), "tick 2026-06-01T10:00:00Z skipped dispatch_disabled (queue)");
}

TEST(Guards, ACycleInTheWorkflowIsToldWithItsPath) {
    Life life("2026-06-01T09:30:00Z");
    life.facts.target = {TargetCheck::Verdict::cycle, "a -> b -> a"};
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(),
              "tick 2026-06-01T10:00:00Z skipped cycle_detected (a -> b -> a)");
}

TEST(Guards, ACalendarThatNobodyKnowsFailsClosed) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.calendars = {"weekends-only", "gone"}; });
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(),
              "tick 2026-06-01T10:00:00Z skipped calendar (unknown calendar gone)");
}

TEST(Guards, AllCalendarsMustAllowAndTheFirstThatDoesNotIsNamed) {
    Life life("2026-06-05T09:30:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 12 * * *"};
        schedule.overlap.policy = OverlapPolicy::allow_all;
        schedule.calendars = {"us-federal-holidays-2026", "weekends-only"};
    });
    EXPECT_EQ(life.play("2026-06-08T12:00:00Z"),
              (Lines{"tick 2026-06-05T12:00:00Z skipped calendar (weekends-only)",
                     "tick 2026-06-06T12:00:00Z dispatched #1", "tick 2026-06-07T12:00:00Z dispatched #2",
                     "tick 2026-06-08T12:00:00Z skipped calendar (weekends-only)"}));
}

TEST(Guards, ACalendarJudgesTheOccurrenceAndNotTheTimeOfTheTick) {
    Life life("2026-06-02T22:30:00Z", [](auto& schedule) {
        schedule.calendars = {"june-2nd"};
        schedule.spec.cron = {"59 23 * * *"};
        schedule.missed.grace = std::chrono::minutes{10};
    });
    EXPECT_EQ(life.tick("2026-06-03T00:05:00Z").front(), "tick 2026-06-02T23:59:00Z skipped calendar (june-2nd)");
}

TEST(Guards, AStoredConditionThatIsMalformedFailsClosedForTicks) {
    Life life("2026-06-01T09:30:00Z",
              [](auto& schedule) { schedule.condition = test::json(R"({"/a":{"regex":"x"}})"); });
    const auto line = life.tick("2026-06-01T10:00:00Z").front();
    EXPECT_TRUE(line.starts_with("tick 2026-06-01T10:00:00Z skipped condition_failed (")) << line;
}

TEST(Guards, ASkipIsCountedAndRemembered) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.tick("2026-06-02T10:00:00Z");
    life.tick("2026-06-02T11:00:10Z");
    EXPECT_EQ(life.state().skips, 2);
    EXPECT_EQ(life.state().last_skip_reason, "calendar");
    EXPECT_EQ(life.state().last_skipped_at, instant("2026-06-02T11:00:10Z"));
    EXPECT_EQ(life.state().last_fired_at, std::nullopt);
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(3 ScheduleTriggerSkipped {"reason":"calendar","skipped_trigger_count":2,)"
                    R"("last_skipped_at":"2026-06-02T11:00:10Z",)"
                    R"("occurrence_time":"2026-06-02T11:00:00Z","cause":"tick","detail":"june-2nd"})"});
}

TEST(Guards, AnOpenBreakerSpeaksBeforeABufferThatIsFull) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.overlap.policy = OverlapPolicy::buffer_one;
        schedule.breaker_failures = 1;
    });
    life.tick("2026-06-01T10:00:00Z");
    life.tick("2026-06-01T11:00:00Z");
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(), "tick 2026-06-01T12:00:00Z skipped buffer_full (1 buffered)");
    life.facts.state.consecutive_failures = 1;
    EXPECT_EQ(life.tick("2026-06-01T13:00:00Z").front(), "tick 2026-06-01T13:00:00Z skipped breaker_open (1 failure)");
}

}  // namespace
}  // namespace belfry::decide
