// Responses for supervisors and load balancers: whether the process is alive, and whether it is ready for requests.
// Never queries the store.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/http/message.hpp"
#include "engine/telemetry/health.hpp"
#include "engine/telemetry/server_status.hpp"

namespace belfry::api {

inline constexpr const char* kLivePath = "/healthz";
inline constexpr const char* kReadyPath = "/readyz";

// How much of its health a server shows to a caller.
enum class HealthDetail : std::uint8_t {
    none,    // whether it works
    server,  // everything: errors, counts and names of all tenants
};
// Empty: every caller sees everything.
using HealthDetailOf = std::function<HealthDetail(const Request&)>;

struct Check {
    std::string name;
    bool ok = true;
    std::string detail = {};  // why it failed
};

// What a server that is ready for requests must have.
[[nodiscard]] std::vector<Check> readiness_checks(const engine::ServerStatus& status,
                                                  const engine::HealthReading& reading, bool draining);

// Responds with 200 `ok`: a process that responds is alive.
[[nodiscard]] Response liveness_response();
// Responds with 200 when all checks passed, 503 otherwise.
[[nodiscard]] Response readiness_response(std::vector<Check> checks, HealthDetail detail);

// Returns how long the ticker has been silent beyond its longest sleep.
[[nodiscard]] Micros ticker_silence(const engine::ServerStatus& status);
// Whether the ticker runs and reaches its database. A ticker that has been silent for too long counts as stopped.
[[nodiscard]] bool is_ticking(const engine::ServerStatus& status, const engine::HealthReading& reading);

}  // namespace belfry::api
