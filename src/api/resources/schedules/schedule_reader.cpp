#include <algorithm>
#include <boost/json/object.hpp>
#include <string_view>

#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/schedules/schedule_type.hpp"
#include "api/resources/schedules/target_forms.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_merge.hpp"
#include "base/time/duration.hpp"
#include "model/run/task.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::ScheduleStatus;

bool is_the_servers(std::string_view name) {
    return std::ranges::find(server_members(), name, &Member::name) != server_members().end();
}

const Json* find(const object& members, std::string_view name) {
    const auto* const value = members.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

// Whether the two targets take different inputs: one is a server task, and the other is none or of another kind.
bool has_another_input(const Json& target, const model::Target& stored) {
    const auto* const kind = find(target.get_object(), "taskKind");
    const auto wanted = kind != nullptr && kind->is_string() ? model::kind_of_task(std::string_view(kind->get_string()))
                                                             : model::NodeKind::task;
    const auto present =
        stored.type == model::TargetType::task ? model::kind_of_task(stored.kind) : model::NodeKind::task;
    return wanted != present;
}

bool has(const object& members, std::string_view outer, std::string_view inner) {
    const auto* const value = find(members, outer);
    return value != nullptr && value->is_object() && find(value->get_object(), inner) != nullptr;
}

Error two_timings(std::string message) { return in_field(invalid(std::move(message)), "/scheduleType"); }

// Replaces `scheduleType` by the equivalent `spec`. `stored` is null for a new schedule.
std::optional<Error> settle_timing(object& members, const model::Schedule* stored) {
    const auto* const type = find(members, "scheduleType");
    if (type == nullptr) {
        if (find(members, "spec") != nullptr) return std::nullopt;
        return in_field(
            invalid(R"("spec" is missing; add the times at which it fires, for example {"cron": ["0 9 * * *"], )"
                    R"("timezone": "UTC"})"),
            "/spec");
    }
    const bool both = find(members, "spec") != nullptr;
    spec::SpecText base;
    if (stored != nullptr) base.timezone = stored->spec.timezone;
    if (both) {
        auto alone = model::spec_from_json(members.at("spec"));
        if (!alone) return in_field(alone.error(), "/spec");
        const bool zoned = has(members, "spec", "timezone");
        const auto zone = base.timezone;
        base = std::move(*alone);
        if (!zoned) base.timezone = zone;
    }
    auto spec = spec_from_type(*type, base);
    if (!spec) return in_field(spec.error(), "/scheduleType");
    if (both && *spec != base) {
        const bool spec_unchanged = stored != nullptr && base == stored->spec;
        const auto stored_type =
            stored == nullptr ? Result<spec::SpecText>(invalid("")) : spec_from_type(*type, stored->spec);
        const bool type_unchanged = stored_type && *stored_type == stored->spec;
        if (type_unchanged) {
            spec = base;
        } else if (!spec_unchanged) {
            return two_timings("scheduleType and spec have different times; send only one of them");
        }
    }
    members["spec"] = model::to_json(*spec);
    return std::nullopt;
}

}  // namespace

std::optional<Error> settle_target_retries(object& definition) {
    if (!has(definition, "target", "maxRetries")) return std::nullopt;
    auto& target = definition["target"].get_object();
    const auto retries = target["maxRetries"];
    target.erase("maxRetries");
    if (has(definition, "retryPolicy", "maxRetries") &&
        !same_json(definition["retryPolicy"].get_object()["maxRetries"], retries)) {
        return in_field(invalid("retryPolicy.maxRetries has a different value; send only one of them"),
                        "/target/maxRetries");
    }
    if (find(definition, "retryPolicy") == nullptr) definition["retryPolicy"] = object{};
    definition["retryPolicy"].get_object()["maxRetries"] = retries;
    return std::nullopt;
}

