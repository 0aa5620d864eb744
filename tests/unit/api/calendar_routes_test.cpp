#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::ApiWorld;
using test::at;

constexpr const char* kCalendars = "/api/tenants/default/calendars";
constexpr const char* kSchedules = "/api/tenants/default/schedules";

std::string calendars(const std::string& rest) { return std::string(kCalendars) + rest; }
std::string schedules(const std::string& rest) { return std::string(kSchedules) + rest; }

std::string named(const std::string& name, const std::string& dates) {
    return R"({"name": ")" + name + R"(", "timezone": "Europe/Berlin", "dates": )" + dates + "}";
}

void make_schedule(const ApiWorld& world, const std::string& name) {
    (void)world.post(kSchedules,
                     R"({"name": ")" + name + R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})",
                     201);
}

// A date so many days after today.
std::string in_days(const ApiWorld& world, int days) {
    return format_date(std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(*world.store->now()) +
                                                   std::chrono::days{days}});
}

std::string names(const Json& list) {
    std::string joined;
    for (const auto& item : list.at("items").as_array())
        joined += (joined.empty() ? "" : " ") + std::string(item.at("name").as_string());
    return joined;
}

const std::vector<Header> kIcs{{"Content-Type", "text/calendar"}};
const std::string kCancelled = "BEGIN:VEVENT\r\nSUMMARY:Off\r\nSTATUS:CANCELLED\r\nDTSTART:20300101\r\nEND:VEVENT\r\n";
const std::string kOneDay = "BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20300102\r\nEND:VEVENT\r\n";

std::string ics(const std::string& lines) {
    return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n" + lines + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

}  // namespace

