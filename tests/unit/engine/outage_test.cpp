// What a server does that was down: for a minute, a day and a year, under each policy for missed runs. The clock is the
// test's; the ticker, the decisions and the store are real.
#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::test {
namespace {

using model::MissedPolicy;

constexpr int kPace = 100;  // MAX_CATCHUP_PER_TICK

struct Outage {
    const char* name;
    const char* until;  // it begins at 10:00:30 on 1 June 2026, with a schedule that fires every minute
    int minutes;        // that passed
};
constexpr Outage kOutages[] = {
    {"Minute", "2026-06-01T10:02:10Z", 2},
    {"Day", "2026-06-02T10:00:30Z", 24 * 60},
    {"Year", "2027-06-01T10:00:30Z", 365 * 24 * 60},
};

struct Case {
    MissedPolicy policy;
    Outage outage;
};
std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto policy :
         {MissedPolicy::skip, MissedPolicy::fire_once, MissedPolicy::fire_all, MissedPolicy::spread}) {
        for (const auto& outage : kOutages) cases.push_back({policy, outage});
    }
    return cases;
}

// How many are dispatched, and how many are told of by the one summary: from the words of the policy alone. An
// occurrence is missed when it is more than a minute late.
struct Expected {
    int dispatched;
    int dropped;
};
Expected expected(const Case& example) {
    const int late = 1;  // the newest is inside the grace: it fires under every policy
    const int missed = example.outage.minutes - late;
    constexpr int kMaxBackfill = 500;
    switch (example.policy) {
        case MissedPolicy::skip: return {late, missed};
        case MissedPolicy::fire_once: return {late + 1, missed - 1};
        default: return {late + std::min(missed, kMaxBackfill), std::max(0, missed - kMaxBackfill)};
    }
}

class OutageTest : public testing::TestWithParam<Case> {};

TEST_P(OutageTest, MakesTheRightRunsInBoundedStepsAndOneSummary) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.create([](auto& schedule) {
        schedule.spec.cron = {"* * * * *"};
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
        schedule.missed.policy = GetParam().policy;
        schedule.missed.max_backfill = 500;
    });
    world.settle();
    world.clock.set(instant(GetParam().outage.until));

    // A new server finds it, and no step of it writes more than its pace.
    EngineWorld server(GetParam().outage.until, [&world](const Clock&) { return world.store; });
    std::size_t before = 0;
    for (int steps = 0; server.ticker.step() == Micros{0}; ++steps) {
        const auto rows = server.runs_of().size();
        EXPECT_LE(rows - before, static_cast<std::size_t>(kPace));  // the summary is one of them
        before = rows;
        ASSERT_LT(steps, 20);
    }

    // What is spread is decided in the next minute, one after the other, and then the occurrence that came due behind
    // it.
    const bool spreads = GetParam().policy == MissedPolicy::spread;
    for (int i = 0; spreads && i < 600; ++i) {
        server.settle();
        const auto rows = server.runs_of().size();
        EXPECT_LE(rows - before, 3U) << "never many at once";
        before = rows;
        for (auto* const clock : {&server.clock, &world.clock}) clock->pass(std::chrono::milliseconds{100});
    }

    const auto lines = server.runs_of();
    const auto ends_in = [&lines](const std::string& part) {
        return std::ranges::count_if(lines, [&part](const auto& line) { return line.find(part) != std::string::npos; });
    };
    const auto want = expected(GetParam());
    const int dispatched = want.dispatched + (spreads ? 1 : 0);
    EXPECT_EQ(ends_in(" dispatched"), dispatched);
    EXPECT_EQ(ends_in(" skipped missed_run"), want.dropped > 0 ? 1 : 0);
    if (want.dropped > 10'000) {
        EXPECT_EQ(ends_in(" x≥10000"), 1);
    } else if (want.dropped > 1) {
        EXPECT_EQ(ends_in(" x" + std::to_string(want.dropped)), 1);
    }
    EXPECT_EQ(static_cast<int>(lines.size()), dispatched + (want.dropped > 0 ? 1 : 0));

    // And then goes on as if nothing had been.
    server.clock.pass(Seconds{60});
    world.clock.pass(Seconds{60});
    server.settle();
    EXPECT_EQ(server.runs_of().size(), lines.size() + 1);
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, OutageTest, testing::ValuesIn(all_cases()), [](const auto& each) {
    auto name = std::string(model::name_of(each.param.policy)) + "_" + each.param.outage.name;
    std::erase(name, '_');
    return name;
});

TEST(Outage, ManySchedulesThatWereDownForAYearTakeTurns) {
    EngineWorld world("2026-06-01T10:00:00Z");
    for (int i = 0; i < 50; ++i) {
        world.create([i](auto& schedule) {
            schedule.name = "s" + std::to_string(i);
            schedule.spec.cron = {"* * * * *"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            schedule.missed = {MissedPolicy::fire_all, Seconds{60}, 1000};
        });
    }
    world.settle();
    world.clock.set(instant("2027-06-01T10:00:00Z"));
    world.ticker.step();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(world.runs_of("s" + std::to_string(i)).size(), 100U) << i;
    EXPECT_LE(world.settle(), 12);
}

}  // namespace
}  // namespace belfry::test
