#include "engine/explain/run_history.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"
#include "engine/explain/run_definitions.hpp"

namespace belfry::engine {

using boost::json::object;
using model::ExecutionStatus;
using model::RunEvent;

namespace {

// The request and the decision of an approval come before the start, so two numbers are reserved for them.
void add_approval(std::vector<RunEvent>& events, const std::vector<model::Approval>& approvals) {
    const auto* const approval = decide::newest_of(approvals, {});
    if (approval == nullptr) return;
    for (auto event = events.begin() + 1; event != events.end(); ++event) event->sequence += 2;
    auto requested = decide::requested_event(*approval);
    requested.sequence = 2;
    auto decided = decide::decided_event(*approval);
    decided.sequence = 3;
    auto place = events.insert(events.begin() + 1, std::move(requested));
    if (approval->status != model::ApprovalStatus::pending) events.insert(place + 1, std::move(decided));
}

// The start and the end of a single task; its failed attempts lie between.
void add_own_events(std::vector<RunEvent>& events, const model::Run& run) {
    const auto* const first_failure = events.size() > 1 ? &events[1] : nullptr;
    auto started = run.started_at;
    if (first_failure != nullptr) {
        const auto* const payload = first_failure->payload.if_object();
        const auto* const text = payload != nullptr ? payload->if_contains("startedAt") : nullptr;
        if (text != nullptr && text->is_string()) {
            if (const auto at = parse_instant(text->get_string())) started = *at;
        }
    }
    if (started) events.insert(events.begin() + 1, RunEvent{.sequence = 2, .type = "run.started", .at = *started});
    // A limit that ended the run has recorded the end itself.
    if (!is_terminal(run.execution) || events.back().type == "run.failed") return;
    object payload;
    if (!run.error.empty()) payload["error"] = run.error;
    events.push_back({.sequence = events.back().sequence + 1,
                      .type = "run." + std::string(name_of(run.execution)),
                      .at = run.completed_at.value_or(run.decided_at),
                      .payload = std::move(payload)});
}

}  // namespace

RunEvent lineage_event(const model::Run& run, const model::Schedule& definition) {
    const auto& spec = definition.spec;
    return {.sequence = 1,
            .type = std::string(name_of(model::EventType::schedule_triggered)),
            .at = run.decided_at,
            .payload =
                object{{"schedule_id", definition.name},
                       {"schedule_ulid", definition.id},
                       {"cron_expression", spec.cron.empty() ? Json(nullptr) : Json(spec.cron.front())},
                       {"timezone", spec.timezone},
                       {"overlap_policy", name_of(run.overlap)},
                       {"trigger_number", run.trigger_number},
                       {"occurrence_time",
                        format_instant(run.slot.cause == model::RunCause::tick ? run.fire_at : run.slot.occurrence)}}};
}

Result<std::vector<RunEvent>> run_history(store::Store& store, const std::string& tenant, const std::string& run_id,
                                          std::int64_t after_sequence, std::size_t limit) {
    const auto run = store.run(tenant, run_id);
    if (!run) return run.error();
    std::vector<RunEvent> events;
    if (run->dispatch != model::DispatchStatus::dispatched) return events;  // it never started
    const auto definition = definition_of(store, tenant, *run);
    if (!definition) return definition.error();
    const auto workflow_run = store.walk(tenant, run_id);
    if (!workflow_run) return workflow_run.error();
    // The numbers of a single task's events depend on all of them, and there are few: one per attempt.
    const bool has_workflow = workflow_run->workflow != nullptr;
    auto stored =
        store.run_events(tenant, run_id, has_workflow ? after_sequence : 0, has_workflow ? limit : store::kPageMax);
    if (!stored) return stored.error();
    if (!has_workflow || after_sequence < 1) events.push_back(lineage_event(*run, **definition));
    events.insert(events.end(), std::make_move_iterator(stored->begin()), std::make_move_iterator(stored->end()));
    if (!has_workflow) {
        add_own_events(events, *run);
        const auto approvals = store.approvals_of(tenant, {&run_id, 1});
        if (!approvals) return approvals.error();
        add_approval(events, *approvals);
    }
    std::erase_if(events, [after_sequence](const RunEvent& event) { return event.sequence <= after_sequence; });
    if (events.size() > limit) events.resize(limit);
    return events;
}

}  // namespace belfry::engine
