// Ends attempts: with the run, or with another attempt. sql_leases.cpp explains what a lease protects against.
#include <algorithm>

#include "base/text/ascii.hpp"
#include "decide/explain/feed.hpp"
#include "store/errors.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/one_by_one.hpp"
#include "store/sql/write/waves.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

// Ends attempts inside one transaction. The reports of one wave belong to different schedules.
class AttemptEnder {
public:
    using Asked = SqlStore::PendingReport;
    AttemptEnder(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones, std::span<const Asked> asked,
                 Instant now, std::vector<Result<decide::AttemptPlan>>& results)
        : session_(session),
          memory_(memory),
          reader_(session, memory, zones),
          asked_(asked),
          now_(now),
          results_(results) {}

    Result<void> end(const Wave& wave, PlanWriter& writer) {
        if (auto locked = lock(wave); !locked) return locked;
        FactsRequest needs;
        needs.now = now_;
        if (auto gathered = reader_.gather(subjects_, needs, Purpose::attempt); !gathered) return gathered;
        if (auto walked = gather_walks(wave); !walked) return walked;
        if (auto told = tell_own_definitions(wave); !told) return told;
        TenantGuard tenants(session_, memory_.usage, now_);
        const auto [taken, runs] = take(wave);
        if (auto loaded = tenants.load(subjects_, runs); !loaded) return loaded;
        for (auto* const subject : taken) {
            const auto index = wave.at(subject->row.key);
            const auto& report = *asked_[index].report;
            const auto key = *model::parse_run_id(report.lease.run_id);
            tenants.tell(*subject);
            tell_of_usage(subject->facts, tenants.budgets().usage(key), report.lease, report.end.usage);
            auto plan = (*asked_[index].planner)(subject->facts, report.end);
            if (plan) {
                if (auto error = keep(*subject, key, leases_.at(key), report, *plan, writer, tenants)) plan = *error;
            }
            results_[index] = std::move(plan);
        }
        return write(writer, tenants);
    }

private:
    // The subjects whose reports are accepted, with the attempts added to their facts.
    std::pair<std::vector<Subject*>, BudgetGuard::Runs> take(const Wave& wave) {
        std::vector<Subject*> taken;
        BudgetGuard::Runs runs;
        for (auto& subject : subjects_) {
            const auto index = wave.at(subject.row.key);
            const auto& report = *asked_[index].report;
            if (auto refused = refusal(subject, report)) {
                results_[index] = *refused;
                continue;
            }
            const auto key = *model::parse_run_id(report.lease.run_id);
            subject.facts.run = runs_.at(key);
            if (const auto walk = walks_.find(key); walk != walks_.end()) subject.facts.walk = walk->second.walk;
            tell_of_attempt(subject.facts, leases_.at(key));
            if (report.end.usage) {
                subject.attempt_of = assignee_of_attempt(subject.facts, report.lease.node);
                runs.reporting.push_back(key);
            }
            taken.push_back(&subject);
        }
        return {std::move(taken), std::move(runs)};
    }

    // A run keeps the definition that decided it.
    Result<void> tell_own_definitions(const Wave& wave) {
        for (auto& subject : subjects_) {
            const auto own =
                definitions_.find(*model::parse_run_id(asked_[wave.at(subject.row.key)].report->lease.run_id));
            if (subject.broken || own == definitions_.end()) continue;
            if (auto told = reader_.tell_own_definition(subject, own->second); !told) return told;
        }
        return {};
    }

