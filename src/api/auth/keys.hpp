// API keys as a person deals with them: make one, list them, revoke one. Shared by the command line and the routes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/secret.hpp"
#include "model/access.hpp"
#include "store/registry.hpp"

namespace belfry::api::auth {

struct NewKey {
    std::string name;
    model::Roles roles;
    std::optional<Micros> lifetime = {};  // nothing: it does not expire
    std::string created_by = {};
};

struct MadeKey {
    model::ApiKey key;
    Secret secret;  // seen now and never again
};

class Keys {
public:
    // REQUIRES: both outlive it.
    Keys(store::Registry& registry, const Clock& clock) : registry_(registry), clock_(clock) {}

    // already_exists when a key of that name is not revoked.
    [[nodiscard]] Result<MadeKey> create(const NewKey& wanted);
    [[nodiscard]] Result<std::vector<model::ApiKey>> list() { return registry_.keys(); }
    // Again is fine.
    [[nodiscard]] Result<model::ApiKey> revoke(const std::string& id);

private:
    store::Registry& registry_;
    const Clock& clock_;
};

// `active`, `expired` or `revoked`.
[[nodiscard]] std::string state_of(const model::ApiKey& key, Instant now);

// Everything but the hash: {"id", "name", "roles", "state", "createdBy", "createdAt", "expiresAt", "revokedAt"}.
[[nodiscard]] Json to_json(const model::ApiKey& key, Instant now);

}  // namespace belfry::api::auth
