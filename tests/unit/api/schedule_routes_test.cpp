// Creating, replacing and patching schedules through the API.
#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api::schedule_routes_test {

namespace {

using test::ApiWorld;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
constexpr const char* kOne = "/api/tenants/default/schedules/n";
constexpr const char* kDaily =
    R"({"name": "n", "spec": {"cron": ["0 9 * * *"], "timezone": "Europe/Berlin"}, "target": {"workflowKind": "w", )"
    R"("input": {"a": 1}}})";

std::vector<std::string> pointers(const Response& response) {
    std::vector<std::string> all;
    const auto body = json(response.body);
    for (const auto& error : body.at("errors").as_array()) all.push_back(at(error, "/pointer"));
    return all;
}

using Pointers = std::vector<std::string>;

}  // namespace

TEST(ScheduleRoutes, AllThatIsMissingIsToldAtOnce) {
    const ApiWorld world;
    const auto answer = world.call("POST", kSchedules, R"({"name": "n"})");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(pointers(answer), (Pointers{R"("/target")", R"("/spec")"}));
}

TEST(ScheduleRoutes, AllThatMeansNothingIsToldAtOnce) {
    const ApiWorld world;
    const auto answer =
        world.call("POST", kSchedules, R"({"name": "n", "target": {"workflowKind": "w"}, "labels": {"": "x"},
        "spec": {"cron": ["bad", "0 9 * * *", "worse"], "intervals": [{"every": "x"}], "at": ["never"],
            "timezone": "Mars/X",
                 "startAt": "soon", "endAt": "late", "jitter": {"before": "b", "after": "a"}},
        "calendars": ["weekends-only", "nobody", "noone"],
        "preDispatchCondition": {"/a": {"is": 1}, "/b": {"eq": 1}, "/c": 3}})");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(pointers(answer),
              (Pointers{R"("/labels/")", R"("/spec/timezone")", R"("/spec/cron/0")", R"("/spec/cron/2")",
                        R"("/spec/intervals/0/every")", R"("/spec/at/0")", R"("/spec/startAt")", R"("/spec/endAt")",
                        R"("/spec/jitter/before")", R"("/spec/jitter/after")", R"("/calendars/1")", R"("/calendars/2")",
                        R"("/preDispatchCondition/~1a")", R"("/preDispatchCondition/~1c")"}));
}

TEST(ScheduleRoutes, ATaskThatTheServerCouldNeverDoIsRefusedWithItsPlace) {
    const ApiWorld world;
    const auto answer = world.call("POST", kSchedules, R"({"name": "n", "spec": {"cron": ["0 9 * * *"]},
        "target": {"taskKind": "http", "input": {"method": "POST", "url": "file:///etc/passwd",
            "headers": {"Host": "a"}}},
        "inputsRotation": [{"method": "GET", "url": "https://example.com/"}, {"method": "GET"}]})");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(pointers(answer),
              (Pointers{R"("/inputsRotation/1/url")", R"("/target/input/url")", R"("/target/input/headers/Host")"}));
    EXPECT_EQ(pointers(world.call("POST", kSchedules,
                                  R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "command", )"
                                  R"("input": {"command": "rm -rf"}}})")),
              Pointers{R"("/target/input/command")"});
    EXPECT_EQ(pointers(world.call("POST", "/api/tenants/default/task-executions",
                                  R"({"taskKind": "http", "input": {"method": "GET"}})")),
              Pointers{R"("/input/url")"})
        << "also where the schedule is not seen";
    const auto good = world.call("POST", kSchedules, R"({"name": "n", "spec": {"cron": ["0 9 * * *"]},
        "target": {"taskKind": "http", "input": {"method": "POST", "url": "https://example.com/${run.id}"}}})");
    EXPECT_EQ(good.status, 201) << good.body;
    EXPECT_EQ(pointers(world.call("PATCH", kOne, R"({"target": {"input": {"url": null}}})")),
              Pointers{R"("/target/input/url")"});
}

TEST(ScheduleRoutes, ErrorsOfTheShortFormPointIntoIt) {
    const ApiWorld world;
    const auto answer = world.call("POST", kSchedules, R"({"name": "n", "target": {"workflowKind": "w"},
        "scheduleType": {"type": "recurring", "cron": "bad", "timezone": "Mars/X", "endAt": "late"},
        "calendars": ["nobody"]})");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(pointers(answer), (Pointers{R"("/scheduleType/timezone")", R"("/scheduleType/cron")",
                                          R"("/scheduleType/endAt")", R"("/calendars/0")"}));
    const auto mixed = world.call("POST", kSchedules, R"({"name": "n", "target": {"workflowKind": "w"},
        "scheduleType": {"type": "once", "cron": "0 9 * * *", "endAt": "2027-01-01T00:00:00Z"}})");
    EXPECT_EQ(pointers(mixed),
              (Pointers{R"("/scheduleType/runAt")", R"("/scheduleType/cron")", R"("/scheduleType/endAt")"}));
}