    Result<void> lock(const Wave& wave) {
        Batch keys;
        Batch runs;
        Batch leases;
        for (const auto& [key, index] : wave) {
            const auto& lease = asked_[index].report->lease;
            const auto slot = model::parse_run_id(lease.run_id)->slot;
            keys.add_row(key);
            runs.add_row(key, slot);
            leases.add_row(key, slot, lease.node);
        }
        std::vector<StateRow> rows;
        auto asked = session_.later(kLockStatesWait, keys, [&rows](StateRow row) { rows.push_back(std::move(row)); });
        if (!asked) return asked;
        // There is one report per schedule, so a run has one lease here.
        asked = session_.later(kLockLeases, leases, [this](LeaseRow row) { leases_[row.run] = std::move(row.lease); });
        if (!asked) return asked;
        auto found = read_runs_with_definitions(session_, kRunsByKey, runs, memory_.definitions, Sees::anything);
        if (!found) return found.error();
        for (auto& [run, definition, unreadable] : *found) {
            const auto key = *model::parse_run_id(run.id);
            if (!unreadable) definitions_.emplace(key, std::move(definition));
            runs_.emplace(key, std::move(run));
        }
        auto subjects = reader_.subjects(std::move(rows), Unreadable::stands_in);
        if (!subjects) return subjects.error();
        subjects_ = std::move(*subjects);
        for (const auto& [key, index] : wave) results_[index] = run_not_found(asked_[index].report->lease.run_id);
        return {};
    }

    // Only for runs that have node records: nodes of a workflow, and single tasks with earlier attempts.
    Result<void> gather_walks(const Wave& wave) {
        Batch walking;
        for (const auto& subject : subjects_) {
            if (subject.broken) continue;
            const auto& lease = asked_[wave.at(subject.row.key)].report->lease;
            if (subject.schedule->may_have_nodes(lease.attempt - 1))
                walking.add_row(subject.row.key, model::parse_run_id(lease.run_id)->slot);
        }
        if (walking.empty()) return {};
        auto walks = read_workflow_runs(session_, walking, memory_.workflows, Sees::anything);
        if (!walks) return walks.error();
        walks_ = std::move(*walks);
        return {};
    }

    std::optional<Error> refusal(const Subject& subject, const AttemptReport& report) {
        if (subject.broken) return subject.broken;
        const auto key = *model::parse_run_id(report.lease.run_id);
        const auto run = runs_.find(key);
        const auto lease = leases_.find(key);
        // Checked first, so that the error does not reveal the run to another tenant.
        if (!report.tenant.empty() && subject.schedule->compiled->definition.tenant != report.tenant)
            return run_not_found(report.lease.run_id);
        if (run == runs_.end()) {
            // The run was removed during the claim.
            if (lease != leases_.end()) lost_.add_row(key.schedule, key.slot, report.lease.node);
            return run_not_found(report.lease.run_id);
        }
        if (lease == leases_.end() || lease->second.ref.attempt != report.lease.attempt)
            return lease_lost(report.lease);
        if (run->second.execution != ExecutionStatus::running) {
            // The run ended during the claim; the lease is left over.
            lost_.add_row(key.schedule, key.slot, report.lease.node);
            return lease_lost(report.lease);
        }
        if (report.expired_before && lease->second.until >= *report.expired_before) return lease_renewed(report.lease);
        if (report.renewed_at && lease->second.renewed != *report.renewed_at) return lease_renewed(report.lease);
        return std::nullopt;
    }

