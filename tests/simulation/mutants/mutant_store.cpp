#include "simulation/mutants/mutant_store.hpp"

#include <algorithm>
#include <variant>

#include "decide/approval/approval.hpp"
#include "engine/usecases/no_op_plan.hpp"
#include "model/identity.hpp"
#include "simulation/mutants/mutant_walks.hpp"
#include "simulation/sim_store.hpp"
#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

using model::ScheduleStatus;

namespace {

// What a tick needs to know, asked of the verb that decides one schedule.
store::FactsRequest as_a_tick(Instant now) {
    store::FactsRequest needs;
    needs.now = now;
    needs.slots = std::pair{now - std::chrono::hours{24 * 60}, kInstantMax};
    return needs;
}

// The same occurrence in a second row, as a table without a key would hold it.
void move_aside(decide::Plan& plan, const std::vector<model::RunSlot>& taken) {
    for (auto& run : plan.runs) {
        if (std::ranges::find(taken, run.slot) == taken.end()) continue;
        run.slot.occurrence += std::chrono::milliseconds{1};
        run.id = model::run_id(plan.schedule_id, run.slot);
    }
}

}  // namespace

void MutantStore::remember() {
    for (const auto& id : context_.schedules) {
        if (const auto record = inner_.schedule({"default", id})) remembered_[id] = record->state;
    }
    if (const auto now = inner_.now()) {
        if (const auto day = inner_.budget("default", kAgent, model::day_of(*now))) remembered_budget_ = *day;
    }
}

bool MutantStore::reads_stale() const {
    return is(Mutant::stale_paused) || is(Mutant::stale_overlap) || is(Mutant::stale_max_runs) ||
           is(Mutant::stale_budget);
}

Result<Instant> MutantStore::now() {
    if (reads_stale()) remember();
    auto now = inner_.now();
    if (now && is(Mutant::node_clock)) return *now + skew_;
    return now;
}

decide::Facts MutantStore::stale(decide::Facts facts) const {
    const auto found = remembered_.find(facts.schedule->definition.id);
    if (found == remembered_.end()) return facts;
    const auto& old = found->second;
    auto& state = facts.state;
    if (is(Mutant::stale_budget)) {
        if (facts.budget.assignee) facts.budget.assignee->today = remembered_budget_;
        return facts;
    }
    if (is(Mutant::stale_overlap)) state.in_flight = old.in_flight;
    const bool lost = state.status == (is(Mutant::stale_paused) ? ScheduleStatus::paused : ScheduleStatus::deleted);
    if (!is(Mutant::stale_overlap) && lost && old.status == ScheduleStatus::active) {
        state.status = old.status;
        state.next_occurrence = old.next_occurrence;
        state.next_fire = old.next_fire;
    }
    if (is(Mutant::stale_max_runs)) state.remaining_actions = old.remaining_actions;
    return facts;
}

// What was decided on old facts, written over the new ones.
decide::Plan MutantStore::on_top_of(const decide::Facts& facts, const decide::Facts& used, decide::Plan plan) const {
    if (plan.empty()) return plan;
    plan.state.in_flight += facts.state.in_flight - used.state.in_flight;
    return plan;
}

Result<decide::Plan> MutantStore::change(const store::ScheduleRef& schedule, const store::FactsRequest& needs,
                                         const store::Planner& planner) {
    if (is(Mutant::no_deadline)) return inner_.change(schedule, needs, without_timeouts(planner));
    if (is(Mutant::expiry_approves)) return inner_.change(schedule, needs, approving_what_expires(planner));
    if (is(Mutant::trigger_not_reserved)) {
        return inner_.change(schedule, needs, [&](const decide::Facts& facts) {
            auto plan = planner(facts);
            if (plan) {
                for (auto& run : plan->runs) run.reserves.reset();
            }
            return plan;
        });
    }
    if (!reads_stale()) return inner_.change(schedule, needs, planner);
    return inner_.change(schedule, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto used = stale(facts);
        auto plan = planner(used);
        if (!plan) return plan;
        return on_top_of(facts, used, std::move(*plan));
    });
}

