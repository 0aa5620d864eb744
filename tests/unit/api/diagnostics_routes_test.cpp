// Looking ahead and asking why, how and how much, through the API.
#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api::diagnostics_routes_test {

namespace {

using test::ApiWorld;
using test::at;
using test::json;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
const std::string kOne = std::string(kSchedules) + "/n";

void create(const ApiWorld& world, const std::string& more = {}, const std::string& name = "n",
            const std::string& cron = "0 * * * *") {
    const auto body = R"({"name": ")" + name + R"(", "spec": {"cron": [")" + cron +
                      R"("]}, "target": {"workflowKind": "w"})" + more + "}";
    EXPECT_NE(at(world.post(kSchedules, body, 201), "/id"), "absent");
}

std::size_t items(const Json& answer) { return answer.at("items").as_array().size(); }

}  // namespace

TEST(ForecastRoutes, APreviewSaysByWhichClockAndZonesItWasMade) {
    const ApiWorld world;
    create(world);
    const auto answer = world.get(kOne + "/preview?n=3");
    EXPECT_EQ(items(answer), 3U);
    EXPECT_EQ(at(answer, "/timezone"), "\"UTC\"");
    EXPECT_NE(at(answer, "/description").find("hour"), std::string::npos) << at(answer, "/description");
    EXPECT_NE(at(answer, "/serverTime"), "absent");
    EXPECT_NE(at(answer, "/tzdata"), "absent");
    EXPECT_EQ(at(answer, "/warnings"), "[]");
}

TEST(ForecastRoutes, AWindowBoundsThePreview) {
    const ApiWorld world;
    create(world);
    const auto answer = world.get(kOne + "/preview?n=100&from=2030-01-01T00:00:00Z&to=2030-01-01T05:00:00Z");
    EXPECT_EQ(items(answer), 6U) << "from and to are included";
    EXPECT_EQ(at(answer, "/items/5/occurrence"), "\"2030-01-01T05:00:00Z\"");
    EXPECT_EQ(items(world.get(kOne + "/preview?n=5000&from=2030-01-01T00:00:00Z")), 5'000U);
    const auto backwards = world.get(kOne + "/preview?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z", 422);
    EXPECT_EQ(at(backwards, "/errors/0/parameter"), "\"to\"");
    EXPECT_EQ(
        at(world.get(kOne + "/preview?from=2030-01-01T00:00:00Z&to=2050-01-01T00:00:00Z", 422), "/errors/0/parameter"),
        "\"to\"");
    EXPECT_EQ(at(world.get(kOne + "/preview?n=10001", 422), "/errors/0/parameter"), "\"n\"");
}

TEST(ForecastRoutes, InputsFillAPageSoonerThanRows) {
    const ApiWorld world;
    create(world, R"(, "inputsTemplate": {"text": ")" + std::string(200'000, 'x') + "\"}");
    const auto big = [&](const char* method, const std::string& path, const std::string& body = {}) {
        return parse_json(world.call(method, path, body).body, {.bytes_max = std::size_t{5} << 20U}).value();
    };
    const auto first = big("GET", kOne + "/preview?n=1000&from=2030-01-01T00:00:00Z");
    EXPECT_EQ(items(first), 21U) << "4 MiB";
    const auto cursor = std::string(first.at("nextCursor").as_string());
    const auto second = big("GET", kOne + "/preview?n=1000&cursor=" + cursor);
    EXPECT_EQ(at(second, "/items/0/occurrence"), "\"2030-01-01T21:00:00Z\"");
    EXPECT_EQ(items(second), 21U);
    const auto simulated =
        big("POST", kOne + "/simulate", R"({"from": "2030-01-01T00:00:00Z", "to": "2030-12-31T00:00:00Z"})");
    EXPECT_EQ(items(simulated), 21U);
    EXPECT_EQ(at(simulated, "/complete"), "false");
}

TEST(ForecastRoutes, ADraftObeysTheLimitsOfAStoredSchedule) {
    const ApiWorld world;
    const auto draft = R"({"schedule": {"spec": {"cron": ["0 * * * *"]}, "inputsTemplate": ")" +
                       std::string(300'000, 'x') + R"("}, "to": "2030-01-01T00:00:00Z"})";
    for (const auto* const way : {"/preview", "/simulate"}) {
        EXPECT_EQ(at(world.post(std::string(kSchedules) + way, draft, 422), "/errors/0/pointer"),
                  "\"/schedule/inputsTemplate\"")
            << way;
    }
}

