#include "spec/calendar/calendar.hpp"

#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::instant;
using test::zones;

Calendar calendar(const CalendarText& text) { return Calendar::compile(text, zones()).value(); }

TEST(Calendar, SkipsItsDatesOrAllowsThemAlone) {
    const auto skip = calendar({.name = "s", .kind = CalendarKind::skip_dates, .dates = {"2026-12-25"}});
    const auto only = calendar({.name = "o", .kind = CalendarKind::only_dates, .dates = {"2026-12-25"}});
    for (const auto& [at, listed] :
         {std::pair{"2026-12-24T23:59:59Z", false}, std::pair{"2026-12-25T00:00:00Z", true},
          std::pair{"2026-12-25T23:59:59.999999Z", true}, std::pair{"2026-12-26T00:00:00Z", false}}) {
        EXPECT_EQ(skip.allows(instant(at)), !listed) << at;
        EXPECT_EQ(only.allows(instant(at)), listed) << at;
    }
}

TEST(Calendar, TakesTheDateFromItsOwnZone) {
    const auto tokyo = calendar({.name = "t", .timezone = "Asia/Tokyo", .dates = {"2026-12-25"}});
    EXPECT_FALSE(tokyo.allows(instant("2026-12-24T15:00:00Z")));
    EXPECT_TRUE(tokyo.allows(instant("2026-12-25T15:00:00Z")));
}

TEST(Calendar, SeveralMustAllAllow) {
    const std::vector both{calendar({.name = "a", .dates = {"2026-01-01"}}),
                           calendar({.name = "b", .dates = {"2026-01-02"}})};
    EXPECT_EQ(first_refusal(both, instant("2026-01-01T12:00:00Z")), &both[0]);
    EXPECT_EQ(first_refusal(both, instant("2026-01-02T12:00:00Z")), &both[1]);
    EXPECT_EQ(first_refusal(both, instant("2026-01-03T12:00:00Z")), nullptr);
    EXPECT_EQ(first_refusal({}, instant("2026-01-03T12:00:00Z")), nullptr);
}

TEST(Calendar, WithoutDatesSkipsNothingOrAllowsNothing) {
    EXPECT_TRUE(calendar({.name = "s"}).allows(instant("2026-01-01T00:00:00Z")));
    EXPECT_FALSE(calendar({.name = "o", .kind = CalendarKind::only_dates}).allows(instant("2026-01-01T00:00:00Z")));
    EXPECT_EQ(calendar({.name = "s"}).last_date(), std::nullopt);
}

TEST(Calendar, RefusesBadDatesZonesAndKindsByName) {
    const auto bad_date = Calendar::compile({.name = "s", .dates = {"2026-01-01", "2026-02-30"}}, zones());
    ASSERT_FALSE(bad_date);
    EXPECT_EQ(bad_date.error().field, "/dates/1");
    EXPECT_EQ(bad_date.error().message, "date \"2026-02-30\": there is no such date");
    const auto bad_zone = Calendar::compile({.name = "s", .timezone = "Nowhere"}, zones());
    ASSERT_FALSE(bad_zone);
    EXPECT_EQ(bad_zone.error().field, "/timezone");
    EXPECT_EQ(parse_calendar_kind("skip").error().message, "calendar kind \"skip\": use one of skip_dates, only_dates");
    EXPECT_EQ(parse_calendar_kind("only_dates").value(), CalendarKind::only_dates);
}

TEST(BuiltInCalendars, AreReadOnlyAndCompile) {
    ASSERT_EQ(built_in_calendars().size(), 5U);
    for (const auto& text : built_in_calendars()) {
        EXPECT_TRUE(text.built_in);
        EXPECT_TRUE(Calendar::compile(text, zones())) << text.name;
    }
}

TEST(BuiltInCalendars, HoldTheHolidaysAndWeekendsOf2026) {
    const auto us = calendar(built_in_calendars()[0]);
    EXPECT_EQ(us.dates().size(), 11U);
    EXPECT_FALSE(us.allows(instant("2026-07-03T12:00:00Z"))) << "the day observed for 4 July";
    EXPECT_TRUE(us.allows(instant("2026-07-04T12:00:00Z")));
    EXPECT_FALSE(us.allows(instant("2026-12-26T04:59:59Z"))) << "still 25 December in New York";
    EXPECT_TRUE(us.allows(instant("2026-12-26T05:00:00Z")));
    const auto tr = calendar(built_in_calendars()[1]);
    EXPECT_EQ(tr.dates().size(), 16U);
    EXPECT_FALSE(tr.allows(instant("2026-10-28T21:00:00Z"))) << "already 29 October in Istanbul";
    const auto weekends = calendar(built_in_calendars()[2]);
    EXPECT_EQ(weekends.dates().size(), 104U);
    EXPECT_TRUE(weekends.allows(instant("2026-01-03T12:00:00Z")));
    EXPECT_FALSE(weekends.allows(instant("2026-01-05T12:00:00Z")));
}

// The dates that the US Office of Personnel Management publishes.
TEST(BuiltInCalendars, HoldTheUsFederalHolidaysUntil2030AsObserved) {
    const auto& us = built_in_calendars()[3];
    EXPECT_EQ(us.name, "us-federal-holidays-2026-2030");
    const std::vector<std::string> later(us.dates.begin() + 11, us.dates.end());
    EXPECT_EQ(later,
              (std::vector<std::string>{
                  "2027-01-01", "2027-01-18", "2027-02-15", "2027-05-31", "2027-06-18", "2027-07-05", "2027-09-06",
                  "2027-10-11", "2027-11-11", "2027-11-25", "2027-12-24", "2027-12-31",  // 1 January 2028, a Saturday
                  "2028-01-17", "2028-02-21", "2028-05-29", "2028-06-19", "2028-07-04", "2028-09-04", "2028-10-09",
                  "2028-11-10", "2028-11-23", "2028-12-25", "2029-01-01", "2029-01-15", "2029-02-19", "2029-05-28",
                  "2029-06-19", "2029-07-04", "2029-09-03", "2029-10-08", "2029-11-12", "2029-11-22", "2029-12-25",
                  "2030-01-01", "2030-01-21", "2030-02-18", "2030-05-27", "2030-06-19", "2030-07-04", "2030-09-02",
                  "2030-10-14", "2030-11-11", "2030-11-28", "2030-12-25"}));
    const auto weekends = calendar(built_in_calendars()[4]);
    EXPECT_TRUE(weekends.allows(instant("2030-12-29T12:00:00Z")));
    EXPECT_FALSE(weekends.allows(instant("2030-12-30T12:00:00Z")));
}

}  // namespace
}  // namespace belfry::spec
