// What a machine that watches servers asks: is the process alive, and may it be sent requests. Never touches the store.
#pragma once

#include <string>
#include <vector>

#include "api/message.hpp"
#include "engine/engine.hpp"
#include "engine/health.hpp"

namespace belfry::api {

inline constexpr const char* kLivePath = "/healthz";
inline constexpr const char* kReadyPath = "/readyz";

struct Check {
    std::string name;
    bool ok = true;
    std::string detail = {};  // why not
};

// 200 `ok`: whoever can answer is alive.
[[nodiscard]] Response liveness_response();
// 200 when all checks are fine, 503 otherwise.
[[nodiscard]] Response readiness_response(const std::vector<Check>& checks);

// How long the ticker has been silent beyond its longest sleep.
[[nodiscard]] Micros ticker_silence(engine::Engine& engine);
// It goes, and its database answers: one that says nothing for long is as good as away.
[[nodiscard]] bool is_ticking(engine::Engine& engine, const engine::HealthReading& reading);

}  // namespace belfry::api
