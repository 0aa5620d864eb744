#include "store/sql/write/attempt_ender.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "decide/explain/feed.hpp"
#include "store/errors.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

Result<void> AttemptEnder::end(const Wave& wave, PlanWriter& writer) {
    for (const auto& [key, index] : wave) attempts_.push_back(attempt_at(index));
    TenantGuard tenants(session_, memory_.usage, now_);
    if (auto asked = tenants.ask_for(known_tenants()); !asked) return asked;
    if (auto locked = lock(); !locked) return locked;
    FactsRequest needs;
    needs.now = now_;
    if (auto gathered = reader_.gather(subjects_, needs, Purpose::attempt); !gathered) return gathered;
    if (auto walked = gather_walks(); !walked) return walked;
    if (auto told = tell_own_definitions(); !told) return told;
    const auto [taken, runs] = take();
    if (auto loaded = tenants.load(subjects_, runs); !loaded) return loaded;
    for (const auto& [subject, attempt] : taken) {
        const auto& report = *attempt->report;
        tenants.tell(*subject);
        tell_of_usage(subject->facts, tenants.budgets().usage(attempt->key), report.lease, report.end.usage);
        auto plan = (*asked_[attempt->index].planner)(subject->facts, report.end);
        if (plan) {
            if (auto error = keep(*subject, *attempt, *plan, writer, tenants)) plan = *error;
        }
        if (!plan) restore(*attempt);
        results_[attempt->index] = std::move(plan);
    }
    return write(writer, tenants);
}

AttemptEnder::Attempt AttemptEnder::attempt_at(std::size_t index) const {
    const auto& [report, planner, ends] = asked_[index];
    const bool reaps = report->expired_before || report->renewed_at;
    return {index, report, *model::parse_run_id(report->lease.run_id), ends && !reaps};
}
// In the order of their schedules.
AttemptEnder::Attempt& AttemptEnder::attempt_of(std::int64_t schedule) {
    return *std::ranges::lower_bound(attempts_, schedule, {}, [](const Attempt& each) { return each.key.schedule; });
}

std::set<std::int64_t> AttemptEnder::known_tenants() const {
    std::set<std::int64_t> tenants;
    for (const auto& attempt : attempts_) {
        if (const auto tenant = memory_.schedules.tenant_of(attempt.key.schedule)) tenants.insert(*tenant);
    }
    return tenants;
}

std::pair<AttemptEnder::Taken, BudgetGuard::Runs> AttemptEnder::take() {
    Taken taken;
    BudgetGuard::Runs runs;
    for (auto& subject : subjects_) {
        auto& attempt = attempt_of(subject.row.key);
        if (auto refused = refusal(subject, attempt)) {
            results_[attempt.index] = *refused;
            continue;
        }
        subject.facts.run = std::move(attempt.run->run);
        if (const auto workflow_run = walks_.find(attempt.key); workflow_run != walks_.end())
            subject.facts.workflow_run = std::move(workflow_run->second.workflow_run);
        tell_of_attempt(subject.facts, attempt.lease->lease);
        if (attempt.report->end.usage) {
            subject.attempt_of = assignee_of_attempt(subject.facts, attempt.report->lease.node);
            runs.reporting.push_back(attempt.key);
        }
        taken.emplace_back(&subject, &attempt);
    }
    return {std::move(taken), std::move(runs)};
}

Result<void> AttemptEnder::tell_own_definitions() {
    for (auto& subject : subjects_) {
        const auto& run = attempt_of(subject.row.key).run;
        if (subject.broken || !run || run->unreadable) continue;
        if (auto told = reader_.tell_own_definition(subject, run->definition); !told) return told;
    }
    return {};
}

