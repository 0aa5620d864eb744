// The API as a client meets it: a server on a socket, the engine with its threads, and a database.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <thread>

#include "api/http/http_server.hpp"
#include "support/servers/http_client.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::http_test {

namespace {

using namespace std::chrono_literals;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";

engine::EngineOptions quick() {
    engine::EngineOptions options;
    options.min_interval = 1s;
    options.backfiller.tick = 20ms;
    options.reaper.tick = 20ms;
    return options;
}

// Fires only when it is asked to: its own times are a year away at least.
std::string task(const std::string& name, const std::string& more = {}) {
    return R"({"name": ")" + name +
           R"(", "spec": {"cron": ["0 0 29 2 *"]}, "target": {"type": "task", "taskKind": "mail"})" + more + "}";
}

std::string unquoted(const std::string& text) { return text.size() >= 2 ? text.substr(1, text.size() - 2) : text; }

class Http : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        world.engine.start();
        const auto started = server.start();
        ASSERT_TRUE(started) << started.error().message;
        client.emplace(server.port());
    }
    void TearDown() override {
        server.stop(10s);
        world.engine.stop();
    }

    // The answer; a failure unless it has that status.
    Json ask(const std::string& method, const std::string& target, const std::string& body = {}, int status = 200) {
        const auto response = client->request(method, target, body);
        EXPECT_EQ(response.status, status) << method << ' ' << target << "\n" << response.body;
        const auto answer = parse_json(response.body);
        return answer ? *answer : Json(nullptr);
    }

    std::string create(const std::string& body) { return unquoted(at(ask("POST", kSchedules, body, 201), "/id")); }

    // Asks again and again until the answer is right; the last one otherwise.
    Json ask_until(const std::string& target, const std::function<bool(const Json&)>& right) {
        const auto deadline = std::chrono::steady_clock::now() + 60s;
        Json answer;
        do {
            answer = json(client->request("GET", target).body);
        } while (!right(answer) && std::chrono::steady_clock::now() < deadline);
        EXPECT_TRUE(right(answer)) << to_text(answer);
        return answer;
    }

    test::ApiWorld world{GetParam(), quick()};
    HttpServer server{world.api.handler(), {.listen = "127.0.0.1:0"}};
    std::optional<test::HttpClient> client;
};

std::string past(std::chrono::hours ago) {
    return format_instant(std::chrono::floor<std::chrono::hours>(SystemClock().now()) - ago);
}

}  // namespace

