#include "api/http/request_log.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "api/contract/route.hpp"

namespace belfry::api {
namespace {

std::string logged(LogLevel level, const Request& request, const Response& response) {
    std::ostringstream stream;
    {
        const Log log(stream, level, LogFormat::text);
        RequestLog(log).add(request, response, Micros{1'500});
    }
    const auto text = stream.str();
    return text.empty() ? text : text.substr(text.find('Z') + 2);
}

Request request_of(const std::string& method) {
    return {.method = method, .path = "/api/version", .query = "token=secret", .peer = "127.0.0.1"};
}

Route route_of(const char* method, const char* operation, model::Permission permission) {
    Route route;
    route.method = method;
    route.operation = operation;
    route.permission = permission;
    return route;
}

Response answer_of(const Route& route, int status = 200) {
    return {
        .status = status, .headers = {{"X-Request-Id", "r1"}}, .body = "12345", .route = &route, .principal = "ada"};
}

TEST(RequestLog, HasOneLineWithoutTheQuery) {
    const auto route = route_of("GET", "getVersion", model::Permission::read);
    EXPECT_EQ(logged(LogLevel::debug, request_of("GET"), answer_of(route)),
              "debug Request answered operation=getVersion method=GET path=/api/version status=200 bytes=5 "
              "principal=ada request_id=r1 peer=127.0.0.1 took_us=1500\n");
    EXPECT_EQ(logged(LogLevel::info, request_of("GET"), answer_of(route)), "");
}

TEST(RequestLog, ShowsServerErrorsAtLevelInfo) {
    const Response response{.status = 503, .headers = {{"X-Request-Id", "r1"}}};
    EXPECT_EQ(logged(LogLevel::info, request_of("GET"), response),
              "info  Request answered method=GET path=/api/version status=503 bytes=0 request_id=r1 peer=127.0.0.1 "
              "took_us=1500\n");
    EXPECT_EQ(logged(LogLevel::warn, request_of("GET"), response), "");
}

TEST(RequestLog, ShowsChangesAtLevelInfoButNotTheWorkOfWorkers) {
    const auto change = route_of("POST", "createSchedule", model::Permission::write);
    EXPECT_NE(logged(LogLevel::info, request_of("POST"), answer_of(change, 201)), "");
    const auto claim = route_of("POST", "claimTasks", model::Permission::work);
    EXPECT_EQ(logged(LogLevel::info, request_of("POST"), answer_of(claim)), "");
}

}  // namespace
}  // namespace belfry::api
