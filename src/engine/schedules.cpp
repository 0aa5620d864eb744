#include "engine/schedules.hpp"

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "base/sha256.hpp"
#include "decide/faults.hpp"
#include "decide/tick.hpp"
#include "engine/nothing.hpp"
#include "engine/signals.hpp"
#include "model/identity.hpp"
#include "store/plan_rows.hpp"

namespace belfry::engine {

namespace {

constexpr int kCatchUpsMax = 200;  // ticks before a change: the longest catch-up that a policy allows, at the usual pace, and half as much again
constexpr Micros kTriggersAhead = Seconds{1};  // a thousand at once; more are a conflict

bool is_due(const model::ScheduleState& state, Instant now) { return state.next_fire && *state.next_fire <= now; }

}  // namespace

// Without the rule, one that is not in the store is a single task: whoever claims it knows what it means.
Result<void> Schedules::check_target(const model::Schedule& definition) {
    const auto& target = definition.target;
    if (rules_.connections != nullptr && target.connection) {
        if (auto unknown = check_connection(*rules_.connections, definition.tenant, *target.connection)) {
            return in_field(std::move(*unknown), "/target/connection");
        }
    }
    if (rules_.commands != nullptr) {
        if (auto unknown = check_commands(*rules_.commands, definition)) return *unknown;
    }
    if (!rules_.strict_targets || target.type != model::TargetType::workflow) return {};
    const auto found = store_.workflow(definition.tenant, target.kind, target.version);
    if (found) return {};
    if (found.error().code != ErrorCode::not_found) return found.error();
    return in_field(invalid(found.error().message + ": deploy it first, or switch strict_targets off"), "/target/workflowKind");
}

// That it names, if any. An assignment is of one workflow, whose policies mean nothing to another one.
Result<std::optional<model::WorkflowAssignment>> Schedules::find_assignment(const model::Schedule& definition) {
    const auto& id = definition.assignment;
    if (id.empty()) return std::optional<model::WorkflowAssignment>();
    auto found = store_.assignment(definition.tenant, id);
    if (!found) return found.error().code == ErrorCode::not_found ? store::assignment_not_there(id) : found.error();
    if (found->workflow == definition.target.kind) return std::optional(std::move(*found));
    return in_field(invalid("is of workflow " + in_quotes(found->workflow) + ", and the schedule starts " + in_quotes(definition.target.kind) +
                            "; name another assignment, or none"),
                    "/workflowAssignmentId");
}

Result<decide::CompiledPtr> Schedules::compile(const model::Schedule& definition) {
    if (auto checked = check_target(definition); !checked) return checked.error();
    const auto assignment = find_assignment(definition);
    if (!assignment) return assignment.error();
    std::optional<Error> failed;
    const auto lookup = [&](const std::string& name) -> std::optional<spec::CalendarText> {
        if (auto built_in = decide::find_built_in_calendar(name)) return built_in;
        auto found = store_.calendar(definition.tenant, name);
        if (found) return std::move(found->calendar);
        if (found.error().code != ErrorCode::not_found) failed = found.error();
        return std::nullopt;
    };
    auto compiled = decide::compile(definition, zones_, lookup, *assignment ? &**assignment : nullptr);
    if (failed) return *failed;
    if (compiled) {
        const auto& schedule = **compiled;
        if (schedule.is_resolved() && !schedule.spec.closer_than(rules_.min_interval)) return compiled;
    }
    auto errors = decide::faults(definition, zones_, lookup, rules_.min_interval);
    if (failed) return *failed;
    // A calendar may have come into being between the two looks.
    if (errors.empty()) return compiled;
    return together(std::move(errors));
}

Result<Answered<Schedules::Record>> Schedules::create(model::Schedule definition, const Context& context, const Paused& paused) {
    // A copy: the definition itself is moved from below.
    const auto tenant = definition.tenant;
    const auto plan_new = [&](const decide::CompiledPtr& schedule, Instant now) { return decide::plan_create(schedule, now, context, paused); };
    const auto make = [&] { return create_now(std::move(definition), context, plan_new); };
    const auto recall = [&](const store::RequestRecord& earlier) { return store_.schedule({.tenant = tenant, .id = earlier.schedule_id}); };
    return answer_once<Record>(store_, tenant, context.request, make, recall);
}

Result<Schedules::Record> Schedules::refuse(model::Schedule definition, const decide::BypassAttempt& attempt, Context context) {
    const auto tenant = definition.tenant;
    const auto assignee = definition.assignee.value_or(model::Assignee{}).id;
    // It has no name that lasts: what they want to start, and for whom, tells one attempt from another.
    context.request = decide::bypass_key(context.principal, tenant + "/" + definition.target.kind + "/" + assignee, attempt.how);
    const auto plan_new = [&](const decide::CompiledPtr& schedule, Instant now) {
        return decide::plan_refused_create(schedule, attempt, now, context);
    };
    const auto make = [&] { return create_now(std::move(definition), context, plan_new); };
    const auto recall = [&](const store::RequestRecord& earlier) { return store_.schedule({.tenant = tenant, .id = earlier.schedule_id}); };
    auto refused = answer_once<Record>(store_, tenant, context.request, make, recall);
    if (!refused) return refused.error();
    return Record{std::move(refused->definition), std::move(refused->state)};
}

Result<Schedules::Record> Schedules::create_now(model::Schedule definition, const Context& context, const PlanNew& plan_new) {
    const auto now = store_.now();
    if (!now) return now.error();
    definition.id = ids_.make(*now);
    definition.version = 1;
    definition.created_at = definition.updated_at = *now;
    if (definition.created_by.empty()) definition.created_by = context.principal;
    const auto compiled = compile(definition);
    if (!compiled) return compiled.error();
    auto plan = plan_new(*compiled, *now);
    if (!plan) return plan.error();
    plan->request = context.request;
    if (auto created = store_.create(std::span(&*plan, 1)); !created) return created.error();
    observer_.decided((*compiled)->definition, *plan, *now);
    return Record{(*compiled)->definition, plan->state};
}

Result<Schedules::Change> Schedules::change(const Ref& ref, Needs needs, const Decide& decide) {
    bool look_first = true;
    for (int i = 0; i < kCatchUpsMax; ++i) {
        const auto now = store_.now();
        if (!now) return now.error();
        std::optional<std::int64_t> due;
        decide::CompiledPtr schedule;
        const auto planner = [&](const decide::Facts& facts) -> Result<decide::Plan> {
            schedule = facts.schedule;
            if (look_first && is_due(facts.state, *now)) {
                due = model::key_of(schedule->definition.id);
                return nothing(facts);
            }
            return decide(facts, *now);
        };
        auto plan = store_.change(ref, {.now = *now, .stand_in = needs == Needs::nothing}, planner);
        if (!plan) return plan.error();
        if (!due) {
            if (!plan->empty()) observer_.decided(plan->definition.value_or(schedule->definition), *plan, *now);
            return Change{std::move(*plan), std::move(schedule)};
        }
        auto ticked = tick({*now, {*due}});
        if (!ticked) return ticked.error();
        // What cannot be decided must not keep a person from pausing it.
        look_first = ticked->poisoned.empty();
    }
    return Error{ErrorCode::unavailable, "the schedule is still catching up; try again"};
}

// Twice when signals are asked: they are no matter of a transaction, so the first one only finds out which.
Result<store::TickOutcome> Schedules::tick(const store::TickRequest& request) {
    Answers answers;
    std::map<std::string, model::Signal> asking;
    auto outcome = tick_with(request, answers, asking);
    if (!outcome || asking.empty()) return outcome;
    store::TickRequest again{.now = request.now};
    for (const auto& [id, signal] : asking) {
        answers[id] = ask_signal(*rules_.http, signal);
        again.keys.push_back(model::key_of(id));
    }
    std::map<std::string, model::Signal> changed;  // their definitions have just changed: they stay due
    auto rest = tick_with(again, answers, changed);
    if (!rest) return rest;
    std::ranges::move(rest->plans, std::back_inserter(outcome->plans));
    std::ranges::move(rest->poisoned, std::back_inserter(outcome->poisoned));
    std::erase_if(outcome->upcoming, [&](const auto& each) { return std::ranges::find(again.keys, each.key) != again.keys.end(); });
    std::ranges::move(rest->upcoming, std::back_inserter(outcome->upcoming));
    return outcome;
}

Result<store::TickOutcome> Schedules::tick_with(const store::TickRequest& request, const Answers& answers,
                                                std::map<std::string, model::Signal>& asking) {
    std::map<std::string, decide::CompiledPtr> schedules;
    auto outcome = store_.tick(request, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto& definition = facts.schedule->definition;
        schedules[definition.id] = facts.schedule;
        if (rules_.http == nullptr || !asks_signal(definition)) return decide::plan_tick(facts, request.now, rules_.limits);
        const auto answer = answers.find(definition.id);
        if (answer == answers.end()) {
            asking[definition.id] = *definition.signal;
            return nothing(facts);
        }
        auto told = facts;
        told.signal_result = answer->second;
        return decide::plan_tick(told, request.now, rules_.limits);
    });
    if (!outcome) return outcome;
    for (const auto& plan : outcome->plans) {
        if (const auto found = schedules.find(plan.schedule_id); found != schedules.end()) {
            observer_.decided(found->second->definition, plan, request.now);
        }
    }
    return outcome;
}

