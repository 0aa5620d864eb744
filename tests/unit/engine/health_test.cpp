#include "engine/telemetry/health.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

class SetClock final : public Clock {
public:
    [[nodiscard]] Instant now() const override { return at; }
    Instant at = parse_instant("2026-06-01T12:00:00Z").value();
};

class HealthTest : public testing::Test {
protected:
    SetClock clock;
    Health health{clock};
    const Instant noon = clock.at;
    const Error away{ErrorCode::unavailable, "the database is away"};
    const Error unreadable{ErrorCode::corrupt, "a row cannot be read"};
};

TEST_F(HealthTest, NothingIsWrongUntilSomebodySaysSo) {
    EXPECT_TRUE(health.read().healthy());
    EXPECT_TRUE(health.read().workers.empty());
}

TEST_F(HealthTest, KnowsWhichWorkerIsInTroubleSinceWhenAndHowOftenItTried) {
    health.failed("ticker", unreadable, {});
    clock.at += Seconds{5};
    health.failed("ticker", away, {});
    const auto reading = health.read();
    EXPECT_FALSE(reading.healthy());
    ASSERT_EQ(reading.workers.size(), 1U);
    EXPECT_EQ(reading.workers[0].name, "ticker");
    EXPECT_EQ(reading.workers[0].error, away);
    EXPECT_EQ(reading.workers[0].since, noon);
    EXPECT_EQ(reading.workers[0].tries, 2);
}

TEST_F(HealthTest, TheStoreIsAwaySinceTheFirstWorkerMissedIt) {
    clock.at += Seconds{5};
    health.failed("ticker", away, {});
    clock.at += Seconds{5};
    health.failed("member", away, {});
    health.failed("ticker", away, {});
    EXPECT_EQ(health.read().store_away_since, noon + Seconds{5});
    health.recovered("ticker");
    EXPECT_EQ(health.read().store_away_since, noon + Seconds{10});
    health.recovered("member");
    EXPECT_TRUE(health.read().healthy());
    EXPECT_EQ(health.read().store_away_since, std::nullopt);
}

TEST_F(HealthTest, AStoreThatAnswersSomethingWrongIsThere) {
    health.failed("janitor", unreadable, {});
    EXPECT_EQ(health.read().store_away_since, std::nullopt);
    EXPECT_FALSE(health.read().healthy());
}

TEST_F(HealthTest, AScheduleInQuarantineIsShownAndDoesNotMakeTheServerUnhealthy) {
    Quarantined bad{.key = 7, .schedule_id = "s1", .error = unreadable, .tries = 1};
    health.quarantined(bad);
    bad.tries = 2;
    health.quarantined(bad);
    ASSERT_EQ(health.read().quarantined.size(), 1U);
    EXPECT_EQ(health.read().quarantined[0].tries, 2);
    EXPECT_TRUE(health.read().healthy());
    health.released(bad);
    EXPECT_TRUE(health.read().quarantined.empty());
}

}  // namespace
}  // namespace belfry::engine