TEST(ScheduleRoutes, APatchChangesWhatItSaysAndNothingElse) {
    const ApiWorld world;
    const auto before = world.post(kSchedules, kDaily, 201);
    const auto answer = world.call(
        "PATCH", kOne, R"({"description": "new", "target": {"input": {"b": 2}}, "overlapPolicy": "buffer_one"})",
        {{"Content-Type", "application/merge-patch+json"}, {"If-Match", "W/\"1\""}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.header("ETag"), "\"2.2\"");
    EXPECT_EQ(at(answer, "/description"), "\"new\"");
    EXPECT_EQ(at(answer, "/overlapPolicy"), "\"buffer_one\"");
    EXPECT_EQ(at(answer, "/target/input"), R"({"a":1,"b":2})");
    EXPECT_EQ(at(answer, "/target/workflowKind"), "\"w\"");
    EXPECT_EQ(at(answer, "/spec"), at(before, "/spec"));
    EXPECT_EQ(at(answer, "/nextRunAt"), at(before, "/nextRunAt"));
    EXPECT_EQ(world.call("PATCH", kOne, R"({"notes": "x"})", {{"If-Match", "\"1\""}}).status, 409);
}

TEST(ScheduleRoutes, NullInAPatchGivesAMemberItsDefaultAgain) {
    const ApiWorld world;
    EXPECT_EQ(
        at(world.post(kSchedules, R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"},
        "maxRuns": 3, "overlapPolicy": "allow_all", "retryPolicy": {"maxRetries": 5, "backoffMs": 7},
        "breaker": {"maxConsecutiveFailures": 2}})",
                      201),
           "/maxRuns"),
        "3");
    const auto answer =
        world.call("PATCH", kOne,
                   R"({"maxRuns": null, "overlapPolicy": null, "retryPolicy": {"backoffMs": null}, "breaker": null})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(at(answer, "/maxRuns"), "null");
    EXPECT_EQ(at(answer, "/overlapPolicy"), "\"skip\"");
    EXPECT_EQ(at(answer, "/retryPolicy/maxRetries"), "5");
    EXPECT_EQ(at(answer, "/retryPolicy/backoffMs"), "1000");
    EXPECT_EQ(at(answer, "/breaker"), "null");
}

TEST(ScheduleRoutes, APatchOfTheSpecKeepsTheZoneAndMovesTheNextTime) {
    const ApiWorld world;
    const auto before = world.post(kSchedules, kDaily, 201);
    const auto spec = world.call("PATCH", kOne, R"({"spec": {"cron": ["30 11 * * *"]}})");
    ASSERT_EQ(spec.status, 200) << spec.body;
    EXPECT_EQ(at(spec, "/spec/timezone"), "\"Europe/Berlin\"");
    EXPECT_NE(at(spec, "/nextRunAt"), at(before, "/nextRunAt"));
    EXPECT_NE(at(spec, "/nextRunAtLocal").find("T11:30:00"), std::string::npos);
    const auto type = world.call("PATCH", kOne, R"({"scheduleType": {"type": "recurring", "cron": "0 5 * * *"}})");
    ASSERT_EQ(type.status, 200) << type.body;
    EXPECT_EQ(at(type, "/spec/cron"), R"(["0 5 * * *"])");
    EXPECT_EQ(at(type, "/spec/timezone"), "\"Europe/Berlin\"");
    const auto once =
        world.call("PATCH", kOne, R"({"scheduleType": {"type": "once", "runAt": "2199-01-01T00:00:00Z"}})");
    ASSERT_EQ(once.status, 200) << once.body;
    EXPECT_EQ(at(once, "/spec/cron"), "[]");
    EXPECT_EQ(at(once, "/spec/at"), R"(["2199-01-01T00:00:00Z"])");
}