Result<store::TickOutcome> Schedules::tick_once(std::size_t limit) {
    const auto now = store_.now();
    if (!now) return now.error();
    return tick({.now = *now, .limit = limit});
}

Result<Schedules::Record> Schedules::changed(const Ref& ref, Needs needs, const Decide& decide) {
    // By its id from here on: an update may rename it, and a deleted one is found by its id only.
    auto before = store_.schedule(ref);
    if (!before) return before;
    const Ref by_id{ref.tenant, before->definition.id};
    const auto done = change(by_id, needs, decide);
    if (!done) return done.error();
    // Not read again: it is done, and an error of that reading would say that it is not.
    if (done->plan.definition) return Record{*done->plan.definition, done->plan.state};
    return Record{done->schedule->definition, done->plan.state, before->unreadable};
}

Error must_be_replaced(const store::ScheduleRecord& unreadable) {
    return {ErrorCode::conflict,
            "the definition cannot be read, so that no part of it can be changed: replace the whole (" + unreadable.unreadable + ")"};
}

Error has_changed(std::int64_t version, std::int64_t expected) {
    return {ErrorCode::conflict, "the schedule has changed: it is at version " + std::to_string(version) + ", not " + std::to_string(expected)};
}

Result<Schedules::Record> Schedules::update(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit, const Context& context) {
    // Outside the lock, because a calendar may have to be read; the version is compared again inside.
    auto before = store_.schedule(ref);
    if (!before) return before;
    const auto base = version.value_or(before->definition.version);
    auto edited = edit(before->definition);
    if (!edited) return edited.error();
    edited->id = before->definition.id;
    edited->tenant = before->definition.tenant;
    if (!before->unreadable.empty() && edited->spec == before->definition.spec) return must_be_replaced(*before);
    const auto compiled = compile(*edited);
    if (!compiled) return compiled.error();
    return changed({ref.tenant, before->definition.id}, Needs::nothing, [&](const decide::Facts& facts, Instant now) -> Result<decide::Plan> {
        const auto stored = facts.schedule->definition.version;
        if (stored != base) return has_changed(stored, base);
        return decide::plan_update(facts, *compiled, now, context);
    });
}

