// Tenants: make one, list them, read one, change what it may do.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kDescriptionMax = 10'000;  // bytes
constexpr std::int64_t kQuotaMax = 1'000'000'000;

Json tenant_json(const model::Tenant& tenant) {
    return boost::json::object{{"name", tenant.name},
                               {"description", tenant.description},
                               {"dispatchEnabled", tenant.dispatch_enabled},
                               {"schedulesMax", or_null(tenant.schedules_max)},
                               {"runsPerDay", or_null(tenant.runs_per_day)},
                               {"createdAt", format_instant(tenant.created_at)},
                               {"version", tenant.version}};
}

Result<Response> tenant_response(const Result<model::Tenant>& tenant, int status = 200) {
    if (!tenant) return tenant.error();
    auto response = json_response(tenant_json(*tenant), status);
    response.headers.push_back(etag(tenant->version));
    return response;
}

model::Tenant read_tenant(const Values& values, std::string name) {
    return {.name = std::move(name),
            .description = values.text("description").value_or(""),
            .dispatch_enabled = values.boolean("dispatchEnabled").value_or(true),
            .schedules_max = values.integer("schedulesMax"),
            .runs_per_day = values.integer("runsPerDay")};
}

Result<Response> create(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    const auto created = engine.tenants().create(read_tenant(values, *values.text("name")));
    auto response = tenant_response(created, 201);
    if (response) response->headers.emplace_back("Location", tenant_path(created->name, ""));
    return response;
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    const auto tenants = engine.store().tenants();
    if (!tenants) return tenants.error();
    boost::json::array items;
    for (const auto& tenant : *tenants) items.push_back(tenant_json(tenant));
    return page_response(call.query, std::move(items), "name");
}

Result<Response> replace(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    if (const auto name = values.text("name"); name && *name != call.tenant()) {
        return Error{ErrorCode::invalid_argument, "a tenant cannot be renamed: leave it out, or send " + in_quotes(call.tenant()), "/name"};
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    return tenant_response(engine.tenants().replace(read_tenant(values, call.tenant()), *version));
}

std::vector<Member> definition_members() {
    return {{"description", text(kDescriptionMax), "Who it is for."},
            {"dispatchEnabled", boolean(), "Off: every occurrence is skipped with the reason `dispatch_disabled`."},
            {"schedulesMax", or_null(integer(0, kQuotaMax)), "How many schedules it may have that are not deleted; null: no limit."},
            {"runsPerDay", or_null(integer(0, kQuotaMax)), "How many runs it may start in a day, by UTC; null: no limit."}};
}

// The server's own members come back with what was read; they are not looked at.
std::vector<Member> request_members() {
    auto members = definition_members();
    members.push_back({"createdAt", anything(), "The server's own; not looked at in a request."});
    members.push_back({"version", anything(), "The server's own; not looked at in a request."});
    return members;
}

ShapePtr new_tenant_shape() {
    auto members = request_members();
    members.insert(members.begin(), {"name", checked_text("", &engine::check_tenant_name),
                                     "1 to 63 of `a-z`, `0-9`, `-`, `_` and `.`; never changes.", Presence::required});
    return with_example(record("NewTenant", std::move(members)), Json{{"name", "team-billing"}, {"schedulesMax", 500}});
}
ShapePtr changed_tenant_shape() {
    auto members = request_members();
    members.insert(members.begin(), {"name", text(), "May be sent back; a tenant cannot be renamed."});
    return record("ChangedTenant", std::move(members));
}
ShapePtr tenant_shape() {
    auto members = definition_members();
    members.insert(members.begin(), {"name", text(), "Unique; never changes."});
    members.push_back({"createdAt", instant(), "When it was made."});
    members.push_back({"version", integer(1), "Also the ETag."});
    for (auto& member : members) member.presence = Presence::required;
    return record("Tenant", std::move(members));
}

}  // namespace

void add_tenant_routes(Routes& routes, engine::Engine& engine) {
    const std::string group = "Tenants";
    routes.push_back({.method = "POST",
                      .pattern = "/api/tenants",
                      .operation = "createTenant",
                      .summary = "Create a tenant.",
                      .details = "There is no way to delete one: its history would go with it. Switch `dispatchEnabled` off instead.",
                      .group = group,
                      .permission = Permission::administer,
                      .body = new_tenant_shape(),
                      .answers = {{201, tenant_shape()}},
                      .handler = [&](const Call& call) { return create(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants",
                      .operation = "listTenants",
                      .summary = "List all tenants by name.",
                      .group = group,
                      .permission = Permission::administer,
                      .query = page_parameters(),
                      .answers = {{200, page_of(tenant_shape())}},
                      .handler = [&](const Call& call) { return list(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants/{tenant}",
                      .operation = "getTenant",
                      .summary = "Read a tenant.",
                      .group = group,
                      .permission = Permission::administer,
                      .answers = {{200, tenant_shape()}},
                      .handler = [&](const Call& call) { return tenant_response(engine.store().tenant(call.tenant())); }});
    routes.push_back({.method = "PUT",
                      .pattern = "/api/tenants/{tenant}",
                      .operation = "replaceTenant",
                      .summary = "Change a tenant's description, switch and limits.",
                      .details = "What is left out has its default again.",
                      .group = group,
                      .permission = Permission::administer,
                      .server_wide = true,
                      .headers = {if_match_header()},
                      .body = changed_tenant_shape(),
                      .answers = {{200, tenant_shape()}},
                      .handler = [&](const Call& call) { return replace(engine, call); }});
}

}  // namespace belfry::api
