// Routes that create, list, read and change tenants.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/usecases/tenants.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kDescriptionMax = 10'000;  // bytes
constexpr std::int64_t kQuotaMax = 1'000'000'000;
constexpr std::int64_t kBytesMax = std::int64_t{1} << 50U;  // one pebibyte

Json tenant_json(const model::Tenant& tenant) {
    return boost::json::object{{"name", tenant.name},
                               {"description", tenant.description},
                               {"dispatchEnabled", tenant.dispatch_enabled},
                               {"schedulesMax", or_null(tenant.schedules_max)},
                               {"runsPerDay", or_null(tenant.runs_per_day)},
                               {"storedBytesMax", or_null(tenant.stored_bytes_max)},
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
            .runs_per_day = values.integer("runsPerDay"),
            .stored_bytes_max = values.integer("storedBytesMax")};
}

Result<Response> create(engine::Tenants& tenants, const Call& call) {
    const Values values(call.body);
    const auto created = tenants.create(read_tenant(values, *values.text("name")));
    auto response = tenant_response(created, 201);
    if (response) response->headers.emplace_back("Location", tenant_path(created->name, ""));
    return response;
}

Result<Response> list(engine::Tenants& tenants, const Call& call) {
    const auto all = tenants.list();
    if (!all) return all.error();
    boost::json::array items;
    for (const auto& tenant : *all) items.push_back(tenant_json(tenant));
    return page_response(call.query, std::move(items), "name");
}

// Includes the limits in force, the tenant's own or the server's, and the current usage.
Result<Response> get(engine::Tenants& tenants, const store::StoreLimits& defaults, const Call& call) {
    const auto tenant = tenants.get(call.tenant());
    if (!tenant) return tenant.error();
    const auto usage = tenants.usage(call.tenant());
    if (!usage) return usage.error();
    auto json = tenant_json(*tenant);
    auto& out = json.get_object();
    out["limits"] =
        boost::json::object{{"schedules", tenant->schedules_max.value_or(defaults.schedules_per_tenant)},
                            {"runsPerDay", tenant->runs_per_day.value_or(defaults.runs_per_day_per_tenant)},
                            {"storedBytes", tenant->stored_bytes_max.value_or(defaults.stored_bytes_per_tenant)}};
    out["usage"] = boost::json::object{{"schedules", usage->schedules},
                                       {"runsToday", usage->runs_today},
                                       {"storedBytes", or_null(usage->stored_bytes)},
                                       {"storedBytesMeasuredAt", or_null(usage->measured_at)}};
    auto response = json_response(json);
    response.headers.push_back(etag(tenant->version));
    return response;
}

