// Who may do what: roles, what they permit, and whoever has them. Plain data and one rule.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::model {

// What a route asks for. `open` is for everybody, known or not.
enum class Permission : std::uint8_t { open, read, write, operate, approve, work, administer };

enum class Role : std::uint8_t {
    viewer,     // reads
    operator_,  // reads, changes schedules and calendars, triggers, pauses, cancels
    approver,   // reads, approves and rejects
    worker,     // claims tasks and tells how they went
    admin,      // everything, tenants and keys included
};

[[nodiscard]] std::string_view name_of(Permission permission);
[[nodiscard]] std::string_view name_of(Role role);  // `operator` without its underscore
[[nodiscard]] Result<Role> parse_role(std::string_view text);
[[nodiscard]] bool permits(Role role, Permission permission);

// Roles by tenant; `*` stands for every tenant, and is what routes outside of any tenant look at.
using Roles = std::map<std::string, std::set<Role>>;
inline constexpr const char* kEveryTenant = "*";

[[nodiscard]] bool permits(const Roles& roles, const std::string& tenant, Permission permission);

// Whoever asks.
struct Principal {
    std::string name = {};  // `user:john@example.com`, `key:ci`, `service:billing`; empty: nobody in particular
    Roles roles = {};
    friend bool operator==(const Principal&, const Principal&) = default;
};

// A secret that a program shows to be let in. Only a hash of it is kept.
struct ApiKey {
    std::string id;    // shown in lists, and the first part of the secret
    std::string name;  // unique among those that are not revoked
    std::string hash;  // 64 hexadecimal digits: SHA-256 of the whole secret
    Roles roles = {};
    std::string created_by = {};
    Instant created_at = {};
    std::optional<Instant> expires_at = {};
    std::optional<Instant> revoked_at = {};
    friend bool operator==(const ApiKey&, const ApiKey&) = default;
};

}  // namespace belfry::model
