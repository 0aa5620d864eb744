#include "spec/calendar/ics.hpp"

#include <gtest/gtest.h>

#include "support/worlds/zones.hpp"

namespace belfry::spec {

namespace {

// A file with one event of these lines, and its ends of lines as they travel.
std::string event(std::initializer_list<std::string> lines) {
    std::string text = "BEGIN:VEVENT\r\n";
    for (const auto& line : lines) text += line + "\r\n";
    return text + "END:VEVENT\r\n";
}
std::string file(const std::string& events, const std::string& head = {}) {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + head + events + "END:VCALENDAR\r\n";
}

IcsReading reading(const std::string& text, const std::string& timezone = "Europe/Berlin") {
    const auto result = read_ics(text, test::zones(), {timezone, *parse_date("2026-06-15")});
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : IcsReading{};
}

std::string dates(const std::string& text, const std::string& timezone = "Europe/Berlin") {
    std::string joined;
    for (const auto date : reading(text, timezone).dates) joined += (joined.empty() ? "" : " ") + format_date(date);
    return joined;
}

std::string refusal(const std::string& text) {
    const auto result = read_ics(text, test::zones(), {"UTC", *parse_date("2026-06-15")});
    return result ? "taken" : result.error().message;
}

}  // namespace

TEST(Ics, AnEventCoversTheDatesOnWhichItHappens) {
    struct Row {
        std::initializer_list<std::string> lines;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{"DTSTART;VALUE=DATE:20261225"}, "2026-12-25", "a date alone is one day"},
        {{"DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"},
         "2026-12-24 2026-12-25 2026-12-26",
         "the end is not part of it"},
        {{"DTSTART;VALUE=DATE:20261224", "DURATION:P2D"}, "2026-12-24 2026-12-25", "a length"},
        {{"DTSTART:20261224T220000", "DTEND:20261225T020000"}, "2026-12-24 2026-12-25", "over midnight"},
        {{"DTSTART:20261224T220000", "DTEND:20261225T000000"}, "2026-12-24", "until midnight"},
        {{"DTSTART;TZID=Asia/Tokyo:20261225T010000"},
         "2026-12-25",
         "the date of its own wall, whatever the calendar's"},
        {{"DTSTART:20261224T233000Z"}, "2026-12-25", "UTC is taken to the calendar's zone, here one hour ahead"},
        {{"DTSTART;VALUE=DATE:20261225", "DTEND;VALUE=DATE:20261225"},
         "2026-12-25",
         "an end that is no later says nothing"},
        {{"DTSTART;VALUE=DATE:20260105", "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;VALUE=DATE:20260112,20260119"},
         "2026-01-05 2026-01-26",
         "exceptions"},
        {{"DTSTART;VALUE=DATE:20260105", "RDATE;VALUE=DATE:20260301,20260401"},
         "2026-01-05 2026-03-01 2026-04-01",
         "further dates"},
        {{"DTSTART;TZID=Europe/Berlin:20260105T090000", "RRULE:FREQ=DAILY;UNTIL=20260107T080000Z"},
         "2026-01-05 2026-01-06 2026-01-07",
         "an end in UTC that is the last beginning itself"},
        {{"DTSTART;TZID=Europe/Berlin:20260105T090000", "RRULE:FREQ=DAILY;UNTIL=20260107T075959Z"},
         "2026-01-05 2026-01-06",
         "a second earlier"},
        {{"SUMMARY:folded", "DTSTART;VALUE=DA", " TE:20261225"}, "2026-12-25", "a line that goes on"},
        {{"dtstart;value=date:20261225"}, "2026-12-25", "names in any case"},
        {{"BEGIN:VALARM", "DTSTART:20200101", "END:VALARM", "DTSTART:20261225"},
         "2026-12-25",
         "what is inside an event is not the event"},
    };
    for (const auto& row : rows) EXPECT_EQ(dates(file(event(row.lines))), row.expected) << row.why;
}

