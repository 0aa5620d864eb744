// A tenant: the isolation unit. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.hpp"

namespace belfry::model {

inline constexpr const char* kDefaultTenant = "default";  // always exists

struct Tenant {
    std::string name;
    std::string description = {};
    bool dispatch_enabled = true;                    // off: every occurrence is skipped with dispatch_disabled
    std::optional<std::int64_t> schedules_max = {};  // how many it may have that are not deleted; nothing: the server's default
    std::optional<std::int64_t> runs_per_day = {};   // dispatched, by the UTC date of the decision; counted while it is set
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const Tenant&, const Tenant&) = default;
};

}  // namespace belfry::model
