#include "app/server/access_log.hpp"

namespace belfry::app {

namespace {

constexpr int kServerError = 500;
constexpr double kMicrosPerMs = 1'000.0;

void write_line(const Log& log, const api::Request& request, const api::Response& response, Micros took) {
    const auto level = response.status >= kServerError ? LogLevel::info : LogLevel::debug;
    if (!log.writes(level)) return;
    log.write(level, "Answered",
              {{"method", request.method},
               {"path", request.path},
               {"status", response.status},
               {"bytes", response.body.size()},
               {"took_ms", static_cast<double>(took.count()) / kMicrosPerMs},
               {"request_id", response.header("X-Request-Id")},
               {"principal", response.principal},
               {"peer", request.peer}});
}

}  // namespace

api::AnswerHook access_log(const Log& log) {
    return [&log](const api::Request& request, const api::Response& response, Micros took) {
        write_line(log, request, response, took);
    };
}

}  // namespace belfry::app