Result<store::TickOutcome> MutantStore::tick(const store::TickRequest& request, const store::Planner& planner) {
    if (is(Mutant::no_unique_key)) {
        return inner_.tick(request, [&](const decide::Facts& facts) -> Result<decide::Plan> {
            auto used = facts;
            used.taken.clear();
            auto plan = planner(used);
            if (plan) move_aside(*plan, facts.taken);
            return plan;
        });
    }
    if (is(Mutant::no_deadline)) return inner_.tick(request, without_timeouts(planner));
    const bool in_two = is(Mutant::cursor_apart) || is(Mutant::audit_apart);
    if (!in_two && !reads_stale()) return inner_.tick(request, planner);
    store::TickOutcome outcome;
    const auto ids = context_.schedules;
    for (const auto& id : ids) {
        const auto key = model::key_of(id);
        if (std::ranges::find(request.keys, key) == request.keys.end()) continue;
        auto plan = in_two ? tick_twice(id, request.now, planner) : tick_stale(id, request.now, planner);
        if (!plan) {
            outcome.poisoned.push_back({key, id, plan.error()});
            continue;
        }
        outcome.upcoming.push_back({key, inner_.schedule({"default", id}).value().state.next_fire, 1});
        if (!plan->empty()) outcome.plans.push_back(std::move(*plan));
    }
    return outcome;
}

Result<decide::Plan> MutantStore::tick_stale(const std::string& id, Instant now, const store::Planner& planner) {
    return inner_.change({"default", id}, as_a_tick(now), [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto used = stale(facts);
        if (!used.state.next_fire || *used.state.next_fire > now) return engine::no_op_plan(facts);
        auto plan = planner(used);
        if (!plan) return plan;
        return on_top_of(facts, used, std::move(*plan));
    });
}

Result<decide::Plan> MutantStore::tick_twice(const std::string& id, Instant now, const store::Planner& planner) {
    decide::Plan rest;
    auto first =
        inner_.change({"default", id}, as_a_tick(now), [&](const decide::Facts& facts) -> Result<decide::Plan> {
            auto part = engine::no_op_plan(facts);
            if (!facts.state.next_fire || *facts.state.next_fire > now) return part;
            auto whole = planner(facts);
            if (!whole || whole->empty()) return whole;
            rest = *whole;
            if (is(Mutant::cursor_apart)) {
                part.state.next_occurrence = rest.state.next_occurrence;
                part.state.next_fire = rest.state.next_fire;
                part.state.newest_decided = rest.state.newest_decided;
            } else {
                part = rest;
                part.events.clear();
                part.state.events = facts.state.events;
                part.state.revision = facts.state.revision;
                rest.runs.clear();
                rest.releases.clear();
                rest.ends.clear();
            }
            part.state.revision = part.revision + 1;
            rest.revision = part.state.revision;
            rest.state.revision = rest.revision + 1;
            return part;
        });
    if (!first || rest.empty()) return first;
    between();
    const auto rows = first->runs;
    auto second = inner_.change({"default", id}, {.now = now},
                                [&](const decide::Facts&) -> Result<decide::Plan> { return rest; });
    // The answer is the whole, as if it had been one.
    if (second && is(Mutant::audit_apart)) {
        second->runs = rows;
        second->releases = first->releases;
        second->ends = first->ends;
    }
    return second;
}

void MutantStore::between() {
    context_.loop.sleep(context_.random.between(Micros{50}, context_.options.store.latency_max));
    if (!context_.healed && context_.loop.current_process() != kNobody &&
        context_.random.permille(context_.options.store.crash * 5))
        throw Crash{};
}

store::Planner MutantStore::without_timeouts(const store::Planner& planner) const {
    return [this, &planner](const decide::Facts& facts) {
        auto plan = planner(facts);
        if (plan) forget_timeouts(*plan, context_.options.worker_lease);
        return plan;
    };
}

store::Planner MutantStore::approving_what_expires(const store::Planner& planner) {
    return [&planner](const decide::Facts& facts) {
        auto plan = planner(facts);
        if (!plan || plan->verdicts.empty() || plan->verdicts.front().status != model::ApprovalStatus::expired)
            return plan;
        // As if somebody had come in the last moment.
        auto generous = facts;
        for (auto& approval : generous.approvals) approval.expires_at = kInstantMax;
        return decide::plan_approval(generous, {.approved = true, .node = plan->verdicts.front().node},
                                     plan->decided_at);
    };
}

