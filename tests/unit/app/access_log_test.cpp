#include "app/server/access_log.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace belfry::app {

namespace {

std::string logged(LogLevel level, const api::Request& request, const api::Response& response) {
    std::ostringstream stream;
    {
        const Log log(stream, level, LogFormat::text);
        access_log(log)(request, response, Micros{1'500});
    }
    const auto text = stream.str();
    return text.empty() ? text : text.substr(text.find('Z') + 2);
}

const api::Request kRequest{.method = "GET", .path = "/api/version", .query = "token=secret", .peer = "127.0.0.1"};

}  // namespace

TEST(AccessLog, SaysWhatWasAnsweredToWhom) {
    const api::Response response{
        .status = 200, .headers = {{"X-Request-Id", "r1"}}, .body = "12345", .principal = "ada"};
    EXPECT_EQ(logged(LogLevel::debug, kRequest, response),
              "debug Answered method=GET path=/api/version status=200 bytes=5 took_ms=1.5 request_id=r1 principal=ada "
              "peer=127.0.0.1\n");
    EXPECT_EQ(logged(LogLevel::info, kRequest, response), "");
}

TEST(AccessLog, FailuresOfTheServerAreSaidToEverybody) {
    const api::Response response{.status = 503, .headers = {{"X-Request-Id", "r1"}}};
    EXPECT_EQ(
        logged(LogLevel::info, kRequest, response),
        "info  Answered method=GET path=/api/version status=503 bytes=0 took_ms=1.5 request_id=r1 peer=127.0.0.1\n");
    EXPECT_EQ(logged(LogLevel::warn, kRequest, response), "");
}

}  // namespace belfry::app
