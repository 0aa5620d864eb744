// The same thing is said in one way wherever it is said: pages, durations, causes, the first moment of a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/fakes/fake_http.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::one_way_test {

namespace {

using test::ApiWorld;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
constexpr const char* kOne = "/api/tenants/default/schedules/n";

std::string every(const std::string& interval) {
    return R"({"name": "n", "target": {"taskKind": "t"}, "spec": {"intervals": [)" + interval + "]}}";
}

bool has_parameter(const Json& operation, std::string_view name) {
    const auto* const all = operation.as_object().if_contains("parameters");
    if (all == nullptr) return false;
    return std::ranges::any_of(all->as_array(), [&](const Json& each) {
        return each.as_object().contains("name") && each.at("name") == Json(name);
    });
}

// The members of what an operation answers, references followed once.
boost::json::object answer_members(const Json& document, const Json& operation) {
    const auto* const ok = operation.at("responses").as_object().if_contains("200");
    if (ok == nullptr || !ok->as_object().contains("content")) return {};
    const auto* const media = ok->at("content").as_object().if_contains("application/json");
    if (media == nullptr) return {};
    const Json* schema = &media->at("schema");
    if (const auto* const ref = schema->as_object().if_contains("$ref")) {
        const auto name = std::string_view(ref->as_string()).substr(std::string_view("#/components/schemas/").size());
        schema = &document.at("components").at("schemas").at(name);
    }
    const auto* const members = schema->as_object().if_contains("properties");
    return members == nullptr ? boost::json::object() : members->as_object();
}

// All items of a list, read page by page.
std::vector<std::string> all_of(const ApiWorld& world, const std::string& path, int limit, std::string_view id) {
    std::vector<std::string> found;
    std::string cursor;
    for (int page = 0; page < 100; ++page) {
        const auto answer = world.get(path + (path.find('?') == std::string::npos ? "?" : "&") +
                                      "limit=" + std::to_string(limit) + cursor);
        const auto& items = answer.at("items").as_array();
        EXPECT_LE(items.size(), static_cast<std::size_t>(limit)) << path;
        for (const auto& item : items) found.push_back(at(item, id));
        if (answer.at("nextCursor").is_null()) return found;
        cursor = "&cursor=" + std::string(answer.at("nextCursor").as_string());
    }
    ADD_FAILURE() << path << " has no last page";
    return found;
}

}  // namespace

TEST(OneWay, EveryNativeListIsReadByLimitAndCursor) {
    const ApiWorld world;
    const auto document = world.get("/api/openapi.json");
    std::set<std::string> lists;
    for (const auto& path : document.at("paths").as_object()) {
        const auto* const get = path.value().as_object().if_contains("get");
        const std::string_view where = path.key();
        const bool native = where.starts_with("/api/") && !where.starts_with("/api/schedules");
        if (get == nullptr || !native) continue;
        const auto members = answer_members(document, *get);
        if (!members.contains("items")) continue;
        const auto name = std::string(get->at("operationId").as_string());
        lists.insert(name);
        EXPECT_TRUE(has_parameter(*get, "limit")) << name;
        EXPECT_TRUE(has_parameter(*get, "cursor")) << name;
        EXPECT_TRUE(members.contains("nextCursor")) << name;
    }
    for (const auto* const name : {"listSchedules", "listTenants", "listKeys", "listWebhooks", "listConnections",
                                   "listCalendars", "listTimezones", "listBackfills", "listRunApprovals",
                                   "listRunEvents", "listWorkflowVersions", "previewSchedule"}) {
        EXPECT_TRUE(lists.contains(name)) << name;
    }
}

