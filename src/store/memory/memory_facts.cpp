#include <algorithm>

#include "decide/approval/gate.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/fact_rules.hpp"
#include "store/rules/workflow_targets.hpp"

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

namespace {

void add_taken(decide::Facts& facts, const model::Run& run) {
    facts.taken.push_back(run.slot);
    if (run.dispatch == DispatchStatus::skipped) facts.skipped.push_back(run.slot);
    if (is_failure(run.execution)) facts.failed.push_back(run.slot);
}

// Ticks move forward. There are runs of ticks after the cursor only if an update or a pause has moved it back.
void add_ticks_ahead(decide::Facts& facts, const MemorySchedule& schedule) {
    const auto& cursor = schedule.state.next_occurrence;
    const auto& newest = schedule.state.newest_decided;
    if (!cursor || !newest || *newest < *cursor) return;
    for_each_between(schedule, *cursor, kInstantMax, [&facts](const model::Run& run) {
        if (run.slot.cause == model::RunCause::tick) add_taken(facts, run);
    });
}

// Adds the recent results of the target, whichever schedule started the runs.
void tell_of_target(decide::Facts& facts, const MemoryTables& tables, const TargetEnds& ends, Instant now) {
    auto& stats = facts.last_24h;
    for (auto end = ends.rbegin();
         end != ends.rend() && std::get<0>(end->first) > now - kStatsSpan && stats.total < kStatsRunsMax; ++end) {
        stats.total += 1;
        if (end->second == ExecutionStatus::succeeded) stats.succeeded += 1;
        if (end->second == ExecutionStatus::failed || end->second == ExecutionStatus::timed_out) stats.failed += 1;
    }
    stats.total += facts.state.in_flight;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        const auto& [at, slot, key] = end->first;
        const auto schedule = tables.schedules.find(key);
        if (schedule == tables.schedules.end() || !schedule->second.runs.contains(slot)) continue;
        facts.prior_run_result = schedule->second.runs.at(slot).run.result;
        return;
    }
}

std::optional<decide::AssigneeBudget> budget_of_assignee(const MemoryTenant& tenant, const model::Schedule& definition,
                                                         Instant now) {
    const auto record = definition.assignee ? tenant.assignees.find(definition.assignee->id) : tenant.assignees.end();
    if (record == tenant.assignees.end()) return std::nullopt;
    decide::AssigneeBudget budget{record->first, record->second.policies};
    const auto today = tenant.budgets.find({record->first, model::day_of(now)});
    if (today != tenant.budgets.end()) budget.today = today->second;
    return budget;
}

decide::Budget budget_of(const MemoryTenant& tenant, const model::Schedule& definition, const StoreLimits& limits,
                         Instant now) {
    decide::Budget budget{.assignee = budget_of_assignee(tenant, definition, now)};
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const auto today = tenant.dispatched.find(day);
    const auto used = today == tenant.dispatched.end() ? 0 : today->second;
    if (tenant.tenant.runs_per_day) {
        budget.limit_runs(*tenant.tenant.runs_per_day, used, now);
    } else if (tenant.exhausted_on == day) {
        budget.limit_runs(limits.runs_per_day_per_tenant, used, now);
    }
    return budget;
}

}  // namespace

Result<decide::CompiledPtr> MemoryTables::compile(MemorySchedule& schedule) {
    const auto& tenant = tenant_of(schedule);
    const auto& definition = schedule.definition();
    const bool alone = definition.calendars.empty() && definition.assignment.empty();
    if (schedule.compiled && (alone || schedule.compiled_from == tenant.ingredient_changes)) return schedule.compiled;
    const auto calendar = [&tenant](const std::string& name) {
        const auto own = tenant.calendars.find(name);
        return own == tenant.calendars.end() ? decide::find_built_in_calendar(name) : own->second.calendar;
    };
    auto compiled = decide::compile(definition, zones_, calendar, tenant.find_assignment(definition.assignment));
    if (!compiled) {
        const auto& error = compiled.error();
        return Error{ErrorCode::corrupt,
                     "schedule " + definition.id + " cannot be read: " + error.field + ": " + error.message};
    }
    schedule.compiled = std::move(*compiled);
    schedule.compiled_from = tenant.ingredient_changes;
    return schedule.compiled;
}

