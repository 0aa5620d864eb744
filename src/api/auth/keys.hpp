// Management of API keys: create, list and revoke. The command line and the routes share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/crypto/secret.hpp"
#include "base/text/json.hpp"
#include "base/time/clock.hpp"
#include "model/tenant/access.hpp"
#include "store/registry.hpp"

namespace belfry::api::auth {

struct NewKey {
    std::string name;
    model::Roles roles;
    std::optional<Micros> lifetime = {};  // nothing: the key does not expire
    std::string created_by = {};
};

struct MadeKey {
    model::ApiKey key;
    Secret secret;  // available only now
};

class Keys {
public:
    // REQUIRES: both outlive it.
    Keys(store::Registry& registry, const Clock& clock) : registry_(registry), clock_(clock) {}

    // already_exists when another key of that name is not revoked.
    [[nodiscard]] Result<MadeKey> create(const NewKey& wanted);
    [[nodiscard]] Result<std::vector<model::ApiKey>> list() { return registry_.keys(); }
    // Revoking a key again has no effect.
    [[nodiscard]] Result<model::ApiKey> revoke(const std::string& id);

private:
    store::Registry& registry_;
    const Clock& clock_;
};

// `active`, `expired` or `revoked`.
[[nodiscard]] std::string state_of(const model::ApiKey& key, Instant now);

// Writes everything but the hash: {"id", "name", "roles", "state", "createdBy", "createdAt", "expiresAt", "revokedAt"}.
[[nodiscard]] Json to_json(const model::ApiKey& key, Instant now);

}  // namespace belfry::api::auth
