// The action log: the audit of a schedule, one row per event, with the schedule as it was then.
//
// Only events that write a definition contain it, and there may be a million others between two of them. So the id of a
// row names both its own sequence and that of the definition in force, `17.3`. To continue from a row, the server reads
// one more event instead of all earlier ones.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::EventType;

constexpr std::int64_t kLogRows = 100;
constexpr std::int64_t kLogRowsMax = 500;

std::string_view action_of(EventType type) {
    switch (type) {
        case EventType::schedule_created: return "schedule_created";
        case EventType::schedule_paused: return "schedule_paused";
        case EventType::schedule_resumed: return "schedule_resumed";
        case EventType::schedule_updated: return "schedule_updated";
        case EventType::schedule_triggered: return "dispatch_schedule";
        case EventType::schedule_trigger_skipped: return "schedule_skipped";
        case EventType::schedule_trigger_buffered: return "schedule_buffered";
        case EventType::schedule_completed: return "schedule_completed";
        case EventType::schedule_deleted: return "schedule_deleted";
        case EventType::schedule_breaker_opened: return "schedule_breaker_opened";
        case EventType::schedule_breaker_closed: return "schedule_breaker_closed";
        default: return name_of(type);
    }
}

ShapePtr action_names() {
    std::vector<std::string> names;
    for (auto type = EventType::schedule_created; type <= EventType::schedule_breaker_closed;
         type = static_cast<EventType>(static_cast<std::uint8_t>(type) + 1)) {
        names.emplace_back(action_of(type));
    }
    return one_of(std::move(names));
}

bool is_definition(EventType type) {
    return type == EventType::schedule_created || type == EventType::schedule_updated;
}

// Returns the small members of a definition: its input may have any size.
Json snapshot_of(const model::Event& event) {
    const auto& payload = event.payload.get_object();
    const auto& spec = payload.at("spec").get_object();
    const auto& action = payload.at("action").get_object();
    const auto& crons = spec.at("cron").get_array();
    const bool is_one =
        crons.size() == 1 && spec.at("intervals").get_array().empty() && spec.at("at").get_array().empty();
    const auto* const workflow = action.if_contains("workflowKind");
    const auto overlap = model::parse_overlap_policy(std::string_view(payload.at("overlap_policy").get_string()));
    return object{{"workflow_id", workflow != nullptr ? *workflow : action.at("taskKind")},
                  {"workflow_version", action.at("version")},
                  {"cron_expr", is_one ? crons.front() : Json(nullptr)},
                  {"timezone", spec.at("timezone")},
                  {"queue_mode", overlap ? Json(queue_mode(*overlap)) : payload.at("overlap_policy")},
                  {"priority", action.at("priority")},
                  {"defined_at", format_instant(event.recorded_at)}};
}

// Without the definition, which is in the snapshot.
object payload_of(const model::Event& event) {
    auto payload = event.payload.get_object();
    if (!is_definition(event.type)) return payload;
    for (const auto* const name : {"spec", "action", "overlap_policy"}) payload.erase(name);
    return payload;
}

struct LogPlace {
    std::int64_t sequence = 0;
    std::int64_t definition = 0;  // 0: none before it
};

Result<LogPlace> parse_place(std::string_view text) {
    const auto dot = text.find('.');
    if (dot != std::string_view::npos) {
        const auto sequence = parse_integer(text.substr(0, dot));
        const auto definition = parse_integer(text.substr(dot + 1));
        if (sequence && definition && *definition >= 0 && *sequence >= *definition)
            return LogPlace{*sequence, *definition};
    }
    return invalid(in_quotes(text) + " is not the `id` of a row; send the id of the last row that you have");
}

std::string text_of(const LogPlace& place) {
    return std::to_string(place.sequence) + "." + std::to_string(place.definition);
}

Result<void> action_logs(store::StoreReader& reader, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    const auto record = schedule_of(reader, call, Deleted::shown);
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    auto place = arguments.parsed("p_after", &parse_place).value_or(LogPlace{});
    Json snapshot = nullptr;
    if (place.definition > 0) {
        const auto definition = reader.events(ref, place.definition - 1, 1);
        if (!definition) return definition.error();
        const bool found = !definition->empty() && is_definition(definition->front().event.type);
        const bool archived = !definition->empty() && definition->front().event.sequence > place.definition;
        if (!found && !archived) return in_field(invalid("is not the `id` of a row of this schedule"), "/p_after");
        if (!archived) snapshot = snapshot_of(definition->front().event);
    }
    const auto events = reader.events(ref, place.sequence, read_limit(arguments, kLogRows, kLogRowsMax));
    if (!events) return events.error();
    for (const auto& each : *events) {
        place.sequence = each.event.sequence;
        if (is_definition(each.event.type)) {
            place.definition = place.sequence;
            snapshot = snapshot_of(each.event);
        }
        sink.add(object{{"id", text_of(place)},
                        {"schedule_id", ref.id},
                        {"action_type", action_of(each.event.type)},
                        {"created_at", format_instant(each.event.recorded_at)},
                        {"payload", payload_of(each.event)},
                        {"snapshot", snapshot}});
    }
    return {};
}

ShapePtr snapshot_shape() {
    return answer_record(
        "ScheduleSnapshot",
        {{"workflow_id", text(), "Workflow that the schedule started."},
         {"workflow_version", or_null(integer()), "Version of the workflow. Null means the newest."},
         {"cron_expr", or_null(text()),
          "Cron expression. Null if the schedule had other times than one cron expression."},
         {"timezone", text(), "IANA time zone."},
         {"queue_mode", text(), "`mode` of the queue policy."},
         {"priority", integer(std::numeric_limits<std::int64_t>::min()), "Priority in the queue of the workers."},
         {"defined_at", instant(), "Time since which this definition was in force."}});
}

ShapePtr log_shape() {
    return answer_record(
        "ScheduleActionLog",
        {{"id", text(), "Identifier of the row. Send it as `p_after` to get the rows after it."},
         {"schedule_id", uuid(), "Unique identifier of the schedule."},
         {"action_type", action_names(), "Type of the event."},
         {"created_at", instant(), "Time of the event."},
         {"payload", map_of(anything()),
          "Details of the event, such as the `reason` of a skip or the `rotation_index_used` of a dispatch."},
         {"snapshot", or_null(snapshot_shape()),
          "The schedule as it was at that time. Null if the event that defined it is archived."}});
}

}  // namespace

void add_action_log_function(std::vector<Function>& functions, store::StoreReader& reader) {
    functions.push_back(
        {.name = "fn_get_schedule_action_logs",
         .summary = "List the actions and changes of a schedule.",
         .details = "Every dispatch, skip and change has exactly one row. Also works for a deleted schedule.",
         .arguments = record("GetScheduleActionLogs",
                             {schedule_argument(),
                              limit_argument(kLogRows, kLogRowsMax),
                              {"p_after", checked_text("place", &parses<&parse_place>),
                               "`id` of the last row that the client has. Null starts from the first row."}}),
         .answer = log_shape(),
         .says = "The rows, oldest first.",
         .rows = [&reader](const Call& call, RowSink& sink) { return action_logs(reader, call, sink); }});
}

}  // namespace belfry::api::rpc
