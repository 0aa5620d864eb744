#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "api/http/request_log.hpp"
#include "api/http/response_pipeline.hpp"
#include "api/telemetry/metric_families.hpp"
#include "base/process/process_reading.hpp"
#include "engine/telemetry/observers.hpp"
#include "store/memory/memory_store.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api {
namespace {

// A server's parts as they are wired up, on a store in memory.
class MetricsTest : public testing::Test {
protected:
    Response call(const std::string& method, const std::string& path, const std::string& body = {},
                  std::vector<Header> headers = {}) {
        if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
        Request request{.method = method, .path = path, .headers = std::move(headers), .body = body};
        return pipeline.answer(request);
    }
    std::string create(const std::string& name) {
        const auto made =
            call("POST", "/api/tenants/default/schedules",
                 R"({"name": ")" + name +
                     R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"type": "task", "taskKind": "t"}})");
        EXPECT_EQ(made.status, 201) << made.body;
        return "/api/tenants/default/schedules/" + name;
    }
    // The lines of the exposition.
    std::set<std::string> lines() {
        const auto response = call("GET", "/metrics");
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(response.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
        std::set<std::string> all;
        std::istringstream read(response.body);
        for (std::string line; std::getline(read, line);) {
            const bool is_new = all.insert(line).second;
            EXPECT_TRUE(is_new || line.empty()) << "twice: " << line;
        }
        return all;
    }

    std::ostringstream logged;
    Log log{logged, LogLevel::info, LogFormat::json};
    RequestLog requests{log};
    engine::EngineMetrics engine_metrics;
    store::StoreMetrics store_metrics;
    HttpMetrics http_metrics;
    bool draining = false;
    store::Counts counts;
    engine::HealthReading health;
    engine::Observers observers{engine_metrics};
    store::ObservedStore store{std::make_unique<store::MemoryStore>(test::zones()), store_metrics};
    engine::Engine engine{store, test::zones(), observers, {}};
    Api api{engine, ApiOptions{.health = [this] { return health; },
                               .metrics = {.engine = &engine_metrics,
                                           .store = &store_metrics,
                                           .http = &http_metrics,
                                           .counts = [this] { return counts; }},
                               .draining = [this] { return draining; }}};
    ResponsePipeline pipeline{api.handler(),
                              {.on_answer = [this](const Request& request, const Response& response, Micros took) {
                                  http_metrics.add(response, took);
                                  requests.add(request, response, took);
                              }}};
};

TEST_F(MetricsTest, S2_82_to_86_TheEnginesFiguresAreShown) {
    const auto schedule = create("a");
    EXPECT_EQ(call("POST", schedule + "/trigger").status, 200);
    const auto all = lines();
    for (const auto* const line :
         {"belfry_schedules_due_total 0", "belfry_runs_emitted_total 1", "belfry_runs_skipped_overlap_total 0",
          "belfry_runs_failed_launch_total 0", "# TYPE belfry_scheduling_drift_seconds histogram",
          R"(belfry_scheduling_drift_seconds_bucket{le="+Inf"} 0)"}) {
        EXPECT_TRUE(all.contains(line)) << line;
    }
}

TEST_F(MetricsTest, S4_99_RunsAreCountedByTenantStatusAndTarget) {
    const auto schedule = create("a");
    EXPECT_EQ(call("POST", schedule + "/trigger").status, 200);
    EXPECT_EQ(engine.runs().claim({.tenant = "default", .worker = "w"})->size(), 1U);
    const auto all = lines();
    EXPECT_TRUE(
        all.contains(R"(belfry_schedule_runs_total{tenant="default",status="dispatched",target_type="task"} 1)"));
    EXPECT_TRUE(all.contains(R"(belfry_schedule_runs_total{tenant="default",status="started",target_type="task"} 1)"));
}

TEST_F(MetricsTest, S4_100_TheTimeFromThePlanToTheFirstAttemptIsMeasuredByTenant) {
    EXPECT_EQ(call("POST", create("a") + "/trigger").status, 200);
    EXPECT_EQ(engine.runs().claim({.tenant = "default", .worker = "w"})->size(), 1U);
    EXPECT_TRUE(lines().contains(R"(belfry_schedule_run_latency_seconds_count{tenant="default"} 1)"));
}