TEST(OneWay, PagesOfEveryListMeetNothingTwiceAndMissNothing) {
    test::FakeHttp http;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    engine::EngineOptions options;
    options.http = &http;
    options.sealer = &sealer;
    const ApiWorld world("memory", std::move(options));
    (void)world.post(kSchedules,
                     R"({"name": "n", "spec": {"cron": ["0 0 29 2 *"]}, "target": {"workflowKind": "w"}, )"
                     R"("overlapPolicy": "allow_all"})",
                     201);
    for (const std::string name : {"a", "b", "c"}) {
        (void)world.post("/api/tenants", R"({"name": "t)" + name + R"("})", 201);
        (void)world.post("/api/keys", R"({"name": ")" + name + R"(", "roles": {"*": ["viewer"]}})", 201);
        (void)world.post("/api/tenants/default/webhooks", R"({"url": "https://example.com/)" + name + R"("})", 201);
        (void)world.post("/api/tenants/default/calendars", R"({"name": ")" + name + R"(", "dates": ["2030-01-01"]})",
                         201);
        EXPECT_LT(
            world.call("PUT", "/api/tenants/default/workflows/w", R"({"nodes": [{"id": ")" + name + R"("}]})").status,
            300);
    }
    const auto backfill = world.post(std::string(kOne) + "/backfill",
                                     R"({"from": "2020-01-01T00:00:00Z", "to": "2024-01-01T00:00:00Z"})", 202);
    (void)world.post("/api/tenants/default/backfills/" + std::string(backfill.at("id").as_string()) + "/cancel", "");
    (void)world.post(std::string(kOne) + "/backfill",
                     R"({"from": "2020-01-01T00:00:00Z", "to": "2024-01-01T00:00:00Z"})", 202);
    const auto run = std::string(world.post(std::string(kOne) + "/trigger", "").at("id").as_string());
    const std::vector<std::pair<std::string, std::string>> lists{
        {"/api/tenants", "/name"},
        {"/api/keys", "/id"},
        {"/api/tenants/default/webhooks", "/id"},
        {"/api/tenants/default/calendars", "/name"},
        {"/api/tenants/default/workflows/w/versions", "/version"},
        {"/api/tenants/default/schedules/n/backfills", "/id"},
        {"/api/tenants/default/schedules/n/history", "/sequence"},
        {"/api/tenants/default/runs/" + run + "/events", "/sequence"},
        {"/api/tenants/default/runs/" + run + "/approvals", "/node"},
        {"/api/connections", "/name"},
        {"/api/timezones?query=europe", "/name"}};
    for (const auto& [path, id] : lists) {
        const auto whole = all_of(world, path, 100, id);
        EXPECT_EQ(all_of(world, path, 1, id), whole) << path;
        EXPECT_EQ(all_of(world, path, 2, id), whole) << path;
        EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), whole.size()) << path;
    }
    EXPECT_EQ(world.call("GET", "/api/keys?cursor=zz").status, 422);
}

TEST(OneWay, APreviewIsContinuedByItsCursor) {
    const ApiWorld world;
    (void)world.post(kSchedules, every(R"({"every": "PT1H"})"), 201);
    const std::string from = std::string(kOne) + "/preview?from=2030-01-01T00:00:00Z&to=2030-01-01T05:00:00Z";
    const auto whole = all_of(world, from, 500, "/occurrence");
    EXPECT_EQ(whole.size(), 6U);
    EXPECT_EQ(all_of(world, from, 2, "/occurrence"), whole);
    EXPECT_EQ(world.get(std::string(kOne) + "/preview?n=3").at("items").as_array().size(), 3U)
        << "the older name of the limit";
}

TEST(OneWay, PreviewAndSimulationBeginWithTheSameMoment) {
    const ApiWorld world;
    (void)world.post(kSchedules, every(R"({"every": "PT1H"})"), 201);
    const auto preview = world.get(std::string(kOne) + "/preview?from=2030-01-01T00:00:00Z&to=2030-01-01T03:00:00Z");
    const auto simulated = world.post(std::string(kOne) + "/simulate",
                                      R"({"from": "2030-01-01T00:00:00Z", "to": "2030-01-01T03:00:00Z"})");
    std::vector<std::string> previewed;
    std::vector<std::string> played;
    for (const auto& row : preview.at("items").as_array()) previewed.push_back(at(row, "/occurrence"));
    for (const auto& row : simulated.at("items").as_array()) played.push_back(at(row, "/scheduledAt"));
    EXPECT_EQ(previewed, played);
    ASSERT_EQ(previewed.size(), 4U);
    EXPECT_EQ(previewed.front(), R"("2030-01-01T00:00:00Z")") << "from is included";
    const auto draft = world.post(
        std::string(kSchedules) + "/preview",
        R"({"schedule": {"spec": {"intervals": [{"every": "PT1H"}]}}, "from": "2030-01-01T00:00:00Z", "n": 1})");
    EXPECT_EQ(at(draft, "/items/0/occurrence"), R"("2030-01-01T00:00:00Z")");
}