TEST(ScheduleRoutes, APatchMayTurnAWorkflowIntoATaskAndSetAnAssignee) {
    const ApiWorld world;
    EXPECT_EQ(at(world.post(kSchedules, kDaily, 201), "/approvalPolicy/requiresApproval"), "false");
    const auto answer =
        world.call("PATCH", kOne, R"({"target": {"taskKind": "t"}, "assignee": {"type": "team", "id": "a"}})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(at(answer, "/target/type"), "\"task\"");
    EXPECT_EQ(at(answer, "/target/input"), R"({"a":1})");
    EXPECT_EQ(at(answer, "/approvalPolicy/requiresApproval"), "true") << "as for a new schedule with an assignee";
    EXPECT_EQ(at(answer, "/retryPolicy/maxRetries"), "1");
    const auto trusted = world.call("PATCH", kOne, R"({"approvalPolicy": {"requiresApproval": false}})");
    EXPECT_EQ(at(trusted, "/approvalPolicy/requiresApproval"), "false");
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"notes": "x"})"), "/approvalPolicy/requiresApproval"), "false")
        << "what was decided stays";
}

TEST(ScheduleRoutes, ARefusedPatchTellsAllThatIsWrong) {
    const ApiWorld world;
    EXPECT_EQ(at(world.post(kSchedules, kDaily, 201), "/version"), "1");
    const auto answer =
        world.call("PATCH", kOne, R"({"spec": {"cron": ["bad"], "timezone": "Mars/X"}, "calendars": ["nobody"]})");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(pointers(answer), (Pointers{R"("/spec/timezone")", R"("/spec/cron/0")", R"("/calendars/0")"}));
    EXPECT_EQ(pointers(world.call("PATCH", kOne, R"({"signal": {"timeoutMs": 3}})")), Pointers{R"("/signal/url")"});
    EXPECT_EQ(pointers(world.call("PATCH", kOne, R"({"enabled": "off"})")), Pointers{R"("/enabled")"});
    EXPECT_EQ(pointers(world.call("PATCH", kOne, R"({"spec": null, "scheduleType": null})")), Pointers{R"("/spec")"});
    EXPECT_EQ(at(world.get(kOne), "/version"), "1");
}

TEST(ScheduleRoutes, WhoeverPrefersLittleGetsLittle) {
    const ApiWorld world;
    const std::vector<Header> minimal{{"Prefer", "respond-async, return=minimal"}};
    const auto created = world.call("POST", kSchedules, kDaily, minimal);
    EXPECT_EQ(created.status, 201);
    EXPECT_EQ(created.body, "");
    EXPECT_EQ(created.header("Preference-Applied"), "return=minimal");
    EXPECT_NE(created.header("Location"), "");
    const auto patched = world.call("PATCH", kOne, R"({"notes": "x"})", minimal);
    EXPECT_EQ(patched.status, 204);
    EXPECT_EQ(patched.body, "");
    EXPECT_EQ(patched.header("ETag"), "\"2.2\"");
    EXPECT_EQ(world.call("PATCH", kOne, R"({"overlapPolicy": "x"})", minimal).status, 422) << "errors are always told";
    EXPECT_NE(world.call("GET", kOne, {}, minimal).body, "");
}

TEST(ScheduleRoutes, WhoeverHasItAlreadyIsNotSentItAgain) {
    const ApiWorld world;
    EXPECT_EQ(at(world.post(kSchedules, kDaily, 201), "/version"), "1");
    for (const auto* tag : {"\"1.1\"", "W/\"1.1\"", "*", "\"7\", W/\"1.1\""}) {
        const auto same = world.call("GET", kOne, {}, {{"If-None-Match", tag}});
        EXPECT_EQ(same.status, 304) << tag;
        EXPECT_EQ(same.body, "");
        EXPECT_EQ(same.header("ETag"), "\"1.1\"");
    }
    EXPECT_EQ(world.call("GET", kOne, {}, {{"If-None-Match", "\"2\""}}).status, 200);
    (void)world.post(std::string(kOne) + "/pause", "");
    EXPECT_EQ(world.call("GET", kOne, {}, {{"If-None-Match", "\"1.1\""}}).status, 200) << "its state has changed";
}