Result<Response> replace(engine::Tenants& tenants, const Call& call) {
    const Values values(call.body);
    if (const auto name = values.text("name"); name && *name != call.tenant()) {
        return Error{ErrorCode::invalid_argument,
                     "a tenant cannot be renamed; leave name out, or send " + in_quotes(call.tenant()), "/name"};
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    return tenant_response(tenants.replace(read_tenant(values, call.tenant()), *version));
}

std::vector<Member> definition_members() {
    return {{"description", text(kDescriptionMax), "Description of the tenant."},
            {"dispatchEnabled", boolean(),
             "Whether the tenant's schedules dispatch runs. If false, every occurrence is skipped with the reason "
             "`dispatch_disabled`."},
            {"schedulesMax", or_null(integer(0, kQuotaMax)),
             "Maximum number of schedules that are not deleted. Null means the server's `schedules_per_tenant`."},
            {"runsPerDay", or_null(integer(0, kQuotaMax)),
             "Maximum number of runs per UTC day, counted exactly. Null means the server's `runs_per_day_per_tenant`, "
             "which is counted periodically."},
            {"storedBytesMax", or_null(integer(0, kBytesMax)),
             "Maximum number of bytes of definitions, runs and events, as measured. Null means the server's "
             "`stored_bytes_per_tenant`."}};
}

// Clients may send server-owned members back. They are ignored.
std::vector<Member> request_members() {
    auto members = definition_members();
    members.push_back({"createdAt", anything(), "Set by the server. Ignored in requests."});
    members.push_back({"version", anything(), "Set by the server. Ignored in requests."});
    members.push_back({"limits", anything(), "Set by the server. Ignored in requests."});
    members.push_back({"usage", anything(), "Set by the server. Ignored in requests."});
    return members;
}

ShapePtr new_tenant_shape() {
    auto members = request_members();
    members.insert(members.begin(), {"name", checked_text("", &engine::check_tenant_name),
                                     "Name of the tenant: 1 to 63 of `a-z`, `0-9`, `-`, `_` and `.`. It never changes.",
                                     Presence::required});
    return with_example(record("NewTenant", std::move(members)), Json{{"name", "team-billing"}, {"schedulesMax", 500}});
}
ShapePtr changed_tenant_shape() {
    auto members = request_members();
    members.insert(members.begin(),
                   {"name", text(), "Name of the tenant. Must match the path, because a tenant cannot be renamed."});
    return record("ChangedTenant", std::move(members));
}
std::vector<Member> tenant_members() {
    auto members = definition_members();
    members.insert(members.begin(), {"name", text(), "Unique name of the tenant. It never changes."});
    members.push_back({"createdAt", instant(), "Time at which the tenant was created."});
    members.push_back({"version", integer(1), "Version of the tenant. Also sent as the ETag."});
    for (auto& member : members) member.presence = Presence::required;
    return members;
}
ShapePtr tenant_shape() { return record("Tenant", tenant_members()); }
ShapePtr tenant_with_usage_shape() {
    auto members = tenant_members();
    members.push_back(
        {"limits",
         answer_record("TenantLimits",
                       {{"schedules", integer(), "Maximum number of schedules that are not deleted."},
                        {"runsPerDay", integer(), "Maximum number of dispatched runs per UTC day."},
                        {"storedBytes", integer(), "Maximum number of bytes of definitions, runs and events."}}),
         "Limits in force: the tenant's own, or the server's.", Presence::required});
    members.push_back(
        {"usage",
         answer_record("TenantUsage", {{"schedules", integer(), "Number of schedules that are not deleted."},
                                       {"runsToday", integer(),
                                        "Number of runs dispatched today (UTC). If the tenant has no limit of its own, "
                                        "the latest periodic count."},
                                       {"storedBytes", or_null(integer()),
                                        "Number of stored bytes when last measured. Null if not measured yet."},
                                       {"storedBytesMeasuredAt", or_null(instant()), "Time of the last measurement."}}),
         "Current usage.", Presence::required});
    return record("TenantWithUsage", std::move(members));
}

}  // namespace

void add_tenant_routes(Routes& routes, engine::Tenants& tenants, const store::StoreLimits& defaults) {
    const std::string group = "Tenants";
    routes.push_back(
        {.method = "POST",
         .pattern = "/api/tenants",
         .operation = "createTenant",
         .summary = "Create a tenant.",
         .details =
             "A tenant cannot be deleted, because its history would be lost. Set `dispatchEnabled` to false instead.",
         .group = group,
         .permission = Permission::administer,
         .body = new_tenant_shape(),
         .answers = {{201, tenant_shape()}},
         .handler = [&](const Call& call) { return create(tenants, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants",
                      .operation = "listTenants",
                      .summary = "List all tenants, ordered by name.",
                      .group = group,
                      .permission = Permission::administer,
                      .query = page_parameters(),
                      .answers = {{200, page_of(tenant_shape())}},
                      .handler = [&](const Call& call) { return list(tenants, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants/{tenant}",
                      .operation = "getTenant",
                      .summary = "Retrieve a tenant with its limits and usage.",
                      .group = group,
                      .permission = Permission::administer,
                      .answers = {{200, tenant_with_usage_shape()}},
                      .handler = [&tenants, defaults](const Call& call) { return get(tenants, defaults, call); }});
    routes.push_back({.method = "PUT",
                      .pattern = "/api/tenants/{tenant}",
                      .operation = "replaceTenant",
                      .summary = "Replace the settings of a tenant.",
                      .details = "Omitted members return to their defaults.",
                      .group = group,
                      .permission = Permission::administer,
                      .server_wide = true,
                      .headers = {if_match_header()},
                      .body = changed_tenant_shape(),
                      .answers = {{200, tenant_shape()}},
                      .handler = [&](const Call& call) { return replace(tenants, call); }});
}

}  // namespace belfry::api
