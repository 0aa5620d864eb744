// Whole specs in words: members, zone, window, jitter, DST rules.
#include "spec/explain/explain.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

std::string said(const SpecText& text, ExplainOptions options = {}) { return explain(text, test::zones(), options); }

TEST(ExplainSpec, EndsWithTheZone) {
    EXPECT_EQ(said({.cron = {"0 9 * * 1-5"}, .timezone = "America/New_York"}),
              "Every weekday at 9:00 AM, in America/New_York");
    EXPECT_EQ(said({.cron = {"0 9 * * 1-5"}}), "Every weekday at 9:00 AM UTC");
    EXPECT_EQ(said({.cron = {"0 9 * * *"}}), "At 9:00 AM every day, in UTC");
    EXPECT_EQ(said({.cron = {"0 9 * * *"}, .timezone = "Asia/Tokyo"}, {.with_zone = false}), "At 9:00 AM every day");
}

TEST(ExplainSpec, JoinsItsMembersAndSaysASharedZoneOnce) {
    EXPECT_EQ(said({.cron = {"0 9 * * 1-5", "0 12 * * 6"}, .timezone = "Europe/Berlin"}),
              "Every weekday at 9:00 AM; and every Saturday at 12:00 PM, in Europe/Berlin");
    EXPECT_EQ(said({.cron = {"0 9 * * *", "CRON_TZ=Asia/Tokyo 0 9 * * *"}, .timezone = "Europe/Berlin"}),
              "At 9:00 AM every day, in Europe/Berlin; and at 9:00 AM every day, in Asia/Tokyo");
    EXPECT_EQ(said({.cron = {"0 9 * * *"},
                    .intervals = {{"PT6H", ""}},
                    .at = {"2026-12-31T23:00:00Z"},
                    .timezone = "Europe/Berlin"}),
              "At 9:00 AM every day; once on 1 January 2027 at 12:00 AM, in Europe/Berlin; and every 6 hours (UTC)");
}

TEST(ExplainSpec, SaysFromWhereIntervalsCount) {
    const auto interval = [](const char* every, const char* offset) {
        return said({.intervals = {{every, offset}}, .timezone = "Asia/Kolkata"});
    };
    EXPECT_EQ(interval("PT1H", ""), "Every hour (UTC)");
    EXPECT_EQ(interval("PT1H", "PT5M"), "Every hour at 5 minutes past (UTC)");
    EXPECT_EQ(interval("PT15M", "PT5M"), "Every 15 minutes starting at 5 minutes past the hour (UTC)");
    EXPECT_EQ(interval("PT6H", "PT5M"), "Every 6 hours starting at 12:05 AM (UTC)");
    EXPECT_EQ(interval("P1D", "PT9H"), "Every day at 9:00 AM (UTC)");
    EXPECT_EQ(interval("PT7H", ""), "Every 7 hours, counted from 1 January 1970 (UTC)");
    EXPECT_EQ(interval("P3D", "PT26H"), "Every 3 days, counted from 2:00 AM on 2 January 1970 (UTC)");
    EXPECT_EQ(said({.cron = {"@every 1h30m"}}), "Every 1 hour 30 minutes (UTC)");
}

TEST(ExplainSpec, ShowsInstantsInTheZone) {
    EXPECT_EQ(said({.at = {"2026-12-31T23:59:00Z"}}), "Once on 31 December 2026 at 11:59 PM UTC");
    EXPECT_EQ(said({.at = {"2026-12-31T23:59:00Z"}, .timezone = "America/New_York"}),
              "Once on 31 December 2026 at 6:59 PM, in America/New_York");
    EXPECT_EQ(said({.at = {"2027-01-02T00:00:00Z", "2026-12-31T23:59:00.5Z", "2027-01-02T00:00:00Z"}},
                   {.clock = ClockStyle::hours_24}),
              "Once each on 31 December 2026 at 23:59:01 and on 2 January 2027 at 00:00 UTC");
    SpecText many;
    for (int day = 10; day < 20; ++day) many.at.push_back("2027-01-" + std::to_string(day) + "T00:00:00Z");
    EXPECT_EQ(said(many), "10 times between 10 January 2027 at 12:00 AM and 19 January 2027 at 12:00 AM UTC");
}

TEST(ExplainSpec, SaysTheWindowWithWholeDatesOnlyWhereTheyAreWhole) {
    SpecText text{.cron = {"0 9 * * *"},
                  .timezone = "America/New_York",
                  .start_at = "2027-01-01T05:00:00Z",
                  .end_at = "2027-04-01T03:59:59Z"};
    EXPECT_EQ(said(text), "At 9:00 AM every day, in America/New_York, from 1 January 2027 until 31 March 2027");
    text.start_at.reset();
    text.end_at = "2027-04-01T04:00:00Z";  // inclusive, so midnight itself still belongs to it
    EXPECT_EQ(said(text), "At 9:00 AM every day, in America/New_York, until 12:00 AM on 1 April 2027");
    text = {.intervals = {{"PT6H", ""}}, .timezone = "America/New_York", .start_at = "2027-01-01T05:30:00Z"};
    EXPECT_EQ(said(text), "Every 6 hours (UTC), starting 12:30 AM on 1 January 2027 (America/New_York)");
}

