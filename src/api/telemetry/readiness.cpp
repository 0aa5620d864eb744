#include "api/telemetry/readiness.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"

namespace belfry::api {

namespace {

constexpr Micros kTickerGone = Seconds{15};

}  // namespace

Response liveness_response() {
    return {200, {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}}, "ok\n"};
}

Response readiness_response(std::vector<Check> checks, HealthDetail detail) {
    if (detail == HealthDetail::none) std::ranges::for_each(checks, [](Check& check) { check.detail.clear(); });
    const bool ready = std::ranges::all_of(checks, &Check::ok);
    boost::json::array items;
    for (const auto& check : checks) {
        items.push_back(boost::json::object{{"name", check.name}, {"ok", check.ok}, {"detail", or_null(check.detail)}});
    }
    auto response =
        json_response(boost::json::object{{"ready", ready}, {"checks", std::move(items)}}, ready ? 200 : 503);
    response.headers.emplace_back("Cache-Control", "no-store");
    if (!ready) response.headers.emplace_back("Retry-After", "1");
    return response;
}

Micros ticker_silence(engine::Engine& engine) {
    const auto silent_for = engine.ticker().standing().silent_for;
    return silent_for - std::min(silent_for, engine.ticker().longest_sleep());
}

bool is_ticking(engine::Engine& engine, const engine::HealthReading& reading) {
    const bool in_trouble = std::ranges::find(reading.workers, engine.ticker().name(), &engine::TroubledWorker::name) !=
                            reading.workers.end();
    return !in_trouble && ticker_silence(engine) <= kTickerGone;
}

}  // namespace belfry::api
