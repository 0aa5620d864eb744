// Parts of a schedule that have an address of their own: the rotation of its inputs, its condition, and its versions.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/preferences.hpp"
#include "api/run_shapes.hpp"
#include "api/schedule_shape.hpp"
#include "base/ascii.hpp"
#include "base/parse_integer.hpp"
#include "decide/condition_check.hpp"
#include "engine/nothing.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;
using Record = store::ScheduleRecord;

constexpr std::int64_t kRotationMax = 1'000;  // entries, as in a definition

// Errors about the definition, in the words of a body that holds only one member of it.
Error in_part(Error error, const std::string& member, const std::string& name) {
    if (error.field.starts_with(member)) error.field = name + error.field.substr(member.size());
    for (auto& other : error.more) other = in_part(std::move(other), member, name);
    return error;
}

Result<Record> change(engine::Engine& engine, const ScheduleLimits& limits, const Call& call, const std::function<void(model::Schedule&)>& edit) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    return engine.schedules().update(
        schedule_of(call), *version,
        [&](model::Schedule changed) -> Result<model::Schedule> {
            edit(changed);
            if (auto errors = check_schedule(changed, limits.input_max); !errors.empty()) return together(std::move(errors));
            return changed;
        },
        call.context());
}

// -- Versions.

Result<Response> version(engine::Engine& engine, const Call& call) {
    const auto number = parse_integer(call.at("version"));
    if (!number || *number < 1) return Error{ErrorCode::not_found, "a version is a number from 1 on, not " + in_quotes(call.at("version"))};
    const auto record = engine.store().schedule(schedule_of(call));
    if (!record) return record.error();
    const auto found = engine.store().definitions(call.tenant(), std::array{store::DefinitionRef{record->definition.id, *number}});
    if (!found) return found.error();
    if (found->front()) return json_response(to_json(*found->front(), engine.zones()));
    const auto newest = record->definition.version;
    if (*number > newest) return Error{ErrorCode::not_found, "the newest version of this schedule is " + std::to_string(newest)};
    return Error{ErrorCode::not_found, "version " + std::to_string(*number) + " is not kept any more: no run refers to it"};
}

// -- Rotation.

Response rotation_response(const Record& record) {
    const auto& entries = record.definition.inputs_rotation;
    const auto count = static_cast<std::int64_t>(entries.size());
    const auto next = record.state.rotation_index;
    auto response = json_response(object{{"entries", array_of(entries)},
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

Result<Response> set_rotation(engine::Engine& engine, const ScheduleLimits& limits, const Call& call) {
    const auto& entries = call.body.get_object().at("entries").get_array();
    return rotation_response(
        change(engine, limits, call, [&](model::Schedule& schedule) { schedule.inputs_rotation.assign(entries.begin(), entries.end()); }));
}

Result<Response> clear_rotation(engine::Engine& engine, const ScheduleLimits& limits, const Call& call) {
    return rotation_response(change(engine, limits, call, [](model::Schedule& schedule) { schedule.inputs_rotation.clear(); }));
}

ShapePtr rotation_shape() {
    static const auto shape = answer_record("Rotation", {{"entries", list_of(anything()), "Inputs that runs take in turn."},
                                                         {"nextIndex", or_null(integer()), "The entry that the next run takes."},
                                                         {"lastIndex", or_null(integer()), "The entry that the last run took."},
                                                         {"taken", integer(), "How many runs have taken one since the entries were set."},
                                                         {"version", integer(1), "Of the schedule; also the ETag."}});
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
    const auto clause = answer_record("ClauseVerdict", {{"path", text(), "The JSON pointer that it is about."},
                                                        {"clause", anything(), "The operator and what it compares with."},
                                                        {"holds", boolean(), "Whether it does."},
                                                        {"present", boolean(), "Whether the pointer leads anywhere."},
                                                        {"found", anything(), "What it leads to."},
                                                        {"detail", or_null(text()), "Why it does not hold, in words."}});
    return {{"holds", boolean(), "Whether all clauses do."},
            {"clauses", list_of(clause), "One by one."},
            {"context", map_of(anything()), "What they were judged by."}};
}

ShapePtr condition_shape() {
    static const auto shape = [] {
        auto members = verdict_members();
        members.insert(members.begin(), {"condition", anything(), "The filter; null: none."});
        members.push_back({"version", integer(1), "Of the schedule; also the ETag."});
        return answer_record("ConditionNow", std::move(members));
    }();
    return shape;
}

// As its guard would see it now.
Result<Response> condition_response(engine::Engine& engine, const store::ScheduleRef& ref) {
    const auto now = engine.store().now();
    if (!now) return now.error();
    Json context;
    Record record;
    const auto looked = engine.store().change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        context = decide::condition_context(facts.prior_run_result, facts.last_24h, facts.signal_result);
        record = {facts.schedule->definition, facts.state};
        return engine::nothing(facts);
    });
    if (!looked) return looked.error();
    const auto verdict = decide::check_condition(record.definition.condition, context);
    if (!verdict) return in_field(verdict.error(), "/condition");
    auto json = verdict_json(*verdict, context);
    json["condition"] = record.definition.condition;
    json["version"] = record.definition.version;
    auto response = json_response(json);
    response.headers.push_back(etag(record));
    return response;
}

Result<Response> change_condition(engine::Engine& engine, const ScheduleLimits& limits, const Call& call, const Json& condition) {
    const auto changed = change(engine, limits, call, [&](model::Schedule& schedule) { schedule.condition = condition; });
    if (!changed) return in_part(changed.error(), "/preDispatchCondition", "/condition");
    return condition_response(engine, {.tenant = call.tenant(), .id = changed->definition.id});
}

Result<Response> check_condition(engine::Engine& engine, const Call& call) {
    if (const auto tenant = engine.store().tenant(call.tenant()); !tenant) return tenant.error();
    const auto& members = call.body.get_object();
    const auto* const given = members.if_contains("context");
    const auto context = given == nullptr || given->is_null() ? decide::condition_context(nullptr, {}, nullptr) : *given;
    const auto verdict = decide::check_condition(members.at("condition"), context);
    if (!verdict) return in_field(verdict.error(), "/condition");
    return json_response(verdict_json(*verdict, context));
}

}  // namespace