Result<Schedules::Record> Schedules::pause(const Ref& ref, const decide::PauseRequest& request, const Context& context) {
    return changed(ref, Needs::nothing, [&](const decide::Facts& facts, Instant now) { return decide::plan_pause(facts, request, now, context); });
}

Result<Schedules::Record> Schedules::resume(const Ref& ref, const Context& context) {
    return changed(ref, Needs::looks_ahead, [&](const decide::Facts& facts, Instant now) { return decide::plan_resume(facts, now, context); });
}

Result<Schedules::Record> Schedules::remove(const Ref& ref, const std::string& reason, const Context& context) {
    return changed(ref, Needs::nothing, [&](const decide::Facts& facts, Instant now) { return decide::plan_delete(facts, reason, now, context); });
}

Result<Answered<model::Run>> Schedules::trigger(const Ref& ref, const decide::TriggerRequest& request, const Context& context) {
    const auto plan_at = [&](const decide::Facts& facts, Instant occurrence, Instant now) {
        auto asked = request;
        asked.occurrence = occurrence;
        return decide::plan_trigger(facts, asked, now, context);
    };
    const auto make = [&]() -> Result<model::Run> {
        auto run = run_beside(ref, plan_at, context);
        if (!run) return run.error();
        return std::move(**run);  // a trigger always makes one
    };
    const auto recall = [&](const store::RequestRecord& earlier) { return store_.run(ref.tenant, earlier.run_id); };
    return answer_once<model::Run>(store_, ref.tenant, context.request, make, recall);
}