// Adds the definition that decided the run, and the workflow that it will follow after its approval.
void MemoryTables::gather_own(decide::Facts& facts, const MemorySchedule& schedule, const MemoryTenant& tenant,
                              const MemoryRun& row) const {
    if (row.run.version != schedule.version) {
        facts.run_definition = std::make_shared<const model::Schedule>(schedule.versions.at(row.run.version));
        if (const auto* const assigned = tenant.find_assignment(facts.run_definition->assignment))
            facts.run_assignment = *assigned;
    }
    const auto& target = facts.definition_of_run().target;
    const auto* const asked = decide::newest_of(row.approvals, {});
    if (row.run.execution != model::ExecutionStatus::awaiting_approval || asked == nullptr || !asked->workflow_version)
        return;
    facts.run_workflow = find_workflow(tenant, target.kind, asked->workflow_version);
    facts.run_target = check_waiting(target, *asked->workflow_version, facts.run_workflow);
}

namespace {

// The runs of the schedule that a decision may need.
void add_runs(decide::Facts& facts, const MemorySchedule& schedule, const FactsRequest& needs) {
    for (const auto slot : schedule.buffered) {
        const auto& run = schedule.runs.at(slot).run;
        facts.buffered.push_back({run.slot, run.input});
    }
    if (wants_in_flight(schedule.definition(), needs)) {
        for (const auto slot : schedule.in_flight) {
            const auto& run = schedule.runs.at(slot).run;
            facts.in_flight.push_back({run.id, run.slot});
        }
    }
    if (needs.slots) {
        for_each_between(schedule, needs.slots->first, needs.slots->second,
                         [&facts](const auto& run) { add_taken(facts, run); });
    } else if (schedule.state.spread_until) {
        add_ticks_ahead(facts, schedule);
    }
}

}  // namespace

Result<decide::Facts> MemoryTables::gather(MemorySchedule& schedule, const FactsRequest& needs) {
    auto compiled = compile(schedule);
    const auto& tenant = tenant_of(schedule);
    const auto& definition = schedule.definition();
    if (!compiled && needs.stand_in) {
        compiled =
            decide::stand_in(definition, compiled.error().message, tenant.find_assignment(definition.assignment));
    }
    if (!compiled) return compiled.error();
    decide::Facts facts;
    facts.schedule = std::move(*compiled);
    facts.state = schedule.state;
    facts.default_connection = limits.default_connection;
    add_runs(facts, schedule, needs);
    if (!needs.run.empty()) {
        const auto key = model::parse_run_id(needs.run);
        if (!key || key->schedule != schedule.key || !schedule.runs.contains(key->slot))
            return run_not_found(needs.run);
        const auto& row = schedule.runs.at(key->slot);
        facts.run = row.run;
        gather_own(facts, schedule, tenant, row);
        if (row.workflow || !row.nodes.empty()) facts.workflow_run = row.workflow_run();
        facts.approvals = row.approvals;
        sort_by_run(facts.approvals);
        facts.spending.others = used_by_all(row.usage).value_or(model::Usage{});
        facts.spending.reservation = row.reservation;
    }
    if (definition.target.type == model::TargetType::workflow) {
        facts.workflow = find_workflow(tenant, definition.target.kind, definition.target.version);
        facts.target =
            check_target(definition.target, tenant.workflows.contains(definition.target.kind), facts.workflow);
    }
    if (!definition.condition.is_null()) {
        const auto ends = tenant.ends.find({definition.target.type, definition.target.kind});
        static const TargetEnds kNone;
        tell_of_target(facts, *this, ends == tenant.ends.end() ? kNone : ends->second, needs.now);
    }
    facts.switches.tenant = tenant.tenant.dispatch_enabled;
    facts.budget = budget_of(tenant, definition, limits, needs.now);
    facts.caps = limits.run;
    return facts;
}

Result<decide::Facts> MemoryTables::gather_for_tick(MemorySchedule& schedule, Instant now) {
    auto facts = gather(schedule, {.now = now});
    if (facts && !schedule.state.spread_until) add_ticks_ahead(*facts, schedule);
    return facts;
}

}  // namespace belfry::store