TEST(CalendarRoutes, ACalendarIsCreatedReadReplacedAndDeleted) {
    const ApiWorld world;
    const auto created =
        world.call("POST", kCalendars, named("plant shutdown", R"(["2030-12-31", "2030-12-24", "2030-12-31"])"));
    ASSERT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.header("ETag"), "\"1\"");
    EXPECT_EQ(created.header("Location"), calendars("/plant%20shutdown"));
    EXPECT_EQ(at(created, "/dates"), R"(["2030-12-24","2030-12-31"])") << "in order and once";
    EXPECT_EQ(at(created, "/kind"), "\"skip_dates\"");
    EXPECT_EQ(at(created, "/expiresOn"), "\"2030-12-31\"");
    EXPECT_EQ(at(created, "/warning"), "null");
    EXPECT_EQ(world.call("POST", kCalendars, named("plant shutdown", "[]")).status, 409);

    // What was read can be sent back with one change.
    const std::string location(created.header("Location"));
    auto read = world.get(location);
    read.get_object()["kind"] = "only_dates";
    const auto replaced = world.call("PUT", location, to_text(read), {{"If-Match", "\"1\""}});
    ASSERT_EQ(replaced.status, 200) << replaced.body;
    EXPECT_EQ(replaced.header("ETag"), "\"2\"");
    EXPECT_EQ(at(replaced, "/kind"), "\"only_dates\"");
    EXPECT_EQ(world.call("PUT", location, to_text(read), {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(at(world.call("PUT", location, named("other", "[]")), "/errors/0/pointer"), "\"/name\"");

    EXPECT_EQ(world.call("DELETE", location).status, 204);
    EXPECT_EQ(world.call("GET", location).status, 404);
    EXPECT_EQ(world.call("DELETE", location).status, 404);
}

TEST(CalendarRoutes, ErrorsPointAtTheDateAndTheZone) {
    const ApiWorld world;
    const auto dates =
        world.call("POST", kCalendars, named("c", R"(["2026-01-01", "2026-02-30", null, "1/1/2026", 5])"));
    EXPECT_EQ(dates.status, 422);
    EXPECT_EQ(at(dates, "/errors/0/pointer"), "\"/dates/1\"");
    EXPECT_EQ(at(dates, "/errors/1/pointer"), "\"/dates/2\"");
    EXPECT_EQ(at(dates, "/errors/2/pointer"), "\"/dates/3\"");
    EXPECT_EQ(at(dates, "/errors/3/pointer"), "\"/dates/4\"");
    const auto zone = world.call("POST", kCalendars, R"({"name": "c", "timezone": "Europe/Berlinn", "dates": []})");
    EXPECT_EQ(zone.status, 422);
    EXPECT_EQ(at(zone, "/errors/0/pointer"), "\"/timezone\"");
    EXPECT_NE(at(zone, "/detail").find("Europe/Berlin"), std::string::npos);
    EXPECT_EQ(world.call("POST", kCalendars, R"({"name": "c", "kind": "some", "dates": []})").status, 422);
}

TEST(CalendarRoutes, TheListShowsTheTenantsOwnAndThoseThatShip) {
    const ApiWorld world;
    (void)world.post(kCalendars, named("own", R"(["2030-01-01"])"), 201);
    const auto all = world.get(kCalendars);
    EXPECT_EQ(names(all),
              "own us-federal-holidays-2026 tr-public-holidays-2026 weekends-only us-federal-holidays-2026-2030 "
              "weekends-2026-2030");
    EXPECT_EQ(at(all, "/items/0/builtIn"), "false");
    EXPECT_EQ(at(all, "/items/1/builtIn"), "true");
    EXPECT_EQ(at(all, "/items/1/dateCount"), "11");
    EXPECT_EQ(at(all, "/items/1/dates"), "absent") << "lists are short";
    EXPECT_EQ(at(all, "/nextCursor"), "null");
    EXPECT_EQ(names(world.get(calendars("?q=HOLIDAYS"))),
              "us-federal-holidays-2026 tr-public-holidays-2026 us-federal-holidays-2026-2030");
    EXPECT_EQ(world.call("GET", "/api/tenants/nobody/calendars").status, 404);
}

TEST(CalendarRoutes, WhatShipsIsClonedNotChanged) {
    const ApiWorld world;
    const auto us = calendars("/us-federal-holidays-2026");
    for (const auto& refused :
         {world.call("PUT", us, named("us-federal-holidays-2026", "[]")), world.call("DELETE", us),
          world.call("POST", us + "/import", ics("DTSTART:20260101"), kIcs)}) {
        EXPECT_EQ(refused.status, 403) << refused.body;
        EXPECT_NE(at(refused, "/detail").find("clone it"), std::string::npos) << refused.body;
    }
    EXPECT_EQ(world.call("POST", kCalendars, named("weekends-only", "[]")).status, 409);
    const auto cloned = world.call("POST", us + "/clone", R"({"name": "ours"})");
    ASSERT_EQ(cloned.status, 201) << cloned.body;
    EXPECT_EQ(cloned.header("Location"), calendars("/ours"));
    EXPECT_EQ(at(cloned, "/builtIn"), "false");
    EXPECT_EQ(at(cloned, "/timezone"), "\"America/New_York\"");
    EXPECT_EQ(at(cloned, "/dates"), at(world.get(us), "/dates"));
    EXPECT_EQ(world.call("POST", us + "/clone", R"({"name": "ours"})").status, 409);
    EXPECT_EQ(world.call("POST", calendars("/nothing/clone"), R"({"name": "x"})").status, 404);
}

TEST(CalendarRoutes, AttachingAndDetachingTwiceIsOnce) {
    const ApiWorld world;
    make_schedule(world, "report");
    (void)world.post(kCalendars, named("own", R"(["2030-01-01"])"), 201);
    EXPECT_EQ(at(world.post(schedules("/report/calendars/own"), R"({"reason": "holidays"})"), "/calendars"),
              R"(["own"])");
    const auto again = world.post(schedules("/report/calendars/own"), "");
    EXPECT_EQ(at(again, "/calendars"), R"(["own"])");
    EXPECT_EQ(at(again, "/version"), "2") << "the second time changed nothing";
    EXPECT_EQ(at(world.post(schedules("/report/calendars/weekends-only"), ""), "/calendars"),
              R"(["own","weekends-only"])");
    EXPECT_EQ(world.call("POST", schedules("/report/calendars/nothing")).status, 404);
    EXPECT_EQ(world.call("POST", schedules("/nothing/calendars/own")).status, 404);
    EXPECT_EQ(at(world.call("DELETE", schedules("/report/calendars/own")), "/calendars"), R"(["weekends-only"])");
    const auto last = world.call("DELETE", schedules("/report/calendars/own"));
    EXPECT_EQ(last.status, 200);
    EXPECT_EQ(at(last, "/version"), "4");
    EXPECT_NE(at(world.get(schedules("/report/history")), "/items/1/payload").find("holidays"), std::string::npos)
        << "the audit knows why";
}

TEST(CalendarRoutes, ACalendarInUseStaysAndItsUsersAreNamed) {
    const ApiWorld world;
    (void)world.post(kCalendars, named("own", R"(["2030-01-01"])"), 201);
    for (const auto* name : {"a", "b", "c"}) make_schedule(world, name);
    for (const auto* name : {"a", "c"}) (void)world.post(schedules(std::string("/") + name + "/calendars/own"), "");
    const auto refused = world.call("DELETE", calendars("/own"));
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(at(refused, "/detail"), R"("calendar own is used by \"a\", \"c\"; detach it there first")");
    for (const auto* name : {"a", "c"})
        EXPECT_EQ(world.call("DELETE", schedules(std::string("/") + name + "/calendars/own")).status, 200);
    EXPECT_EQ(world.call("DELETE", calendars("/own")).status, 204);
}

TEST(CalendarRoutes, ACalendarThatRunsOutSaysSo) {
    const ApiWorld world;
    const auto soon = in_days(world, 30);
    const auto warned = world.post(kCalendars, R"({"name": "soon", "dates": [")" + soon + "\"]}", 201);
    EXPECT_EQ(at(warned, "/expiresOn"), '"' + soon + '"');
    EXPECT_NE(at(warned, "/warning").find(soon), std::string::npos) << at(warned, "/warning");
    EXPECT_EQ(
        at(world.post(kCalendars, R"({"name": "later", "dates": [")" + in_days(world, 70) + "\"]}", 201), "/warning"),
        "null");
    EXPECT_NE(
        at(world.post(kCalendars, R"({"name": "past", "dates": ["2020-01-01"]})", 201), "/warning").find("has passed"),
        std::string::npos);
    const auto empty = world.post(kCalendars, R"({"name": "none", "kind": "only_dates", "dates": []})", 201);
    EXPECT_EQ(at(empty, "/expiresOn"), "null");
    EXPECT_NE(at(empty, "/warning").find("no longer fire"), std::string::npos) << at(empty, "/warning");
    const auto fixed = at(world.get(calendars("/tr-public-holidays-2026")), "/warning");  // it ended in October 2026
    EXPECT_NE(fixed.find("has passed; clone it and add dates"), std::string::npos) << fixed;
}