TEST(ScheduleRoutes, ASignalThatMayTakeLongerThanADecisionWaitsIsRefused) {
    const ApiWorld world;
    const auto with = [](int milliseconds) {
        return R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}, )"
               R"("signal": {"url": "http://a.example/", "timeoutMs": )" +
               std::to_string(milliseconds) + "}}";
    };
    const auto refused = world.post(kSchedules, with(30'001), 422);
    EXPECT_EQ(at(refused, "/errors/0"),
              R"({"pointer":"/signal/timeoutMs","detail":"must be a whole number from 0 to 30000"})");
    EXPECT_EQ(at(world.post(kSchedules, with(30'000), 201), "/signal/timeoutMs"), "30000");
    EXPECT_EQ(at(world.get("/api/openapi.json"), "/components/schemas/Signal/properties/timeoutMs/maximum"), "30000");
}

TEST(ScheduleRoutes, TooManyTimesGetOneMessageHoweverManyTheyAre) {
    const ApiWorld world;
    const auto with = [](const std::string& member, const std::string& element, int count) {
        std::string elements;
        for (int i = 0; i < count; ++i) elements += (i == 0 ? "" : ",") + element;
        return R"({"name": "n", "target": {"taskKind": "t"}, "spec": {")" + member + "\": [" + elements + "]}}";
    };
    struct Row {
        std::string member;
        std::string element;
        int most;
    };
    for (const auto& [member, element, most] : {Row{"cron", "\"@daily\"", 100},
                                                {"intervals", R"({"every": "PT1H"})", 100},
                                                {"at", "\"2199-01-01T00:00:00Z\"", 1000}}) {
        for (const int count : {most + 1, 1'001, 1'200}) {
            const auto refused = world.post(kSchedules, with(member, element, count), 422);
            EXPECT_EQ(at(refused, "/errors/0/detail"),
                      "\"has " + std::to_string(count) + " elements; send at most " + std::to_string(most) + "\"");
            EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/spec/" + member + "\"");
        }
        EXPECT_EQ(at(world.get("/api/openapi.json"), "/components/schemas/Spec/properties/" + member + "/maxItems"),
                  std::to_string(most));
    }
}

TEST(ScheduleRoutes, ANulInAQueryIsCalledByItsName) {
    const ApiWorld world;
    const auto refused = world.call("GET", std::string(kSchedules) + "?fields=%00");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(at(refused, "/errors"),
              R"([{"parameter":"fields","detail":"\"%00\" contains the character U+0000; remove it"}])");
    EXPECT_NE(world.call("GET", std::string(kSchedules) + "?fields=%FF").body.find("is not UTF-8"), std::string::npos);
}

TEST(ScheduleRoutes, AnEmptyWindowOfAPreviewNamesBothOfItsEnds) {
    const ApiWorld world;
    (void)world.post(kSchedules, R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}})", 201);
    const auto path = std::string(kSchedules) + "/n/preview";
    const auto both = world.get(path + "?from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z", 422);
    const std::string detail =
        "to (2027-01-01T00:00:00Z) is before from (2027-01-02T00:00:00Z): send a later to, or an earlier from";
    EXPECT_EQ(at(both, "/errors"),
              R"([{"parameter":"to","detail":")" + detail + R"("},{"parameter":"from","detail":")" + detail + "\"}]");
    const auto past = world.get(path + "?to=2020-01-01T00:00:00Z", 422);
    EXPECT_NE(at(past, "/detail").find("to (2020-01-01T00:00:00Z) is before now ("), std::string::npos)
        << at(past, "/detail");
    EXPECT_NE(at(past, "/detail").find("where a window without from begins: send a later to, or a from before it"),
              std::string::npos);
    EXPECT_EQ(at(past, "/errors/0/parameter"), "\"to\"");
    const auto draft = world.post(std::string(kSchedules) + "/preview",
                                  R"({"schedule": {"spec": {"cron": ["0 9 * * *"]}}, "from": "2027-01-02T00:00:00Z", )"
                                  R"("to": "2027-01-01T00:00:00Z"})",
                                  422);
    EXPECT_EQ(at(draft, "/errors"),
              R"([{"pointer":"/to","detail":")" + detail + R"("},{"pointer":"/from","detail":")" + detail + "\"}]");
}

TEST(ScheduleRoutes, AllMembersOfADefinitionTogetherHaveALimit) {
    const ApiWorld world;
    const auto with = [](const std::string& members) {
        return R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}, )" + members + "}";
    };
    const std::string memo = R"("memo": {"a": ")" + std::string(200'000, 'x') + "\"}";
    const auto refused = world.call(
        "POST", kSchedules, with(memo + R"(, "searchAttributes": {"b": ")" + std::string(100'000, 'x') + "\"}"));
    EXPECT_EQ(refused.status, 422);
    EXPECT_NE(refused.body.find("bytes; use at most 262144: shorten memo.a, which has 200002 of them, or let the "
                                "operator raise definition_max"),
              std::string::npos)
        << refused.body;
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/memo/a\"");
    EXPECT_EQ(at(refused, "/errors/1"), "absent");
    const auto draft =
        world.call("POST", std::string(kSchedules) + "/preview",
                   R"({"schedule": )" + with(R"("memo": {"a": ")" + std::string(300'000, 'x') + "\"}") + "}");
    EXPECT_EQ(draft.status, 422) << "a draft, too";
    EXPECT_EQ(at(draft, "/errors/0/pointer"), "\"/schedule/memo/a\"");
    const std::string part = "\"" + std::string(100'000, 'x') + "\"";
    const auto rotation =
        world.call("POST", kSchedules, with("\"inputsRotation\": [" + part + ", " + part + ", " + part + "]"));
    EXPECT_EQ(at(rotation, "/errors/0/pointer"), "\"/inputsRotation\"") << rotation.body;
    std::string metadata;
    for (int i = 0; i < 40; ++i)
        metadata += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": \"" + std::string(9'000, 'x') + "\"";
    const auto start = world.call("POST", "/api/tenants/default/task-executions",
                                  R"({"taskKind": "t", "metadata": {)" + metadata + "}}");
    EXPECT_EQ(start.status, 422) << start.body;
    EXPECT_EQ(at(start, "/errors/0/pointer"), "\"/metadata\"") << start.body;
    EXPECT_EQ(world.call("POST", kSchedules, with(memo)).status, 201);
    EXPECT_EQ(world.call("PATCH", kOne, R"({"searchAttributes": {"b": ")" + std::string(100'000, 'x') + "\"}}").status,
              422);
}

