#include "spec/calendar/recurrence.hpp"

#include <gtest/gtest.h>

namespace belfry::spec {

namespace {

using std::chrono::sys_days;

sys_days day(const std::string& text) { return sys_days{*parse_date(text)}; }

// The days of a rule, joined by blanks, up to the end of 2036.
std::string days(const std::string& rule, const std::string& start, std::size_t most = 5) {
    const auto parsed = parse_recurrence(rule);
    if (!parsed) return parsed.error().message;
    std::int64_t left = 1'000'000;
    std::string result;
    for (const auto found : days_of(*parsed, {day(start), day(start), day("2036-12-31")}, left)) {
        if (most-- == 0) break;
        result += (result.empty() ? "" : " ") + format_date(found);
    }
    return result;
}

}  // namespace

TEST(Recurrence, FollowsTheRulesThatCalendarsUse) {
    struct Row {
        const char* rule;
        const char* start;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"FREQ=DAILY;COUNT=3", "2026-02-27", "2026-02-27 2026-02-28 2026-03-01", "a count"},
        {"FREQ=DAILY;INTERVAL=10;COUNT=2", "2026-01-01", "2026-01-01 2026-01-11", "every tenth day"},
        {"FREQ=WEEKLY;COUNT=2", "2026-01-07", "2026-01-07 2026-01-14", "the weekday of its beginning"},
        {"FREQ=WEEKLY;INTERVAL=2;COUNT=4;WKST=SU;BYDAY=TU,SU", "1997-08-05",
         "1997-08-05 1997-08-17 1997-08-19 1997-08-31", "RFC 5545: weeks from Sunday"},
        {"FREQ=WEEKLY;INTERVAL=2;COUNT=4;WKST=MO;BYDAY=TU,SU", "1997-08-05",
         "1997-08-05 1997-08-10 1997-08-19 1997-08-24", "RFC 5545: weeks from Monday"},
        {"FREQ=MONTHLY;BYDAY=-1MO;COUNT=2", "2026-05-01", "2026-05-25 2026-06-29", "the last Monday"},
        {"FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", "2026-01-15", "2026-01-31 2026-02-28 2026-03-31", "the last day"},
        {"FREQ=MONTHLY;COUNT=3", "2026-01-31", "2026-01-31 2026-03-31 2026-05-31",
         "months without a 31st are passed over"},
        {"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", "2026-01-01", "2026-01-30 2026-02-27",
         "the last workday"},
        {"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2", "2026-01-01", "2026-02-13 2026-03-13", "both must hold"},
        {"FREQ=YEARLY;COUNT=2", "2024-02-29", "2024-02-29 2028-02-29", "29 February"},
        {"FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=2", "2026-01-01", "2026-11-26 2027-11-25", "Thanksgiving"},
        {"FREQ=YEARLY;BYYEARDAY=1,-1;COUNT=3", "2026-01-01", "2026-01-01 2026-12-31 2027-01-01",
         "days of the year, from both ends"},
        {"FREQ=YEARLY;BYDAY=20MO;COUNT=2", "1997-05-19", "1997-05-19 1998-05-18",
         "RFC 5545: the 20th Monday of the year"},
        {"FREQ=YEARLY;BYMONTH=1,7;COUNT=3", "2026-01-04", "2026-01-04 2026-07-04 2027-01-04",
         "months with the day of its beginning"},
        {"FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=2", "1996-11-05",
         "1996-11-05 2000-11-07", "RFC 5545: election day"},
    };
    for (const auto& row : rows) EXPECT_EQ(days(row.rule, row.start), row.expected) << row.rule << ": " << row.why;
}

TEST(Recurrence, AlwaysEnds) {
    EXPECT_EQ(days("FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1", "2026-01-01"), "")
        << "the fifth Monday is never the first of a month";
    EXPECT_EQ(days("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01"), "");
    EXPECT_EQ(days("FREQ=YEARLY;INTERVAL=32767", "2026-01-01"), "2026-01-01");
    const auto rule = parse_recurrence("FREQ=DAILY");
    ASSERT_TRUE(rule);
    std::int64_t left = 100;
    EXPECT_EQ(days_of(*rule, {day("2026-01-01"), day("2026-01-01"), day("9999-12-31")}, left).size(), 100U);
    EXPECT_LT(left, 0) << "whoever asked can see that it was not all";
}

TEST(Recurrence, RefusesWhatItCannotFollow) {
    for (const auto* rule : {"", "garbage", "FREQ=", "FREQ=HOURLY", "FREQ=SECONDLY;BYMONTH=2",
                             "RSCALE=CHINESE;FREQ=YEARLY", "FREQ=YEARLY;BYWEEKNO=20"}) {
        EXPECT_FALSE(parse_recurrence(rule)) << rule;
    }
    EXPECT_FALSE(parse_recurrence("FREQ=DAILY;X=" + std::string(kRecurrenceBytesMax, 'x')));
}

TEST(Recurrence, KnowsWhatItsEndMeans) {
    EXPECT_TRUE(parse_recurrence("FREQ=DAILY;UNTIL=20261231")->until_is_date);
    const auto utc = parse_recurrence("FREQ=DAILY;UNTIL=20261231T080000Z");
    EXPECT_TRUE(utc->until_is_utc);
    EXPECT_EQ(format_local(*utc->until), "2026-12-31T08:00:00");
    EXPECT_FALSE(parse_recurrence("FREQ=DAILY;UNTIL=20261231T080000")->until_is_utc);
}

}  // namespace belfry::spec