TEST(CalendarRoutes, AFileIsMergedIntoACalendarOrReplacesIt) {
    const ApiWorld world;
    (void)world.post(kCalendars, named("own", R"(["2030-01-01"])"), 201);
    const auto merged = world.call("POST", calendars("/own/import"),
                                   ics("DTSTART;VALUE=DATE:20300101\r\nDTEND;VALUE=DATE:20300103"), kIcs);
    ASSERT_EQ(merged.status, 200) << merged.body;
    EXPECT_EQ(at(merged, "/calendar/dates"), R"(["2030-01-01","2030-01-02"])");
    EXPECT_EQ(at(merged, "/datesRead"), "2");
    EXPECT_EQ(at(merged, "/datesAdded"), "1");
    EXPECT_EQ(merged.header("ETag"), "\"2\"");
    const auto replaced = world.call("POST", calendars("/own/import?mode=replace&kind=only_dates"),
                                     ics("DTSTART;VALUE=DATE:20310101"), kIcs);
    EXPECT_EQ(at(replaced, "/calendar/dates"), R"(["2031-01-01"])");
    EXPECT_EQ(at(replaced, "/calendar/kind"), "\"only_dates\"");
    EXPECT_EQ(at(replaced, "/calendar/timezone"), "\"Europe/Berlin\"") << "it stays";
    EXPECT_EQ(at(world.call("POST", calendars("/own/import?kind=skip_dates"), ics("DTSTART:20300101"), kIcs),
                 "/errors/0/parameter"),
              "\"kind\"");
}

