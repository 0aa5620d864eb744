// Routes for parts of a schedule with their own address: its input rotation, its condition and its versions.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"
#include "decide/schedule/condition_check.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/tenants.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;
using Record = store::ScheduleRecord;

constexpr std::int64_t kRotationMax = 1'000;  // entries, as in a definition

// Maps errors about the definition to a body that holds only one member of it.
Error in_part(Error error, const std::string& member, const std::string& name) {
    if (error.field.starts_with(member)) error.field = name + error.field.substr(member.size());
    for (auto& other : error.more) other = in_part(std::move(other), member, name);
    return error;
}

Result<Record> change(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call,
                      const std::function<void(model::Schedule&)>& edit) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    return schedules.update(
        schedule_of(call), *version,
        [&](model::Schedule changed) -> Result<model::Schedule> {
            edit(changed);
            return checked_schedule(std::move(changed), limits);
        },
        call.context());
}

// -- Versions.

Result<Response> version(const ScheduleView& view, const Call& call) {
    const auto number = parse_integer(call.at("version"));
    if (!number || *number < 1)
        return Error{ErrorCode::not_found, "a version is a number, 1 or higher, not " + in_quotes(call.at("version"))};
    const auto record = view.reader.schedule(schedule_of(call));
    if (!record) return record.error();
    const auto found =
        view.reader.definitions(call.tenant(), std::array{store::DefinitionRef{record->definition.id, *number}});
    if (!found) return found.error();
    if (found->front()) return json_response(to_json(*found->front(), view.zones));
    const auto newest = record->definition.version;
    if (*number > newest)
        return Error{ErrorCode::not_found, "the newest version of this schedule is " + std::to_string(newest)};
    return Error{ErrorCode::not_found,
                 "version " + std::to_string(*number) + " is no longer retained, because no run refers to it"};
}

// -- Rotation.

Response rotation_response(const Record& record) {
    const auto& entries = record.definition.inputs_rotation;
    const auto count = static_cast<std::int64_t>(entries.size());
    const auto next = record.state.rotation_index;
    auto response =
        json_response(object{{"entries", array_of(entries)},
                             {"nextIndex", count > 0 ? Json(next % count) : Json(nullptr)},
                             {"lastIndex", count > 0 && next > 0 ? Json((next - 1) % count) : Json(nullptr)},
                             {"taken", next},
                             {"version", record.definition.version}});
    response.headers.push_back(etag(record));
    return response;
}

Result<Response> rotation_response(const Result<Record>& record) {
    if (!record) return in_part(record.error(), "/inputsRotation", "/entries");
    return rotation_response(*record);
}

Result<Response> set_rotation(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call) {
    const auto& entries = call.body.get_object().at("entries").get_array();
    return rotation_response(change(schedules, limits, call, [&](model::Schedule& schedule) {
        schedule.inputs_rotation.assign(entries.begin(), entries.end());
    }));
}

Result<Response> clear_rotation(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call) {
    return rotation_response(
        change(schedules, limits, call, [](model::Schedule& schedule) { schedule.inputs_rotation.clear(); }));
}

ShapePtr rotation_shape() {
    static const auto shape = answer_record(
        "Rotation", {{"entries", list_of(anything()), "Inputs that successive runs use in turn."},
                     {"nextIndex", or_null(integer()), "Index of the entry that the next run uses."},
                     {"lastIndex", or_null(integer()), "Index of the entry that the last run used."},
                     {"taken", integer(), "Number of runs that used an entry since the entries were set."},
                     {"version", integer(1), "Version of the schedule. Also sent as the ETag."}});
    return shape;
}

// -- Condition.

object verdict_json(const decide::ConditionVerdict& verdict, const Json& context) {
    boost::json::array clauses;
    for (const auto& clause : verdict.clauses) {
        clauses.push_back(object{{"path", clause.path},
                                 {"clause", clause.clause},
                                 {"holds", clause.holds},
                                 {"present", clause.is_there},
                                 {"found", clause.found},
                                 {"detail", or_null(clause.failing)}});
    }
    return {{"holds", verdict.holds}, {"clauses", std::move(clauses)}, {"context", context}};
}

std::vector<Member> verdict_members() {
    const auto clause =
        answer_record("ClauseVerdict", {{"path", text(), "JSON pointer that the clause reads."},
                                        {"clause", anything(), "Operator and the value to compare with."},
                                        {"holds", boolean(), "Whether the clause holds."},
                                        {"present", boolean(), "Whether the pointer resolves to a value."},
                                        {"found", anything(), "Value that the pointer resolves to."},
                                        {"detail", or_null(text()), "Why the clause does not hold."}});
    return {{"holds", boolean(), "Whether all clauses hold."},
            {"clauses", list_of(clause), "Result of each clause."},
            {"context", map_of(anything()), "Context against which the clauses were evaluated."}};
}

ShapePtr condition_shape() {
    static const auto shape = [] {
        auto members = verdict_members();
        members.insert(members.begin(), {"condition", anything(), "The condition. Null if the schedule has none."});
        members.push_back({"version", integer(1), "Version of the schedule. Also sent as the ETag."});
        return answer_record("ConditionNow", std::move(members));
    }();
    return shape;
}

// Evaluates the condition as its guard would now.
Result<Response> condition_response(engine::Schedules& schedules, const store::ScheduleRef& ref) {
    const auto found = schedules.condition_now(ref);
    if (!found) return found.error();
    const auto& [record, context] = *found;
    const auto verdict = decide::check_condition(record.definition.condition, context);
    if (!verdict) return in_field(verdict.error(), "/condition");
    auto json = verdict_json(*verdict, context);
    json["condition"] = record.definition.condition;
    json["version"] = record.definition.version;
    auto response = json_response(json);
    response.headers.push_back(etag(record));
    return response;
}

