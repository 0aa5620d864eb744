#include "api/dialects/durable/durable_history.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable_texts.hpp"
#include "api/dialects/durable/durable_writing.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;

// A spec that this program cannot read stays as it is.
Json spec_in_words(const Json& native) {
    const auto spec = model::spec_from_json(native);
    return spec ? spec_json(*spec) : native;
}

Json action_in_words(const Json& native) {
    if (!native.is_object()) return native;
    constexpr std::array<FieldName, 3> kNames{FieldName{"workflowKind", "workflow_type"},
                                              FieldName{"taskKind", "workflow_type"}, FieldName{"queue", "task_queue"}};
    object action;
    for (const auto& member : native.get_object()) {
        const auto known = std::ranges::find(kNames, std::string_view(member.key()), &FieldName::native);
        action[known == kNames.end() ? std::string_view(member.key()) : known->name] = member.value();
    }
    return action;
}

Json fields_in_words(const Json& native) {
    if (!native.is_array()) return native;
    boost::json::array fields;
    for (const auto& field : native.get_array()) {
        fields.push_back(field.is_string() ? Json(member_name("/" + std::string(std::string_view(field.get_string()))))
                                           : field);
    }
    return fields;
}

Json in_words(const Json& native) {
    auto payload = native;
    if (!payload.is_object()) return payload;
    auto& members = payload.get_object();
    if (auto* const spec = members.if_contains("spec")) *spec = spec_in_words(*spec);
    if (auto* const action = members.if_contains("action")) *action = action_in_words(*action);
    if (auto* const fields = members.if_contains("changed_fields")) *fields = fields_in_words(*fields);
    auto* const reason = members.if_contains("reason");
    if (reason != nullptr && reason->is_string()) *reason = reason_text(reason->get_string());
    return payload;
}

struct EventName {
    std::string_view native;
    std::string_view name;
};
constexpr std::array<EventName, 10> kEventNames{{{"run.started", "WorkflowStarted"},
                                                 {"run.succeeded", "WorkflowCompleted"},
                                                 {"run.failed", "WorkflowFailed"},
                                                 {"run.cancelled", "WorkflowCancelled"},
                                                 {"run.terminated", "WorkflowTerminated"},
                                                 {"run.timed_out", "WorkflowTimedOut"},
                                                 {"node.ready", "ActivityScheduled"},
                                                 {"node.started", "ActivityStarted"},
                                                 {"node.succeeded", "ActivityCompleted"},
                                                 {"node.failed", "ActivityFailed"}}};

// Clients read the result, the message of a failure and the reason of a stop from the last event of a run.
void add_end(object& payload, std::string_view type, const model::Run& run) {
    if (type == "run.succeeded") payload["output"] = shown_payload(run.result);
    if (type == "run.failed" || type == "run.timed_out") payload["message"] = run.error;
    if ((type == "run.cancelled" || type == "run.terminated") && !run.error.empty()) payload["reason"] = run.error;
}

}  // namespace

Json member_or_null(const Json& payload, std::string_view name) {
    const auto* const found = payload.get_object().if_contains(name);
    return found == nullptr ? Json(nullptr) : *found;
}

object event_item(const std::string& schedule_id, const store::EventRecord& record) {
    const auto& event = record.event;
    return {{"id", schedule_id + ":" + std::to_string(event.sequence)},
            {"sequence", event.sequence},
            {"event_type", model::name_of(event.type)},
            {"recorded_at", format_instant(event.recorded_at)},
            {"workflow_instance_id", member_or_null(event.payload, "workflow_instance_id")},
            {"workflow_run_id", member_or_null(event.payload, "workflow_run_id")},
            {"payload", in_words(event.payload)}};
}

object run_event_item(const model::RunEvent& event, const model::Run& run) {
    const auto known = std::ranges::find(kEventNames, event.type, &EventName::native);
    auto payload = event.payload.is_object() ? event.payload.get_object() : object();
    if (!event.node.empty()) payload["node"] = event.node;
    add_end(payload, event.type, run);
    return {{"sequence", event.sequence},
            {"event_type", known == kEventNames.end() ? std::string_view(event.type) : known->name},
            {"timestamp", format_instant(event.at)},
            {"principal", nullptr},
            {"payload", std::move(payload)}};
}

bool is_envelope(const Json& json) {
    if (!json.is_object() || json.get_object().size() != 2) return false;
    const auto* const codec = json.get_object().if_contains("codec");
    const auto* const blob = json.get_object().if_contains("blob");
    return codec != nullptr && codec->is_string() && blob != nullptr && blob->is_string();
}

Json shown_payload(const Json& json) {
    if (!is_envelope(json) || json.get_object().at("codec") != Json("json")) return json;
    auto decoded = parse_json(std::string_view(json.get_object().at("blob").get_string()), model::kStoredJsonLimits);
    return decoded ? std::move(*decoded) : json;
}

}  // namespace belfry::api::durable
