// A tenant: the isolation unit. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time/instant.hpp"

namespace belfry::model {

inline constexpr const char* kDefaultTenant = "default";  // always exists

struct Tenant {
    std::string name;
    std::string description = {};
    bool dispatch_enabled = true;                       // if off, every occurrence is skipped with dispatch_disabled
    std::optional<std::int64_t> schedules_max = {};     // schedules that are not deleted; empty: the server's default
    std::optional<std::int64_t> runs_per_day = {};      // per UTC day, counted exactly; empty: the server's default
    std::optional<std::int64_t> stored_bytes_max = {};  // as measured; empty: the server's default
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const Tenant&, const Tenant&) = default;
};

}  // namespace belfry::model
