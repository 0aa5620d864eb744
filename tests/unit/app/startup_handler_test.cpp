#include "app/server/startup_handler.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/worlds/set_clocks.hpp"

namespace belfry::app {
namespace {

class StartupHandlerTest : public testing::Test {
protected:
    static api::Request to(const std::string& path, std::vector<api::Header> headers = {}) {
        headers.emplace_back("Host", "127.0.0.1:8642");
        return {.path = path, .headers = std::move(headers), .peer = "127.0.0.1"};
    }
    StartupHandler startup(StartupHandler::Options options = {}) {
        options.rules.listen = "127.0.0.1:8642";
        return {std::move(options), log, clock};
    }

    std::ostringstream lines;
    Log log{lines, LogLevel::debug, LogFormat::text};
    test::SetSteadyClock clock;
};

TEST_F(StartupHandlerTest, IsAliveButNotReadyWhileTheServerStarts) {
    auto quiet = startup();
    quiet.wait_for("the store is away: db.internal does not answer");
    const auto handler = quiet.handler();
    EXPECT_EQ(handler(to("/healthz")).status, 200);
    const auto ready = handler(to("/readyz"));
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(ready.body, R"({"ready":false,"checks":[{"name":"started","ok":false,"detail":null}]})");
    for (const auto* const path : {"/health", "/api/tenants", "/readyz"}) {
        const auto answer = handler(to(path));
        EXPECT_EQ(answer.status, 503);
        EXPECT_EQ(answer.body.find("db.internal"), std::string::npos) << answer.body;
    }
    quiet.open([](const api::Request&) { return api::Response{.status = 204}; }, {});
    EXPECT_EQ(handler(to("/readyz")).status, 204);
}

TEST_F(StartupHandlerTest, SaysWhyItStartsWhereDetailsAreOpen) {
    auto frank = startup({.health_details = true});
    frank.wait_for("the store is away");
    EXPECT_EQ(frank.handler()(to("/readyz")).body,
              R"({"ready":false,"checks":[{"name":"started","ok":false,"detail":"the store is away"}]})");
    EXPECT_NE(frank.handler()(to("/health")).body.find("the store is away"), std::string::npos);
}

TEST_F(StartupHandlerTest, LogsWhatItRefusesToBrowsersButNotWithoutEnd) {
    auto strict = startup();
    auto page = to("/api/tenants", {{"Origin", "https://app.example"}});
    page.method = "POST";
    for (int i = 0; i < 100; ++i) EXPECT_EQ(strict.handler()(page).status, 403);
    const auto said = lines.str();
    EXPECT_NE(said.find("rejected a browser request code=cross_origin origin=https://app.example host=127.0.0.1:8642 "
                        "method=POST path=/api/tenants "
                        "peer=127.0.0.1"),
              std::string::npos)
        << said;
    EXPECT_EQ(std::ranges::count(said, '\n'), 10);
}

TEST_F(StartupHandlerTest, AnAllowedPageReadsEveryAnswerEvenOneThatComesLater) {
    auto open = startup({.rules = {.allowed_origins = {"https://app.example"}}});
    open.open(
        [](const api::Request& request) -> api::Response {
            if (request.path != "/later") return {.status = 401};
            auto later = std::make_shared<api::DeferredResponse>();
            later->poll = [](const api::Request&, bool) { return std::optional(api::Response{.status = 200}); };
            return {.deferred = later};
        },
        {});
    const auto page = [](const std::string& path) { return to(path, {{"Origin", "https://app.example"}}); };
    EXPECT_EQ(open.handler()(page("/now")).header("Access-Control-Allow-Origin"), "https://app.example");
    const auto waiting = open.handler()(page("/later"));
    EXPECT_EQ(waiting.deferred->poll(page("/later"), true)->header("Access-Control-Allow-Origin"),
              "https://app.example");
    auto question = page("/anything");
    question.method = "OPTIONS";
    question.headers.emplace_back("Access-Control-Request-Method", "PUT");
    EXPECT_EQ(open.handler()(question).status, 204);
}

TEST_F(StartupHandlerTest, ChecksAHeadAsItAnswersTheWholeRequest) {
    auto strict = startup();
    const auto check = strict.head_check();
    auto known = to("/a");
    known.method = "POST";
    EXPECT_EQ(check(known).refusal.value_or(api::Response{}).status, 503) << "it is still starting";
    strict.open([](const api::Request&) { return api::Response{}; },
                [](const api::Request&) { return api::HeadVerdict{}; });
    EXPECT_FALSE(check(known).refusal);
    const api::Request rebound{.method = "POST", .path = "/a", .headers = {{"Host", "evil.example"}}};
    EXPECT_EQ(check(rebound).refusal.value_or(api::Response{}).status, 403);
}

}  // namespace
}  // namespace belfry::app