    std::optional<Error> keep(const Subject& subject, const RunKey& key, const model::Lease& lease,
                              const AttemptReport& report, const decide::AttemptPlan& decided, PlanWriter& writer,
                              TenantGuard& tenants) {
        const auto* const plan_made = std::get_if<decide::Plan>(&decided);
        if (plan_made != nullptr && !plan_made->empty()) {
            if (auto error = keep_plan(subject, *plan_made, writer, tenants)) return error;
        }
        if (report.end.usage)
            add_usage(usage_, key, report.lease.node, report.lease.attempt, subject.facts.spending.attempt);
        if (const auto* retry = std::get_if<decide::Retry>(&decided)) {
            const std::int64_t attempt = lease.ref.attempt;
            lost_.add_row(key.schedule, key.slot, report.lease.node);
            retries_.add_row(attempt, epoch_us(lease.since), null_if_empty(storable(report.end.error)), key.schedule,
                             key.slot);
            const auto own = definitions_.find(key);
            const auto& definition = own == definitions_.end() ? subject.schedule->compiled->definition : *own->second;
            const auto task = single_task(definition, runs_.at(key).input, key, retry->ready_at, lease.ref.attempt,
                                          memory_.default_connection);
            tasks_.add(task, queue_key(definition.tenant, task.queue, task.assignee), now_);
            notes_[key].push_back(retry_event(lease, report.end, *retry, now_));
            notifications_.emplace_back(news_of(task, definition.tenant, now_));
            if (tenants.follow(subject)) {
                writer.tell(subject.schedule->tenant_key,
                            decide::retrying_item(runs_.at(key), subject.schedule->compiled->definition, report.end,
                                                  *retry, now_));
                notifications_.emplace_back(FeedGrown{definition.tenant});
            }
        }
        return std::nullopt;
    }

    std::optional<Error> keep_plan(const Subject& subject, const decide::Plan& plan, PlanWriter& writer,
                                   TenantGuard& tenants) {
        const bool followed = tenants.follow(subject);
        if (auto error = writer.add(*subject.schedule, subject.row, subject.facts, plan, followed)) return error;
        tenants.count(subject, plan);
        const NewsOf news{is_moved(plan, subject.row.state.next_fire), followed, memory_.default_connection,
                          subject.facts.run_definition};
        for (auto& each : notifications_of(plan, subject.schedule->compiled->definition, news)) {
            notifications_.push_back(std::move(each));
        }
        return std::nullopt;
    }

    Result<void> write(PlanWriter& writer, TenantGuard& tenants) {
        if (auto written = writer.write(session_, memory_); !written) return written;
        if (auto counted = tenants.write(); !counted) return counted;
        if (auto done = run_batch(session_, kPutUsage, usage_); !done) return done;
        if (auto done = run_batch(session_, kDeleteLease, lost_); !done) return done;
        if (auto done = run_batch(session_, kRetryRun, retries_); !done) return done;
        if (auto done = tasks_.write(session_); !done) return done;
        if (auto done = write_notes(session_, notes_); !done) return done;
        return notify(session_, notifications_);
    }

    Session& session_;
    StoreMemory& memory_;
    FactsReader reader_;
    std::span<const Asked> asked_;
    Instant now_;
    std::vector<Result<decide::AttemptPlan>>& results_;

    std::vector<Subject> subjects_ = {};
    std::map<RunKey, model::Lease> leases_ = {};
    std::map<RunKey, WorkflowRunRow> walks_ = {};
    std::map<RunKey, model::Run> runs_ = {};
    std::map<RunKey, DefinitionPtr> definitions_ = {};  // of the runs' versions; only readable ones
    Batch usage_ = {};
    Batch lost_ = {};
    Batch retries_ = {};
    TaskRows tasks_ = {};
    RunNotes notes_ = {};
    std::vector<Notification> notifications_ = {};
};

// The lease was removed with its attempt. The reaper, which also ends attempts, would have done the same, unless the
// run has ended.
Result<SqlStore::CommitOutcome> SqlStore::look_for_retry(Session& session, const model::LeaseRef& lease) {
    const auto key = *model::parse_run_id(lease.run_id);
    auto read = session.run(kLockStatesWait, {key.schedule});
    if (!read) return read.error();
    const auto held = read_one(session, kLockLeases, {key.schedule, key.slot, lease.node});
    if (!held) return held.error();
    if (*held && (*held)->lease.ref.attempt == lease.attempt) return CommitOutcome::no;
    const auto run = read_one(session, kRunEnd, {key.schedule, key.slot});
    if (!run) return run.error();
    if (!*run) return CommitOutcome::unclear;
    const bool goes_on = !is_terminal((*run)->execution) || (*run)->attempts > lease.attempt;
    return goes_on ? CommitOutcome::yes : CommitOutcome::unclear;
}

