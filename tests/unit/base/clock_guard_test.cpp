#include "base/time/clock_guard.hpp"

#include <gtest/gtest.h>

#include "support/worlds/set_clocks.hpp"
#include "support/worlds/zones.hpp"

namespace belfry {
namespace {

using namespace std::chrono_literals;

const auto kTen = test::instant("2026-06-01T10:00:00Z");

// A wall clock and a monotonic one that advance together, until a test moves one of them.
class ClockGuardTest : public testing::Test {
protected:
    void pass(Micros time) {
        steady.at += time;
        wall += time;
        truth += time;
    }
    Instant ask() {
        return guard.read([this] { return Result<Instant>(wall); }).value();
    }

    test::SetSteadyClock steady;
    ClockGuard guard{steady, 60s};
    Instant wall = kTen;
    Instant truth = kTen;  // as if the wall clock had never stepped
};

struct Look {
    Micros after = {};  // that passed since the look before
    Micros step = {};   // of the wall clock, just before the look
    Micros told = {};   // by the guard: how far from the time without any step
    std::string because = {};
};
struct Case {
    std::string name;
    std::vector<Look> looks;
};

TEST_F(ClockGuardTest, TellsTimeThatTheMonotonicClockConfirms) {
    const std::vector<Case> cases{
        {"clocks agree",
         {{0s, 0s, 0s, "the first look"}, {1s, 0s, 0s, "both advance"}, {10h, 0s, 0s, "nobody asked for long"}}},
        {"a minute forward",
         {{0s, 0s, 0s, ""},
          {1s, 60s, 0s, "noticed"},
          {59s, 0s, 0s, "not confirmed yet"},
          {1s, 0s, 60s, "held for a minute"},
          {1s, 0s, 60s, ""}}},
        {"a day forward for three seconds",
         {{0s, 0s, 0s, ""},
          {1s, 24h, 0s, "noticed"},
          {1s, 0s, 0s, ""},
          {2s, -24h, 0s, "withdrawn"},
          {10min, 0s, 0s, "and forgotten"}}},
        {"an hour back",
         {{0s, 0s, 0s, ""},
          {1s, -1h, 0s, "time goes on"},
          {59s, 0s, 0s, ""},
          {1s, 0s, -1h, "confirmed"},
          {1s, 0s, -1h, ""}}},
        {"an hour forward, accepted, and back",
         {{0s, 0s, 0s, ""},
          {1s, 1h, 0s, ""},
          {60s, 0s, 1h, "accepted"},
          {1s, -1h, 1h, "noticed"},
          {59s, 0s, 1h, ""},
          {1s, 0s, 0s, "accepted"}}},
        {"a second step begins anew",
         {{0s, 0s, 0s, ""},
          {1s, 1h, 0s, ""},
          {50s, 1h, 0s, "another time"},
          {59s, 0s, 0s, ""},
          {1s, 0s, 2h, "held for a minute"}}},
        {"forward and back again and again",
         {{0s, 0s, 0s, ""},
          {1s, 1h, 0s, ""},
          {50s, -1h, 0s, ""},
          {1s, 1h, 0s, "counts from here"},
          {50s, 0s, 0s, ""},
          {10s, 0s, 1h, ""}}},
        {"corrections below a second",
         {{0s, 0s, 0s, ""}, {1s, 900ms, 900ms, "believed"}, {1s, -900ms, 0s, "believed"}, {1s, 500ms, 500ms, ""}}},
        {"a machine that was suspended",
         {{0s, 0s, 0s, ""}, {1s, 8h, 0s, "its monotonic clock stood still"}, {60s, 0s, 8h, "an outage, from here on"}}},
        {"a clock that drifts",
         {{0s, 0s, 0s, ""}, {1000s, 500ms, 500ms, ""}, {1000s, 500ms, 1s, ""}, {1000s, 500ms, 1500ms, "is followed"}}},
    };
    for (const auto& each : cases) {
        ClockGuard fresh(steady, 60s);
        wall = truth = kTen;
        for (const auto& look : each.looks) {
            pass(look.after);
            wall += look.step;
            EXPECT_EQ(fresh.read([this] { return Result<Instant>(wall); }).value() - truth, look.told)
                << each.name << ": " << look.because;
        }
    }
}

TEST_F(ClockGuardTest, SaysWhatItNoticed) {
    ask();
    EXPECT_FALSE(guard.reading().pending);
    wall += 1h;
    ask();
    EXPECT_EQ(guard.reading().pending, 1h);
    wall -= 1h;
    ask();
    EXPECT_FALSE(guard.reading().pending);
    EXPECT_EQ(guard.reading().withdrawn, 1U);
    wall -= 2h;
    ask();
    pass(60s);
    ask();
    EXPECT_EQ(guard.reading().back, 1U);
    EXPECT_EQ(guard.reading().forward, 0U);
    EXPECT_EQ(guard.reading().last->by, -2h);
}

// The database was asked before the call stalled, or after: either may be true.
TEST_F(ClockGuardTest, ACallThatTookLongIsNoStep) {
    ask();
    for (const auto answered_after : {0s, 15s, 30s}) {
        const auto before = steady.at;
        const auto read = truth + answered_after;
        pass(30s);
        EXPECT_EQ(guard.trust({read, before, steady.at}), read);
        EXPECT_FALSE(guard.reading().pending);
    }
    EXPECT_EQ(ask(), truth);
}

TEST_F(ClockGuardTest, AFirstCallThatTookLongIsNarrowedByTheNext) {
    const auto before = steady.at;
    const auto read = truth + 25s;
    pass(30s);
    EXPECT_EQ(guard.trust({read, before, steady.at}), read);
    EXPECT_EQ(ask(), truth);
    EXPECT_FALSE(guard.reading().pending);
    wall += 5s;
    EXPECT_EQ(ask(), truth) << "from here on it is known";
}

TEST_F(ClockGuardTest, ASlowCallNeitherConfirmsNorWithdrawsAStep) {
    ask();
    wall += 20s;
    ask();
    const auto before = steady.at;
    pass(30s);
    EXPECT_EQ(guard.trust({wall, before, steady.at}), truth - 30s) << "no later than what is certain";
    EXPECT_EQ(guard.reading().pending, 20s);
}

TEST_F(ClockGuardTest, AConfirmationOfNothingBelievesAtOnce) {
    ClockGuard credulous(steady, 0s);
    EXPECT_EQ(credulous.read([this] { return Result<Instant>(wall); }).value(), kTen);
    wall += 1h;
    EXPECT_EQ(credulous.read([this] { return Result<Instant>(wall); }).value(), kTen + 1h);
}

TEST_F(ClockGuardTest, AnErrorIsTheStores) {
    const auto away = guard.read([] { return Result<Instant>(Error{ErrorCode::unavailable, "away"}); });
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().message, "away");
    EXPECT_EQ(ask(), kTen);
}

TEST_F(ClockGuardTest, KnowsHowFarAStampWasMoved) {
    ask();
    pass(1min);
    const auto before = ask();
    wall += 1h;
    ask();
    EXPECT_EQ(guard.moved_since(before), 0s) << "not accepted yet";
    pass(1min);
    const auto after = ask();
    EXPECT_EQ(guard.moved_since(before), 1h);
    EXPECT_EQ(guard.moved_since(before + 1min), 1h) << "of a server that accepted it a little later";
    EXPECT_EQ(guard.moved_since(after - 5s), 0s) << "of one that was earlier";
    EXPECT_EQ(guard.moved_since(after), 0s);
    EXPECT_EQ(guard.moved_within(1min), 1h);
    wall -= 1h;
    ask();
    pass(1min);
    ask();
    EXPECT_EQ(guard.moved_since(before), 0s) << "it is where it was";
    EXPECT_EQ(guard.moved_within(5min), 0s);
    wall += 1h;
    ask();
    pass(1min);
    ask();
    wall -= 50min;
    ask();
    pass(1min);
    EXPECT_EQ(guard.moved_since(ask()), 0s) << "although that is nearer to the time before the step forward";
    wall -= 1h;
    ask();
    pass(1min);
    const auto low = ask();
    EXPECT_EQ(guard.moved_since(low), 0s) << "steps back move nothing forward";
    EXPECT_EQ(guard.moved_within(1s), 0s) << "steps back are no steps forward";
}

}  // namespace
}  // namespace belfry