TEST(Ics, RepeatingEventsEndAtTheHorizon) {
    const auto all = reading(file(event({"DTSTART;VALUE=DATE:19700704", "RRULE:FREQ=YEARLY"})));
    EXPECT_EQ(format_date(all.dates.front()), "2025-07-04");
    EXPECT_EQ(format_date(all.dates.back()), "2035-07-04");
}

TEST(Ics, AnEventOfItsOwnReplacesAnOccurrence) {
    const auto master = event({"UID:a", "DTSTART;VALUE=DATE:20260105", "RRULE:FREQ=WEEKLY;COUNT=3"});
    EXPECT_EQ(
        dates(file(master + event({"UID:a", "RECURRENCE-ID;VALUE=DATE:20260112", "DTSTART;VALUE=DATE:20260113"}))),
        "2026-01-05 2026-01-13 2026-01-19");
    EXPECT_EQ(dates(file(event({"UID:a", "STATUS:CANCELLED", "RECURRENCE-ID;VALUE=DATE:20260112",
                                "DTSTART;VALUE=DATE:20260112"}) +
                         master)),
              "2026-01-05 2026-01-19");
}

TEST(Ics, AnUnknownZoneIsNamedOnceAndTheDatesAreKept) {
    const auto all = reading(file(
        event({"SUMMARY:Standup", "DTSTART;TZID=Mars/Base:20260105T090000", "DTEND;TZID=Mars/Base:20260105T093000"}) +
        event({"SUMMARY:Lunch", "DTSTART;TZID=Mars/Base:20260106T120000"}) +
        event({"SUMMARY:Known", "DTSTART;TZID=Asia/Tokyo:20260107T120000"})));
    EXPECT_EQ(all.dates.size(), 3U);
    EXPECT_EQ(all.events, 3U);
    EXPECT_EQ(all.ignored_count, 1U);
    EXPECT_EQ(all.ignored, (std::vector<IcsIgnored>{{"\"Standup\"",
                                                     "its TZID \"Mars/Base\" is not a known time zone; its dates are "
                                                     "kept as they are in the file"}}));
    const auto text = file(event({"DTSTART;VALUE=DATE:20260105"}), "X-WR-TIMEZONE:Mars/Base\r\n");
    EXPECT_EQ(
        reading(text, "").ignored,
        (std::vector<IcsIgnored>{{"X-WR-TIMEZONE", "\"Mars/Base\" is not a known time zone; the calendar has UTC"}}));
    EXPECT_TRUE(reading(text, "Europe/Berlin").ignored.empty()) << "the client has named another";
}

TEST(Ics, WhatCannotBeReadIsIgnoredByName) {
    const auto all = reading(file(event({"SUMMARY:Off", "STATUS:CANCELLED", "DTSTART;VALUE=DATE:20260101"}) +
                                  event({"SUMMARY:Thirteenth", "DTSTART;VALUE=DATE:20261301"}) + event({"UID:u1"}) +
                                  event({"SUMMARY:Often", "DTSTART:20260101T000000", "RRULE:FREQ=HOURLY"}) +
                                  event({"SUMMARY:Ages", "DTSTART;VALUE=DATE:20260101", "DTEND;VALUE=DATE:20290101"}) +
                                  event({"SUMMARY:Good", "DTSTART;VALUE=DATE:20260102"})));
    EXPECT_EQ(all.events, 1U);
    EXPECT_EQ(all.ignored_count, 5U);
    const std::vector<IcsIgnored> expected{{"\"Off\"", "it is cancelled"},
                                           {"\"Thirteenth\"", "its DTSTART \"20261301\" is not a date"},
                                           {"\"u1\"", "it has no DTSTART"},
                                           {"\"Often\"", "the rule repeats more often than daily"},
                                           {"\"Ages\"", "it covers more than 366 days"}};
    EXPECT_EQ(all.ignored, expected);
}

