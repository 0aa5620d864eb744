#include "api/telemetry/http_metrics.hpp"

#include "api/contract/route.hpp"

namespace belfry::api {

namespace {

const char* literal(std::string_view method) {
    for (const auto* const each : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
        if (method == each) return each;
    }
    return "";
}

}  // namespace

void HttpMetrics::add(const Response& response, Micros took) {
    const auto* const route = response.route;
    auto& operation = operations_.of(route == nullptr ? std::string_view("none") : std::string_view(route->operation));
    if (route != nullptr) operation.method.store(literal(route->method), std::memory_order_relaxed);
    const auto digit = static_cast<std::size_t>(response.status / 100);
    operation.answers[std::min(digit, kStatusClasses - 1)].add();
    operation.took.add(took);
}

std::map<std::string, OperationReading> HttpMetrics::read() const {
    std::map<std::string, OperationReading> reading;
    operations_.each([&reading](const std::string& name, const Operation& operation) {
        auto& each = reading[name];
        each.method = operation.method.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < kStatusClasses; ++i) each.answers[i] = operation.answers[i].value();
        each.took = operation.took.read();
    });
    return reading;
}

}  // namespace belfry::api
