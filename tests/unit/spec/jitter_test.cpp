#include "spec/jitter.hpp"

#include <array>
#include <set>

#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using std::chrono::minutes;
using test::compile;
using test::instant;

TEST(Jitter, IsStableForAScheduleAndAnOccurrence) {
    const auto spec = compile({.cron = {"0 * * * *"}, .jitter = {.after = "PT5M"}});
    const auto occurrence = instant("2026-01-01T10:00:00Z");
    EXPECT_EQ(spec.fire_time("a", occurrence), spec.fire_time("a", occurrence));
    EXPECT_EQ(compile({.cron = {"0 * * * *"}, .jitter = {.after = "PT5M"}}).fire_time("a", occurrence),
              spec.fire_time("a", occurrence));
    EXPECT_NE(spec.fire_time("b", occurrence), spec.fire_time("a", occurrence));
    EXPECT_NE(spec.fire_time("a", occurrence + minutes{60}) - minutes{60}, spec.fire_time("a", occurrence));
}

TEST(Jitter, FillsItsWholeRangeEvenly) {
    const Jitter jitter{Seconds{2}, Seconds{3}};
    std::set<Micros> seen;
    std::array<int, 5> buckets{};
    for (int i = 0; i < 50'000; ++i) {
        const auto offset = jitter_offset(jitter, "s", Instant{Seconds{i * 3600}}, std::nullopt, std::nullopt);
        ASSERT_GE(offset, -Seconds{2});
        ASSERT_LE(offset, Seconds{3});
        seen.insert(offset);
        ++buckets[static_cast<std::size_t>(std::min<std::int64_t>(4, (offset + Seconds{2}) / Seconds{1}))];
    }
    EXPECT_EQ(*seen.begin(), -Seconds{2});
    EXPECT_EQ(*seen.rbegin(), Seconds{3});
    EXPECT_GT(seen.size(), 4900U) << "of the 5001 whole milliseconds";
    for (const auto count : buckets) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Jitter, KeepsOccurrencesInOrderHoweverWideItIs) {
    const auto spec = compile({.cron = {"* * * * *", "0 9 * * *"}, .jitter = {.before = "PT10M", .after = "PT1H"}});
    auto occurrence = spec.next(instant("2026-01-01T08:30:00Z")).value();
    auto fire = spec.fire_time("s", occurrence);
    for (int i = 0; i < 500; ++i) {
        const auto next = spec.next(occurrence).value();
        EXPECT_LE(fire, next) << "it never passes the next occurrence";
        EXPECT_LE(fire, spec.fire_time("s", next));
        occurrence = next;
        fire = spec.fire_time("s", next);
    }
}

TEST(Jitter, NeverLeavesTheWindow) {
    const auto spec = compile({.cron = {"0 * * * *"},
                               .start_at = "2026-01-01T10:00:00Z",
                               .end_at = "2026-01-01T11:00:00Z",
                               .jitter = {.before = "PT20M", .after = "PT20M"}});
    for (const auto* const id : {"a", "b", "c", "d", "e", "f"}) {
        EXPECT_GE(spec.fire_time(id, instant("2026-01-01T10:00:00Z")), instant("2026-01-01T10:00:00Z"));
        EXPECT_LE(spec.fire_time(id, instant("2026-01-01T11:00:00Z")), instant("2026-01-01T11:00:00Z"));
    }
}

TEST(Jitter, OfZeroIsTheOccurrenceItself) {
    const auto occurrence = instant("2026-01-01T10:00:00Z");
    EXPECT_EQ(compile({.cron = {"0 * * * *"}}).fire_time("a", occurrence), occurrence);
}

}  // namespace
}  // namespace belfry::spec