Result<Response> change_condition(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call,
                                  const Json& condition) {
    const auto changed =
        change(schedules, limits, call, [&](model::Schedule& schedule) { schedule.condition = condition; });
    if (!changed) return in_part(changed.error(), "/preDispatchCondition", "/condition");
    return condition_response(schedules, {.tenant = call.tenant(), .id = changed->definition.id});
}

Result<Response> check_condition(engine::Tenants& tenants, const Call& call) {
    if (const auto tenant = tenants.get(call.tenant()); !tenant) return tenant.error();
    const auto& members = call.body.get_object();
    const auto* const given = members.if_contains("context");
    const auto context =
        given == nullptr || given->is_null() ? decide::condition_context(nullptr, {}, nullptr) : *given;
    const auto verdict = decide::check_condition(members.at("condition"), context);
    if (!verdict) return in_field(verdict.error(), "/condition");
    return json_response(verdict_json(*verdict, context));
}

}  // namespace

void add_schedule_part_routes(Routes& routes, engine::Schedules& schedules, engine::Tenants& tenants,
                              const ScheduleView& view, const ScheduleLimits& limits) {
    const std::string tenant = "/api/tenants/{tenant}";
    const std::string rotation = tenant + "/schedules/{schedule}/rotation";
    const std::string condition = tenant + "/schedules/{schedule}/condition";
    const std::string group = "Schedules";
    const Answer minimal{204, {}, "The request has `Prefer: return=minimal`."};
    const Answer same{304, {}, "The version still matches `If-None-Match`."};
    routes.push_back(
        {.method = "GET",
         .pattern = tenant + "/schedules/{schedule}/versions/{version}",
         .operation = "getScheduleVersion",
         .summary = "Retrieve one version of a schedule's definition. Each run names the version that decided it.",
         .group = group,
         .permission = Permission::read,
         .answers = {{200, schedule_version_shape()}},
         .handler = [view](const Call& call) { return version(view, call); }});
    routes.push_back(
        {.method = "GET",
         .pattern = rotation,
         .operation = "getRotation",
         .summary = "Retrieve the input rotation of a schedule and its position.",
         .group = group,
         .permission = Permission::read,
         .headers = {if_none_match_header()},
         .answers = {{200, rotation_shape()}, same},
         .handler = [view](const Call& call) { return rotation_response(view.reader.schedule(schedule_of(call))); }});
    routes.push_back(
        {.method = "PUT",
         .pattern = rotation,
         .operation = "setRotation",
         .summary = "Replace the input rotation. The next run uses the first entry.",
         .group = group,
         .permission = Permission::write,
         .headers = {if_match_header(), prefer_header()},
         .body =
             record("RotationRequest", {{"entries", list_of(anything(), kRotationMax),
                                         "Inputs to rotate. An empty list removes the rotation.", Presence::required}}),
         .answers = {{200, rotation_shape()}, minimal},
         .handler = [&schedules, limits](const Call& call) { return set_rotation(schedules, limits, call); }});
    routes.push_back(
        {.method = "DELETE",
         .pattern = rotation,
         .operation = "clearRotation",
         .summary = "Remove the input rotation and reset its position.",
         .group = group,
         .permission = Permission::write,
         .headers = {if_match_header()},
         .answers = {{200, rotation_shape()}, minimal},
         .handler = [&schedules, limits](const Call& call) { return clear_rotation(schedules, limits, call); }});
    routes.push_back({.method = "GET",
                      .pattern = condition,
                      .operation = "getCondition",
                      .summary = "Retrieve the condition of a schedule and evaluate it now, clause by clause.",
                      .details = "Belfry collects the context only for a schedule that has a condition. This request "
                                 "does not call the signal URL.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, condition_shape()}, same},
                      .handler = [&](const Call& call) { return condition_response(schedules, schedule_of(call)); }});
    routes.push_back(
        {.method = "PUT",
         .pattern = condition,
         .operation = "setCondition",
         .summary = "Replace the condition of a schedule.",
         .group = group,
         .permission = Permission::write,
         .headers = {if_match_header(), prefer_header()},
         .body = record("ConditionRequest",
                        {{"condition", anything(), "Filter on the context: JSON pointers, each with one operator.",
                          Presence::required}}),
         .answers = {{200, condition_shape()}, minimal},
         .handler = [&schedules, limits](const Call& call) {
             return change_condition(schedules, limits, call, call.body.get_object().at("condition"));
         }});
    routes.push_back({.method = "DELETE",
                      .pattern = condition,
                      .operation = "clearCondition",
                      .summary = "Remove the condition of a schedule.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {if_match_header()},
                      .answers = {{200, condition_shape()}, minimal},
                      .handler = [&schedules, limits](const Call& call) {
                          return change_condition(schedules, limits, call, nullptr);
                      }});
    routes.push_back(
        {.method = "POST",
         .pattern = tenant + "/condition/check",
         .operation = "checkCondition",
         .summary = "Evaluate a condition against a context, clause by clause.",
         .details = "An invalid clause returns 422 with a pointer to it.",
         .group = group,
         .permission = Permission::read,
         .body = record("ConditionCheck",
                        {{"condition", anything(), "Filter on the context: JSON pointers, each with one operator.",
                          Presence::required},
                         {"context", map_of(anything()),
                          "Context to evaluate against. Defaults to the context of a schedule without runs."}}),
         .answers = {{200, answer_record("ConditionVerdict", verdict_members())}},
         .handler = [&](const Call& call) { return check_condition(tenants, call); }});
}

}  // namespace belfry::api