TEST(OneWay, ADurationIsWrittenAsIsoOrShort) {
    const ApiWorld world;
    const auto made = world.post(kSchedules, R"({"name": "n", "target": {"taskKind": "t"}, "missedGrace": "5m",
        "spec": {"intervals": [{"every": "5m", "offset": "30s"}], "jitter": {"before": "1s", "after": "1m30s"}}})",
                                 201);
    EXPECT_EQ(at(made, "/missedGrace"), R"("PT5M")");
    EXPECT_EQ(at(made, "/spec/intervals/0/every"), R"("5m")") << "as it was written";
    EXPECT_EQ(at(world.get(std::string(kOne) + "/preview?from=2030-01-01T00:00:00Z"), "/items/0/occurrence"),
              R"("2030-01-01T00:00:30Z")");
    EXPECT_TRUE(at(world.get(std::string(kOne) + "/preview"), "/description").find("5 minutes") != std::string::npos);
    EXPECT_EQ(world.call("POST", kSchedules, every(R"({"every": "5"})")).status, 422) << "a number needs its unit";
    EXPECT_EQ(world.call("POST", "/api/keys", R"({"name": "k", "roles": {"*": ["viewer"]}, "lifetime": "90d"})").status,
              201);
    EXPECT_EQ(world.call("GET", "/api/tenants/default/load?bucket=1h").status, 200);
    EXPECT_EQ(
        world
            .call("POST", std::string(kOne) + "/simulate",
                  R"({"from": "2030-01-01T00:00:00Z", "to": "2030-01-01T03:00:00Z", "runs": [{"duration": "90s"}]})")
            .status,
        200);
}

TEST(OneWay, TheCauseOfAnImmediateStartIsStart) {
    const ApiWorld world;
    const auto run = world.post("/api/tenants/default/task-executions", R"({"taskKind": "t"})", 201);
    EXPECT_EQ(at(run, "/cause"), R"("start")");
    const std::string id(run.at("id").as_string());
    EXPECT_EQ(at(world.get("/api/tenants/default/runs/" + id), "/cause"), R"("start")");
    EXPECT_EQ(at(world.get("/api/tenants/default/runs"), "/items/0/cause"), R"("start")");
    const auto events = to_text(
        world.get("/api/tenants/default/schedules/" + std::string(run.at("scheduleId").as_string()) + "/history"));
    EXPECT_NE(events.find(R"("cause":"start")"), std::string::npos) << events;
    EXPECT_EQ(events.find(R"("cause":"tick")"), std::string::npos) << events;
    const auto tasks = world.post("/api/tenants/default/tasks/claim", R"({"worker": "w"})");
    EXPECT_EQ(at(tasks, "/items/0/cause"), R"("start")");
    (void)world.post(kSchedules, every(R"({"every": "PT1H"})"), 201);
    EXPECT_EQ(at(world.post(std::string(kOne) + "/trigger", ""), "/cause"), R"("trigger")");
}

TEST(OneWay, AReplayThatIsSkippedIsNothingNew) {
    const ApiWorld world;
    (void)world.post(
        kSchedules,
        R"({"name": "n", "spec": {"cron": ["0 0 29 2 *"]}, "target": {"taskKind": "t"}, "overlapPolicy": "skip"})",
        201);
    const auto dead = std::string(world.post(std::string(kOne) + "/trigger", "").at("id").as_string());
    const auto fail = [&](const std::string& id) {
        (void)world.post("/api/tenants/default/runs/" + id + "/complete", R"({"status": "failed", "error": "broken"})");
    };
    fail(dead);
    (void)world.post(std::string(kOne) + "/trigger", "");
    const auto path = "/api/tenants/default/dead-letters/" + dead + "/replay";
    const auto skipped = world.call("POST", path);
    EXPECT_EQ(skipped.status, 200) << "another run is in flight";
    EXPECT_EQ(at(skipped, "/status") + at(skipped, "/reason"), R"("skipped""overlap_in_flight")");
    EXPECT_EQ(world.get("/api/tenants/default/dead-letters").at("items").as_array().size(), 1U) << "it stays";
}

