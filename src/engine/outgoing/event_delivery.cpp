#include "engine/outgoing/event_delivery.hpp"

namespace belfry::engine {

Result<EventAnswer> deliver_event(store::StoreReader& store, Schedules& schedules, const EventReport& report,
                                  const model::CommandContext& context) {
    const auto waiting =
        store.subscribers(report.tenant, report.event.name, {.after = report.after, .limit = kEventFanOutMax});
    if (!waiting) return waiting.error();
    EventAnswer answer{.next = waiting->next};
    for (const auto& id : waiting->items) {
        const auto started = schedules.start_by_event({.tenant = report.tenant, .id = id}, report.event, context);
        EventOutcome outcome{.schedule_id = id};
        if (started) {
            outcome.run = started->run;
            outcome.repeated = started->repeated;
        } else {
            outcome.error = started.error();
        }
        answer.outcomes.push_back(std::move(outcome));
    }
    return answer;
}

}  // namespace belfry::engine