TEST(CalendarRoutes, AFileMakesACalendarAndTellsWhatItIgnored) {
    const ApiWorld world;
    const auto made = world.call("POST", calendars("/new/import?timezone=Asia/Tokyo"),
                                 "BEGIN:VCALENDAR\r\n" + kCancelled + kOneDay + "END:VCALENDAR\r\n", kIcs);
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.header("Location"), calendars("/new"));
    EXPECT_EQ(at(made, "/ignoredCount"), "1");
    EXPECT_EQ(at(made, "/ignored/0"), R"({"event":"\"Off\"","reason":"it is cancelled"})");
    EXPECT_EQ(at(made, "/calendar/timezone"), "\"Asia/Tokyo\"");

    EXPECT_EQ(world.call("POST", calendars("/bad/import"), "<html>", kIcs).status, 422);
    EXPECT_EQ(world.call("POST", calendars("/bad/import"), "", kIcs).status, 400);
    EXPECT_EQ(at(world.call("POST", calendars("/bad/import?timezone=No/Where"), ics("DTSTART:20300101"), kIcs),
                 "/errors/0/parameter"),
              "\"timezone\"");
    EXPECT_EQ(world.call("GET", calendars("/bad")).status, 404) << "nothing was made of what was refused";
}

TEST(CalendarRoutes, AFileWithoutADateIsRefused) {
    const ApiWorld world;
    (void)world.post(kCalendars, named("own", R"(["2030-01-01"])"), 201);
    for (const auto* const target : {"/own/import", "/own/import?mode=replace", "/new/import"}) {
        const auto refused =
            world.call("POST", calendars(target), "BEGIN:VCALENDAR\r\n" + kCancelled + "END:VCALENDAR\r\n", kIcs);
        EXPECT_EQ(refused.status, 422) << refused.body;
        EXPECT_EQ(at(refused, "/detail"), R"("the file has no usable date; nothing was changed; )"
                                          R"(the first ignored event is \"Off\": it is cancelled")")
            << refused.body;
    }
    EXPECT_EQ(world.call("POST", calendars("/new/import"), "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", kIcs).status, 422);
    EXPECT_EQ(world.call("GET", calendars("/new")).status, 404);
    EXPECT_EQ(at(world.get(calendars("/own")), "/dates"), R"(["2030-01-01"])");
}

TEST(CalendarRoutes, AnExportIsAFileThatCanBeImported) {
    const ApiWorld world;
    const auto file = world.call("GET", calendars("/tr-public-holidays-2026/export.ics"));
    ASSERT_EQ(file.status, 200);
    EXPECT_EQ(file.header("Content-Type"), "text/calendar; charset=utf-8");
    EXPECT_EQ(file.header("Content-Disposition"), "attachment; filename*=UTF-8''tr-public-holidays-2026.ics");
    const auto imported = world.call("POST", calendars("/copy/import"), file.body, kIcs);
    EXPECT_EQ(at(imported, "/calendar/dates"), at(world.get(calendars("/tr-public-holidays-2026")), "/dates"));
    EXPECT_EQ(at(imported, "/calendar/timezone"), "\"Europe/Istanbul\"");
}

}  // namespace belfry::api
