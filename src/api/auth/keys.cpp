#include "api/auth/keys.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/auth/api_key.hpp"
#include "api/contract/json_values.hpp"
#include "api/contract/shape.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/time/duration.hpp"
#include "engine/usecases/tenants.hpp"

namespace belfry::api::auth {

namespace {

std::optional<Error> wrong_roles(const model::Roles& roles) {
    if (roles.empty()) return invalid("a key needs a role; use viewer, operator, approver, worker or admin");
    for (const auto& each : roles) {
        // A key for an impossible tenant name would never grant access.
        auto error = each.first == model::kEveryTenant ? std::nullopt : engine::check_tenant_name(each.first);
        if (error) {
            error->message = "the tenant " + in_quotes(each.first) + " " + error->message + R"(; "*" is every tenant)";
            return in_field(std::move(*error), pointer_step(each.first));
        }
        if (each.second.empty()) return in_field(invalid("must name at least one role"), pointer_step(each.first));
    }
    return std::nullopt;
}

Json roles_json(const model::Roles& roles) {
    boost::json::object object;
    for (const auto& each : roles) {
        boost::json::array names;
        for (const auto role : each.second) names.push_back(Json(name_of(role)));
        object[each.first] = std::move(names);
    }
    return object;
}

}  // namespace

Result<MadeKey> Keys::create(const NewKey& wanted) {
    if (auto error = check_name(wanted.name)) return in_field(std::move(*error), "/name");
    if (auto error = wrong_roles(wanted.roles)) return in_field(std::move(*error), "/roles");
    if (wanted.lifetime && (*wanted.lifetime <= Micros{0} || *wanted.lifetime > kDurationMax)) {
        return in_field(invalid("must be longer than 0 and at most a hundred years"), "/lifetime");
    }
    const auto now = clock_.now();
    auto fresh = make_key();
    model::ApiKey key{.id = std::move(fresh.id),
                      .name = wanted.name,
                      .hash = key_hash(fresh.secret.reveal()),
                      .roles = wanted.roles,
                      .created_by = wanted.created_by,
                      .created_at = now};
    if (wanted.lifetime) key.expires_at = now + *wanted.lifetime;
    if (auto added = registry_.add_key(key); !added) {
        if (added.error().code != ErrorCode::already_exists) return added.error();
        return Error{ErrorCode::already_exists,
                     "a key " + in_quotes(key.name) + " already exists; revoke it first, or choose another name",
                     "/name"};
    }
    return MadeKey{std::move(key), std::move(fresh.secret)};
}

Result<model::ApiKey> Keys::revoke(const std::string& id) {
    auto revoked = registry_.revoke_key(id, clock_.now());
    if (!revoked && revoked.error().code == ErrorCode::not_found)
        return Error{ErrorCode::not_found, "there is no key " + in_quotes(id)};
    return revoked;
}

std::string state_of(const model::ApiKey& key, Instant now) {
    if (key.revoked_at) return "revoked";
    return key.expires_at && *key.expires_at <= now ? "expired" : "active";
}

Json to_json(const model::ApiKey& key, Instant now) {
    return boost::json::object{{"id", key.id},
                               {"name", key.name},
                               {"roles", roles_json(key.roles)},
                               {"state", state_of(key, now)},
                               {"createdBy", or_null(key.created_by)},
                               {"createdAt", format_instant(key.created_at)},
                               {"expiresAt", or_null(key.expires_at)},
                               {"revokedAt", or_null(key.revoked_at)}};
}

}  // namespace belfry::api::auth