namespace {

// An assignee works under supervision by default.
void apply_assignee_defaults(const object& given, model::Schedule& schedule) {
    if (!schedule.assignee) return;
    if (!has(given, "approvalPolicy", "requiresApproval")) schedule.approval.requires_approval = true;
    if (!has(given, "retryPolicy", "maxRetries")) schedule.retry.max_retries = 1;
}

// Applies the operator's defaults to members that the definition omits. Instants are exact, so they get no jitter.
void apply_server_defaults(const object& given, const model::ScheduleDefaults& defaults, model::Schedule& schedule) {
    if (find(given, "overlapPolicy") == nullptr) schedule.overlap.policy = defaults.overlap;
    if (find(given, "missedRunPolicy") == nullptr) schedule.missed.policy = defaults.missed;
    const bool recurs = !schedule.spec.cron.empty() || !schedule.spec.intervals.empty();
    if (defaults.jitter.count() > 0 && recurs && schedule.spec.jitter == spec::JitterText{}) {
        schedule.spec.jitter.before = schedule.spec.jitter.after = format_duration(defaults.jitter);
    }
}

Result<model::Schedule> read(const Json& body, const std::string& tenant, const model::Schedule* stored) {
    object members;
    for (const auto& member : body.get_object()) {
        if (!is_the_servers(member.key()) && !member.value().is_null()) members[member.key()] = member.value();
    }
    if (auto error = settle_target_retries(members)) return *error;
    const auto given = members;
    if (stored != nullptr && find(members, "name") == nullptr) members["name"] = stored->name;
    if (auto error = settle_timing(members, stored)) return *error;
    members.erase("scheduleType");
    if (auto* const target = members.if_contains("target")) {
        if (auto error = settle_target(target->get_object())) return in_field(std::move(*error), "/target");
    }
    // A target with a `taskKind` is a task.
    if (has(members, "target", "taskKind") && !has(members, "target", "type"))
        members["target"].get_object()["type"] = "task";
    members["id"] = stored == nullptr ? std::string() : stored->id;
    members["tenant"] = tenant;
    auto schedule = model::schedule_from_json(members);
    if (!schedule) return schedule;
    if (find(given, "missedGrace") == nullptr) schedule->missed.grace.reset();
    if (schedule->target.input.is_null()) schedule->target.input = object{};
    if (stored != nullptr && !has(members, "spec", "timezone")) schedule->spec.timezone = stored->spec.timezone;
    apply_assignee_defaults(given, *schedule);
    return schedule;
}

}  // namespace

Result<model::Schedule> read_new_schedule(const Json& body, const std::string& tenant, const ScheduleLimits& limits) {
    auto schedule = read(body, tenant, nullptr);
    if (schedule) apply_server_defaults(body.get_object(), limits.defaults, *schedule);
    return schedule;
}

Result<model::Schedule> read_changed_schedule(const Json& body, const model::Schedule& stored) {
    auto schedule = read(body, stored.tenant, &stored);
    if (!schedule) return schedule;
    schedule->created_by = stored.created_by;
    schedule->created_at = stored.created_at;
    schedule->updated_at = stored.updated_at;
    schedule->version = stored.version;
    schedule->run_key_name = stored.run_key_name;
    return schedule;
}

Result<Json> patched(Json patch, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones) {
    if (auto* const target = patch.get_object().if_contains("target"); target != nullptr && target->is_object()) {
        if (auto error = settle_target_patch(target->get_object(), record.definition.target))
            return in_field(std::move(*error), "/target");
    }
    Json whole = to_json(record, zones, std::nullopt);
    auto& members = whole.get_object();
    for (const auto& member : server_members()) members.erase(member.name);
    const auto& changes = patch.get_object();
    if (const auto* const target = find(changes, "target")) {
        // A new kind replaces the stored one.
        const bool task = find(target->get_object(), "taskKind") != nullptr;
        if (task || find(target->get_object(), "workflowKind") != nullptr) {
            // The inputs of server tasks do not fit other kinds.
            if (has_another_input(*target, record.definition.target)) members["target"].get_object().erase("input");
            for (const auto* name : {"type", "workflowKind", "taskKind"}) members["target"].get_object().erase(name);
        }
        if (task) members["target"].get_object().erase("version");
        // `target.maxRetries` is an alias of `retryPolicy.maxRetries`.
        if (find(target->get_object(), "maxRetries") != nullptr)
            members["retryPolicy"].get_object().erase("maxRetries");
    }
    if (const auto* const type = find(changes, "scheduleType");
        type != nullptr && members["scheduleType"].is_object()) {
        const auto* const kind = find(type->get_object(), "type");
        auto& old = members["scheduleType"].get_object();
        if (kind != nullptr && *kind != old.at("type")) old = object{{"timezone", old.at("timezone")}};
    }
    // A new assignee works under supervision, as on a new schedule, unless the patch sets it otherwise.
    if (find(changes, "assignee") != nullptr && !record.definition.assignee) {
        if (!record.definition.approval.requires_approval)
            members["approvalPolicy"].get_object().erase("requiresApproval");
        if (record.definition.retry.max_retries == 0) members["retryPolicy"].get_object().erase("maxRetries");
    }
    merge_patch(whole, patch);
    return whole;
}

