#include "store/rules/attempt_events.hpp"

#include "base/text/ascii.hpp"

namespace belfry::store {

std::vector<model::RunEvent> claim_events(bool first, const std::vector<std::pair<std::string, int>>& nodes,
                                          const std::string& worker, Instant now) {
    std::vector<model::RunEvent> events;
    if (first) events.push_back({.type = "run.started", .at = now});
    for (const auto& [node, attempt] : nodes) {
        events.push_back({.type = "node.started",
                          .at = now,
                          .node = node,
                          .payload = boost::json::object{{"attempt", attempt}, {"worker", worker}}});
    }
    return events;
}

model::RunEvent passing_event(const LeaseTransfer& passed, bool again, Instant now) {
    const auto& lease = passed.lease;
    model::RunEvent event{.type = passed.event, .at = now, .node = lease.node, .payload = passed.payload};
    event.payload.as_object()["attempt"] = lease.attempt;
    if (!lease.node.empty()) return event;
    const auto numbers = model::numbers_of(lease.attempt, true);
    event.sequence = again ? numbers.started : numbers.handed_over;
    return event;
}

model::RunEvent retry_event(const model::Lease& lease, const decide::AttemptEnd& end, const decide::Retry& retry,
                            Instant now) {
    const auto category = decide::category_of(end);
    return {.sequence = model::numbers_of(lease.ref.attempt, model::is_handed_over(lease.worker)).end,
            .type = "node.failed",
            .at = now,
            .payload = boost::json::object{{"attempt", lease.ref.attempt},
                                           {"startedAt", format_instant(lease.since)},
                                           {"cause", category ? Json(name_of(*category)) : Json(nullptr)},
                                           {"error", storable(end.error)},
                                           {"retryAt", format_instant(retry.ready_at)}}};
}

}  // namespace belfry::store
