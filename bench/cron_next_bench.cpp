// Nanoseconds per `next`, walking from occurrence to occurrence as the engine does, and the slowest single call.
#include <benchmark/benchmark.h>

#include "spec/spec.hpp"

namespace belfry::spec {
namespace {

const ZoneDatabase& zones() {
    static const auto database = ZoneDatabase::open(ZoneDatabase::system_folder());
    return database.value();
}

CronRule rule(const char* expression, const char* zone) {
    return {parse_cron(expression).value(), zones().find(zone).value(), {}};
}

const Instant kStart = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};

void next(benchmark::State& state, const char* expression, const char* zone) {
    const auto timing = rule(expression, zone);
    auto moment = kStart;
    for (auto _ : state) {
        moment = timing.next(moment).value();
        benchmark::DoNotOptimize(moment);
        // Stay in our time: the far future has no table and is no one's workload.
        if (moment > kStart + std::chrono::hours{24 * 365 * 50}) moment = kStart;
    }
}

// One call each: the hardest questions that an accepted expression can ask.
void hard(benchmark::State& state, const char* expression, const char* zone, const char* after) {
    const auto timing = rule(expression, zone);
    const auto from = parse_instant(after).value();
    for (auto _ : state) benchmark::DoNotOptimize(timing.next(from));
}

BENCHMARK_CAPTURE(next, every_minute_utc, "* * * * *", "UTC");
BENCHMARK_CAPTURE(next, business_quarters_utc, "*/15 9-17 * * 1-5", "UTC");
BENCHMARK_CAPTURE(next, leap_day_utc, "0 0 29 2 *", "UTC");
BENCHMARK_CAPTURE(next, thirteenth_or_friday_utc, "0 12 13 * 5", "UTC");
BENCHMARK_CAPTURE(next, new_year_utc, "0 0 1 1 *", "UTC");
BENCHMARK_CAPTURE(next, half_past_two_new_york, "30 2 * * *", "America/New_York");
BENCHMARK_CAPTURE(next, business_quarters_new_york, "*/15 9-17 * * 1-5", "America/New_York");

BENCHMARK_CAPTURE(hard, leap_sunday_across_2100, "0 0 29 2 */7", "America/New_York", "2088-03-01T00:00:00Z");
BENCHMARK_CAPTURE(hard, fifth_monday_of_february, "0 0 * 2 MON#5", "America/New_York", "2072-03-01T00:00:00Z");
BENCHMARK_CAPTURE(hard, last_year_from_the_first, "59 59 23 31 12 * 2199", "America/New_York", "1970-01-01T00:00:00Z");
BENCHMARK_CAPTURE(hard, from_the_year_one, "0 0 0 1 1 * 2199", "America/New_York", "0001-01-01T00:00:00Z");
BENCHMARK_CAPTURE(hard, years_are_over, "0 0 0 1 1 * 1970", "America/New_York", "9000-01-01T00:00:00Z");
BENCHMARK_CAPTURE(hard, far_future, "0 0 29 2 */7", "America/New_York", "9960-03-01T00:00:00Z");

}  // namespace
}  // namespace belfry::spec

BENCHMARK_MAIN();
