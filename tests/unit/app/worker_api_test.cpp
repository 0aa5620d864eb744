#include "app/worker/worker_api.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "support/fakes/fake_http.hpp"

namespace belfry::app {
namespace {

constexpr std::chrono::milliseconds kWait{5'000};

class WorkerApiTest : public ::testing::Test {
protected:
    void answer(int status, std::string body) {
        http.answer([=](const HttpCall&) { return HttpAnswer{.status = status, .body = body}; });
    }
    HttpCall only_call() {
        auto calls = http.take();
        EXPECT_EQ(calls.size(), 1U);
        return calls.at(0);
    }

    test::FakeHttp http;
    ApiClient client{http, parse_url("http://belfry.example:8642/behind/").value(), "secret"};
    WorkerApi api{client, {.tenant = "a/b", .queue = "mail", .name = "w1", .lease = std::chrono::milliseconds{2'000}}};
};

TEST_F(WorkerApiTest, AClaimSaysWhoWantsHowManyAndForHowLong) {
    answer(200,
           R"({"items":[{"runId":"r1","attempt":2,"idempotencyKey":"k","scheduleName":"nightly",
                "scheduledAt":"2026-11-16T00:00:00Z",
                    "target":{"type":"task","taskKind":"greet"},"input":{"a":1},"timeoutMs":1500},
                    {"runId":"r2","attempt":1,"node":"load","taskKind":"fetch","input":null,"timeoutMs":null}]})");
    const auto tasks = api.claim(3, kWait, {}).value();
    const auto call = only_call();
    EXPECT_EQ(format_url(call.url), "http://belfry.example:8642/behind/api/tenants/a%2Fb/tasks/claim");
    EXPECT_EQ(call.body, R"({"queue":"mail","worker":"w1","limit":3,"leaseMs":2000,"waitMs":5000})");
    EXPECT_EQ(test::header_of(call, "Authorization"), "Bearer secret");
    EXPECT_GT(call.timeout, kWait);
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].lease, (TaskLease{"r1", "", 2}));
    EXPECT_EQ(tasks[0].kind + "|" + tasks[0].idempotency_key + "|" + tasks[0].schedule + "|" + tasks[0].scheduled_at,
              "greet|k|nightly|2026-11-16T00:00:00Z");
    EXPECT_EQ(to_text(tasks[0].input), R"({"a":1})");
    EXPECT_EQ(tasks[0].timeout, std::chrono::milliseconds{1500});
    EXPECT_EQ(tasks[1].lease, (TaskLease{"r2", "load", 1}));
    EXPECT_EQ(tasks[1].kind, "fetch");
    EXPECT_EQ(tasks[1].timeout, std::nullopt);
}

TEST_F(WorkerApiTest, AnOlderServerIsNotAskedToWaitAgain) {
    http.answer([](const HttpCall& call) {
        if (call.body.find("waitMs") == std::string::npos) return HttpAnswer{.status = 200, .body = R"({"items":[]})"};
        return HttpAnswer{
            .status = 422,
            .body = R"({"status":422,"detail":"unknown member","errors":[{"pointer":"/waitMs","detail":"unknown"}]})"};
    });
    EXPECT_TRUE(api.claim(1, kWait, {}).value().empty());
    EXPECT_EQ(http.take().size(), 2U);
    EXPECT_TRUE(api.claim(1, kWait, {}).value().empty());
    EXPECT_EQ(http.take().size(), 1U);
}

TEST_F(WorkerApiTest, AHeartbeatNamesAllLeasesAndAnswersThoseThatAreHeld) {
    answer(200, R"({"items":[{"runId":"r2","attempt":1,"node":"load"}]})");
    const auto held = api.heartbeat({{"r1", "", 2}, {"r2", "load", 1}}, kWait, {}).value();
    EXPECT_EQ(held, (std::vector<TaskLease>{{"r2", "load", 1}}));
    EXPECT_EQ(only_call().body,
              R"({"leases":[{"runId":"r1","attempt":2},{"runId":"r2","attempt":1,"node":"load"}],"leaseMs":2000})");
}

TEST_F(WorkerApiTest, AnEndIsTakenRetriedOrRefused) {
    answer(200, R"({"items":[{"runId":"r1","attempt":2,"ok":true,"retryAt":null}]})");
    EXPECT_EQ(api.complete({"r1", "", 2}, {.status = "succeeded", .result = 5}, {}).value().retry_at, std::nullopt);
    EXPECT_EQ(only_call().body, R"({"items":[{"runId":"r1","attempt":2,"status":"succeeded","result":5}]})");
    answer(200, R"({"items":[{"runId":"r1","attempt":2,"ok":true,"retryAt":"2026-11-16T00:00:01Z"}]})");
    EXPECT_EQ(api.complete({"r1", "n", 2}, {.status = "failed", .category = "provider_error", .error = "oh"}, {})
                  .value()
                  .retry_at,
              "2026-11-16T00:00:01Z");
    EXPECT_EQ(only_call().body,
              R"({"items":[{"runId":"r1","attempt":2,"node":"n","status":"failed","category":"provider_error",)"
              R"("result":null,"error":"oh"}]})");
    answer(
        200,
        R"({"items":[{"runId":"r1","attempt":2,"ok":false,"problem":{"status":409,"detail":"the lease is lost"}}]})");
    const auto refused = api.complete({"r1", "", 2}, {.status = "succeeded"}, {});
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(refused.error().message, "the lease is lost");
}

TEST_F(WorkerApiTest, ErrorsAreTheServersAndHaveTheExitCodesOfAllCommands) {
    struct Row {
        int status;
        ExitCode exit_code;
        bool passes;
    };
    for (const auto& [status, exit_code, passes] : {Row{400, ExitCode::invalid, false},
                                                    {401, ExitCode::not_allowed, false},
                                                    {403, ExitCode::not_allowed, false},
                                                    {404, ExitCode::not_found, false},
                                                    {409, ExitCode::conflict, false},
                                                    {413, ExitCode::invalid, false},
                                                    {422, ExitCode::invalid, false},
                                                    {429, ExitCode::failed, true},
                                                    {500, ExitCode::unreachable, true},
                                                    {503, ExitCode::unreachable, true}}) {
        answer(status, R"({"detail":"so it is"})");
        const auto failed = api.claim(1, kWait, {});
        ASSERT_FALSE(failed) << status;
        EXPECT_EQ(failed.error().message, "so it is");
        EXPECT_EQ(exit_code_of(failed.error()), exit_code) << status;
        EXPECT_EQ(is_transient(failed.error()), passes) << status;
    }
    answer(200, "<html>");
    EXPECT_EQ(api.claim(1, kWait, {}).error().message,
              "http://belfry.example:8642/behind/ did not respond with JSON: check that it is a Belfry server");
    http.answer([](const HttpCall&) { return Error{ErrorCode::unavailable, "the host does not accept connections"}; });
    EXPECT_EQ(api.claim(1, kWait, {}).error().message,
              "http://belfry.example:8642/behind/: the host does not accept connections");
}

}  // namespace
}  // namespace belfry::app