TEST(ExplainSpec, SaysTheJitter) {
    const auto jitter = [](const char* before, const char* after) {
        return said({.cron = {"0 9 * * 1"}, .jitter = {before, after}}, {.with_zone = false});
    };
    EXPECT_EQ(jitter("", "PT5M"), "Every Monday at 9:00 AM, spread over up to 5 minutes after");
    EXPECT_EQ(jitter("PT30S", "PT0S"), "Every Monday at 9:00 AM, spread over up to 30 seconds before");
    EXPECT_EQ(jitter("PT1M", "PT60S"), "Every Monday at 9:00 AM, spread over up to 1 minute before or after");
    EXPECT_EQ(jitter("PT1M", "PT0.5S"),
              "Every Monday at 9:00 AM, spread over up to 1 minute before and up to 500 milliseconds after");
    EXPECT_EQ(jitter("", ""), "Every Monday at 9:00 AM");
}

TEST(ExplainSpec, SaysDstRulesThatAreNotTheDefault) {
    const auto rules = [](DstRules dst) {
        return said({.cron = {"30 2 * * *"}, .timezone = "Europe/Berlin", .dst = dst}, {.with_zone = false});
    };
    EXPECT_EQ(rules({}), "At 2:30 AM every day");
    EXPECT_EQ(rules({.gap = GapRule::skip}), "At 2:30 AM every day, skipping local times that do not exist");
    EXPECT_EQ(rules({.repeat = RepeatRule::first}),
              "At 2:30 AM every day, only the first time when a local time happens twice");
    EXPECT_EQ(rules({.repeat = RepeatRule::last}),
              "At 2:30 AM every day, only the second time when a local time happens twice");
    EXPECT_EQ(rules({.repeat = RepeatRule::both}), "At 2:30 AM every day, both times when a local time happens twice");
    EXPECT_EQ(said({.cron = {"@every 1h"}, .dst = {.gap = GapRule::skip}}),
              "Every hour (UTC)");  // no wall clock, no rule
    EXPECT_EQ(said({.at = {"2026-12-31T23:59:00Z"}, .dst = {.gap = GapRule::skip}}),
              "Once on 31 December 2026 at 11:59 PM UTC");
}

TEST(ExplainSpec, SaysDstRulesOnlyWhereTheyMatter) {
    const auto rules = [](const char* cron, const char* zone, DstRules dst) {
        return said({.cron = {cron}, .timezone = zone, .dst = dst}, {.with_zone = false});
    };
    const DstRules skip{.gap = GapRule::skip};
    EXPECT_EQ(rules("30 2 * * *", "UTC", skip), "At 2:30 AM every day");
    EXPECT_EQ(rules("30 2 * * *", "Asia/Tokyo", skip), "At 2:30 AM every day");  // its last clock change was in 1951
    EXPECT_EQ(rules("30 2 * * *", "UTC", {.repeat = RepeatRule::last}), "At 2:30 AM every day");
    EXPECT_EQ(rules("CRON_TZ=Europe/Berlin 30 2 * * *", "UTC", skip),
              "At 2:30 AM every day, skipping local times that do not exist");
    // A wildcard follows real time, so it misses none; but it can be told to run in one pass only.
    EXPECT_EQ(rules("*/5 * * * *", "Europe/Berlin", skip), "Every 5 minutes");
    EXPECT_EQ(rules("*/5 * * * *", "Europe/Berlin", {.repeat = RepeatRule::first}),
              "Every 5 minutes, only the first time when a local time happens twice");
}

TEST(ExplainSpec, ShowsPartsThatDoNotParseAsTheyWereWritten) {
    EXPECT_EQ(said({.cron = {"61 * * * *"}, .timezone = "Mars/Base"}), "61 * * * *, in Mars/Base");
    EXPECT_EQ(said({.intervals = {{"often", ""}}}), "Every often");
    EXPECT_EQ(said({.at = {"tomorrow"}}, {.with_zone = false}), "Once on tomorrow");
    EXPECT_EQ(said({.cron = {"0 9 * * 1"}, .start_at = "soon", .jitter = {"", "a bit"}}),
              "Every Monday at 9:00 AM UTC, starting soon, spread over up to a bit after");
    EXPECT_EQ(said(SpecText{}), "");
}

TEST(ExplainSpec, NamesEightMembersAndCountsTheRest) {
    SpecText text;
    for (int hour = 0; hour < 10; ++hour) text.cron.push_back("0 " + std::to_string(hour) + " * * 1");
    EXPECT_TRUE(said(text).ends_with("; every Monday at 7:00 AM UTC; and 2 more rules")) << said(text);
}

}  // namespace
}  // namespace belfry::spec
