#include "store/sql/read/facts_reader.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "decide/approval/gate.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/rules/budget_rules.hpp"
#include "store/rules/fact_rules.hpp"
#include "store/rules/workflow_targets.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/read/unreadable.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_assignments.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_registry.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/assignments.hpp"

namespace belfry::store::sql {

namespace {

// The first slot of the first full millisecond, and the last slot of the last one.
std::int64_t first_slot(Instant from) { return epoch_ms(from + Micros{999}) * 4; }
std::int64_t last_slot(Instant to) { return epoch_ms(to) * 4 + 3; }

const FactsRequest& needs_of(const Subject& subject, const FactsRequest& all) {
    return subject.needs != nullptr ? *subject.needs : all;
}

std::int64_t day_of(Instant instant) {
    return std::chrono::floor<std::chrono::days>(instant).time_since_epoch().count();
}

}  // namespace

Result<std::vector<Subject>> FactsReader::subjects(std::vector<StateRow> rows, Unreadable unreadable) {
    // The databases return rows in any order; the code below needs them sorted by key.
    if (!std::ranges::is_sorted(rows, {}, &StateRow::key)) std::ranges::sort(rows, {}, &StateRow::key);
    std::vector<Subject> all;
    all.reserve(rows.size());
    for (auto& row : rows) all.push_back({std::move(row)});
    std::vector<Subject*> unknown;
    for (auto& subject : all) {
        subject.schedule = memory_.schedules.find(subject.row.key, subject.row.stamp);
        if (!subject.schedule) unknown.push_back(&subject);
    }
    if (!unknown.empty()) {
        if (auto compiled = compile(unknown, unreadable); !compiled) return compiled.error();
    }
    for (auto& subject : all) {
        if (!subject.schedule) continue;
        subject.id = subject.schedule->compiled->definition.id;
        subject.facts.schedule = subject.schedule->compiled;
        subject.facts.state = subject.row.state;
        subject.facts.default_connection = memory_.default_connection;
        subject.facts.caps = memory_.caps;
    }
    return all;
}

Result<FactsReader::Ingredients> FactsReader::read_ingredients(const Batch& keys) {
    Ingredients found;
    auto read = session_.run(kCalendarsOf, keys, [&](const CalendarOfSchedule& used) {
        auto json = parse_stored(used.body);
        auto calendar = json ? model::calendar_from_json(*json) : Result<spec::CalendarText>(json.error());
        // An unreadable calendar counts as missing: the guard fails closed and names it.
        if (calendar) found.calendars[used.schedule].push_back(std::move(*calendar));
    });
    if (!read) return read.error();
    read = session_.run(kAssignmentsOf, keys, [&](AssignmentOfSchedule used) {
        // An unreadable assignment counts as missing: then everything needs an approval.
        if (used.assignment) found.assignments[used.schedule] = std::move(*used.assignment);
    });
    if (!read) return read.error();
    return found;
}

Result<void> FactsReader::compile(const std::vector<Subject*>& unknown, Unreadable unreadable) {
    std::map<std::int64_t, Subject*> by_key;
    Batch keys;
    for (auto* subject : unknown) {
        by_key[subject->row.key] = subject;
        keys.add_row(subject->row.key);
    }
    const auto ingredients = read_ingredients(keys);
    if (!ingredients) return ingredients.error();
    auto read = session_.run(kDefinitions, keys, [&](DefinitionRow row) {
        auto& subject = *by_key.at(row.key);
        subject.id = std::move(row.id);
        compile(subject, row.body, *ingredients, unreadable);
    });
    if (!read) return read.error();
    return stand_in(unknown, unreadable);
}

void FactsReader::compile(Subject& subject, std::string_view body, const Ingredients& from, Unreadable unreadable) {
    const auto key = subject.row.key;
    const auto lookup = [&](const std::string& name) -> std::optional<spec::CalendarText> {
        const auto own = from.calendars.find(key);
        if (own == from.calendars.end()) return decide::find_built_in_calendar(name);
        const auto found = std::ranges::find(own->second, name, &spec::CalendarText::name);
        return found != own->second.end() ? std::optional(*found) : decide::find_built_in_calendar(name);
    };
    const auto assignment = from.assignments.find(key);
    const auto* const assigned = assignment == from.assignments.end() ? nullptr : &assignment->second;
    const auto definition = read_definition(body);
    auto compiled = definition ? decide::compile(**definition, zones_, lookup, assigned)
                               : Result<decide::CompiledPtr>(definition.error());
    if (compiled) {
        subject.schedule =
            memory_.schedules.keep(key, subject.row.stamp, std::move(*compiled), memory_.default_connection);
        return;
    }
    subject.broken = sql::unreadable(subject.id, compiled.error());
    if (!definition || unreadable == Unreadable::broken) return;
    // Not cached: the definition may be readable next time.
    subject.schedule =
        with_keys(key, subject.row.stamp, decide::stand_in(**definition, subject.broken->message, assigned),
                  memory_.default_connection);
    subject.unreadable = std::exchange(subject.broken, std::nullopt);
}

// For schedules whose definitions are unreadable or missing.
Result<void> FactsReader::stand_in(const std::vector<Subject*>& subjects, Unreadable unreadable) {
    Batch keys;
    for (auto* const subject : subjects) {
        if (subject->schedule) continue;
        keys.add_row(subject->row.key);
    }
    if (keys.empty()) return {};
    const auto known = read_known(session_, keys);
    if (!known) return known.error();
    for (auto* const subject : subjects) {
        if (subject->schedule) continue;
        const auto found = known->find(subject->row.key);
        if (found != known->end()) subject->id = found->second->id;
        if (!subject->broken)
            subject->broken = sql::unreadable(subject->id, {ErrorCode::corrupt, "its definition is missing"});
        if (unreadable == Unreadable::broken || found == known->end()) continue;
        subject->schedule =
            with_keys(subject->row.key, subject->row.stamp, decide::stand_in(*found->second, subject->broken->message),
                      memory_.default_connection);
        subject->unreadable = std::exchange(subject->broken, std::nullopt);
    }
    return {};
}

void FactsReader::look_at(std::vector<Subject>& subjects) {
    by_key_.clear();
    by_key_.reserve(subjects.size());
    for (auto& subject : subjects) {
        if (!subject.broken) by_key_.emplace_hint(by_key_.end(), subject.row.key, &subject);
    }
}

Result<void> FactsReader::tell_workflows(std::vector<Subject>& subjects) {
    look_at(subjects);
    return gather_workflows(Purpose::change);
}

Result<void> FactsReader::gather(std::vector<Subject>& subjects, const FactsRequest& needs, Purpose purpose) {
    look_at(subjects);
    if (auto done = gather_slots(needs, purpose); !done) return done;
    if (auto done = gather_buffered(); !done) return done;
    if (auto done = gather_in_flight(needs); !done) return done;
    if (auto done = gather_context(needs); !done) return done;
    if (auto done = gather_workflows(purpose); !done) return done;
    for (const auto& [key, subject] : by_key_) {
        const auto& run = needs_of(*subject, needs).run;
        if (run.empty()) continue;
        if (auto done = gather_run(*subject, run); !done) return done;
    }
    return {};
}

// Reads the newest version every time: the next run must use a newly deployed one.
Result<void> FactsReader::gather_workflows(Purpose purpose) {
    std::map<std::int64_t, std::vector<Subject*>> users;
    for (const auto& [key, subject] : by_key_) {
        const bool may_start = purpose != Purpose::attempt || subject->row.state.buffered > 0;
        if (may_start && subject->schedule->workflow_key != 0)
            users[subject->schedule->workflow_key].push_back(subject);
    }
    if (users.empty()) return {};
    Batch keys;
    for (const auto& [key, subjects] : users) keys.add_row(key);
    auto heads = read_workflow_heads(session_, keys);
    if (!heads) return heads.error();
    const auto version_for = [](const Subject& subject, const WorkflowHeadRow& head) {
        return subject.schedule->compiled->definition.target.version.value_or(head.newest);
    };
    std::vector<WorkflowCache::Version> wanted;
    for (const auto& [key, head] : *heads) {
        if (head.removed) continue;
        for (const auto* const subject : users.at(key)) wanted.emplace_back(key, version_for(*subject, head));
    }
    auto workflows = read_workflows(session_, wanted, memory_.workflows, Sees::anything);
    if (!workflows) return workflows.error();
    for (const auto& [key, head] : *heads) {
        for (auto* const subject : users.at(key)) {
            auto& facts = subject->facts;
            const bool own =
                head.is(subject->schedule->tenant_key, subject->schedule->compiled->definition.target.kind);
            const auto found =
                head.removed || !own ? workflows->end() : workflows->find({key, version_for(*subject, head)});
            if (found != workflows->end()) facts.workflow = found->second;
            facts.target = check_target(subject->schedule->compiled->definition.target, true, facts.workflow);
        }
    }
    return {};
}

Result<void> FactsReader::gather_slots(const FactsRequest& needs, Purpose purpose) {
    Batch ranges;
    for (const auto& [key, subject] : by_key_) {
        const auto& state = subject->row.state;
        if (const auto& slots = needs_of(*subject, needs).slots) {
            ranges.add_row(key, first_slot(slots->first), last_slot(slots->second));
        } else if ((purpose == Purpose::tick || state.spread_until) && state.next_occurrence && state.newest_decided &&
                   *state.newest_decided >= *state.next_occurrence) {
            ranges.add_row(key, first_slot(*state.next_occurrence), std::numeric_limits<std::int64_t>::max());
        }
    }
    if (ranges.empty()) return {};
    auto rows = read_all(session_, kTakenSlots, ranges);
    if (!rows) return rows.error();
    std::ranges::sort(*rows);
    for (const auto& [run, dispatch, execution] : *rows) {
        const auto slot = model::slot_from_number(run.slot);
        auto& subject = *by_key_.at(run.schedule);
        if (!needs_of(subject, needs).slots && slot.cause != model::RunCause::tick) continue;
        auto& facts = subject.facts;
        facts.taken.push_back(slot);
        if (dispatch == model::DispatchStatus::skipped) facts.skipped.push_back(slot);
        if (is_failure(execution)) facts.failed.push_back(slot);
    }
    return {};
}

Result<void> FactsReader::gather_buffered() {
    Batch keys;
    for (const auto& [key, subject] : by_key_) {
        if (subject->row.state.buffered > 0) keys.add_row(key, static_cast<std::int64_t>(RunState::buffered));
    }
    if (keys.empty()) return {};
    std::optional<Error> failed;
    auto read = session_.run(kBufferedRuns, keys, [&](const BufferedInput& buffered) {
        auto input = parse_stored(buffered.input);
        if (!input) {
            failed = input.error();
            return;
        }
        auto& facts = by_key_.at(buffered.run.schedule)->facts;
        facts.buffered.push_back({model::slot_from_number(buffered.run.slot), std::move(*input)});
    });
    if (!read) return read.error();
    if (failed) return *failed;
    for (const auto& [key, subject] : by_key_) {
        std::ranges::sort(subject->facts.buffered, {},
                          [](const decide::BufferedRun& run) { return slot_number(run.slot); });
    }
    return {};
}

Result<void> FactsReader::gather_in_flight(const FactsRequest& needs) {
    for (const auto& [key, subject] : by_key_) {
        const auto count = subject->row.state.in_flight;
        if (count == 0 || !wants_in_flight(subject->schedule->compiled->definition, needs_of(*subject, needs)))
            continue;
        auto& runs = subject->facts.in_flight;
        auto read = session_.run(kInFlightRuns, {key, std::int64_t{count}}, [&runs, key = key](std::int64_t slot) {
            runs.push_back({model::run_id(key, slot), model::slot_from_number(slot)});
        });
        if (!read) return read.error();
        std::ranges::sort(runs, {}, [](const decide::InFlightRun& run) { return slot_number(run.slot); });
    }
    return {};
}

// Only conditions need past results, of whichever schedules started the same target.
Result<void> FactsReader::gather_context(const FactsRequest& needs) {
    Batch asked;
    for (const auto& [key, subject] : by_key_) {
        if (subject->schedule->compiled->definition.condition.is_null()) continue;
        subject->facts.last_24h.total = subject->row.state.in_flight;
        asked.add_row(epoch_us(needs_of(*subject, needs).now - kStatsSpan), key);
    }
    if (asked.empty()) return {};
    std::optional<Error> failed;
    auto read = session_.run(kContextOfTarget, asked, [&](const TargetContext& context) {
        auto& facts = by_key_.at(context.schedule)->facts;
        facts.last_24h.total += context.newest.total;
        facts.last_24h.succeeded += context.newest.succeeded;
        facts.last_24h.failed += context.newest.failed;
        if (!context.last_result) return;
        auto result = parse_stored(*context.last_result);
        if (result) {
            facts.prior_run_result = std::move(*result);
        } else {
            failed = result.error();
        }
    });
    if (!read) return read.error();
    if (failed) return *failed;
    return {};
}

// A run that is not there fails its own subject only.
Result<void> FactsReader::gather_run(Subject& subject, const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    if (!key || key->schedule != subject.row.key) {
        subject.broken = run_not_found(run_id);
        return {};
    }
    auto runs = read_runs_with_definitions(session_, kRunsByKey, {key->schedule, key->slot}, memory_.definitions,
                                           Sees::anything);
    if (!runs) return runs.error();
    if (runs->empty()) {
        subject.broken = run_not_found(run_id);
        return {};
    }
    auto& facts = subject.facts;
    facts.run = std::move(runs->front().run);
    if (!runs->front().unreadable) {
        if (auto told = tell_own_definition(subject, runs->front().definition); !told) return told;
    }
    if (decide::may_ask(subject.schedule->compiled->definition)) {
        auto approvals = read_approvals(session_, {key->schedule, key->slot, subject.schedule->tenant_key});
        if (!approvals) return approvals.error();
        facts.approvals = std::move(*approvals);
        if (auto told = gather_waiting(subject); !told) return told;
    }
    if (!subject.schedule->may_have_nodes(facts.run->attempts)) return {};
    auto walks = read_workflow_runs(session_, {key->schedule, key->slot}, memory_.workflows, Sees::anything);
    if (!walks) return walks.error();
    if (const auto workflow_run = walks->find(*key); workflow_run != walks->end())
        facts.workflow_run = std::move(workflow_run->second.workflow_run);
    return {};
}

Result<void> FactsReader::tell_own_definition(Subject& subject, const DefinitionPtr& own) {
    if (own->version == subject.schedule->compiled->definition.version) return {};
    subject.facts.run_definition = own;
    if (own->assignment.empty()) return {};
    auto read = session_.run(kAssignment, {model::tenant_key(own->tenant), own->assignment},
                             [&](Result<model::WorkflowAssignment> record) {
                                 if (record) subject.facts.run_assignment = std::move(*record);
                             });
    if (!read) return read.error();
    return {};
}

// After its approval, a run follows the version that it waited with, whatever the schedule names now.
Result<void> FactsReader::gather_waiting(Subject& subject) {
    auto& facts = subject.facts;
    const auto& definition = facts.definition_of_run();
    const auto* const asked = decide::newest_of(facts.approvals, {});
    if (facts.run->execution != model::ExecutionStatus::awaiting_approval || asked == nullptr ||
        !asked->workflow_version)
        return {};
    const auto key = workflow_key(definition.tenant, definition.target.kind);
    const auto heads = read_workflow_heads(session_, {key});
    if (!heads) return heads.error();
    const auto head = heads->find(key);
    if (head != heads->end() && !head->second.removed &&
        head->second.is(subject.schedule->tenant_key, definition.target.kind)) {
        auto workflows = read_workflows(session_, {{key, *asked->workflow_version}}, memory_.workflows, Sees::anything);
        if (!workflows) return workflows.error();
        if (const auto found = workflows->find({key, *asked->workflow_version}); found != workflows->end())
            facts.run_workflow = found->second;
    }
    facts.run_target = check_waiting(definition.target, *asked->workflow_version, facts.run_workflow);
    return {};
}

Result<void> TenantGuard::ask_for(const std::set<std::int64_t>& tenants) {
    noted_ = true;
    if (auto noted = session_.later(kNoteDecider, {}); !noted) return noted;
    Batch keys;
    for (const auto key : tenants) {
        tenants_.try_emplace(key);
        keys.add_row(key);
    }
    return session_.later(kTenantFacts, keys, [this](const TenantFacts& facts) { learn(facts); });
}

Result<void> TenantGuard::load(const std::vector<Subject>& subjects, const BudgetGuard::Runs& runs) {
    if (!noted_) {
        if (auto noted = session_.later(kNoteDecider, {}); !noted) return noted;
    }
    Batch keys;
    for (const auto& subject : subjects) {
        if (!subject.broken && tenants_.try_emplace(subject.schedule->tenant_key).second)
            keys.add_row(subject.schedule->tenant_key);
    }
    if (auto facts = read(keys); !facts) return facts;
    const auto day = day_of(now_);
    for (auto& [key, tenant] : tenants_) {
        if (!tenant.runs_per_day) continue;
        // Adding zero locks the day: two servers must not use the same remaining allowance.
        if (auto locked = session_.run(kAddTenantDay, {key, day, std::int64_t{0}}); !locked) return locked.error();
        auto& used = tenant.used;
        auto read_day = session_.run(kTenantDay, {key, day}, [&used](std::int64_t runs_of_day) { used = runs_of_day; });
        if (!read_day) return read_day.error();
    }
    return budgets_.load(subjects, runs);
}

void TenantGuard::learn(const TenantFacts& facts) {
    auto& tenant = tenants_.at(facts.key);
    tenant.dispatch_enabled = facts.dispatch_enabled;
    tenant.runs_per_day = facts.runs_per_day;
    tenant.followed = facts.followed.at(now_);
    tenant.watched = facts.watched;
}

Result<void> TenantGuard::read(const Batch& keys) {
    auto done = session_.run(kTenantFacts, keys, [this](const TenantFacts& facts) { learn(facts); });
    if (!done) return done.error();
    return {};
}

Result<bool> TenantGuard::peek(const std::vector<std::int64_t>& tenants) {
    Batch keys;
    for (const auto key : tenants) {
        if (tenants_.try_emplace(key).second) keys.add_row(key);
    }
    if (auto facts = read(keys); !facts) return facts.error();
    return std::ranges::none_of(tenants_, [](const auto& each) { return each.second.runs_per_day.has_value(); });
}

Result<bool> TenantGuard::peek(const std::vector<Subject>& subjects) {
    std::set<std::int64_t> tenants;
    for (const auto& subject : subjects) {
        if (!subject.broken) tenants.insert(subject.schedule->tenant_key);
    }
    auto free = peek(std::vector<std::int64_t>(tenants.begin(), tenants.end()));
    return free && *free ? budgets_.peek(subjects) : free;
}

Result<bool> TenantGuard::look_again(const TenantGuard& seen) {
    std::vector<std::int64_t> keys;
    for (const auto& [key, tenant] : seen.tenants_) keys.push_back(key);
    if (auto free = peek(keys); !free) return free;
    return tenants_ == seen.tenants_ ? budgets_.look_again(seen.budgets_) : false;
}

void TenantGuard::tell(Subject& subject) const {
    const auto& tenant = tenants_.at(subject.schedule->tenant_key);
    subject.facts.switches.tenant = tenant.dispatch_enabled;
    budgets_.tell(subject);
    if (!tenant.runs_per_day) {
        const auto exhausted = usage_.exhausted({subject.schedule->tenant_key, day_of(now_)});
        if (exhausted) subject.facts.budget.limit_runs(exhausted->most, exhausted->used, now_);
        return;
    }
    const auto added = tenant.added.find(day_of(now_));
    const auto used = tenant.used + (added == tenant.added.end() ? 0 : added->second);
    subject.facts.budget.limit_runs(*tenant.runs_per_day, used, now_);
}

void TenantGuard::count(const Subject& subject, const decide::Plan& plan) {
    auto& tenant = tenants_.at(subject.schedule->tenant_key);
    if (const auto count = dispatched_in(plan); count > 0) {
        const auto day = day_of(plan.decided_at);
        (tenant.runs_per_day ? tenant.added[day] : uncounted_[{subject.schedule->tenant_key, day}]) += count;
    }
    budgets_.count(subject, plan);
}

Result<void> TenantGuard::write() {
    Batch days;
    for (const auto& [key, tenant] : tenants_) {
        for (const auto& [day, count] : tenant.added) days.add_row(key, day, count);
    }
    if (auto done = session_.later(kAddTenantDay, days); !done) return done;
    remember();
    return budgets_.write();
}

}  // namespace belfry::store::sql
