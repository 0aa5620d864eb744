#include "api/telemetry/readiness.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"

namespace belfry::api {

namespace {

constexpr Micros kTickerGone = Seconds{15};

}  // namespace

std::vector<Check> readiness_checks(const engine::ServerStatus& status, const engine::HealthReading& reading,
                                    bool draining) {
    std::vector<Check> checks{{"started"}, {"store"}, {"ticker"}, {"accepting"}};
    if (reading.store_away_since)
        checks[1] = {"store", false, "away since " + format_instant(*reading.store_away_since)};
    if (!is_ticking(status, reading)) checks[2] = {"ticker", false, "it does not reach the store"};
    if (draining) checks[3] = {"accepting", false, "the server is shutting down"};
    return checks;
}

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

Micros ticker_silence(const engine::ServerStatus& status) {
    const auto silent_for = status.ticker.standing().silent_for;
    return silent_for - std::min(silent_for, status.ticker.longest_sleep());
}

bool is_ticking(const engine::ServerStatus& status, const engine::HealthReading& reading) {
    const bool in_trouble = std::ranges::find(reading.workers, status.ticker.name(), &engine::TroubledWorker::name) !=
                            reading.workers.end();
    return !in_trouble && ticker_silence(status) <= kTickerGone;
}

}  // namespace belfry::api