TEST(ScheduleRoutes, AnOlderDefinitionThatIsTooLargeIsReadAndCanOnlyShrink) {
    ApiWorld world;
    model::Schedule old;
    old.tenant = "default";
    old.name = "n";
    old.spec.cron = {"0 9 * * *"};
    old.target = {.type = model::TargetType::task, .kind = "t"};
    old.memo = Json{{"a", std::string(300'000, 'x')}};
    ASSERT_TRUE(world.engine.schedules().create(old, {}));
    EXPECT_EQ(world.call("GET", kOne).status, 200);
    EXPECT_EQ(world.call("POST", std::string(kOne) + "/pause").status, 200);
    EXPECT_EQ(world.call("PATCH", kOne, R"({"notes": "x"})").status, 422);
    EXPECT_EQ(world.call("PATCH", kOne, R"({"memo": {"a": null}})").status, 200);
}

TEST(ScheduleRoutes, TheInputOfATriggerHasTheLimitOfAnInput) {
    const ApiWorld world;
    (void)world.post(kSchedules, kDaily, 201);
    const auto refused =
        world.call("POST", std::string(kOne) + "/trigger", R"({"input": ")" + std::string(300'000, 'x') + "\"}");
    EXPECT_EQ(pointers(refused), (Pointers{R"("/input")"}));
}

TEST(ScheduleRoutes, FieldsLeavesTheOtherMembersOut) {
    const ApiWorld world;
    (void)world.post(kSchedules, kDaily, 201);
    EXPECT_EQ(at(world.get(std::string(kSchedules) + "?fields=name,version"), "/items"),
              R"([{"name":"n","version":1}])");
    EXPECT_EQ(to_text(world.get(std::string(kOne) + "?fields=version")), R"({"version":1})");
    EXPECT_EQ(at(world.get(std::string(kOne) + "/history?fields=type"), "/items/0"), R"({"type":"ScheduleCreated"})");
    EXPECT_EQ(at(world.get(std::string(kSchedules) + "?sort=nextRunAt&fields=name", 503), "/status"), "503")
        << "the timer does not run here";
    const auto refused = world.get(std::string(kSchedules) + "?fields=name,verson", 422);
    EXPECT_EQ(at(refused, "/errors/0/parameter"), "\"fields\"");
    EXPECT_NE(to_text(refused).find("did you mean version?"), std::string::npos) << to_text(refused);
}

TEST(ScheduleRoutes, APageEndsWithTheScheduleThatFillsIt) {
    const ApiWorld world;
    const std::string memo(250'000, 'x');
    for (int i = 0; i < 20; ++i) {
        (void)world.post(kSchedules,
                         R"({"name": "n)" + std::to_string(100 + i) +
                             R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}, "memo": {"a": ")" +
                             memo + "\"}}",
                         201);
    }
    std::string cursor;
    std::vector<std::size_t> sizes;
    do {
        const auto answer =
            world.call("GET", std::string(kSchedules) + "?limit=1000" + (cursor.empty() ? "" : "&cursor=" + cursor));
        ASSERT_EQ(answer.status, 200);
        EXPECT_LT(answer.body.size(), std::size_t{5} << 20U);
        const auto page = parse_json(answer.body, {.bytes_max = std::size_t{8} << 20U}).value();
        sizes.push_back(page.at("items").as_array().size());
        const auto& next = page.at("nextCursor");
        cursor = next.is_null() ? std::string() : std::string(next.as_string());
    } while (!cursor.empty());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{17, 3}));
}

}  // namespace belfry::api::schedule_routes_test