Result<Answered<Schedules::StartedByEvent>> Schedules::start_by_event(const Ref& ref, const decide::ReceivedEvent& event, Context context) {
    // An event is known by its name and its id, whatever else a sender that repeats it may have changed.
    context.request = model::RequestKey{"event:" + sha256_hex(ref.id + "\n" + event.name + "\n" + event.id), sha256_hex(event.name)};
    const auto plan_at = [&](const decide::Facts& facts, Instant occurrence, Instant now) {
        return decide::plan_event(facts, event, occurrence, now, context);
    };
    const auto make = [&]() -> Result<StartedByEvent> {
        auto run = run_beside(ref, plan_at, context);
        if (!run) return run.error();
        return StartedByEvent{std::move(*run)};
    };
    const auto recall = [&](const store::RequestRecord& earlier) -> Result<StartedByEvent> {
        auto run = store_.run(ref.tenant, earlier.run_id);
        if (!run) return run.error();
        return StartedByEvent{std::move(*run)};
    };
    return answer_once<StartedByEvent>(store_, ref.tenant, context.request, make, recall);
}

// A trigger is its own occurrence, in milliseconds: when several come at once each takes the next that is free.
Result<std::optional<model::Run>> Schedules::run_beside(const Ref& ref, const PlanBeside& plan_at, const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    decide::CompiledPtr schedule;
    store::Needs needs{.now = *now, .in_flight = true};
    needs.slots = std::pair{std::chrono::floor<std::chrono::milliseconds>(*now), *now + kTriggersAhead};
    const auto planner = [&](const decide::Facts& facts) {
        schedule = facts.schedule;
        auto occurrence = *now;
        auto plan = plan_at(facts, occurrence, *now);
        while (!plan && plan.error().code == ErrorCode::conflict && occurrence - *now < kTriggersAhead) {
            occurrence += std::chrono::milliseconds{1};
            plan = plan_at(facts, occurrence, *now);
        }
        if (plan && !plan->empty()) plan->request = context.request;
        return plan;
    };
    const auto plan = store_.change(ref, needs, planner);
    if (!plan) return plan.error();
    if (plan->runs.empty()) return std::optional<model::Run>();
    observer_.decided(schedule->definition, *plan, plan->decided_at);
    // The run that was asked for is the last: what left the buffer comes before it. Not read again: it is done, and an error
    // of that reading would say that it is not.
    return std::optional(store::run_row(*plan, plan->runs.back(), schedule->definition.version));
}

Result<Schedules::Record> Schedules::settle(const Ref& ref) {
    return changed(ref, Needs::looks_ahead, [](const decide::Facts& facts, Instant) -> Result<decide::Plan> { return nothing(facts); });
}

Result<std::vector<decide::PreviewRow>> Schedules::preview(const Ref& ref, std::optional<Instant> from, std::size_t rows) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::vector<decide::PreviewRow> preview;
    const auto looked = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        preview = decide::preview(facts, from.value_or(*now), rows);
        return nothing(facts);
    });
    if (!looked) return looked.error();
    return preview;
}

}  // namespace belfry::engine
