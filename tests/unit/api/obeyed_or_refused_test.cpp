// What a client says is obeyed or refused with the member and the fix; nothing is taken and then ignored.
#include <gtest/gtest.h>

#include "support/fakes/fake_http.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::obeyed_or_refused_test {

namespace {

using test::ApiWorld;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
constexpr const char* kOne = "/api/tenants/default/schedules/n";
constexpr const char* kWorkflow = "/api/tenants/default/workflows/etl";
constexpr const char* kWebhooks = "/api/tenants/default/webhooks";

std::string daily(const std::string& more = {}) {
    return R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"})" + more + "}";
}

std::string with_target(const std::string& target) {
    return R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": )" + target + "}";
}

// "POINTER message" of the first error.
std::string first_error(const Response& response) {
    EXPECT_EQ(response.status, 422) << response.body;
    return at(response, "/errors/0/pointer") + " " + at(response, "/errors/0/detail");
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> words) {
    return std::ranges::all_of(words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string status_of(const ApiWorld& world, const std::string& path = kOne) { return at(world.get(path), "/status"); }

struct Outside {
    test::FakeHttp http;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    [[nodiscard]] engine::EngineOptions options() {
        engine::EngineOptions options;
        options.http = &http;
        options.sealer = &sealer;
        return options;
    }
};

}  // namespace

TEST(ObeyedOrRefused, APatchOfTheStatusPausesAndResumes) {
    const ApiWorld world;
    (void)world.post(kSchedules, daily(), 201);
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"status": "paused"})"), "/status"), R"("paused")");
    EXPECT_EQ(status_of(world), R"("paused")");
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"status": "paused"})"), "/version"), "1") << "once more changes nothing";
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"status": "active"})"), "/status"), R"("active")");
    EXPECT_NE(at(world.get(kOne), "/nextRunAt"), "null");
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"enabled": false})"), "/status"), R"("paused")")
        << "the same in another word";
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"enabled": true})"), "/status"), R"("active")");
    const auto types = at(world.get(std::string(kOne) + "/history"), "/items");
    EXPECT_TRUE(mentions(types, {"SchedulePaused", "ScheduleResumed"})) << types;
}