Result<void> AttemptEnder::lock() {
    Batch keys;
    Batch runs;
    Batch taken;
    Batch locked;
    for (const auto& [index, report, key, takes_lease, lease, run] : attempts_) {
        keys.add_row(key.schedule);
        runs.add_row(key.schedule, key.slot);
        if (takes_lease) {
            taken.add_row(key.schedule, key.slot, report->lease.node, std::int64_t{report->lease.attempt});
        } else {
            locked.add_row(key.schedule, key.slot, report->lease.node);
        }
        results_[index] = run_not_found(report->lease.run_id);
    }
    std::vector<StateRow> rows;
    auto asked = session_.later(kLockStatesWait, keys, [&rows](StateRow row) { rows.push_back(std::move(row)); });
    if (!asked) return asked;
    // There is one report per schedule, so a run has one lease here.
    const auto keep_lease = [this](LeaseRow row) { attempt_of(row.run.schedule).lease = std::move(row); };
    if (auto read = session_.later(kTakeLeases, taken, keep_lease); !read) return read;
    if (auto read = session_.later(kLockLeases, locked, keep_lease); !read) return read;
    auto found = read_runs_with_definitions(session_, kRunsAlone, runs, memory_.definitions, Sees::anything);
    if (!found) return found.error();
    for (auto& each : *found) attempt_of(model::parse_run_id(each.run.id)->schedule).run = std::move(each);
    for (auto& [index, report, key, takes_lease, lease, run] : attempts_) {
        // The lease shows that the only task of a queued run is being done.
        if (run && lease && report->lease.node.empty() && run->run.execution == ExecutionStatus::queued)
            run->run.execution = ExecutionStatus::running;
    }
    auto subjects = reader_.subjects(std::move(rows), Unreadable::stands_in);
    if (!subjects) return subjects.error();
    subjects_ = std::move(*subjects);
    return {};
}

// Only for runs that have node records: nodes of a workflow, and single tasks with earlier attempts.
Result<void> AttemptEnder::gather_walks() {
    Batch walking;
    for (const auto& subject : subjects_) {
        if (subject.broken) continue;
        const auto& attempt = attempt_of(subject.row.key);
        if (subject.schedule->may_have_nodes(attempt.report->lease.attempt - 1))
            walking.add_row(attempt.key.schedule, attempt.key.slot);
    }
    if (walking.empty()) return {};
    auto walks = read_workflow_runs(session_, walking, memory_.workflows, Sees::anything);
    if (!walks) return walks.error();
    walks_ = std::move(*walks);
    return {};
}

std::optional<Error> AttemptEnder::refusal(const Subject& subject, const Attempt& attempt) {
    const auto& report = *attempt.report;
    const auto& lease = attempt.lease;
    // The tenant is checked first, so that the error does not reveal the run to another tenant.
    const bool is_own =
        subject.broken || report.tenant.empty() || subject.schedule->compiled->definition.tenant == report.tenant;
    if (subject.broken || !is_own) {
        restore(attempt);
        return is_own ? subject.broken : run_not_found(report.lease.run_id);
    }
    if (!attempt.run) {
        drop(attempt);  // the run was removed during the claim
        return run_not_found(report.lease.run_id);
    }
    if (!lease || lease->lease.ref.attempt != report.lease.attempt) return lease_lost(report.lease);
    if (attempt.run->run.execution != ExecutionStatus::running) {
        drop(attempt);  // the run ended during the claim; the lease is left over
        return lease_lost(report.lease);
    }
    if (report.expired_before && lease->lease.until >= *report.expired_before) return lease_renewed(report.lease);
    if (report.renewed_at && lease->lease.renewed != *report.renewed_at) return lease_renewed(report.lease);
    return std::nullopt;
}

void AttemptEnder::drop(const Attempt& attempt) {
    if (!attempt.takes_lease && attempt.lease)
        lost_.add_row(attempt.key.schedule, attempt.key.slot, attempt.report->lease.node);
}