TEST_F(MetricsTest, S4_98_SchedulesAreCountedByTenantAndStateAndTasksByQueue) {
    counts.schedules = {{"acme", model::ScheduleStatus::active, 7}, {"acme", model::ScheduleStatus::paused, 2}};
    counts.queues = {{.tenant = "acme", .queue = "mail", .ready = 3, .delayed = 1, .leased = 2}};
    const auto all = lines();
    for (const auto* const line :
         {R"(belfry_schedules{tenant="acme",state="active"} 7)", R"(belfry_schedules{tenant="acme",state="paused"} 2)",
          R"(belfry_queue_tasks{tenant="acme",queue="mail",state="ready"} 3)",
          R"(belfry_queue_tasks{tenant="acme",queue="mail",state="delayed"} 1)",
          R"(belfry_queue_tasks{tenant="acme",queue="mail",state="leased"} 2)"}) {
        EXPECT_TRUE(all.contains(line)) << line;
    }
}

TEST_F(MetricsTest, ClientsThatAcceptJsonOnlyGetAFewCounts) {
    counts.schedules = {{"acme", model::ScheduleStatus::active, 7},
                        {"acme", model::ScheduleStatus::paused, 2},
                        {"acme", model::ScheduleStatus::deleted, 5}};
    EXPECT_EQ(call("POST", create("a") + "/trigger").status, 200);
    const auto response = call("GET", "/metrics", {}, {{"Accept", "application/json"}});
    EXPECT_EQ(response.header("Content-Type"), "application/json");
    EXPECT_EQ(response.body,
              R"({"total_schedules":9,"active_schedules":7,"paused_schedules":2,"total_runs":1,"successful_runs":0,)"
              R"("failed_runs":0,"schedules_due":0,"runs_emitted":1,"runs_skipped_overlap":0,"runs_failed_launch":0})");
    for (const auto* const accept : {"*/*", "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "application/json, */*"})
        EXPECT_TRUE(call("GET", "/metrics", {}, {{"Accept", accept}}).body.starts_with("# HELP")) << accept;
}

TEST_F(MetricsTest, ApprovalsAreCountedByTenantWithTheAgeOfTheOldest) {
    counts.at = test::instant("2026-06-01T12:00:00Z");
    counts.approvals = {{"acme", 3, test::instant("2026-06-01T11:00:00Z")},
                        {"globex", 1, test::instant("2026-06-01T11:59:30Z")}};
    const auto all = lines();
    for (const auto* const line :
         {R"(belfry_approvals_pending{tenant="acme"} 3)", R"(belfry_approvals_oldest_seconds{tenant="acme"} 3600)",
          R"(belfry_approvals_pending{tenant="globex"} 1)", R"(belfry_approvals_oldest_seconds{tenant="globex"} 30)"}) {
        EXPECT_TRUE(all.contains(line)) << line;
    }
}

TEST_F(MetricsTest, TenantsAndQueuesBeyondTheBoundAreSummedUp) {
    for (int i = 0; i < 205; ++i) {
        counts.schedules.push_back({"tenant-" + std::to_string(i), model::ScheduleStatus::active, 10});
        counts.queues.push_back({.tenant = "tenant-" + std::to_string(i), .queue = "q", .ready = 1});
    }
    const auto all = lines();
    EXPECT_TRUE(all.contains(R"(belfry_schedules{tenant="other",state="active"} 50)"));
    EXPECT_TRUE(all.contains(R"(belfry_queue_tasks{tenant="other",queue="other",state="ready"} 5)"));
    EXPECT_FALSE(all.contains(R"(belfry_schedules{tenant="tenant-204",state="active"} 10)"));
}

TEST_F(MetricsTest, RequestsAreCountedByOperationAndNeverByPath) {
    static_cast<void>(create("a"));
    static_cast<void>(call("GET", "/api/tenants/default/schedules/nobody"));
    static_cast<void>(call("GET", "/made/up/by/somebody"));
    const auto response = call("GET", "/metrics");
    EXPECT_NE(
        response.body.find(R"(belfry_http_requests_total{operation="createSchedule",method="POST",status="2xx"} 1)"),
        std::string::npos);
    EXPECT_NE(response.body.find(R"(belfry_http_requests_total{operation="getSchedule",method="GET",status="4xx"} 1)"),
              std::string::npos);
    EXPECT_NE(response.body.find(R"(belfry_http_requests_total{operation="none",method="",status="4xx"} 1)"),
              std::string::npos);
    EXPECT_NE(response.body.find(R"(belfry_http_request_duration_seconds_count{operation="createSchedule"} 1)"),
              std::string::npos);
    EXPECT_EQ(response.body.find("made"), std::string::npos);
}

TEST_F(MetricsTest, TheStoreIsMeasuredByVerbAndError) {
    static_cast<void>(call("GET", "/api/tenants/default/schedules/nobody"));
    const auto all = lines();
    EXPECT_TRUE(all.contains(R"(belfry_store_duration_seconds_count{verb="schedule"} 1)"));
    EXPECT_TRUE(all.contains(R"(belfry_store_errors_total{verb="schedule",code="not_found"} 1)"));
}

TEST_F(MetricsTest, ItSaysWhichProgramItIsAndHowTheProcessIs) {
    const auto text = call("GET", "/metrics").body;
    EXPECT_TRUE(std::regex_search(text, std::regex(R"(belfry_build_info\{version="[0-9.]+",tzdata=".+"\} 1)")));
    for (const auto* const name :
         {"process_resident_memory_bytes ", "process_cpu_seconds_total ", "process_open_fds ",
          "process_start_time_seconds ", "belfry_leader 0", "belfry_servers ", "belfry_schedules_quarantined 0"}) {
        EXPECT_NE(text.find(std::string("\n") + name), std::string::npos) << name;
    }
}

TEST_F(MetricsTest, EveryLineIsASampleOrAComment) {
    EXPECT_EQ(call("POST", create("a") + "/trigger").status, 200);
    const std::regex sample(R"([a-z_]+(\{([a-z_]+="[^"]*",?)*\})? [-+0-9.eE]+(Inf)?)");
    const std::regex comment(R"(# (HELP|TYPE) [a-z_]+ .+)");
    for (const auto& line : lines())
        EXPECT_TRUE(line.empty() || std::regex_match(line, sample) || std::regex_match(line, comment)) << line;
}

TEST_F(MetricsTest, AWholeBoundBelongsToItsBucket) {
    Histogram histogram;
    histogram.add(Micros{1'000});
    histogram.add(std::chrono::hours{2});
    MetricFamilies families;
    families.histogram("x_seconds", "X.").add(histogram.read());
    const auto text = families.text();
    EXPECT_NE(text.find("x_seconds_bucket{le=\"0.0005\"} 0"), std::string::npos) << text;
    EXPECT_NE(text.find("x_seconds_bucket{le=\"0.001\"} 1"), std::string::npos) << text;
    EXPECT_NE(text.find("x_seconds_bucket{le=\"+Inf\"} 2"), std::string::npos) << text;
    EXPECT_NE(text.find("x_seconds_sum 7200.001"), std::string::npos) << text;
}

TEST_F(MetricsTest, AnswersThatItIsAliveWhateverTheStoreDoes) {
    health.store_away_since = test::instant("2026-01-01T00:00:00Z");
    const auto response = call("GET", "/healthz");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "ok\n");
    EXPECT_FALSE(store_metrics.read().contains("schedule"));
}

TEST_F(MetricsTest, IsReadyOnlyWhileTheStoreAnswersTheTickerGoesAndItIsNotEnding) {
    EXPECT_EQ(test::at(call("GET", "/readyz"), "/checks/2"),
              R"({"name":"ticker","ok":false,"detail":"it does not reach the store"})");
    engine.start();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (call("GET", "/readyz").status != 200 && std::chrono::steady_clock::now() < deadline) {
    }
    EXPECT_EQ(test::at(call("GET", "/readyz"), "/ready"), "true");
    draining = true;
    EXPECT_EQ(call("GET", "/readyz").status, 503);
    EXPECT_EQ(test::at(call("GET", "/readyz"), "/checks/3/ok"), "false");
    draining = false;
    health.store_away_since = test::instant("2026-01-01T00:00:00Z");
    EXPECT_EQ(call("GET", "/readyz").status, 503);
    EXPECT_EQ(test::at(call("GET", "/readyz"), "/checks/1"),
              R"({"name":"store","ok":false,"detail":"away since 2026-01-01T00:00:00Z"})");
}

TEST_F(MetricsTest, S4_149_AChangeIsLoggedWithItsRequestAndItsTraceAndAReadIsNot) {
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const auto made = call("POST", "/api/tenants/default/schedules",
                           R"({"name": "a", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})",
                           {{"X-Request-Id", "r-1"}, {"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"}});
    EXPECT_EQ(made.status, 201);
    const auto line = logged.str();
    for (const auto& part :
         {std::string(R"("operation":"createSchedule")"), std::string(R"("tenant_id":"default")"),
          std::string(R"("status":201)"), std::string(R"("request_id":"r-1")"), R"("trace_id":")" + trace + '"'}) {
        EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
    }
    logged.str("");
    EXPECT_EQ(call("GET", "/api/tenants/default/schedules/a").status, 200);
    EXPECT_EQ(logged.str(), "");
}

TEST(ProcessReading, KnowsThisProcess) {
    const auto reading = read_process();
    ASSERT_TRUE(reading);
    EXPECT_GT(reading->resident_bytes, 1'000'000);
    EXPECT_GT(reading->open_files, 2);
    EXPECT_GE(reading->threads, 1);
    EXPECT_GT(reading->started_at_s, 1'700'000'000);
}

}  // namespace
}  // namespace belfry::api
