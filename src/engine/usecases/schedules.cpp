#include "engine/usecases/schedules.hpp"

#include <algorithm>
#include <map>

#include "base/crypto/sha256.hpp"
#include "base/text/ascii.hpp"
#include "decide/schedule/condition.hpp"
#include "decide/schedule/validate_definition.hpp"
#include "engine/outgoing/http_task.hpp"
#include "engine/usecases/no_op_plan.hpp"
#include "model/identity.hpp"
#include "model/run/own_task.hpp"
#include "store/errors.hpp"
#include "store/rules/run_rows.hpp"
#include "store/rules/workflow_targets.hpp"

namespace belfry::engine {

namespace {

constexpr int kCatchUpsMax = 200;              // ticks before a change: 1.5 times the longest catch-up at usual pace
constexpr Micros kCatchUpTime = Seconds{5};    // for all of them, because the caller's thread is busy meanwhile
constexpr int kUpdateTries = 100;              // of an edit without a version, while others change the schedule
constexpr Micros kTriggersAhead = Seconds{1};  // a thousand at once; more are a conflict

bool is_due(const model::ScheduleState& state, Instant now) { return state.next_fire && *state.next_fire <= now; }

}  // namespace

// Without strict_targets, a workflow that is not in the store is a single task, and its worker knows what it means.
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
    const auto check_timeout = [this](const Json& input) { return check_http_timeout(rules_.http_timeout, input); };
    if (auto errors = model::check_inputs(definition, model::NodeKind::http, check_timeout); !errors.empty())
        return combine_errors(std::move(errors));
    if (!rules_.strict_targets || target.type != model::TargetType::workflow) return {};
    const auto found = store_.workflow(definition.tenant, target.kind, target.version);
    if (found) return {};
    if (found.error().code != ErrorCode::not_found) return found.error();
    return in_field(invalid(found.error().message + ": deploy it first, or switch strict_targets off"),
                    "/target/workflowKind");
}

// The assignment that the definition names, if any. It belongs to one workflow, so its policies do not fit another
// one.
Result<std::optional<model::WorkflowAssignment>> Schedules::find_assignment(const model::Schedule& definition) {
    const auto& id = definition.assignment;
    if (id.empty()) return std::optional<model::WorkflowAssignment>();
    auto found = store_.assignment(definition.tenant, id);
    if (!found) return found.error().code == ErrorCode::not_found ? store::assignment_not_there(id) : found.error();
    if (found->workflow == definition.target.kind) return std::optional(std::move(*found));
    return in_field(invalid("belongs to workflow " + in_quotes(found->workflow) + ", and the schedule starts " +
                            in_quotes(definition.target.kind) + "; set another assignment, or none"),
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
    auto errors = decide::validate_definition(definition, zones_, lookup, rules_.min_interval);
    if (failed) return *failed;
    // A calendar may have been created between the two reads.
    if (errors.empty()) return compiled;
    return combine_errors(std::move(errors));
}

Result<IdempotentResult<Schedules::Record>> Schedules::create(model::Schedule definition, const Context& context,
                                                              const Paused& paused) {
    // A copy, because the definition is moved below.
    const auto tenant = definition.tenant;
    const auto plan_new = [&](const decide::CompiledPtr& schedule, Instant now) {
        return decide::plan_create(schedule, now, context, paused);
    };
    const auto make = [&]() -> Result<Record> {
        if (auto allowed = check_loosening(definition, nullptr, context); !allowed) return allowed.error();
        return create_now(std::move(definition), context, plan_new,
                          [this](const model::Schedule& one) { return compile(one); });
    };
    const auto recall = [&](const store::RequestRecord& earlier) {
        return store_.schedule({.tenant = tenant, .id = earlier.schedule_id});
    };
    return run_idempotent<Record>(store_, tenant, context.request, make, recall);
}

Result<Schedules::Record> Schedules::refuse(model::Schedule definition, const decide::BypassAttempt& attempt,
                                            Context context) {
    const auto assignee = definition.assignee.value_or(model::Assignee{}).id;
    // The name does not identify an attempt, because a client can vary it; the target and the assignee do.
    const auto what = definition.tenant + "/" + definition.target.kind + "/" + assignee;
    return refuse_as(std::move(definition), what, attempt, std::move(context),
                     [this](const model::Schedule& one) { return compile(one); });
}

Result<Schedules::Record> Schedules::refuse_as(model::Schedule definition, const std::string& what,
                                               const decide::BypassAttempt& attempt, Context context,
                                               const Compile& compile) {
    const auto tenant = definition.tenant;
    context.request = decide::bypass_key(context.principal, what, attempt.how);
    const auto plan_new = [&](const decide::CompiledPtr& schedule, Instant now) {
        return decide::plan_refused_create(schedule, attempt, now, context);
    };
    const auto make = [&] { return create_now(std::move(definition), context, plan_new, compile); };
    const auto recall = [&](const store::RequestRecord& earlier) {
        return store_.schedule({.tenant = tenant, .id = earlier.schedule_id});
    };
    auto refused = run_idempotent<Record>(store_, tenant, context.request, make, recall);
    if (!refused) return refused.error();
    return Record{std::move(refused->definition), std::move(refused->state)};
}

Result<store::NewSchedule> Schedules::plan_new(model::Schedule definition, const Context& context, Instant now,
                                               const PlanNew& plan_new, const Compile& compile) {
    definition.id = ids_.make(now);
    definition.version = 1;
    definition.created_at = definition.updated_at = now;
    if (definition.created_by.empty()) definition.created_by = context.principal;
    auto compiled = compile(definition);
    if (!compiled) return compiled.error();
    auto plan = plan_new(*compiled, now);
    if (!plan) return plan.error();
    plan->request = context.request;
    return store::NewSchedule{.plan = std::move(*plan), .compiled = std::move(*compiled)};
}

Result<Schedules::Record> Schedules::create_now(model::Schedule definition, const Context& context,
                                                const PlanNew& plan_new, const Compile& compile) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto schedule = this->plan_new(std::move(definition), context, *now, plan_new, compile);
    if (!schedule) return schedule.error();
    if (auto done = store_.create(std::span(&schedule->plan, 1)); !done) return done.error();
    return created(*schedule, {});
}