TEST_P(Http, AScheduleIsCreatedReadReplacedAndDeleted) {
    const auto created = client->request("POST", kSchedules, R"({"name": "report", "target": {"workflowKind": "w"},
        "scheduleType": {"type": "recurring", "cron": "0 9 * * 1-5", "timezone": "America/New_York"}})",
                                         {{"X-Request-Id", "r-1"}});
    ASSERT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.header("X-Request-Id"), "r-1");
    EXPECT_EQ(created.header("ETag"), "\"1.1\"");
    EXPECT_EQ(at(created, "/scheduleType/description"), "\"Every weekday at 9:00 AM\"");
    EXPECT_NE(at(created, "/nextRunAtLocal").find("T09:00:00\""), std::string::npos) << at(created, "/nextRunAtLocal");
    const std::string location(created.header("Location"));
    EXPECT_EQ(at(ask("GET", location), "/name"), "\"report\"");
    EXPECT_EQ(at(ask("GET", std::string(kSchedules) + "/report"), "/id"), at(created, "/id"));

    // What was read can be sent back with one change.
    auto changed = json(client->request("GET", location).body);
    changed.get_object()["description"] = "new";
    const auto replaced = client->request("PUT", location, to_text(changed), {{"If-Match", "\"1\""}});
    EXPECT_EQ(replaced.status, 200) << replaced.body;
    EXPECT_EQ(at(replaced, "/description"), "\"new\"");
    EXPECT_EQ(replaced.header("ETag"), "\"2.2\"");
    EXPECT_EQ(client->request("PUT", location, to_text(changed), {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(client->request("PUT", location, to_text(changed), {{"If-Match", "W/\"1\""}}).status, 409);
    EXPECT_EQ(client->request("PUT", location, to_text(changed), {{"If-Match", "W/\"2\""}}).status, 200)
        << "as a compressed answer says it";

    const auto history = ask("GET", location + "/history");
    EXPECT_EQ(at(history, "/items/0/type"), "\"ScheduleCreated\"");
    EXPECT_NE(at(history, "/items/0/payload").find("r-1"), std::string::npos) << "the audit knows the request";
    EXPECT_EQ(at(history, "/items/1/type"), "\"ScheduleUpdated\"");

    EXPECT_EQ(at(ask("DELETE", location + "?reason=old"), "/status"), "\"deleted\"");
    ask("GET", std::string(kSchedules) + "/report", {}, 404);
    EXPECT_EQ(at(ask("GET", location), "/status"), "\"deleted\"") << "the history stays readable by its id";
    create(R"({"name": "report", "target": {"workflowKind": "w"}, "spec": {"cron": ["0 9 * * *"]}})");
}

TEST_P(Http, AListIsReadPageByPageAndFiltered) {
    std::set<std::string> expected;
    for (int i = 0; i < 7; ++i) {
        const auto name = "list " + std::to_string(i);
        create(task(name, R"(, "labels": {"odd": ")" + std::to_string(i % 2) + "\"}"));
        expected.insert('"' + name + '"');
    }
    std::set<std::string> seen;
    std::string cursor;
    int pages = 0;
    do {
        const auto page =
            ask("GET", std::string(kSchedules) + "?limit=3" + (cursor.empty() ? "" : "&cursor=" + cursor));
        for (const auto& item : page.at("items").as_array()) EXPECT_TRUE(seen.insert(at(item, "/name")).second);
        cursor = page.at("nextCursor").is_null() ? "" : unquoted(at(page, "/nextCursor"));
        pages += 1;
    } while (!cursor.empty() && pages < 10);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(pages, 3);
    EXPECT_EQ(ask("GET", std::string(kSchedules) + "?label=odd:1").at("items").as_array().size(), 3U);
    EXPECT_EQ(ask("GET", std::string(kSchedules) + "?namePrefix=list%205").at("items").as_array().size(), 1U);
    EXPECT_EQ(ask("GET", std::string(kSchedules) + "?status=paused").at("items").as_array().size(), 0U);
}

TEST_P(Http, PausingAndResumingIsSeenInTheNextRun) {
    const auto path = std::string(kSchedules) + "/" + create(task("p"));
    const auto paused = ask("POST", path + "/pause", R"({"reason": "holiday"})");
    EXPECT_EQ(at(paused, "/status"), "\"paused\"");
    EXPECT_EQ(at(paused, "/nextRunAt"), "null");
    EXPECT_EQ(at(paused, "/pauseReason"), "\"holiday\"");
    ask("POST", path + "/pause");  // twice is fine
    EXPECT_EQ(at(ask("POST", path + "/resume"), "/enabled"), "true");
    EXPECT_EQ(at(ask("POST", path + "/resume", {}, 422), "/code"), "\"invalid_argument\"");
    EXPECT_EQ(ask("GET", path + "/preview?n=3").at("items").as_array().size(), 3U);
}

TEST_P(Http, ATriggeredTaskGoesThroughAWorkersHands) {
    const auto path = std::string(kSchedules) + "/" + create(task("t"));
    const auto run = ask("POST", path + "/trigger", R"({"input": {"to": "a", "n": 2.9999999999999999999}})");
    EXPECT_EQ(at(run, "/status"), "\"queued\"");
    EXPECT_EQ(at(run, "/cause"), "\"trigger\"");
    EXPECT_EQ(at(ask("POST", path + "/trigger"), "/reason"), "\"overlap_in_flight\"");

    const std::string tasks = "/api/tenants/default/tasks";
    const auto claimed = ask("POST", tasks + "/claim", R"({"worker": "w1", "limit": 10, "leaseMs": 60000})");
    ASSERT_EQ(claimed.at("items").as_array().size(), 1U);
    EXPECT_EQ(at(claimed, "/items/0/runId"), at(run, "/id"));
    EXPECT_EQ(at(claimed, "/items/0/idempotencyKey"), at(run, "/idempotencyKey"));
    EXPECT_EQ(at(claimed, "/items/0/input/to"), "\"a\"");
    EXPECT_EQ(at(ask("POST", tasks + "/claim", R"({"worker": "w2"})"), "/items"), "[]");

    const auto lease = R"({"runId": )" + at(run, "/id") + R"(, "attempt": 1})";
    const auto lost = R"({"runId": )" + at(run, "/id") + R"(, "attempt": 7})";
    EXPECT_EQ(
        ask("POST", tasks + "/heartbeat", R"({"leases": [)" + lease + "," + lost + "]}").at("items").as_array().size(),
        1U);
    const auto run_path = "/api/tenants/default/runs/" + unquoted(at(run, "/id"));
    EXPECT_EQ(at(ask("GET", run_path), "/status"), "\"running\"");
    ask("POST", run_path + "/complete", R"({"status": "succeeded"})", 409);  // a worker holds it

    const auto done = ask("POST", tasks + "/complete",
                          R"({"items": [{"runId": )" + at(run, "/id") +
                              R"(, "attempt": 1, "status": "succeeded", "result": {"sent": 1}},
                                        {"runId": )" +
                              at(run, "/id") + R"(, "attempt": 7, "status": "succeeded"}]})");
    EXPECT_EQ(at(done, "/items/0/ok"), "true");
    EXPECT_EQ(at(done, "/items/1/ok"), "false");
    EXPECT_EQ(at(done, "/items/1/problem/status"), "409");
    const auto after = ask("GET", path);
    EXPECT_EQ(at(after, "/lastResult"), R"({"sent":1})");
    EXPECT_EQ(at(after, "/runCount"), "1");
    EXPECT_EQ(at(after, "/skippedTriggerCount"), "1");
    EXPECT_EQ(ask("GET", path + "/runs").at("items").as_array().size(), 2U);
    EXPECT_EQ(ask("GET", path + "/runs?state=succeeded").at("items").as_array().size(), 1U);
}

TEST_P(Http, ARunWaitsForApprovalAndCanBeCancelled) {
    const auto path = std::string(kSchedules) + "/" + create(task("a", R"(, "assignee": {"type": "team", "id": "t"})"));
    const auto first = ask("POST", path + "/trigger");
    EXPECT_EQ(at(first, "/approvalStatus"), "\"pending\"");
    const auto runs = std::string("/api/tenants/default/runs/");
    EXPECT_EQ(at(ask("POST", runs + unquoted(at(first, "/id")) + "/approve"), "/approvalStatus"), "\"approved\"");
    EXPECT_EQ(at(ask("POST", runs + unquoted(at(first, "/id")) + "/approve"), "/approvalStatus"), "\"approved\"")
        << "once is enough";
    ask("POST", runs + unquoted(at(first, "/id")) + "/reject", {}, 409);
    EXPECT_EQ(at(ask("POST", runs + unquoted(at(first, "/id")) + "/cancel", R"({"reason": "no"})"), "/status"),
              "\"cancelled\"");
    const auto second = ask("POST", path + "/trigger");
    EXPECT_EQ(at(ask("POST", runs + unquoted(at(second, "/id")) + "/reject", R"({"reason": "no"})"), "/status"),
              "\"cancelled\"");
    const auto third = ask("POST", path + "/trigger");
    ask("POST", runs + unquoted(at(third, "/id")) + "/approve");
    EXPECT_EQ(at(ask("POST", runs + unquoted(at(third, "/id")) + "/complete", R"({"status": "failed", "error": "e"})"),
                 "/error"),
              "\"e\"");
}

TEST_P(Http, ABackfillRunsToItsEndInTheBackground) {
    const auto path =
        std::string(kSchedules) + "/" +
        create(R"({"name": "b", "spec": {"cron": ["0 * * * *"]}, "target": {"type": "task", "taskKind": "t"}})");
    const auto range = R"({"from": ")" + past(24h) + R"(", "to": ")" + past(5h) + R"(", "overlapPolicy": "allow_all")";
    const auto dry = ask("POST", path + "/backfill", range + R"(, "dryRun": true})");
    EXPECT_EQ(dry.at("items").as_array().size(), 20U);
    EXPECT_EQ(at(dry, "/more"), "false");
    const auto started = client->request("POST", path + "/backfill", range + "}");
    ASSERT_EQ(started.status, 202) << started.body;
    const auto done = ask_until(std::string(started.header("Location")),
                                [](const Json& it) { return at(it, "/status") == "\"completed\""; });
    EXPECT_EQ(at(done, "/dispatched"), "20");
    EXPECT_EQ(at(done, "/nextFrom"), "null");
    EXPECT_EQ(at(ask("GET", path + "/backfills"), "/items/0/id"), at(done, "/id"));
    EXPECT_EQ(ask("GET", path + "/runs?limit=1000").at("items").as_array().size(), 20U);
    EXPECT_EQ(ask("GET", path + "/runs?from=" + past(6h)).at("items").as_array().size(), 2U);
    ask("POST", std::string(started.header("Location")) + "/cancel", {}, 409);
}

TEST_P(Http, AScheduleFiresByItself) {
    const auto path = std::string(kSchedules) + "/" +
                      create(R"({"name": "f", "spec": {"cron": ["* * * * * *"]}, "overlapPolicy": "allow_all", )"
                             R"("target": {"type": "task", "taskKind": "t"}})");
    ask_until(path, [](const Json& it) { return it.at("runCount").to_number<int>() >= 2; });
}

TEST_P(Http, TheHealthSaysWhoItIs) {
    const auto health = ask_until(
        "/health", [](const Json& it) { return at(it, "/status") == "\"ok\"" && at(it, "/leading") == "true"; });
    EXPECT_EQ(at(health, "/store/ok"), "true");
    EXPECT_EQ(at(health, "/servers"), "1");
    EXPECT_EQ(at(health, "/quarantined"), "[]");
    EXPECT_EQ(unquoted(at(health, "/server")), world.engine.status().server);
    EXPECT_NE(at(ask("GET", "/api/version"), "/version"), "absent");
}

TEST_P(Http, RefusalsSayWhatIsWrongAndWhere) {
    create(task("taken"));
    struct Row {
        std::string method;
        std::string path;
        std::string body;
        int status;
        std::string place;
    };
    const std::string one = std::string(kSchedules) + "/taken";
    const Row rows[] = {
        {"POST", kSchedules, task("taken"), 409, "\"/name\""},
        {"POST", kSchedules, R"({"name": "n"})", 422, "\"/target\""},
        {"POST", kSchedules, R"({"name": "n", "spec": {"cron": ["bad"]}, "target": {"workflowKind": "w"}})", 422,
         "\"/spec/cron/0\""},
        {"POST", kSchedules,
         R"({"name": "n", "scheduleType": {"type": "recurring", "cron": "bad"}, "target": {"workflowKind": "w"}})", 422,
         "\"/scheduleType/cron\""},
        {"POST", kSchedules,
         R"({"name": "n", "scheduleType": {"type": "once", "runAt": "2020-01-01T00:00:00Z"}, )"
         R"("target": {"workflowKind": "w"}})",
         422, "\"/scheduleType\""},
        {"POST", kSchedules,
         R"({"name": "n", "spec": {"cron": ["0 9 * * *"], "timezone": "Mars/X"}, "target": {"workflowKind": "w"}})",
         422, "\"/spec/timezone\""},
        {"POST", kSchedules, task("n", R"(, "calendars": ["nobody"])"), 422, "\"/calendars/0\""},
        {"POST", kSchedules, task("n", R"(, "preDispatchCondition": {"a": 1})"), 422, "\"/preDispatchCondition/a\""},
        {"POST", kSchedules, task("n", R"(, "enabled": 0)"), 422, "\"/enabled\""},
        {"POST", kSchedules, "{", 400, "absent"},
        {"GET", std::string(kSchedules) + "?limit=0", "", 422, "absent"},
        {"GET", std::string(kSchedules) + "?staus=paused", "", 422, "absent"},
        {"GET", std::string(kSchedules) + "?cursor=nonsense", "", 422, "absent"},
        {"GET", std::string(kSchedules) + "?cursor=00", "", 422, "absent"},
        {"GET", std::string(kSchedules) + "/nobody", "", 404, "absent"},
        {"GET", "/api/tenants/nobody/schedules", "", 404, "absent"},
        {"GET", "/api/tenants/default/runs/nobody", "", 404, "absent"},
        {"GET", "/api/tenants/default/backfills/nobody", "", 404, "absent"},
        {"GET", "/api/tenants/nobody/schedules/taken", "", 404, "absent"},
        {"POST", "/api/tenants/nobody/tasks/claim", R"({"worker": "w"})", 404, "absent"},
        {"POST", "/api/tenants/default/tasks/claim", R"({"queue": "q"})", 422, "\"/worker\""},
        {"POST", "/api/tenants/default/tasks/heartbeat", R"({"leases": [{"runId": "x"}]})", 422,
         "\"/leases/0/attempt\""},
        {"POST", one + "/pause", R"({"until": "tomorrow"})", 422, "\"/until\""},
        {"POST", one + "/pause", R"({"reson": "x"})", 422, "\"/reson\""},
        {"POST", one + "/backfill", R"({"from": "2026-01-01T00:00:00Z"})", 422, "\"/to\""},
        {"POST", one + "/trigger", R"({"overlapPolicy": "x"})", 422, "\"/overlapPolicy\""},
        {"PATCH", one, R"({"overlapPolicy": "x"})", 422, "\"/overlapPolicy\""},
        {"PATCH", one, R"({"target": null})", 422, "\"/target\""},
        {"PATCH", one + "/pause", "{}", 405, "absent"},
    };
    for (const auto& row : rows) {
        const auto answer = ask(row.method, row.path, row.body, row.status);
        EXPECT_EQ(at(answer, "/errors/0/pointer"), row.place) << row.path << ' ' << row.body << '\n' << to_text(answer);
        EXPECT_EQ(at(answer, "/status"), std::to_string(row.status));
    }
    EXPECT_EQ(at(ask("POST", kSchedules, R"({"name": "n"})", 422), "/errors/1/pointer"), "\"/spec\"")
        << "all that is missing is told at once";
    EXPECT_NE(
        at(ask("GET", "/api/tenants/defualt/schedules", {}, 404), "/detail").find("\\\"default\\\" always exists"),
        std::string::npos);
}

TEST_P(Http, ACalendarIsImportedAttachedAndKeptWhileItIsUsed) {
    const std::string calendars = "/api/tenants/default/calendars";
    const auto file =
        std::string(
            "BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Berlin\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20300101\r\n") +
        "RRULE:FREQ=YEARLY;COUNT=2\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    const auto imported =
        client->request("POST", calendars + "/plant/import", file, {{"Content-Type", "text/calendar"}});
    ASSERT_EQ(imported.status, 201) << imported.body;
    EXPECT_EQ(at(imported, "/calendar/dates"), R"(["2030-01-01","2031-01-01"])");
    EXPECT_EQ(at(ask("GET", calendars + "/plant"), "/timezone"), "\"Europe/Berlin\"");
    EXPECT_EQ(ask("GET", calendars).at("items").as_array().size(), 6U);

    const auto path = std::string(kSchedules) + "/" + create(task("works"));
    EXPECT_EQ(at(ask("POST", path + "/calendars/plant"), "/calendars"), R"(["plant"])");
    EXPECT_NE(at(ask("DELETE", calendars + "/plant", {}, 409), "/detail").find("works"), std::string::npos);
    EXPECT_EQ(at(ask("DELETE", path + "/calendars/plant"), "/calendars"), "[]");
    EXPECT_EQ(client->request("DELETE", calendars + "/plant").status, 204);
    const auto exported = client->request("GET", calendars + "/weekends-only/export.ics");
    EXPECT_EQ(exported.status, 200);
    EXPECT_TRUE(exported.body.starts_with("BEGIN:VCALENDAR\r\n"));
}

TEST_P(Http, ATenantIsMadeAndSwitchedOff) {
    const auto made = client->request("POST", "/api/tenants", R"({"name": "team", "runsPerDay": 5})");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(at(ask("GET", std::string(made.header("Location"))), "/runsPerDay"), "5");
    ask("POST", "/api/tenants", R"({"name": "team"})", 409);
    const auto off =
        client->request("PUT", "/api/tenants/team", R"({"dispatchEnabled": false})", {{"If-Match", "\"1\""}});
    EXPECT_EQ(off.status, 200) << off.body;
    EXPECT_EQ(client->request("PUT", "/api/tenants/team", "{}", {{"If-Match", "\"1\""}}).status, 409);
    ask("POST", "/api/tenants/team/schedules", task("t"), 201);
    EXPECT_EQ(at(ask("POST", "/api/tenants/team/schedules/t/trigger"), "/reason"), "\"dispatch_disabled\"");
}

TEST_P(Http, TheRunsOfAllSchedulesAreListedTogether) {
    for (const auto* name : {"a", "b"}) {
        create(task(name));
        ask("POST", std::string(kSchedules) + "/" + name + "/trigger");
    }
    std::set<std::string> names;
    const auto all = ask("GET", "/api/tenants/default/runs");
    for (const auto& run : all.at("items").as_array()) names.insert(at(run, "/scheduleName"));
    EXPECT_EQ(names, (std::set<std::string>{"\"a\"", "\"b\""}));
    EXPECT_EQ(ask("GET", "/api/tenants/default/runs?schedule=b&state=queued").at("items").as_array().size(), 1U);
    EXPECT_EQ(at(ask("GET", "/api/timezones/Europe%2FBerlin"), "/name"), "\"Europe/Berlin\"");
}

TEST_P(Http, APatchChangesPartsAndWhyTellsWhatHappened) {
    const auto path = std::string(kSchedules) + "/" + create(task("p"));
    const auto patched = client->request("PATCH", path, R"({"labels": {"a": "b"}, "maxRuns": 5})",
                                         {{"Content-Type", "application/merge-patch+json"}});
    ASSERT_EQ(patched.status, 200) << patched.body;
    EXPECT_EQ(at(patched, "/labels"), R"({"a":"b"})");
    EXPECT_EQ(at(patched, "/remainingActions"), "5");
    const auto tag = std::string(client->request("GET", path).header("ETag"));
    EXPECT_EQ(client->request("GET", path, {}, {{"If-None-Match", tag}}).status, 304);
    const auto run = ask("POST", path + "/trigger");
    EXPECT_EQ(client->request("GET", path, {}, {{"If-None-Match", tag}}).status, 200) << "its state has changed";
    EXPECT_EQ(client->request("DELETE", path, {}, {{"If-Match", tag}}).status, 422) << "nobody would look at it";
    const auto why = ask("GET", path + "/why?at=" + unquoted(at(run, "/scheduledAt")));
    EXPECT_EQ(at(why, "/verdict"), "\"dispatched\"") << to_text(why);
    EXPECT_EQ(at(why, "/run/id"), at(run, "/id"));
    EXPECT_EQ(at(why, "/events/0/payload/workflow_run_id"), at(run, "/id"));
    EXPECT_EQ(at(ask("GET", path + "/why?at=2028-02-29T00:00:00Z"), "/verdict"), "\"will_dispatch\"");
    EXPECT_EQ(at(ask("GET", path + "/why?at=2028-02-28T00:00:00Z"), "/verdict"), "\"not_an_occurrence\"");
    EXPECT_EQ(at(ask("GET", path + "/why?at=2020-02-29T00:00:00Z"), "/verdict"), "\"not_created\"");
}

TEST_P(Http, AStartWithoutAScheduleRunsOnce) {
    const std::string starts = "/api/tenants/default/task-executions";
    const std::vector<Header> key{{"Idempotency-Key", "k-1"}};
    const auto first = client->request("POST", starts, R"({"taskKind": "mail", "input": 7})", key);
    ASSERT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(at(first, "/status"), "\"queued\"");
    const auto again = client->request("POST", starts, R"({"taskKind": "mail", "input": 7})", key);
    EXPECT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(at(again, "/id"), at(first, "/id"));
    EXPECT_EQ(client->request("POST", starts, R"({"taskKind": "mail", "input": 8})", key).status, 422)
        << "the key was used for something else";
    const auto claimed = ask("POST", "/api/tenants/default/tasks/claim", R"({"worker": "w", "limit": 10})");
    ASSERT_EQ(claimed.at("items").as_array().size(), 1U);
    EXPECT_EQ(at(claimed, "/items/0/input"), "7");
    EXPECT_EQ(at(ask("GET", kSchedules), "/items"), "[]");
    EXPECT_EQ(at(ask("GET", std::string(first.header("Location"))), "/status"), "\"running\"");
}

TEST_P(Http, ListsAreFilteredAndSorted) {
    create(task("beta"));
    create(R"({"name": "alpha", "spec": {"cron": ["0 0 1 1 *"]}, "target": {"workflowKind": "w"}})");
    const auto names = [this](const std::string& query) {
        std::string all;
        const auto list = ask("GET", std::string(kSchedules) + query);
        for (const auto& item : list.at("items").as_array()) all += unquoted(at(item, "/name")) + " ";
        return all;
    };
    EXPECT_EQ(names(""), "alpha beta ");
    EXPECT_EQ(names("?sort=-name"), "beta alpha ");
    EXPECT_EQ(names("?target=task"), "beta ");
    EXPECT_EQ(names("?targetKind=w"), "alpha ");
    EXPECT_EQ(names("?q=ET"), "beta ");
    ask("GET", std::string(kSchedules) + "?sort=nextRunAt&q=a", {}, 422);
}

INSTANTIATE_TEST_SUITE_P(Stores, Http, ::testing::Values("sqlite", "postgres"),
                         [](const auto& each) { return each.param; });

}  // namespace belfry::api::http_test
