// Routes for the console of the durable-workflow server: the same responses under its own paths, including deleted
// schedules.
#include "api/dialects/durable/durable.hpp"
#include "api/dialects/durable/durable_shapes.hpp"
#include "api/dialects/durable/durable_writing.hpp"

namespace belfry::api::durable {

namespace {

using model::Permission;

Result<Response> waterline_detail(store::StoreReader& reader, const Call& call) {
    const auto record = schedule_asked_for(reader, call);
    if (!record) return record.error();
    const auto description = described(reader, *record);
    if (!description) return description.error();
    return json_response(*description);
}

}  // namespace

void add_waterline_routes(Routes& routes, engine::Tenants& tenants, store::StoreReader& reader,
                          const DialectOptions& options) {
    const std::string all = "/waterline/api/v2/schedules";
    const std::string one = all + "/{schedule_id}";
    const auto dialect = make_dialect(options);
    routes.push_back({.method = "GET",
                      .pattern = all,
                      .operation = "durableWaterlineListSchedules",
                      .summary = "List schedules for the console, newest first.",
                      .permission = Permission::read,
                      .query = list_parameters({"active", "paused", "completed", "deleted"}),
                      .answers = {{200, list_shape()},
                                  {400, refusal_shape(), "The page token is invalid."},
                                  {403, refusal_shape(), "The page token belongs to another namespace."},
                                  {409, refusal_shape(), "The page token belongs to another filter."},
                                  {422, refusal_shape(), "A filter is invalid."}},
                      .handler = [&](const Call& call) { return list_schedules(tenants, reader, call); },
                      .dialect = make_dialect(options, &refused_by_list)});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "durableWaterlineDescribeSchedule",
                      .summary = "Describe a schedule for the console. Also works for a deleted schedule.",
                      .permission = Permission::read,
                      .answers = {{200, description_shape()}},
                      .handler = [&](const Call& call) { return waterline_detail(reader, call); },
                      .dialect = dialect});
    routes.push_back({.method = "GET",
                      .pattern = one + "/history",
                      .operation = "durableWaterlineGetScheduleHistory",
                      .summary = "List the audit events of a schedule for the console, oldest first.",
                      .permission = Permission::read,
                      .query = history_parameters(),
                      .answers = {{200, history_shape()}},
                      .handler = [&](const Call& call) { return schedule_history(reader, call); },
                      .dialect = dialect});
}

}  // namespace belfry::api::durable