Schedules::Created Schedules::created(const store::NewSchedule& schedule, std::optional<decide::Plan> first) {
    const auto& definition = schedule.compiled->definition;
    observer_.decided(definition, schedule.plan, schedule.plan.decided_at);
    if (first) observer_.decided(definition, *first, first->decided_at);
    auto state = first ? first->state : schedule.plan.state;
    return {Record{definition, std::move(state)}, std::move(first)};
}

Result<Schedules::Change> Schedules::change(const Ref& ref, FactsRequest needs, const Decide& decide) {
    bool look_first = true;
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kCatchUpsMax && std::chrono::steady_clock::now() - began < kCatchUpTime; ++i) {
        const auto now = store_.now();
        if (!now) return now.error();
        std::optional<std::int64_t> due;
        decide::CompiledPtr schedule;
        const auto planner = [&](const decide::Facts& facts) -> Result<decide::Plan> {
            schedule = facts.schedule;
            if (look_first && is_due(facts.state, *now)) {
                due = model::key_of(schedule->definition.id);
                return no_op_plan(facts);
            }
            return decide(facts, *now);
        };
        auto plan = store_.change(ref, {.now = *now, .stand_in = needs == FactsRequest::nothing}, planner);
        if (!plan) return plan.error();
        if (!due) {
            if (!plan->empty()) {
                PendingWatch::had_effect();
                observer_.decided(plan->definition.value_or(schedule->definition), *plan, *now);
            }
            return Change{std::move(*plan), std::move(schedule)};
        }
        auto ticked = tick({*now, {*due}});
        if (!ticked) return ticked.error();
        if (!ticked->asking.empty()) {
            PendingWatch::add(signals_->pending(ticked->asking.begin()->second));
            return Error{
                ErrorCode::unavailable,
                "the schedule is due and waits for the answer of its signal; nothing was changed, retry in a moment"};
        }
        // A schedule that cannot be decided must still be possible to pause.
        look_first = ticked->outcome.poisoned.empty();
    }
    return Error{ErrorCode::unavailable, "the schedule is still catching up; retry in a moment"};
}