void AttemptEnder::restore(const Attempt& attempt) {
    if (!attempt.takes_lease || !attempt.lease) return;
    const auto& [run, lease, queue] = *attempt.lease;
    restored_.add_row(run.schedule, run.slot, lease.ref.node, std::int64_t{lease.ref.attempt}, lease.worker,
                      epoch_us(lease.since), epoch_us(lease.renewed), epoch_us(lease.until), null_or(lease.deadline),
                      queue);
}

std::optional<Error> AttemptEnder::keep(const Subject& subject, const Attempt& attempt,
                                        const decide::AttemptPlan& decided, PlanWriter& writer, TenantGuard& tenants) {
    const auto* const plan = std::get_if<decide::Plan>(&decided);
    if (plan != nullptr && !plan->empty()) {
        if (auto error = keep_plan(subject, attempt, *plan, writer, tenants)) return error;
    }
    const auto& report = *attempt.report;
    if (report.end.usage)
        add_usage(usage_, attempt.key, report.lease.node, report.lease.attempt, subject.facts.spending.attempt);
    if (const auto* retry = std::get_if<decide::Retry>(&decided)) keep_retry(subject, attempt, *retry, writer, tenants);
    return std::nullopt;
}

std::optional<Error> AttemptEnder::keep_plan(const Subject& subject, const Attempt& attempt, const decide::Plan& plan,
                                             PlanWriter& writer, TenantGuard& tenants) {
    const bool followed = tenants.follow(subject);
    const KnownToWriter known{followed, tenants.watch(subject), attempt.takes_lease};
    if (auto error = writer.add(*subject.schedule, subject.row, subject.facts, plan, known)) return error;
    tenants.count(subject, plan);
    const NewsOf news{is_moved(plan, subject.row.state.next_fire), followed, memory_.default_connection,
                      subject.facts.run_definition};
    for (auto& each : notifications_of(plan, subject.schedule->compiled->definition, news)) {
        notifications_.push_back(std::move(each));
    }
    return std::nullopt;
}

void AttemptEnder::keep_retry(const Subject& subject, const Attempt& attempt, const decide::Retry& retry,
                              PlanWriter& writer, TenantGuard& tenants) {
    const auto& key = attempt.key;
    const auto& end = attempt.report->end;
    const auto& lease = attempt.lease->lease;
    const auto& run = *subject.facts.run;
    drop(attempt);
    retries_.add_row(std::int64_t{lease.ref.attempt}, epoch_us(lease.since), null_if_empty(storable(end.error)),
                     key.schedule, key.slot);
    const auto& definition =
        attempt.run->unreadable ? subject.schedule->compiled->definition : *attempt.run->definition;
    const auto task =
        single_task(definition, run.input, key, retry.ready_at, lease.ref.attempt, memory_.default_connection);
    tasks_.add(task, queue_key(definition.tenant, task.queue, task.assignee), now_);
    notes_[key].push_back(retry_event(lease, end, retry, now_));
    notifications_.emplace_back(news_of(task, definition.tenant, now_));
    if (!tenants.follow(subject)) return;
    writer.tell(subject.schedule->tenant_key,
                decide::retrying_item(run, subject.schedule->compiled->definition, end, retry, now_));
    notifications_.emplace_back(FeedGrown{definition.tenant});
}

Result<void> AttemptEnder::write(PlanWriter& writer, TenantGuard& tenants) {
    if (auto written = writer.write(session_, memory_); !written) return written;
    if (auto counted = tenants.write(); !counted) return counted;
    if (auto done = run_batch(session_, kPutUsage, usage_); !done) return done;
    if (auto done = run_batch(session_, kDeleteLease, lost_); !done) return done;
    if (auto done = run_batch(session_, kRestoreLease, restored_); !done) return done;
    if (auto done = run_batch(session_, kRetryRun, retries_); !done) return done;
    if (auto done = tasks_.write(session_); !done) return done;
    if (auto done = write_notes(session_, notes_); !done) return done;
    return notify(session_, notifications_);
}

}  // namespace belfry::store::sql