TEST(Ics, TheZoneIsTheOneAskedForElseTheFilesElseUtc) {
    const auto one = event({"DTSTART:20261224T233000Z"});
    EXPECT_EQ(reading(file(one, "X-WR-TIMEZONE:Asia/Tokyo\r\n"), "").timezone, "Asia/Tokyo");
    EXPECT_EQ(reading(file(one, "X-WR-TIMEZONE:Asia/Tokyo\r\n"), "Europe/Berlin").timezone, "Europe/Berlin");
    EXPECT_EQ(reading(file(one, "X-WR-TIMEZONE:Nowhere\r\n"), "").timezone, "UTC");
    const auto unknown = read_ics(file(one), test::zones(), {"Nowhere/Land", *parse_date("2026-06-15")});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().field, "/timezone");
}

TEST(Ics, RefusesWhatIsNoCalendarFile) {
    EXPECT_NE(refusal("").find("BEGIN:VCALENDAR"), std::string::npos);
    EXPECT_NE(refusal("<html>").find("BEGIN:VCALENDAR"), std::string::npos);
    EXPECT_NE(refusal("BEGIN:VEVENT\nEND:VEVENT\n").find("BEGIN:VCALENDAR"), std::string::npos);
    EXPECT_NE(refusal("BEGIN:VCALENDAR\nBEGIN:VEVENT\n").find("it is truncated"), std::string::npos);
    EXPECT_NE(refusal("BEGIN:VCALENDAR\nEND:VEVENT\n").find("VCALENDAR"), std::string::npos);
    EXPECT_NE(refusal(std::string(kIcsBytesMax + 1, 'x')).find("1 MiB"), std::string::npos);
    EXPECT_NE(refusal("BEGIN:VCALENDAR\n\xff\n").find("UTF-8"), std::string::npos);
    std::string deep = "BEGIN:VCALENDAR\n";
    for (int i = 0; i < 100'000; ++i) deep += "BEGIN:A\n";
    EXPECT_NE(refusal(deep).find("nests components too deeply"), std::string::npos);
}

TEST(Ics, AFileThatWouldTakeForeverIsFollowedForAWhile) {
    std::string events;
    for (int i = 0; i < 2'000; ++i)
        events += event({"DTSTART;VALUE=DATE:19000101", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"});
    const auto all = reading(file(events));
    EXPECT_TRUE(all.dates.empty());
    EXPECT_GT(all.ignored_count, 1'000U);
    EXPECT_EQ(all.ignored.size(), kIcsIgnoredMax);
    EXPECT_NE(
        refusal(file(event({"DTSTART;VALUE=DATE:19000101", "DURATION:P365D"}) +
                     [] {
                         std::string many;
                         for (int year = 1901; year < 2000; ++year)
                             many += event({"DTSTART;VALUE=DATE:" + std::to_string(year) + "0101", "DURATION:P365D"});
                         return many;
                     }()))
            .find("more than 20000 dates"),
        std::string::npos);
}

TEST(Ics, WhatIsWrittenIsReadAgain) {
    const CalendarText calendar{
        .name = "Übung; with, all\\signs and a name that is longer than what fits into one line of the file",
        .timezone = "Europe/Berlin",
        .dates = {"2026-12-24", "2026-12-25", "2026-12-26", "2027-01-01", "9999-12-30", "9999-12-31"}};
    const auto text = write_ics(calendar, test::instant("2026-06-15T12:00:00.5Z"));
    std::size_t begin = 0;
    for (auto end = text.find("\r\n"); end != std::string::npos; begin = end + 2, end = text.find("\r\n", begin))
        EXPECT_LE(end - begin, 75U);
    EXPECT_EQ(begin, text.size()) << "every line ends";
    EXPECT_NE(text.find("DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261227\r\n"), std::string::npos)
        << "a stretch is one event\n"
        << text;
    EXPECT_NE(text.find("DTSTAMP:20260615T120000Z\r\n"), std::string::npos) << text;
    const auto all = reading(text, "");
    EXPECT_EQ(all.timezone, "Europe/Berlin");
    EXPECT_EQ(all.ignored_count, 0U);
    std::vector<std::string> read;
    for (const auto date : all.dates) read.push_back(format_date(date));
    EXPECT_EQ(read, calendar.dates);
}

}  // namespace belfry::spec