Result<Schedules::Ticked> Schedules::tick(const store::TickRequest& request) {
    if (signals_ != nullptr) {
        return tick_with(request, [&](const decide::Facts& facts) {
            return signals_->find(facts.schedule->definition, signal_due(facts, request.now));
        });
    }
    if (rules_.http == nullptr) {
        return tick_with(request, [](const decide::Facts&) { return Json(nullptr); });
    }
    // Two transactions if there are signals: the first finds out which, because no request may run inside a
    // transaction.
    auto ticked = tick_with(request, [](const decide::Facts&) -> std::optional<Json> { return std::nullopt; });
    if (!ticked || ticked->asking.empty()) return ticked;
    std::map<std::string, Json> answers;
    store::TickRequest again{.now = request.now};
    for (const auto& [id, schedule] : ticked->asking) {
        answers[id] = ask_signal(*rules_.http, *schedule.signal);
        again.keys.push_back(model::key_of(id));
    }
    auto rest = tick_with(again, [&](const decide::Facts& facts) -> std::optional<Json> {
        const auto answer = answers.find(facts.schedule->definition.id);
        if (answer == answers.end()) return std::nullopt;  // the definition has just changed: it stays due
        return answer->second;
    });
    if (!rest) return rest;
    auto& outcome = ticked->outcome;
    std::ranges::move(rest->outcome.plans, std::back_inserter(outcome.plans));
    std::ranges::move(rest->outcome.poisoned, std::back_inserter(outcome.poisoned));
    std::erase_if(outcome.upcoming,
                  [&](const auto& each) { return std::ranges::find(again.keys, each.key) != again.keys.end(); });
    std::ranges::move(rest->outcome.upcoming, std::back_inserter(outcome.upcoming));
    ticked->asking.clear();
    return ticked;
}

Result<Schedules::Ticked> Schedules::tick_with(const store::TickRequest& request, const SignalAnswer& answer) {
    Ticked ticked;
    std::map<std::string, decide::CompiledPtr> schedules;
    auto outcome = store_.tick(request, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto& definition = facts.schedule->definition;
        schedules[definition.id] = facts.schedule;
        auto plan = plan_tick_with_signal(facts, request.now, rules_.limits, answer);
        if (!plan) {
            ticked.asking.insert_or_assign(definition.id, definition);
            return no_op_plan(facts);
        }
        ticked.asking.erase(definition.id);  // the planner ran before, on an older snapshot
        return std::move(*plan);
    });
    if (!outcome) return outcome.error();
    ticked.outcome = std::move(*outcome);
    for (const auto& plan : ticked.outcome.plans) {
        if (signals_ != nullptr) signals_->forget(plan.schedule_id);
        if (const auto found = schedules.find(plan.schedule_id); found != schedules.end()) {
            observer_.decided(found->second->definition, plan, request.now);
        }
    }
    return ticked;
}

Result<store::TickOutcome> Schedules::tick_once(std::size_t limit) {
    const auto now = store_.now();
    if (!now) return now.error();
    auto ticked = tick({.now = *now, .limit = limit});
    if (!ticked) return ticked.error();
    return std::move(ticked->outcome);
}

Result<Schedules::Record> Schedules::changed(const Ref& ref, FactsRequest needs, const Decide& decide) {
    // By id from here on: an update may rename the schedule, and a deleted one is found by id only.
    auto before = store_.schedule(ref);
    if (!before) return before;
    const Ref by_id{ref.tenant, before->definition.id};
    const auto done = change(by_id, needs, decide);
    if (!done) return done.error();
    // Not read from the store again: the change is committed, and a read error would look like a failure.
    if (done->plan.definition) return Record{*done->plan.definition, done->plan.state};
    return Record{done->schedule->definition, done->plan.state, before->unreadable};
}

Error must_be_replaced(const store::ScheduleRecord& unreadable) {
    return {ErrorCode::conflict,
            "the definition cannot be read, so it cannot be changed in part: replace the whole definition (" +
                unreadable.unreadable + ")"};
}

Error has_changed(std::int64_t version, std::int64_t expected) {
    return {ErrorCode::conflict, "the schedule has changed: it is at version " + std::to_string(version) + ", not " +
                                     std::to_string(expected)};
}

Result<Schedules::Record> Schedules::update(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit,
                                            const Context& context) {
    auto updated = update_once(ref, version, edit, context);
    for (int tries = 1; !version && tries < kUpdateTries; ++tries) {
        if (updated || updated.error().code != ErrorCode::conflict) break;
        updated = update_once(ref, version, edit, context);
    }
    return updated;
}

Result<Schedules::Record> Schedules::update_once(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit,
                                                 const Context& context) {
    // Outside the lock, because this may read a calendar; the transaction compares the version again.
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
    const auto check = loosening_check(*edited, &before->definition, context);
    if (!check) return check.error();
    return update_checked({ref.tenant, before->definition.id}, base, *compiled, *check, context);
}

