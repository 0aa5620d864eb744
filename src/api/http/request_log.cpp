#include "api/http/request_log.hpp"

#include "api/contract/route.hpp"
#include "api/http/request_id.hpp"

namespace belfry::api {

namespace {

constexpr int kServerError = 500;

// Requests of workers do not count: they claim tasks all the time, and the runs record what they do.
bool asks_for_a_change(const Route* route) {
    return route != nullptr && route->method != "GET" && route->permission != model::Permission::work;
}

// 32 hexadecimal digits, or nothing.
std::string_view trace_id_of(const Request& request) {
    const auto parent = request.header("traceparent");
    return is_traceparent(parent) ? parent.substr(3, 32) : std::string_view();
}

}  // namespace

void RequestLog::add(const Request& request, const Response& response, Micros took) const {
    const bool matters = asks_for_a_change(response.route) || response.status >= kServerError;
    const auto level = matters ? LogLevel::info : LogLevel::debug;
    if (!log_.writes(level)) return;
    log_.write(level, "Request answered",
               {{"operation", response.route == nullptr ? std::string_view() : response.route->operation},
                {"method", request.method},
                {"path", request.path},
                {"tenant_id", response.tenant},
                {"status", response.status},
                {"bytes", response.body.size()},
                {"principal", response.principal},
                {"request_id", response.header("X-Request-Id")},
                {"trace_id", trace_id_of(request)},
                {"peer", request.peer},
                {"took_us", took.count()}});
}

}  // namespace belfry::api