// A report for a continuing attempt writes only usage, and writing that again would change nothing.
Result<SqlStore::CommitOutcome> SqlStore::look_for_report(Session& session, const AttemptReport& report) {
    if (!report.end.usage) return CommitOutcome::yes;
    const auto key = *model::parse_run_id(report.lease.run_id);
    if (auto locked = session.run(kLockStatesWait, {key.schedule}); !locked) return locked.error();
    const auto used = read_usage(session, {key.schedule, key.slot});
    if (!used) return used.error();
    const auto run = used->find(key);
    if (run == used->end()) return CommitOutcome::no;
    const auto attempt = run->second.find({report.lease.node, report.lease.attempt});
    if (attempt == run->second.end()) return CommitOutcome::no;
    return raised(attempt->second, *report.end.usage) == attempt->second ? CommitOutcome::yes : CommitOutcome::no;
}

SqlStore::AttemptPlans SqlStore::complete_together(std::span<const PendingReport> reports, Instant now) {
    std::vector<Result<decide::AttemptPlan>> results;
    std::vector<PendingReport> named;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        results.emplace_back(run_not_found(reports[i].report->lease.run_id));
        if (!model::parse_run_id(reports[i].report->lease.run_id)) continue;
        named.push_back(reports[i]);
        places.push_back(i);
    }
    std::vector<PlanWriter> writers;
    std::vector<Result<decide::AttemptPlan>> answers;
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& each : named) answers.emplace_back(run_not_found(each.report->lease.run_id));
        const auto waves = waves_by(
            named, [](const PendingReport& each) { return model::parse_run_id(each.report->lease.run_id)->schedule; });
        for (const auto& wave : waves) {
            auto& writer = writers.emplace_back();
            AttemptEnder ender(session, memory_, zones_, named, now, answers);
            if (auto ended = ender.end(wave, writer); !ended) return ended;
        }
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        for (const auto& writer : writers) {
            if (!writer.traces().empty()) return look_for(session, writer.traces());
        }
        const auto is_retry = [](const Result<decide::AttemptPlan>& answer) {
            return answer && std::holds_alternative<decide::Retry>(*answer);
        };
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (is_retry(answers[i])) return look_for_retry(session, named[i].report->lease);
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i]) return look_for_report(session, *named[i].report);
        }
        return CommitOutcome::yes;
    });
    if (!done) return done.error();
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(answers[i]);
    return results;
}

std::vector<SqlStore::AttemptPlans> SqlStore::complete_round(const std::vector<ReportingCall>& calls) {
    std::vector<PendingReport> all;
    auto now = calls.front().now;
    for (const auto& call : calls) {
        now = std::max(now, call.now);
        for (const auto& report : call.reports) all.push_back({&report, call.planner});
    }
    const auto is_own = [](const Error& error) {
        return error.code == ErrorCode::conflict || error.code == ErrorCode::corrupt;
    };
    auto done = batch_else_one_by_one(
        std::span<const PendingReport>(all),
        [&](std::span<const PendingReport> some) { return complete_together(some, now); }, is_own);
    std::vector<AttemptPlans> answers;
    std::size_t next = 0;
    for (const auto& call : calls) {
        if (!done) {
            answers.emplace_back(done.error());
            continue;
        }
        std::vector<Result<decide::AttemptPlan>> own;
        for (std::size_t i = 0; i < call.reports.size(); ++i) own.push_back(std::move((*done)[next++]));
        answers.emplace_back(std::move(own));
    }
    return answers;
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::complete(std::span<const AttemptReport> reports, Instant now,
                                                                    const AttemptPlanner& planner) {
    return reports_.ask(0, reports.size(), {reports, now, &planner});
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::report_usage(std::span<const UsageReport> reports,
                                                                        Instant now, const UsagePlanner& planner) {
    return complete(as_attempt_reports(reports), now, as_attempt_planner(planner));
}

}  // namespace belfry::store::sql