Result<std::optional<ScheduleStatus>> wanted_status(const Json& body, ScheduleStatus present) {
    const auto& members = body.get_object();
    std::optional<ScheduleStatus> wanted;
    if (const auto* const status = find(members, "status")) {
        const auto parsed = model::parse_schedule_status(std::string_view(status->get_string()));
        if (!parsed) return in_field(parsed.error(), "/status");
        wanted = *parsed;
    }
    if (const auto* const enabled = find(members, "enabled")) {
        const bool on = enabled->get_bool();
        if (wanted && on != (*wanted == ScheduleStatus::active)) {
            return in_field(invalid("contradicts status; send only one of them"), "/enabled");
        }
        if (!wanted && on != (present == ScheduleStatus::active))
            wanted = on ? ScheduleStatus::active : ScheduleStatus::paused;
    }
    if (!wanted || *wanted == present) return std::optional<ScheduleStatus>();
    const std::string field = find(members, "status") != nullptr ? "/status" : "/enabled";
    if (*wanted == ScheduleStatus::deleted)
        return in_field(invalid("must be active or paused; to delete a schedule, send a DELETE request"), field);
    if (*wanted == ScheduleStatus::completed) {
        return in_field(
            invalid("a schedule becomes completed automatically after its last occurrence; send active or paused"),
            field);
    }
    const bool retimed = find(members, "spec") != nullptr || find(members, "scheduleType") != nullptr;
    if (present == ScheduleStatus::completed && !retimed) {
        return in_field(invalid("the schedule is completed; send a spec with future times, which makes it active"),
                        field);
    }
    return wanted;
}

std::optional<Error> check_same_status(const Json& body, ScheduleStatus present) {
    const auto& members = body.get_object();
    const auto* const status = find(members, "status");
    const auto* const enabled = find(members, "enabled");
    const bool same = (status == nullptr || std::string_view(status->get_string()) == name_of(present)) &&
                      (enabled == nullptr || enabled->get_bool() == (present == ScheduleStatus::active));
    if (same) return std::nullopt;
    return in_field(
        invalid("the schedule is " + std::string(name_of(present)) +
                R"(, and a replacement does not change that; remove it, )"
                R"(or PATCH {"status": "paused"} or {"status": "active"})"),
        status != nullptr && std::string_view(status->get_string()) != name_of(present) ? "/status" : "/enabled");
}

bool changes_definition(const Json& body) {
    return std::ranges::any_of(body.get_object(), [](const auto& member) { return !is_the_servers(member.key()); });
}

Error in_words_of(const Json& body, Error error) {
    const auto& members = body.get_object();
    if (const auto* const target = find(members, "target"); target != nullptr && target->is_object()) {
        error = in_target_form(target->get_object(), std::move(error));
    }
    return find(members, "scheduleType") != nullptr && find(members, "spec") == nullptr
               ? in_short_form(std::move(error))
               : error;
}

Error about_kept_zone(const Json& body, const model::Schedule& stored, Error error) {
    const auto& members = body.get_object();
    if (has(members, "spec", "timezone") || has(members, "scheduleType", "timezone")) return error;
    for (auto& other : error.more) other = about_kept_zone(body, stored, std::move(other));
    if (error.field != "/spec/timezone") return error;
    error.message = "the request has no time zone, so the stored one stays, but " + in_quotes(stored.spec.timezone) +
                    " is not (or no longer) a known time zone; send spec.timezone (" + error.message + ")";
    return error;
}

}  // namespace belfry::api