TEST(ForecastRoutes, ADraftIsPreviewedWithoutNameOrTarget) {
    const ApiWorld world;
    const auto answer =
        world.post(std::string(kSchedules) + "/preview", R"({"n": 4, "from": "2027-03-26T00:00:00Z", "schedule":
        {"scheduleType": {"type": "recurring", "cron": "30 2 * * *", "timezone": "Europe/Berlin"},
            "calendars": ["us-federal-holidays-2026"]}})");
    EXPECT_EQ(items(answer), 4U);
    EXPECT_EQ(at(answer, "/items/2/dst/kind"), "\"shifted\"");
    const auto warnings = at(answer, "/warnings");
    EXPECT_NE(warnings.find("does not exist"), std::string::npos) << warnings;
    EXPECT_NE(warnings.find("us-federal-holidays-2026\\\" has no date after"), std::string::npos) << warnings;
    EXPECT_EQ(at(world.get(kSchedules), "/items"), "[]") << "nothing was stored";
}

TEST(ForecastRoutes, ErrorsOfADraftPointIntoIt) {
    const ApiWorld world;
    const auto path = std::string(kSchedules) + "/preview";
    const auto answer = world.post(path, R"({"schedule": {"spec": {"cron": ["bad"], "timezone": "Mars/X"}}})", 422);
    EXPECT_EQ(at(answer, "/errors/0/pointer"), "\"/schedule/spec/timezone\"");
    EXPECT_EQ(at(answer, "/errors/1/pointer"), "\"/schedule/spec/cron/0\"");
    EXPECT_EQ(at(world.post(path, R"({"schedule": {"scheduleType": {"type": "recurring", "cron": "bad"}}})", 422),
                 "/errors/0/pointer"),
              "\"/schedule/scheduleType/cron\"");
    EXPECT_EQ(at(world.post(path, R"({"schedule": {}})", 422), "/errors/0/pointer"), "\"/schedule/spec\"");
    EXPECT_EQ(at(world.post(path, R"({})", 422), "/errors/0/pointer"), "\"/schedule\"");
    const auto window =
        R"({"from": "2030-01-02T00:00:00Z", "to": "2030-01-01T00:00:00Z", "schedule": {"spec": {"cron": ["@daily"]}}})";
    EXPECT_EQ(at(world.post(path, window, 422), "/errors/0/pointer"), "\"/to\"");
}

TEST(ForecastRoutes, ASimulationShowsHowRunsOverlapAndEnd) {
    const ApiWorld world;
    create(world);
    const std::string assumed = R"("from": "2030-01-01T00:00:00Z", "to": "2030-01-01T04:30:00Z",
        "runs": [{"duration": "PT90M", "outcome": "failed"}, {"durationMs": 60000, "result": {"n": 1}}])";
    for (const auto& answer : {world.post(kOne + "/simulate", "{" + assumed + "}"),
                               world.post(std::string(kSchedules) + "/simulate",
                                          R"({"schedule": {"spec": {"cron": ["0 * * * *"]}}, )" + assumed + "}")}) {
        ASSERT_EQ(items(answer), 5U) << to_text(answer);
        EXPECT_EQ(at(answer, "/items/0/scheduledAt"), "\"2030-01-01T00:00:00Z\"");
        EXPECT_EQ(at(answer, "/items/0/endedAt"), "\"2030-01-01T01:30:00Z\"");
        EXPECT_EQ(at(answer, "/items/0/end"), "\"failed\"");
        EXPECT_EQ(at(answer, "/items/1/reason"), "\"overlap_in_flight\"");
        EXPECT_EQ(at(answer, "/items/2/end"), "\"succeeded\"");
        EXPECT_EQ(at(answer, "/items/2/endedAt"), "\"2030-01-01T02:01:00Z\"");
        EXPECT_EQ(at(answer, "/complete"), "true");
    }
    EXPECT_EQ(at(world.post(kOne + "/simulate", "{}", 422), "/errors/0/pointer"), "\"/to\"");
    EXPECT_EQ(
        at(world.post(kOne + "/simulate", R"({"to": "2030-01-01T00:00:00Z", "runs": [{"outcome": "running"}]})", 422),
           "/errors/0/pointer"),
        "\"/runs/0/outcome\"");
    EXPECT_EQ(at(world.get(kOne + "/runs"), "/items"), "[]") << "nothing was run";
}

