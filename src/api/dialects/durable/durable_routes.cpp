// Routes for schedules in the durable dialect: create, list, describe, update, delete, and their history.
#include <algorithm>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"
#include "api/dialects/durable/durable_history.hpp"
#include "api/dialects/durable/durable_query.hpp"
#include "api/dialects/durable/durable_reading.hpp"
#include "api/dialects/durable/durable_shapes.hpp"
#include "api/dialects/durable/durable_writing.hpp"
#include "base/errors.hpp"
#include "store/listing.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::Permission;

Result<Response> create_schedule(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call) {
    if (auto refused = refuse_memo(call.body)) return std::move(*refused);
    auto schedule = new_schedule(call.body, call.tenant());
    const auto schedule_id = schedule.name;
    auto definition = checked_schedule(std::move(schedule), limits);
    if (!definition) return refused_definition(definition.error(), schedule_id);
    std::optional<decide::PauseRequest> paused;
    if (Values(call.body).boolean("paused").value_or(false)) paused.emplace();
    const auto created = schedules.create(std::move(*definition), call.context(), paused);
    if (!created) return refused_definition(created.error(), schedule_id);
    return json_response(outcome_json(*created, "created"), 201);
}

Result<Response> update_schedule(engine::Schedules& schedules, store::StoreReader& reader, const ScheduleLimits& limits,
                                 const Call& call) {
    if (auto refused = refuse_memo(call.body)) return std::move(*refused);
    const auto record = live_schedule(reader, call);
    if (!record) return record.error();
    const auto edit = [&](const model::Schedule& stored) {
        return checked_schedule(updated(stored, call.body), limits);
    };
    const auto changed =
        schedules.update({.tenant = call.tenant(), .id = record->definition.id}, std::nullopt, edit, call.context());
    if (!changed) return refused_definition(changed.error(), record->definition.name);
    return json_response(outcome_json(*changed, "updated"));
}

Result<Response> describe_schedule(store::StoreReader& reader, const Call& call) {
    const auto record = live_schedule(reader, call);
    if (!record) return record.error();
    const auto description = described(reader, *record);
    if (!description) return description.error();
    return json_response(*description);
}

Result<Response> delete_schedule(engine::Schedules& schedules, store::StoreReader& reader, const Call& call) {
    const auto removed = remove_schedule(schedules, reader, call);
    if (!removed) return removed.error();
    return json_response(outcome_json(*removed, "deleted"));
}

Result<Response> list_schedules(engine::Tenants& tenants, store::StoreReader& reader, const Call& call) {
    const auto read = read_list_request(call);
    if (const auto* const refusal = std::get_if<Refusal>(&read)) return refused(*refusal);
    const auto& request = std::get<ListRequest>(read);
    boost::json::array schedules;
    std::string next;
    if (request.impossible) {
        if (auto tenant = tenants.get(call.tenant()); !tenant) return tenant.error();
    } else {
        const auto listing = reader.schedules(request.filter, request.page);
        if (!listing)
            return listing.error().code == ErrorCode::invalid_argument ? malformed_token()
                                                                       : Result<Response>(listing.error());
        for (const auto& record : listing->items) schedules.push_back(list_item(record));
        next = listing->next;
    }
    const auto count = schedules.size();
    return json_response(object{{"schedules", std::move(schedules)},
                                {"schedule_count", count},
                                {"next_page_token", page_token({request.filter.tenant, request.mark}, next)}});
}

}  // namespace

Result<store::ScheduleRecord> remove_schedule(engine::Schedules& schedules, store::StoreReader& reader,
                                              const Call& call) {
    const auto record = live_schedule(reader, call);
    if (!record) return record.error();
    return schedules.remove({.tenant = call.tenant(), .id = record->definition.id}, "deleted", call.context());
}

Result<store::ScheduleRecord> schedule_asked_for(store::StoreReader& reader, const Call& call) {
    return schedule_called(reader, call.tenant(), call.at("schedule_id"));
}

Result<store::ScheduleRecord> live_schedule(store::StoreReader& reader, const Call& call) {
    return living_schedule_called(reader, call.tenant(), call.at("schedule_id"));
}

Result<Response> schedule_history(store::StoreReader& reader, const Call& call) {
    const auto record = schedule_asked_for(reader, call);
    if (!record) return record.error();
    const auto limit = static_cast<std::size_t>(
        std::clamp<std::int64_t>(call.query.integer("limit").value_or(kHistoryRows), 1, kHistoryRowsMax));
    const auto after = call.query.integer("after_sequence").value_or(0);
    const auto& schedule = record->definition;
    // Reads one more event to find out whether there is another page.
    auto events = reader.events({.tenant = call.tenant(), .id = schedule.id}, after, limit + 1);
    if (!events) return events.error();
    const bool more = events->size() > limit || store::fills_page(*events);
    if (events->size() > limit) events->pop_back();
    boost::json::array items;
    for (const auto& event : *events) items.push_back(event_item(schedule.id, event));
    return json_response(object{{"schedule_id", schedule.name},
                                {"namespace", schedule.tenant},
                                {"events", std::move(items)},
                                {"next_cursor", more ? Json(events->back().event.sequence) : Json(nullptr)},
                                {"has_more", more}});
}