Result<Schedules::Record> Schedules::pause(const Ref& ref, const decide::PauseRequest& request,
                                           const Context& context) {
    return changed(ref, FactsRequest::nothing, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_pause(facts, request, now, context);
    });
}

Result<Schedules::Record> Schedules::resume(const Ref& ref, const Context& context) {
    return changed(ref, FactsRequest::looks_ahead,
                   [&](const decide::Facts& facts, Instant now) { return decide::plan_resume(facts, now, context); });
}

Result<Schedules::Record> Schedules::remove(const Ref& ref, const std::string& reason, const Context& context) {
    return changed(ref, FactsRequest::nothing, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_delete(facts, reason, now, context);
    });
}

Result<IdempotentResult<Schedules::Triggered>> Schedules::trigger(const Ref& ref, const decide::TriggerRequest& request,
                                                                  const Context& context) {
    const auto plan_at = [&](const decide::Facts& facts, Instant occurrence, Instant now) {
        auto asked = request;
        asked.occurrence = occurrence;
        return decide::plan_trigger(facts, asked, now, context);
    };
    const auto make = [&]() -> Result<Triggered> {
        using model::OverlapPolicy;
        const bool ends_others =
            request.overlap == OverlapPolicy::cancel_other || request.overlap == OverlapPolicy::terminate_other;
        auto run = run_beside(ref, plan_at, context, ends_others);
        if (!run) return run.error();
        return std::move(**run);  // a trigger always makes one
    };
    const auto recall = [&](const store::RequestRecord& earlier) -> Result<Triggered> {
        auto run = store_.run(ref.tenant, earlier.run_id);
        if (!run) return run.error();
        return Triggered{std::move(*run)};
    };
    return run_idempotent<Triggered>(store_, ref.tenant, context.request, make, recall);
}

Result<IdempotentResult<Schedules::StartedByEvent>> Schedules::start_by_event(const Ref& ref,
                                                                              const decide::ReceivedEvent& event,
                                                                              Context context) {
    // The name and the id identify an event, even if a repeat differs elsewhere.
    context.request =
        model::RequestKey{"event:" + sha256_hex(ref.id + "\n" + event.name + "\n" + event.id), sha256_hex(event.name)};
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
    return run_idempotent<StartedByEvent>(store_, ref.tenant, context.request, make, recall);
}

// A trigger is its own occurrence, in milliseconds. Simultaneous triggers each take the next free one.
Result<std::optional<Schedules::Triggered>> Schedules::run_beside(const Ref& ref, const PlanBeside& plan_at,
                                                                  const Context& context, bool ends_others) {
    const auto now = store_.now();
    if (!now) return now.error();
    decide::CompiledPtr schedule;
    store::FactsRequest needs{.now = *now, .in_flight = ends_others};
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
    if (plan->runs.empty()) return std::optional<Triggered>();
    observer_.decided(schedule->definition, *plan, plan->decided_at);
    // The requested run is the last one, after those released from the buffer. Not read from the store again: the
    // change is committed, and a read error would look like a failure.
    return std::optional(Triggered{store::run_row(*plan, plan->runs.back(), schedule->definition.version),
                                   model::DefinitionPtr(schedule, &schedule->definition)});
}

Result<Schedules::Record> Schedules::settle(const Ref& ref) {
    return changed(ref, FactsRequest::looks_ahead,
                   [](const decide::Facts& facts, Instant) -> Result<decide::Plan> { return no_op_plan(facts); });
}

Result<Schedules::ConditionNow> Schedules::condition_now(const Ref& ref) {
    const auto now = store_.now();
    if (!now) return now.error();
    ConditionNow found;
    const auto read = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        found.context = decide::condition_context(facts.prior_run_result, facts.last_24h, facts.signal_result);
        found.record = {facts.schedule->definition, facts.state};
        return no_op_plan(facts);
    });
    if (!read) return read.error();
    return found;
}

Result<std::vector<decide::PreviewRow>> Schedules::preview(const Ref& ref, std::optional<Instant> from,
                                                           std::size_t rows) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::vector<decide::PreviewRow> preview;
    const auto looked = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        preview = decide::preview(facts, from.value_or(*now), rows);
        return no_op_plan(facts);
    });
    if (!looked) return looked.error();
    return preview;
}

}  // namespace belfry::engine