TEST(DiagnosticsRoutes, WhyAnswersWithASentenceAndItsFacts) {
    const ApiWorld world;
    create(world);
    const auto run = world.post(kOne + "/trigger", "{}");
    const auto when = at(run, "/scheduledAt");
    const auto answer = world.get(kOne + "/why?at=" + when.substr(1, when.size() - 2));
    EXPECT_EQ(at(answer, "/verdict"), "\"dispatched\"");
    EXPECT_EQ(at(answer, "/run/id"), at(run, "/id"));
    EXPECT_EQ(at(answer, "/events/0/type"), "\"ScheduleTriggered\"");
    EXPECT_EQ(at(answer, "/guards/0"),
              R"({"guard":"dispatch","outcome":"passed","text":"dispatch is on for server, tenant and queue"})");
    const auto ahead = world.get(kOne + "/why?at=2199-12-31T23:30:00Z");
    EXPECT_EQ(at(ahead, "/verdict"), "\"not_an_occurrence\"");
    EXPECT_EQ(at(ahead, "/nextOccurrence"), "\"2200-01-01T00:00:00Z\"");
    EXPECT_EQ(at(ahead, "/run"), "null");
    EXPECT_EQ(at(ahead, "/guards"), "[]");
    EXPECT_EQ(at(world.get(kOne + "/why", 422), "/errors/0/parameter"), "\"at\"");
    EXPECT_EQ(at(world.get(kOne + "/why?at=noon", 422), "/errors/0/parameter"), "\"at\"");
    EXPECT_EQ(world.call("GET", std::string(kSchedules) + "/nobody/why?at=2030-01-01T00:00:00Z").status, 404);
}

TEST(DiagnosticsRoutes, TheHealthOfAScheduleFollowsItsRuns) {
    const ApiWorld world;
    create(world, R"(, "breaker": {"maxConsecutiveFailures": 2})");
    auto health = world.get(kOne + "/health");
    EXPECT_EQ(at(health, "/verdict"), "\"ok\"");
    EXPECT_EQ(at(health, "/breaker"), "\"closed\"");
    EXPECT_EQ(at(health, "/outcomes"), "[]");
    for (const auto* verdict : {"\"warning\"", "\"failing\""}) {
        const auto id = at(world.post(kOne + "/trigger", "{}"), "/id");
        const auto path = "/api/tenants/default/runs/" + id.substr(1, id.size() - 2) + "/complete";
        EXPECT_EQ(at(world.post(path, R"({"status": "failed", "error": "no paper"})"), "/status"), "\"failed\"");
        health = world.get(kOne + "/health");
        EXPECT_EQ(at(health, "/verdict"), verdict) << to_text(health);
    }
    EXPECT_EQ(at(health, "/breaker"), "\"open\"");
    EXPECT_EQ(at(health, "/consecutiveFailures"), "2");
    EXPECT_EQ(at(health, "/outcomes/1/status"), "\"failed\"");
    EXPECT_EQ(at(world.get(kOne), "/breakerState"), "\"open\"");
    EXPECT_NE(at(world.get(kOne), "/breakerOpenedAt"), "null");
    const auto closed = world.post(kOne + "/resume", "{}");
    EXPECT_EQ(at(closed, "/breakerState"), "\"closed\"") << "an active schedule is resumed when its breaker is open";
    EXPECT_EQ(at(world.get(kOne + "/health"), "/breaker"), "\"closed\"");
    EXPECT_EQ(world.call("POST", kOne + "/resume", "{}").status, 422);
    EXPECT_EQ(at(world.post(kOne + "/pause", R"({"reason": "enough"})"), "/status"), "\"paused\"");
    health = world.get(kOne + "/health");
    EXPECT_EQ(at(health, "/verdict"), "\"paused\"");
    EXPECT_EQ(at(health, "/reasons/0"), "\"it is paused: enough\"");
}

TEST(DiagnosticsRoutes, TheLoadCountsPlannedRunsPerBucket) {
    const ApiWorld world;
    create(world, {}, "a", "*/15 * * * *");
    create(world, {}, "b", "30 * * * *");
    const std::string path = "/api/tenants/default/load?from=2030-01-01T00:00:00Z";
    const auto answer = world.get(path);
    EXPECT_EQ(answer.at("buckets").as_array().size(), 60U);
    EXPECT_EQ(at(answer, "/buckets/15/fires"), "1");
    EXPECT_EQ(at(answer, "/busiest"), R"({"at":"2030-01-01T00:30:00Z","fires":2})");
    EXPECT_EQ(at(answer, "/fires"), "5");
    EXPECT_EQ(at(answer, "/schedules"), "2");
    EXPECT_EQ(at(answer, "/complete"), "true");
    const auto day = world.get(path + "&to=2030-01-02T00:00:00Z&bucket=PT6H");
    EXPECT_EQ(at(day, "/buckets/3/fires"), "30");
    EXPECT_EQ(at(day, "/buckets/4"), "absent");
    EXPECT_EQ(at(world.get(path + "&to=2030-01-03T00:00:00Z", 422), "/errors/0/parameter"), "\"to\"");
    EXPECT_EQ(at(world.get(path + "&to=2030-01-02T00:00:00Z&bucket=PT30S", 422), "/errors/0/parameter"), "\"bucket\"");
    EXPECT_EQ(world.call("GET", "/api/tenants/nobody/load").status, 404);
}

}  // namespace belfry::api::diagnostics_routes_test