DialectPtr make_dialect(const DialectOptions& options, std::function<Response(const Problem&)> refusal) {
    return std::make_shared<const Dialect>(Dialect{.name = "Durable dialect",
                                                   .tenant = options.tenant,
                                                   .echoed = {kVersionHeader},
                                                   .refusal_shape = refusal_shape(),
                                                   .refusal = std::move(refusal),
                                                   .lenient_body = true,
                                                   .lenient_query = true});
}

DialectPtr with_strict_query(const DialectPtr& dialect) {
    auto strict = *dialect;
    strict.lenient_query = false;
    return std::make_shared<const Dialect>(std::move(strict));
}

Member version_header() { return {kVersionHeader, text(), "Protocol version of the client. The response repeats it."}; }

void add_schedule_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    auto& schedules = services.schedules;
    auto& tenants = services.tenants;
    auto& reader = services.reader;
    const std::string all = "/api/schedules";
    const std::string one = all + "/{schedule_id}";
    const auto dialect = make_dialect(options);
    const auto limits = options.limits;
    const Answer wrong{
        422, refusal_shape(),
        "The definition is invalid: `invalid_cron_expression`, `invalid_schedule_spec`, `memo_too_large`…"};
    routes.push_back(
        {.method = "POST",
         .pattern = all,
         .operation = "durableCreateSchedule",
         .summary = "Create a schedule.",
         .permission = Permission::write,
         .headers = {version_header()},
         .body = creation_shape(),
         .answers = {{201, outcome_shape()},
                     {409, refusal_shape(), "A schedule with that name exists: `schedule_already_exists`."},
                     wrong},
         .handler = [&schedules, limits](const Call& call) { return create_schedule(schedules, limits, call); },
         .dialect = dialect});
    routes.push_back(
        {.method = "GET",
         .pattern = all,
         .operation = "durableListSchedules",
         .summary = "List schedules, newest first.",
         .details =
             "A schedule must match all filters. A page can have fewer items than its size and still have a next page.",
         .permission = Permission::read,
         .query = list_parameters({"active", "paused", "completed"}),
         .headers = {version_header()},
         .answers = {{200, list_shape()},
                     {400, refusal_shape(), "The page token is invalid: `malformed_schedule_page_token`."},
                     {403, refusal_shape(),
                      "The page token belongs to another namespace: `schedule_page_token_namespace_mismatch`."},
                     {409, refusal_shape(),
                      "The page token belongs to another filter: `schedule_page_token_filter_mismatch`."},
                     {422, refusal_shape(), "A filter is invalid."}},
         .handler = [&tenants, &reader](const Call& call) { return list_schedules(tenants, reader, call); },
         .dialect = with_strict_query(make_dialect(options, &refused_by_list))});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "durableDescribeSchedule",
                      .summary = "Describe a schedule.",
                      .permission = Permission::read,
                      .headers = {version_header()},
                      .answers = {{200, description_shape()}},
                      .handler = [&reader](const Call& call) { return describe_schedule(reader, call); },
                      .dialect = dialect});
    routes.push_back({.method = "PUT",
                      .pattern = one,
                      .operation = "durableUpdateSchedule",
                      .summary = "Update a schedule. Omitted members stay as they are.",
                      .details = "The spec is replaced as a whole, but its time zone stays if the new spec names none.",
                      .permission = Permission::write,
                      .headers = {version_header()},
                      .body = update_shape(),
                      .answers = {{200, outcome_shape()}, wrong},
                      .handler = [&schedules, &reader, limits](
                                     const Call& call) { return update_schedule(schedules, reader, limits, call); },
                      .dialect = dialect});
    routes.push_back(
        {.method = "DELETE",
         .pattern = one,
         .operation = "durableDeleteSchedule",
         .summary = "Delete a schedule. Its history stays readable.",
         .permission = Permission::write,
         .headers = {version_header()},
         .answers = {{200, outcome_shape()}},
         .handler = [&schedules, &reader](const Call& call) { return delete_schedule(schedules, reader, call); },
         .dialect = dialect});
    routes.push_back(
        {.method = "GET",
         .pattern = one + "/history",
         .operation = "durableGetScheduleHistory",
         .summary = "List the audit events of a schedule, oldest first. Also works for a deleted schedule.",
         .permission = Permission::read,
         .query = history_parameters(),
         .headers = {version_header()},
         .answers = {{200, history_shape()}},
         .handler = [&reader](const Call& call) { return schedule_history(reader, call); },
         .dialect = dialect});
}

}  // namespace belfry::api::durable

namespace belfry::api {

void add_durable_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    durable::add_schedule_routes(routes, services, options);
    durable::add_action_routes(routes, services, options);
    durable::add_run_routes(routes, services, options);
    durable::add_server_routes(routes, services, options);
    durable::add_waterline_routes(routes, services, options);
}

}  // namespace belfry::api