TEST(OneWay, TheReplayOfAnImmediateStartThatIsSkippedStaysADeadLetter) {
    const ApiWorld world;
    const auto dead = std::string(
        world.post("/api/tenants/default/task-executions", R"({"taskKind": "t"})", 201).at("id").as_string());
    (void)world.post("/api/tenants/default/runs/" + dead + "/complete", R"({"status": "failed", "error": "broken"})");
    const auto dispatch = [&](bool on) {
        auto tenant = world.get("/api/tenants/default");
        tenant.as_object()["dispatchEnabled"] = on;
        EXPECT_EQ(world.call("PUT", "/api/tenants/default", to_text(tenant)).status, 200);
    };
    dispatch(false);
    const auto path = "/api/tenants/default/dead-letters/" + dead + "/replay";
    EXPECT_EQ(world.call("POST", path).status, 200);
    EXPECT_EQ(world.get("/api/tenants/default/dead-letters").at("items").as_array().size(), 1U);
    dispatch(true);
    const auto again = world.call("POST", path);
    EXPECT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(world.get("/api/tenants/default/dead-letters").at("items").as_array().size(), 0U);
}

TEST(OneWay, AWrongCategoryIsNamedByItsMember) {
    const ApiWorld world;
    (void)world.post(kSchedules, R"({"name": "n", "spec": {"cron": ["0 0 29 2 *"]}, "target": {"taskKind": "t"}})",
                     201);
    const auto id = std::string(world.post(std::string(kOne) + "/trigger", "").at("id").as_string());
    (void)world.post("/api/tenants/default/tasks/claim", R"({"worker": "w"})");
    const auto wrong = world.call("POST", "/api/tenants/default/runs/" + id + "/complete",
                                  R"({"status": "failed", "category": "network"})");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_EQ(at(wrong, "/errors/0/pointer"), R"("/category")");
    EXPECT_EQ(at(wrong, "/errors/0/detail").find("category"), 1U) << at(wrong, "/errors/0/detail");
    const auto batch = world.call(
        "POST", "/api/tenants/default/tasks/complete",
        R"({"items": [{"runId": ")" + id + R"(", "attempt": 1, "status": "failed", "category": "network"}]})");
    EXPECT_EQ(at(batch, "/errors/0/pointer"), R"("/items/0/category")");
}

TEST(OneWay, AnInstantThatIsAcceptedCanBeReadAgain) {
    const ApiWorld world;
    const auto once = [](const std::string& instant, const std::string& more = {}) {
        return R"({"name": "n", "target": {"taskKind": "t"}, "spec": {"at": [")" + instant + R"("])" + more + "}}";
    };
    EXPECT_EQ(at(world.call("POST", kSchedules, once("9999-12-31T23:59:59.5Z")), "/errors/0/pointer"),
              R"("/spec/at/0")");
    EXPECT_EQ(world.call("GET", kSchedules).status, 200);
    const auto last =
        world.call("POST", kSchedules,
                   once("9999-12-31T23:59:59Z", R"(, "jitter": {"after": "PT1H"}, "timezone": "Pacific/Kiritimati")"));
    EXPECT_EQ(last.status, 201) << last.body;
    EXPECT_EQ(world.call("GET", kSchedules).status, 200);
    const auto read = world.get(kOne);
    EXPECT_LE(at(read, "/nextRunAt"), R"("9999-12-31T23:59:59.999999Z")") << "whatever the jitter";
    EXPECT_EQ(world.call("GET", std::string(kOne) + "/preview?from=9999-12-31T00:00:00Z").status, 200);
    // The end of all times, as many programs write it.
    const std::string end = "9999-12-31T23:59:59.999Z";
    EXPECT_EQ(world.call("PATCH", kOne, R"({"spec": {"endAt": ")" + end + R"("}})").status, 200);
    EXPECT_EQ(world.call("POST", std::string(kOne) + "/pause", R"({"until": ")" + end + R"("})").status, 200);
    EXPECT_EQ(at(world.get(kOne), "/pausedUntil"), R"("9999-12-31T23:59:59.999000Z")");
    EXPECT_EQ(world
                  .call("POST", std::string(kOne) + "/simulate",
                        R"({"from": "9999-12-31T00:00:00Z", "to": ")" + end + R"("})")
                  .status,
              200);
    EXPECT_EQ(world.call("GET", "/api/tenants/default/load?from=9999-12-31T23:30:00Z").status, 200);
    EXPECT_EQ(world.call("GET", kSchedules).status, 200);
}

}  // namespace belfry::api::one_way_test