TEST(ObeyedOrRefused, APatchMayChangeTheDefinitionAndTheStatusAtOnce) {
    const ApiWorld world;
    (void)world.post(kSchedules, daily(), 201);
    const auto both = world.call("PATCH", kOne, R"({"notes": "over the holidays", "status": "paused"})");
    EXPECT_EQ(at(both, "/status") + at(both, "/notes") + at(both, "/version"), R"("paused""over the holidays"2)")
        << both.body;
    EXPECT_EQ(world.call("PATCH", kOne, R"({"spec": {"cron": ["bad"]}, "status": "active"})").status, 422);
    EXPECT_EQ(status_of(world), R"("paused")") << "what is refused is refused as a whole";
    EXPECT_EQ(world.call("PATCH", kOne, R"({"status": "active"})", {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(status_of(world), R"("paused")");
}

TEST(ObeyedOrRefused, AReplacementOfAnotherStatusIsRefusedWithWhatToSend) {
    const ApiWorld world;
    const auto before = world.post(kSchedules, daily(), 201);
    EXPECT_EQ(world.call("PUT", kOne, to_text(before)).status, 200) << "an answer can be sent back as it is";
    (void)world.call("PATCH", kOne, R"({"status": "paused"})");
    const auto stale = first_error(world.call("PUT", kOne, to_text(before)));
    EXPECT_TRUE(mentions(stale, {R"("/status")", "paused", "PATCH"}))
        << "it would end a pause that nobody wants to end: " << stale;
    const auto enabled = first_error(world.call("PUT", kOne, daily(R"(, "enabled": true)")));
    EXPECT_TRUE(mentions(enabled, {R"("/enabled")", "PATCH"})) << enabled;
    EXPECT_EQ(at(world.call("PUT", kOne, daily()), "/status"), R"("paused")") << "without a word it stays";
    EXPECT_EQ(world.call("PUT", kOne, to_text(world.get(kOne))).status, 200);
}

TEST(ObeyedOrRefused, AScheduleMayBeCreatedPaused) {
    const ApiWorld world;
    EXPECT_EQ(at(world.post(kSchedules, daily(R"(, "status": "paused")"), 201), "/status"), R"("paused")");
    const auto other = world.post(
        kSchedules, R"({"name": "o", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}, "enabled": false})",
        201);
    EXPECT_EQ(at(other, "/status") + at(other, "/nextRunAt"), R"("paused"null)");
}

TEST(ObeyedOrRefused, AStatusThatNobodyCanGiveIsRefusedWithWhatToCall) {
    const ApiWorld world;
    (void)world.post(kSchedules, daily(), 201);
    const auto deleted = first_error(world.call("PATCH", kOne, R"({"status": "deleted"})"));
    EXPECT_TRUE(mentions(deleted, {R"("/status")", "DELETE"})) << deleted;
    const auto completed = first_error(world.call("PATCH", kOne, R"({"status": "completed"})"));
    EXPECT_TRUE(mentions(completed, {R"("/status")", "active", "paused"})) << completed;
    const auto odd = first_error(world.call("PATCH", kOne, R"({"status": "off"})"));
    EXPECT_TRUE(mentions(odd, {R"("/status")", "paused"})) << odd;
    const auto both = first_error(world.call("PATCH", kOne, R"({"status": "active", "enabled": false})"));
    EXPECT_TRUE(mentions(both, {R"("/enabled")", "status"})) << both;
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"enabled": "no"})"), "/errors/0/pointer"), R"("/enabled")");
    EXPECT_EQ(status_of(world), R"("active")");
}

TEST(ObeyedOrRefused, ATriggerThatIsNotEnabledMakesAPausedSchedule) {
    const ApiWorld world;
    const auto deploy = [&](const std::string& more) {
        const auto answer = world.call(
            "PUT", kWorkflow,
            R"({"nodes": [{"id": "a"}], "triggers": [{"type": "schedule_based", "cron": "0 9 * * *")" + more + "}]}");
        EXPECT_LT(answer.status, 300) << answer.body;
    };
    const std::string one = "/api/tenants/default/schedules/etl";
    deploy(R"(, "enabled": false)");
    EXPECT_EQ(status_of(world, one), R"("paused")");
    deploy(R"(, "enabled": false)");
    EXPECT_EQ(status_of(world, one), R"("paused")");
    deploy("");
    EXPECT_EQ(status_of(world, one), R"("active")") << "the workflow paused it, and no longer asks for that";
    deploy(R"(, "enabled": false, "description": "edited")");
    EXPECT_EQ(status_of(world, one), R"("paused")") << "an edit pauses it as well";
    deploy(R"(, "enabled": true)");
    EXPECT_EQ(status_of(world, one), R"("active")");
}

TEST(ObeyedOrRefused, ADeploymentLeavesAScheduleAsItsOperatorPausedIt) {
    const ApiWorld world;
    const std::string workflow =
        R"({"nodes": [{"id": "a"}], "triggers": [{"type": "schedule_based", "cron": "0 9 * * *"}]})";
    EXPECT_EQ(world.call("PUT", kWorkflow, workflow).status, 201);
    const std::string one = "/api/tenants/default/schedules/etl";
    (void)world.post(one + "/pause", R"({"reason": "an incident"})");
    EXPECT_EQ(world.call("PUT", kWorkflow, workflow).status, 200);
    EXPECT_EQ(at(world.get(one), "/status") + at(world.get(one), "/pauseReason"), R"("paused""an incident")");
}

TEST(ObeyedOrRefused, AnEventThatNeverHappensIsRefusedWithTheNearestOne) {
    Outside outside;
    const ApiWorld world("memory", outside.options());
    const auto refused = [&](const std::string& event) {
        return first_error(world.call(
            "POST", kWebhooks, R"({"url": "https://example.com/hook", "events": ["run.*", ")" + event + R"("]})"));
    };
    EXPECT_TRUE(mentions(refused("run.faild"), {R"("/events/1")", "run.failed"})) << refused("run.faild");
    EXPECT_TRUE(mentions(refused("runs.*"), {R"("/events/1")", "run.*"})) << refused("runs.*");
    EXPECT_TRUE(mentions(refused("schedule.started"), {R"("/events/1")", "schedule."})) << refused("schedule.started");
    for (const auto* const event : {"run.dispatched", "run.timed_out", "run.retrying", "schedule.deleted",
                                    "approval.requested", "approval.*", "schedule.*"}) {
        EXPECT_EQ(world
                      .call("POST", kWebhooks,
                            R"({"url": "https://example.com/hook", "events": [")" + std::string(event) + R"("]})")
                      .status,
                  201)
            << event;
    }
    const auto stream = world.call("GET", "/api/tenants/default/events?types=run.faild");
    EXPECT_EQ(stream.status, 422);
    EXPECT_TRUE(mentions(stream.body, {R"("parameter":"types")", "run.failed"})) << stream.body;
}

TEST(ObeyedOrRefused, ACommandThatNobodyRegisteredIsRefusedWithTheNearestOne) {
    engine::EngineOptions options;
    options.commands["backup"] = {.name = "backup", .argv = {"/bin/true"}};
    options.commands["theirs"] = {.name = "theirs", .argv = {"/bin/true"}, .tenants = {"acme"}};
    const ApiWorld world("memory", std::move(options));
    const auto wrong = first_error(
        world.call("POST", kSchedules, with_target(R"({"taskKind": "command", "input": {"command": "bakcup"}})")));
    EXPECT_TRUE(mentions(wrong, {R"("/target/input/command")", "backup"})) << wrong;
    const auto theirs = first_error(
        world.call("POST", kSchedules, with_target(R"({"taskKind": "command", "input": {"command": "theirs"}})")));
    EXPECT_TRUE(mentions(theirs, {R"("/target/input/command")"})) << theirs;
    const auto node = first_error(
        world.call("PUT", kWorkflow, R"({"nodes": [{"id": "a", "kind": "command", "input": {"command": "bakcup"}}]})"));
    EXPECT_TRUE(mentions(node, {R"("/nodes/0/input/command")", "backup"})) << node;
    EXPECT_EQ(world.call("POST", kSchedules, with_target(R"({"taskKind": "command", "input": {"command": "backup"}})"))
                  .status,
              201);
    EXPECT_EQ(
        world.call("PUT", kWorkflow, R"({"nodes": [{"id": "a", "kind": "command", "input": {"command": "backup"}}]})")
            .status,
        201);
}

TEST(ObeyedOrRefused, ATargetWithoutAKindIsToldOfBoth) {
    const ApiWorld world;
    const auto empty = first_error(world.call("POST", kSchedules, with_target("{}")));
    EXPECT_TRUE(mentions(empty, {"/target", "workflowKind", "taskKind"})) << empty;
    const auto input = first_error(world.call("POST", kSchedules, with_target(R"({"input": {"a": 1}})")));
    EXPECT_TRUE(mentions(input, {"/target", "workflowKind", "taskKind"})) << input;
    const auto task = first_error(world.call("POST", kSchedules, with_target(R"({"type": "task"})")));
    EXPECT_TRUE(mentions(task, {R"("/target/taskKind")"})) << task;
}

TEST(ObeyedOrRefused, ATargetMayBeAnHttpCallOfItsOwn) {
    const ApiWorld world;
    const auto made = world.call(
        "POST", kSchedules, with_target(R"({"type": "http", "method": "POST", "url": "https://example.com/${run.id}",
        "headers": {"X-Team": "billing"}, "body": {"a": 1}, "expectedStatus": [202], "timeoutMs": 5000})"));
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(at(made, "/target/type") + at(made, "/target/taskKind"), R"("task""http")");
    EXPECT_EQ(at(made, "/target/input"),
              R"({"method":"POST","url":"https://example.com/${run.id}","headers":{"X-Team":"billing"},"body":{"a":1},)"
              R"("expectedStatus":[202],"timeoutMs":5000})");
    EXPECT_EQ(world.call("PUT", kOne, made.body).status, 200) << "an answer can be sent back as it is";
    EXPECT_EQ(at(world.call("PATCH", kOne, R"({"target": {"type": "http", "url": "https://example.com/new"}})"),
                 "/target/input/url"),
              R"("https://example.com/new")");
    EXPECT_EQ(at(world.get(kOne), "/target/input/method"), R"("POST")") << "the rest stays";
    const auto too_long =
        first_error(world.call("PATCH", kOne, R"({"target": {"type": "http", "timeoutMs": 3600001}})"));
    EXPECT_TRUE(mentions(too_long, {"/target/", "timeoutMs", "http_task_timeout"})) << too_long;
    const auto no_url = first_error(world.call(
        "POST", kSchedules, R"({"name": "o", "spec": {"cron": ["0 9 * * *"]}, "target": {"type": "http"}})"));
    EXPECT_TRUE(mentions(no_url, {"/target/url"})) << no_url;
    const auto get = world.post(
        kSchedules,
        R"({"name": "g", "spec": {"cron": ["0 9 * * *"]}, "target": {"type": "http", "url": "https://example.com/"}})",
        201);
    EXPECT_EQ(at(get, "/target/input/method"), R"("GET")") << "when it is not said";
    const auto twice = first_error(world.call(
        "POST", kSchedules,
        R"({"name": "o", "spec": {"cron": ["0 9 * * *"]}, "target": {"type": "http", "url": "https://a.example", )"
        R"("input": {"url": "https://b.example"}}})"));
    EXPECT_TRUE(mentions(twice, {"/target/input"})) << twice;
    const auto stray =
        first_error(world.call("POST", kSchedules,
                               R"({"name": "o", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w", )"
                               R"("url": "https://a.example"}})"));
    EXPECT_TRUE(mentions(stray, {R"("/target/url")", "http"})) << stray;
}

TEST(ObeyedOrRefused, ATargetMayBeACommandOfItsOwn) {
    engine::EngineOptions options;
    options.commands["backup"] = {.name = "backup", .argv = {"/bin/true"}};
    const ApiWorld world("memory", std::move(options));
    const auto made = world.call("POST", kSchedules,
                                 with_target(R"({"type": "command", "command": "backup", "input": {"target": "db"}})"));
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(at(made, "/target/taskKind") + at(made, "/target/input"),
              R"("command"{"target":"db","command":"backup"})");
    const auto unknown =
        first_error(world.call("POST", kSchedules, with_target(R"({"type": "command", "command": "bakcup"})")));
    EXPECT_TRUE(mentions(unknown, {"/target/command", "backup"})) << unknown;
    for (const auto* const input : {"[1]", R"("text")", R"({"command": "other"})"}) {
        const auto lost = first_error(world.call(
            "POST", kSchedules,
            with_target(R"({"type": "command", "command": "backup", "input": )" + std::string(input) + "}")));
        EXPECT_TRUE(mentions(lost, {"/target/input"})) << lost;
    }
}

TEST(ObeyedOrRefused, AMemberInTheWrongPlaceIsToldWhereItBelongs) {
    const ApiWorld world;
    const auto zone = first_error(world.call("POST", kSchedules, daily(R"(, "timezone": "Europe/Berlin")")));
    EXPECT_TRUE(mentions(zone, {R"("/timezone")", "spec"})) << zone;
    const auto queue = first_error(world.call("POST", kSchedules, daily(R"(, "queue": "high")")));
    EXPECT_TRUE(mentions(queue, {R"("/queue")", "target"})) << queue;
}

TEST(ObeyedOrRefused, RunsAreFilteredByStatusOrState) {
    const ApiWorld world;
    (void)world.post(kSchedules, with_target(R"({"taskKind": "t"})"), 201);
    (void)world.post(std::string(kOne) + "/trigger", "");
    for (const std::string path : {"/api/tenants/default/runs", "/api/tenants/default/schedules/n/runs"}) {
        for (const std::string name : {"status", "state"}) {
            EXPECT_EQ(world.get(path + "?" + name + "=queued").at("items").as_array().size(), 1U) << path << name;
            EXPECT_EQ(world.get(path + "?" + name + "=running").at("items").as_array().size(), 0U) << path << name;
        }
        const auto both = world.call("GET", path + "?status=queued&state=running");
        EXPECT_EQ(both.status, 422);
        EXPECT_EQ(at(both, "/errors/0/parameter"), R"("state")");
        EXPECT_EQ(world.get(path + "?status=queued&state=queued").at("items").as_array().size(), 1U);
    }
}

TEST(ObeyedOrRefused, ATrailingSlashFindsItsRoute) {
    const ApiWorld world;
    EXPECT_EQ(world.call("POST", std::string(kSchedules) + "/", daily()).status, 201);
    EXPECT_EQ(world.call("GET", std::string(kSchedules) + "/").status, 200);
    EXPECT_EQ(world.call("GET", std::string(kOne) + "/").status, 200);
    EXPECT_EQ(world.call("GET", std::string(kOne) + "/?x=1").status, 422) << "its parameters are looked at as ever";
    EXPECT_EQ(world.call("DELETE", std::string(kSchedules) + "/").status, 405) << "not every schedule at once";
    EXPECT_EQ(world.call("GET", std::string(kOne) + "//").status, 404);
}

TEST(ObeyedOrRefused, AZoneThatIsGoneIsToldWithWhatToDo) {
    auto zones = test::own_zones();
    const auto place = test::store_world("memory");
    const auto store = place->open(zones, nullptr);
    engine::Observer observer;
    engine::Engine engine(*store, zones, observer, {});
    const Api api(engine);
    const auto call = [&](const std::string& method, const std::string& path, const std::string& body) {
        return api.handler()(
            {.method = method, .path = path, .headers = {{"Content-Type", "application/json"}}, .body = body});
    };
    const auto spec = [](const std::string& zone) {
        return R"({"name": "n", "spec": {"cron": ["0 9 * * *"])" + zone + R"(}, "target": {"workflowKind": "w"}})";
    };
    ASSERT_EQ(call("POST", kSchedules, spec(R"(, "timezone": "Europe/Lisbon")")).status, 201);
    zones = test::utc_alone();  // as an update of the zone data may leave it
    const auto refused = first_error(call("PUT", kOne, spec("")));
    EXPECT_TRUE(mentions(refused, {R"("/spec/timezone")", "Europe/Lisbon", "send spec.timezone"})) << refused;
    EXPECT_EQ(call("PUT", kOne, spec(R"(, "timezone": "UTC")")).status, 200);
}

}  // namespace belfry::api::obeyed_or_refused_test
