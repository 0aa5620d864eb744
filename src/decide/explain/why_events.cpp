// What audit events show about a moment.
#include <boost/json/object.hpp>

#include "decide/explain/why.hpp"
#include "model/schedule/cause.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::decide {

using model::EventType;
using model::ScheduleStatus;

namespace {

std::string text_at(const Json& payload, std::string_view name) {
    const auto* const value = payload.is_object() ? payload.get_object().if_contains(name) : nullptr;
    return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
}

std::optional<Instant> instant_at(const Json& payload, std::string_view name) {
    const auto instant = parse_instant(text_at(payload, name));
    return instant ? std::optional(*instant) : std::nullopt;
}

std::string principal_of(const Json& payload) {
    const auto* const context = payload.is_object() ? payload.get_object().if_contains("command_context") : nullptr;
    return context == nullptr ? std::string() : text_at(*context, "principal");
}

// Ticks decide active schedules only.
bool was_decided_by_tick(const model::Event& event) {
    const auto cause = text_at(event.payload, "cause");
    const bool own_time = cause == name_of(model::RunCause::tick) || cause == model::kStartCause;
    return own_time && text_at(event.payload, "reason") != name_of(model::SkipReason::status_not_triggerable);
}

}  // namespace

std::optional<ScheduleThen> status_told_by(const model::Event& event) {
    const auto told = [&event](ScheduleStatus status) {
        return ScheduleThen{
            status, event.recorded_at, text_at(event.payload, "reason"), principal_of(event.payload), {}};
    };
    switch (event.type) {
        case EventType::schedule_created:
        case EventType::schedule_resumed: return told(ScheduleStatus::active);
        case EventType::schedule_paused: return told(ScheduleStatus::paused);
        case EventType::schedule_completed: return told(ScheduleStatus::completed);
        case EventType::schedule_deleted: return told(ScheduleStatus::deleted);
        case EventType::schedule_triggered:
        case EventType::schedule_trigger_skipped:
        case EventType::schedule_trigger_buffered:
            if (was_decided_by_tick(event)) return ScheduleThen{};
            return std::nullopt;
        case EventType::schedule_updated:
        case EventType::approval_bypass_attempt:
        case EventType::schedule_breaker_opened:
        case EventType::schedule_breaker_closed:
        default: break;  // events of runs are not in the stream of a schedule
    }
    return std::nullopt;
}

std::optional<spec::SpecText> spec_told_by(const model::Event& event) {
    if (event.type != EventType::schedule_created && event.type != EventType::schedule_updated) return std::nullopt;
    const auto* const spec = event.payload.get_object().if_contains("spec");
    if (spec == nullptr) return std::nullopt;
    // Read as part of an otherwise valid schedule, so that there is only one reader of specs.
    auto schedule = model::schedule_from_json(boost::json::object{
        {"id", "-"}, {"tenant", "-"}, {"name", "-"}, {"target", {{"workflowKind", "-"}}}, {"spec", *spec}});
    if (!schedule) return std::nullopt;
    return std::move(schedule->spec);
}

bool tells_about(const model::Event& event, Instant occurrence) {
    // A taken slot shows that there is an outcome, but not which.
    const auto* const reason = event.payload.get_object().if_contains("reason");
    if (reason != nullptr && *reason == Json(name_of(model::SkipReason::schedule_slot_exists))) return false;
    const auto nominal = instant_at(event.payload, "scheduled_at");  // set if jitter moved the fire time
    const auto first = nominal ? nominal : instant_at(event.payload, "occurrence_time");
    if (!first) return false;
    return *first == occurrence ||
           (*first < occurrence && occurrence <= instant_at(event.payload, "occurrence_until").value_or(*first));
}

}  // namespace belfry::decide