Result<std::vector<Result<decide::AttemptPlan>>> MutantStore::complete(std::span<const store::AttemptReport> reports,
                                                                       Instant now,
                                                                       const store::AttemptPlanner& planner) {
    std::vector<store::AttemptReport> changed(reports.begin(), reports.end());
    for (auto& report : changed) {
        if (is(Mutant::reaper_without_look)) {
            report.expired_before.reset();
            report.renewed_at.reset();
        }
        auto& lease = report.lease;
        const auto run = inner_.run("default", lease.run_id);
        if (is(Mutant::no_fencing) && run && lease.node.empty()) lease.attempt = run->attempts;
        if (!is(Mutant::node_not_fenced)) continue;
        const auto walk = inner_.workflow_run("default", lease.run_id);
        const auto* const node = walk ? walk->find(lease.node) : nullptr;
        if (node != nullptr && node->status == model::NodeStatus::running) lease.attempt = node->attempts;
    }
    if (misleads_walks(context_.mutant) || is(Mutant::no_deadline)) return complete_misled(changed, now, planner);
    if (is(Mutant::refusal_takes_turn) || is(Mutant::release_on_old_facts)) {
        return inner_.complete(changed, now, [&](const decide::Facts& facts, const decide::AttemptEnd& end) {
            return planner(mislead_release(facts, end), end);
        });
    }
    auto ended = inner_.complete(changed, now, planner);
    if (is(Mutant::late_node_counts) && ended) {
        for (std::size_t i = 0; i < changed.size(); ++i) {
            if (!(*ended)[i] && !changed[i].lease.node.empty()) count_late(changed[i], now, (*ended)[i]);
        }
    }
    return ended;
}

decide::Facts MutantStore::mislead_release(decide::Facts facts, const decide::AttemptEnd& end) const {
    if (is(Mutant::refusal_takes_turn) && facts.buffered.size() > 1) facts.buffered.resize(1);
    if (is(Mutant::release_on_old_facts) && is_failure(end.status)) facts.last_24h.failed -= 1;
    return facts;
}

// One by one: the planner must not call the store, so it is asked before.
Result<std::vector<Result<decide::AttemptPlan>>> MutantStore::complete_misled(
    const std::vector<store::AttemptReport>& reports, Instant now, const store::AttemptPlanner& planner) {
    std::vector<Result<decide::AttemptPlan>> all;
    for (const auto& report : reports) {
        const auto walk = inner_.workflow_run("default", report.lease.run_id);
        model::WorkflowPtr newest;
        if (walk && walk->workflow) {
            if (const auto found = inner_.workflow("default", walk->workflow->name, {})) newest = *found;
        }
        auto ended =
            inner_.complete(std::span(&report, 1), now, [&](const decide::Facts& facts, const decide::AttemptEnd& end) {
                auto decided = planner(mislead(context_.mutant, facts, newest), end);
                if (decided && is(Mutant::no_deadline) && std::holds_alternative<decide::Plan>(*decided))
                    forget_timeouts(std::get<decide::Plan>(*decided), context_.options.worker_lease);
                return decided;
            });
        if (!ended) return ended;
        all.push_back(std::move(ended->front()));
    }
    return all;
}

void MutantStore::count_late(const store::AttemptReport& report, Instant now, Result<decide::AttemptPlan>& answer) {
    const auto run = inner_.run("default", report.lease.run_id);
    if (!run || !is_terminal(run->execution) || report.expired_before) return;
    store::FactsRequest needs{.now = now};
    needs.run = run->id;
    const auto counted =
        inner_.change({"default", run->schedule_id}, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
            auto plan = engine::no_op_plan(facts);
            plan.decided_at = now;
            plan.notes.push_back({run->id,
                                  {.type = "node.succeeded",
                                   .at = now,
                                   .node = report.lease.node,
                                   .payload = {{"attempt", report.lease.attempt}}}});
            plan.state.revision += 1;
            return plan;
        });
    if (!counted) return;
    decide::AttemptPlan told = *counted;
    // Its row has not changed, but the oracle is to look at it.
    std::get<decide::Plan>(told).ends.push_back({.run_id = run->id, .status = run->execution});
    answer = std::move(told);
}

}  // namespace belfry::sim
