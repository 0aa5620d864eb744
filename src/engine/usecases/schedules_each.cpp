// Requests about many schedules: each on its own, in shared transactions.
#include "decide/schedule/tick.hpp"
#include "engine/usecases/no_op_plan.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::engine {

Result<store::NewSchedule> Schedules::prepare(Wanted& wanted, Instant now) {
    if (auto allowed = check_loosening(wanted.definition, nullptr, wanted.context); !allowed) return allowed.error();
    const auto plan_create = [&](const decide::CompiledPtr& schedule, Instant at) {
        return decide::plan_create(schedule, at, wanted.context, wanted.paused);
    };
    auto schedule = plan_new(std::move(wanted.definition), wanted.context, now, plan_create,
                             [this](const model::Schedule& one) { return compile(one); });
    if (schedule && wanted.decide_now) {
        schedule->first = [this, now](const decide::Facts& facts) -> Result<decide::Plan> {
            return decide::plan_tick(facts, now, rules_.limits);
        };
    }
    return schedule;
}

std::vector<Result<IdempotentResult<Schedules::Created>>> Schedules::create_each(std::vector<Wanted> wanted,
                                                                                 std::optional<Instant> known) {
    using Answer = Result<IdempotentResult<Created>>;
    const auto now = known ? Result<Instant>(*known) : store_.now();
    if (!now) return std::vector<Answer>(wanted.size(), now.error());
    std::vector<Answer> answers;
    std::vector<store::NewSchedule> schedules;
    std::vector<std::size_t> places;
    std::vector<std::string> tenants;
    for (auto& each : wanted) {
        tenants.push_back(each.definition.tenant);
        auto schedule = prepare(each, *now);
        answers.emplace_back(schedule ? Error{} : schedule.error());
        if (!schedule) continue;
        places.push_back(answers.size() - 1);
        schedules.push_back(std::move(*schedule));
    }
    auto done = schedules.empty() ? std::vector<store::ScheduleStore::Created>() : store_.create_each(schedules);
    for (std::size_t i = 0; i < places.size(); ++i) {
        auto& answer = answers[places[i]];
        if (!done || !(*done)[i]) {
            answer = done ? (*done)[i].error() : done.error();
        } else {
            answer = IdempotentResult<Created>{created(schedules[i], std::move(*(*done)[i]))};
        }
    }
    // An earlier request with the same key, or another item of this one, may have created it.
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i] || !wanted[i].context.request) continue;
        const auto earlier = earlier_request(store_, tenants[i], wanted[i].context.request);
        if (!earlier && earlier.error().code == ErrorCode::invalid_argument) answers[i] = earlier.error();
        if (!earlier || !*earlier) continue;
        auto record = store_.schedule({.tenant = tenants[i], .id = (*earlier)->schedule_id});
        answers[i] = record ? Answer(IdempotentResult<Created>{{std::move(*record), {}}, true}) : record.error();
    }
    return answers;
}

Schedules::Decide Schedules::decision_of(const StatusChange& change) {
    return [&change](const decide::Facts& facts, Instant now) {
        const auto& context = change.context;
        switch (change.verb) {
            case Verb::pause: return decide::plan_pause(facts, {context.reason, change.until}, now, context);
            case Verb::resume: return decide::plan_resume(facts, now, context);
            case Verb::remove: break;
        }
        return decide::plan_delete(facts, context.reason, now, context);
    };
}

std::vector<Result<Schedules::Record>> Schedules::change_each(const std::vector<StatusChange>& changes) {
    const auto now = store_.now();
    if (!now) return std::vector<Result<Record>>(changes.size(), now.error());
    const auto needs_of = [](const StatusChange& change) {
        return change.verb == Verb::resume ? FactsRequest::looks_ahead : FactsRequest::nothing;
    };
    std::vector<decide::CompiledPtr> schedules(changes.size());
    std::vector<bool> alone(changes.size());
    std::vector<store::ChangeRequest> requests;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto planner = [&, i,
                              decide = decision_of(changes[i])](const decide::Facts& facts) -> Result<decide::Plan> {
            schedules[i] = facts.schedule;
            // A schedule that is due, or that cannot be read, takes more than one transaction.
            alone[i] = (facts.state.next_fire && *facts.state.next_fire <= *now) || !facts.schedule->unreadable.empty();
            return alone[i] ? no_op_plan(facts) : decide(facts, *now);
        };
        requests.push_back(
            {changes[i].ref, {.now = *now, .stand_in = needs_of(changes[i]) == FactsRequest::nothing}, planner});
    }
    auto plans = store_.change_each(requests);
    std::vector<Result<Record>> records;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!plans || !(*plans)[i]) {
            records.emplace_back(plans ? (*plans)[i].error() : plans.error());
        } else if (alone[i]) {
            records.push_back(changed(changes[i].ref, needs_of(changes[i]), decision_of(changes[i])));
        } else {
            const auto& plan = *(*plans)[i];
            if (!plan.empty()) observer_.decided(schedules[i]->definition, plan, *now);
            records.push_back(Record{schedules[i]->definition, plan.state});
        }
    }
    return records;
}

}  // namespace belfry::engine