void add_schedule_part_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits) {
    const std::string tenant = "/api/tenants/{tenant}";
    const std::string rotation = tenant + "/schedules/{schedule}/rotation";
    const std::string condition = tenant + "/schedules/{schedule}/condition";
    const std::string group = "Schedules";
    const Answer minimal{204, {}, "With `Prefer: return=minimal`."};
    const Answer same{304, {}, "It is still that of If-None-Match."};
    routes.push_back({.method = "GET",
                      .pattern = tenant + "/schedules/{schedule}/versions/{version}",
                      .operation = "getScheduleVersion",
                      .summary = "Read a version of a schedule's definition: a run says which one decided it.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, schedule_version_shape()}},
                      .handler = [&](const Call& call) { return version(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = rotation,
                      .operation = "getRotation",
                      .summary = "Read the inputs that runs take in turn, and whose turn it is.",
                      .group = group,
                      .permission = Permission::read,
                      .headers = {if_none_match_header()},
                      .answers = {{200, rotation_shape()}, same},
                      .handler = [&](const Call& call) { return rotation_response(engine.store().schedule(schedule_of(call))); }});
    routes.push_back(
        {.method = "PUT",
         .pattern = rotation,
         .operation = "setRotation",
         .summary = "Replace the entries; the first is the next.",
         .group = group,
         .permission = Permission::write,
         .headers = {if_match_header(), prefer_header()},
         .body = record("RotationRequest", {{"entries", list_of(anything(), kRotationMax), "Inputs; none: as DELETE.", Presence::required}}),
         .answers = {{200, rotation_shape()}, minimal},
         .handler = [&engine, limits](const Call& call) { return set_rotation(engine, limits, call); }});
    routes.push_back({.method = "DELETE",
                      .pattern = rotation,
                      .operation = "clearRotation",
                      .summary = "Remove the entries and forget whose turn it was.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {if_match_header()},
                      .answers = {{200, rotation_shape()}, minimal},
                      .handler = [&engine, limits](const Call& call) { return clear_rotation(engine, limits, call); }});
    routes.push_back({.method = "GET",
                      .pattern = condition,
                      .operation = "getCondition",
                      .summary = "Read the condition and judge it as things are now, clause by clause.",
                      .details = "What it sees is gathered only for a schedule that has one. A signal is not asked for this.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, condition_shape()}, same},
                      .handler = [&](const Call& call) { return condition_response(engine, schedule_of(call)); }});
    routes.push_back(
        {.method = "PUT",
         .pattern = condition,
         .operation = "setCondition",
         .summary = "Replace the condition.",
         .group = group,
         .permission = Permission::write,
         .headers = {if_match_header(), prefer_header()},
         .body = record("ConditionRequest", {{"condition", anything(), "JSON pointers, each with one operator.", Presence::required}}),
         .answers = {{200, condition_shape()}, minimal},
         .handler = [&engine, limits](const Call& call) { return change_condition(engine, limits, call, call.body.get_object().at("condition")); }});
    routes.push_back({.method = "DELETE",
                      .pattern = condition,
                      .operation = "clearCondition",
                      .summary = "Remove the condition.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {if_match_header()},
                      .answers = {{200, condition_shape()}, minimal},
                      .handler = [&engine, limits](const Call& call) { return change_condition(engine, limits, call, nullptr); }});
    routes.push_back(
        {.method = "POST",
         .pattern = tenant + "/condition/check",
         .operation = "checkCondition",
         .summary = "Judge a condition by a context, clause by clause.",
         .details = "A clause that means nothing is named: 422 with a pointer to it.",
         .group = group,
         .permission = Permission::read,
         .body = record("ConditionCheck", {{"condition", anything(), "JSON pointers, each with one operator.", Presence::required},
                                           {"context", map_of(anything()), "What it sees; that of a schedule without runs when absent."}}),
         .answers = {{200, answer_record("ConditionVerdict", verdict_members())}},
         .handler = [&](const Call& call) { return check_condition(engine, call); }});
}

}  // namespace belfry::api
