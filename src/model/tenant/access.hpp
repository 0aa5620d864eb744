// Access control: roles, their permissions, and principals. Plain data and one rule.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::model {

// The permission that a route requires. `open` routes need no authentication.
enum class Permission : std::uint8_t { open, read, write, operate, approve, work, administer };

enum class Role : std::uint8_t {
    viewer,     // reads
    operator_,  // reads, changes schedules and calendars, triggers, pauses, cancels
    approver,   // reads, approves and rejects
    worker,     // claims tasks and reports their results
    admin,      // everything, including tenants and keys
};

[[nodiscard]] std::string_view name_of(Permission permission);
[[nodiscard]] std::string_view name_of(Role role);  // `operator_` is "operator"
[[nodiscard]] Result<Role> parse_role(std::string_view text);
[[nodiscard]] bool permits(Role role, Permission permission);

// Roles by tenant. `*` stands for every tenant; routes outside of a tenant require a role there.
using Roles = std::map<std::string, std::set<Role>>;
inline constexpr const char* kEveryTenant = "*";

[[nodiscard]] bool permits(const Roles& roles, const std::string& tenant, Permission permission);

// The identity behind a request.
struct Principal {
    std::string name = {};  // `user:john@example.com`, `key:ci`, `service:billing`; empty: anonymous
    Roles roles = {};
    friend bool operator==(const Principal&, const Principal&) = default;
};

// A secret that authenticates a program. The store keeps only its hash.
struct ApiKey {
    std::string id;    // shown in lists; also the first part of the secret
    std::string name;  // unique among keys that are not revoked
    std::string hash;  // 64 hexadecimal digits: SHA-256 of the whole secret
    Roles roles = {};
    std::string created_by = {};
    Instant created_at = {};
    std::optional<Instant> expires_at = {};
    std::optional<Instant> revoked_at = {};
    friend bool operator==(const ApiKey&, const ApiKey&) = default;
};

}  // namespace belfry::model
