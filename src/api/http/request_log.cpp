#include "api/http/request_log.hpp"

#include "api/http/request_id.hpp"

namespace belfry::api {

namespace {

// Requests of workers are not logged: they claim tasks all the time, and the runs record what they do.
bool asks_for_a_change(const Served& served) {
    return served.route != nullptr && served.route->method != "GET" &&
           served.route->permission != model::Permission::work;
}

// 32 hexadecimal digits, or nothing.
std::string_view trace_id_of(const Request& request) {
    const auto parent = request.header("traceparent");
    return is_traceparent(parent) ? parent.substr(3, 32) : std::string_view();
}

}  // namespace

void RequestLog::add(const Served& served) const {
    if (!log_.writes(LogLevel::info) || !asks_for_a_change(served)) return;
    const auto request_id = request_id_of(served.request);
    log_.info("Request answered", {{"operation", served.route->operation},
                                   {"path", served.request.path},
                                   {"tenant_id", served.tenant},
                                   {"status", served.response.status},
                                   {"principal", served.principal},
                                   {"request_id", request_id},
                                   {"trace_id", trace_id_of(served.request)},
                                   {"peer", served.request.peer},
                                   {"took_us", served.took.count()}});
}

}  // namespace belfry::api
