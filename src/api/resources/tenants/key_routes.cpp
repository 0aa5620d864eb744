// Routes that create, list and revoke API keys. Only the response to the creation contains the secret.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/auth/keys.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "base/time/duration.hpp"

namespace belfry::api {

namespace {

using model::Permission;

auth::Keys keys_of(store::Registry& registry) {
    static const SystemClock kClock;
    return {registry, kClock};
}

// REQUIRES: `json` is an object whose values are lists of roles.
model::Roles read_roles(const Json& json) {
    model::Roles roles;
    for (const auto& tenant : json.get_object()) {
        auto& of_tenant = roles[std::string(tenant.key())];
        if (!tenant.value().is_array()) continue;
        for (const auto& role : tenant.value().get_array()) {
            if (const auto parsed = model::parse_role(std::string_view(role.get_string()))) of_tenant.insert(*parsed);
        }
    }
    return roles;
}

Result<Response> create(store::Registry& registry, const Call& call) {
    const Values values(call.body);
    auth::NewKey wanted{
        .name = *values.text("name"), .roles = read_roles(*values.any("roles")), .created_by = call.principal.name};
    wanted.lifetime = values.parsed("lifetime", &parse_duration);
    const auto made = keys_of(registry).create(wanted);
    if (!made) return made.error();
    auto json = auth::to_json(made->key, made->key.created_at);
    json.get_object()["secret"] = made->secret.reveal();
    auto response = json_response(json, 201);
    response.headers.emplace_back("Location", "/api/keys/" + made->key.id);
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
}

Result<Response> list(store::Registry& registry, const Call& call) {
    const auto keys = keys_of(registry).list();
    if (!keys) return keys.error();
    const auto now = SystemClock().now();
    boost::json::array items;
    for (const auto& key : *keys) items.push_back(auth::to_json(key, now));
    return page_response(call.query, std::move(items), "id");
}

Result<Response> revoke(store::Registry& registry, const Call& call) {
    const auto revoked = keys_of(registry).revoke(call.at("key"));
    if (!revoked) return revoked.error();
    return json_response(auth::to_json(*revoked, SystemClock().now()));
}

ShapePtr roles_shape() {
    return map_of(list_of(one_of({"viewer", "operator", "approver", "worker", "admin"}, &parses<&model::parse_role>)));
}

std::vector<Member> key_members() {
    std::vector<Member> members{
        {"id", text(), "Unique identifier of the key. It is the first part of the secret."},
        {"name", text(), "Name of the key, unique among keys that are not revoked."},
        {"roles", roles_shape(), "Roles by tenant. `*` applies to all tenants and to requests outside of any tenant."},
        {"state", one_of({"active", "expired", "revoked"}),
         "State of the key. Only an `active` key authenticates requests."},
        {"createdBy", or_null(text()), "Principal that created the key."},
        {"createdAt", instant(), "Time at which the key was created."},
        {"expiresAt", or_null(instant()), "Time at which the key expires."},
        {"revokedAt", or_null(instant()), "Time at which the key was revoked."}};
    for (auto& member : members) member.presence = Presence::required;
    return members;
}

ShapePtr key_shape() { return record("ApiKey", key_members()); }
ShapePtr made_key_shape() {
    auto members = key_members();
    members.push_back(
        {"secret", text(), "Secret of the key. Store it now: it is shown only once.", Presence::required});
    return record("NewApiKey", std::move(members));
}
ShapePtr request_shape() {
    return with_example(
        record(
            "ApiKeyRequest",
            {{"name", name_text(), "Name of the key, unique among keys that are not revoked.", Presence::required},
             {"roles", roles_shape(),
              "Roles by tenant. `*` applies to all tenants and to requests outside of any tenant.", Presence::required},
             {"lifetime", duration(), "Duration after which the key expires. If omitted, the key never expires."}}),
        Json{{"name", "ci"}, {"roles", {{"default", {"operator"}}}}, {"lifetime", "P90D"}});
}

}  // namespace

void add_key_routes(Routes& routes, store::Registry& registry) {
    const std::string group = "API keys";
    routes.push_back({.method = "POST",
                      .pattern = "/api/keys",
                      .operation = "createKey",
                      .summary = "Create an API key. The response contains its secret, once.",
                      .group = group,
                      .permission = Permission::administer,
                      .body = request_shape(),
                      .answers = {{201, made_key_shape()}},
                      .handler = [&](const Call& call) { return create(registry, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/keys",
                      .operation = "listKeys",
                      .summary = "List all API keys, oldest first.",
                      .group = group,
                      .permission = Permission::administer,
                      .query = page_parameters(),
                      .answers = {{200, page_of(key_shape())}},
                      .handler = [&](const Call& call) { return list(registry, call); }});
    routes.push_back({.method = "DELETE",
                      .pattern = "/api/keys/{key}",
                      .operation = "revokeKey",
                      .summary = "Revoke an API key. Revoking it again has no effect.",
                      .group = group,
                      .permission = Permission::administer,
                      .answers = {{200, key_shape()}},
                      .handler = [&](const Call& call) { return revoke(registry, call); }});
}

}  // namespace belfry::api
