// Ends attempts: with the run, or with another attempt. sql_tasks.cpp explains what a lease protects against.
#include <algorithm>

#include "base/text/ascii.hpp"
#include "decide/explain/feed.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"
#include "store/sql/write/waves.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

// Ends attempts inside one transaction. The endings of one wave belong to different schedules.
class AttemptEnder {
public:
    using Asked = SqlStore::AskedEnding;
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
            const auto& ending = *asked_[index].ending;
            const auto key = *model::parse_run_id(ending.lease.run_id);
            tenants.tell(*subject);
            tell_of_usage(subject->facts, tenants.budgets().usage(key), ending.lease, ending.end.usage);
            auto plan = (*asked_[index].planner)(subject->facts, ending.end);
            if (plan) {
                if (auto error = keep(*subject, key, leases_.at(key), ending, *plan, writer, tenants)) plan = *error;
            }
            results_[index] = std::move(plan);
        }
        return write(writer, tenants);
    }

private:
    // The subjects whose endings are accepted, with the attempts added to their facts.
    std::pair<std::vector<Subject*>, BudgetGuard::Runs> take(const Wave& wave) {
        std::vector<Subject*> taken;
        BudgetGuard::Runs runs;
        for (auto& subject : subjects_) {
            const auto index = wave.at(subject.row.key);
            const auto& ending = *asked_[index].ending;
            if (auto refused = refusal(subject, ending)) {
                results_[index] = *refused;
                continue;
            }
            const auto key = *model::parse_run_id(ending.lease.run_id);
            subject.facts.run = runs_.at(key);
            if (const auto walk = walks_.find(key); walk != walks_.end()) subject.facts.walk = walk->second.walk;
            tell_of_attempt(subject.facts, leases_.at(key));
            if (ending.end.usage) {
                subject.attempt_of = assignee_of_attempt(subject.facts, ending.lease.node);
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
                definitions_.find(*model::parse_run_id(asked_[wave.at(subject.row.key)].ending->lease.run_id));
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
            const auto& lease = asked_[index].ending->lease;
            const auto slot = model::parse_run_id(lease.run_id)->slot;
            keys.add_row(key);
            runs.add_row(key, slot);
            leases.add_row(key, slot, lease.node);
        }
        std::vector<StateRow> rows;
        auto asked =
            session_.later(kLockStatesWait, keys, [&rows](const Row& row) { rows.push_back(read_state(row)); });
        if (!asked) return asked;
        asked = session_.later(kLockLeases, leases, [&](const Row& row) {
            // There is one ending per schedule, so this is the lease of its node.
            const RunKey run{row.integer(0), row.integer(1)};
            leases_[run] = {{model::run_id(run.schedule, run.slot), static_cast<int>(row.integer(2)),
                             asked_[wave.at(run.schedule)].ending->lease.node},
                            text_at(row, 5),
                            instant_at(row, 3),
                            instant_at(row, 4),
                            optional_instant(row, 6),
                            instant_at(row, 7)};
        });
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
        for (const auto& [key, index] : wave) results_[index] = run_not_found(asked_[index].ending->lease.run_id);
        return {};
    }

    // Only for runs that have node records: nodes of a workflow, and single tasks with earlier attempts.
    Result<void> gather_walks(const Wave& wave) {
        Batch walking;
        for (const auto& subject : subjects_) {
            if (subject.broken) continue;
            const auto& lease = asked_[wave.at(subject.row.key)].ending->lease;
            if (subject.schedule->may_have_nodes(lease.attempt - 1))
                walking.add_row(subject.row.key, model::parse_run_id(lease.run_id)->slot);
        }
        if (walking.empty()) return {};
        auto walks = read_workflow_runs(session_, walking, memory_.workflows, Sees::anything);
        if (!walks) return walks.error();
        walks_ = std::move(*walks);
        return {};
    }

    std::optional<Error> refusal(const Subject& subject, const Ending& ending) {
        if (subject.broken) return subject.broken;
        const auto key = *model::parse_run_id(ending.lease.run_id);
        const auto run = runs_.find(key);
        const auto lease = leases_.find(key);
        // Checked first, so that the error does not reveal the run to another tenant.
        if (!ending.tenant.empty() && subject.schedule->compiled->definition.tenant != ending.tenant)
            return run_not_found(ending.lease.run_id);
        if (run == runs_.end()) {
            // The run was removed during the claim.
            if (lease != leases_.end()) lost_.add_row(key.schedule, key.slot, ending.lease.node);
            return run_not_found(ending.lease.run_id);
        }
        if (lease == leases_.end() || lease->second.ref.attempt != ending.lease.attempt)
            return lease_lost(ending.lease);
        if (run->second.execution != ExecutionStatus::running) {
            // The run ended during the claim; the lease is left over.
            lost_.add_row(key.schedule, key.slot, ending.lease.node);
            return lease_lost(ending.lease);
        }
        if (ending.expired_before && lease->second.until >= *ending.expired_before) return lease_renewed(ending.lease);
        if (ending.renewed_at && lease->second.renewed != *ending.renewed_at) return lease_renewed(ending.lease);
        return std::nullopt;
    }

    std::optional<Error> keep(const Subject& subject, const RunKey& key, const model::Lease& lease,
                              const Ending& ending, const decide::AttemptPlan& decided, PlanWriter& writer,
                              TenantGuard& tenants) {
        const auto* const plan_made = std::get_if<decide::Plan>(&decided);
        if (plan_made != nullptr && !plan_made->empty()) {
            if (auto error = keep_plan(subject, *plan_made, writer, tenants)) return error;
        }
        if (ending.end.usage)
            add_usage(usage_, key, ending.lease.node, ending.lease.attempt, subject.facts.spending.attempt);
        if (const auto* retry = std::get_if<decide::Retry>(&decided)) {
            const std::int64_t attempt = lease.ref.attempt;
            lost_.add_row(key.schedule, key.slot, ending.lease.node);
            retries_.add_row(attempt, epoch_us(lease.since), null_if_empty(storable(ending.end.error)), key.schedule,
                             key.slot);
            const auto own = definitions_.find(key);
            const auto& definition = own == definitions_.end() ? subject.schedule->compiled->definition : *own->second;
            const auto task = single_task(definition, runs_.at(key).input, key, retry->ready_at, lease.ref.attempt,
                                          memory_.default_connection);
            tasks_.add(task, queue_key(definition.tenant, task.queue, task.assignee), now_);
            notes_[key].push_back(retry_event(lease, ending.end, *retry, now_));
            notifications_.emplace_back(news_of(task, definition.tenant, now_));
            if (tenants.follow(subject)) {
                writer.tell(subject.schedule->tenant_key,
                            decide::retrying_item(runs_.at(key), subject.schedule->compiled->definition, ending.end,
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
    bool held = false;
    read = session.run(kLockLeases, {key.schedule, key.slot, lease.node},
                       [&](const Row& row) { held = row.integer(2) == lease.attempt; });
    if (!read) return read.error();
    if (held) return CommitOutcome::no;
    auto answer = CommitOutcome::unclear;
    read = session.run(kRunEnd, {key.schedule, key.slot}, [&](const Row& row) {
        const bool over = is_terminal(static_cast<ExecutionStatus>(row.integer(2)));
        if (!over || row.integer(4) > lease.attempt) answer = CommitOutcome::yes;
    });
    if (!read) return read.error();
    return answer;
}

// A report for a continuing attempt writes only usage, and writing that again would change nothing.
Result<SqlStore::CommitOutcome> SqlStore::look_for_report(Session& session, const Ending& ending) {
    if (!ending.end.usage) return CommitOutcome::yes;
    const auto key = *model::parse_run_id(ending.lease.run_id);
    if (auto locked = session.run(kLockStatesWait, {key.schedule}); !locked) return locked.error();
    const auto used = read_usage(session, {key.schedule, key.slot});
    if (!used) return used.error();
    const auto run = used->find(key);
    if (run == used->end()) return CommitOutcome::no;
    const auto attempt = run->second.find({ending.lease.node, ending.lease.attempt});
    if (attempt == run->second.end()) return CommitOutcome::no;
    return raised(attempt->second, *ending.end.usage) == attempt->second ? CommitOutcome::yes : CommitOutcome::no;
}

SqlStore::Ended SqlStore::complete_together(std::span<const AskedEnding> endings, Instant now) {
    std::vector<Result<decide::AttemptPlan>> results;
    std::vector<AskedEnding> named;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        results.emplace_back(run_not_found(endings[i].ending->lease.run_id));
        if (!model::parse_run_id(endings[i].ending->lease.run_id)) continue;
        named.push_back(endings[i]);
        places.push_back(i);
    }
    std::vector<PlanWriter> writers;
    std::vector<Result<decide::AttemptPlan>> answers;
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& each : named) answers.emplace_back(run_not_found(each.ending->lease.run_id));
        const auto waves = waves_by(
            named, [](const AskedEnding& each) { return model::parse_run_id(each.ending->lease.run_id)->schedule; });
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
            if (is_retry(answers[i])) return look_for_retry(session, named[i].ending->lease);
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i]) return look_for_report(session, *named[i].ending);
        }
        return CommitOutcome::yes;
    });
    if (!done) return done.error();
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(answers[i]);
    return results;
}

// An ending that does not fit or cannot be read must not affect the others.
SqlStore::Ended SqlStore::complete_all(std::span<const AskedEnding> endings, Instant now) {
    auto together = complete_together(endings, now);
    const auto its_own = [](ErrorCode code) { return code == ErrorCode::conflict || code == ErrorCode::corrupt; };
    if (together || !its_own(together.error().code)) return together;
    if (endings.size() == 1) return std::vector<Result<decide::AttemptPlan>>{together.error()};
    std::vector<Result<decide::AttemptPlan>> results;
    for (const auto& ending : endings) {
        auto one = complete_all({&ending, 1}, now);
        results.push_back(one ? std::move(one->front()) : Result<decide::AttemptPlan>(one.error()));
    }
    return results;
}

std::vector<SqlStore::Ended> SqlStore::complete_round(const std::vector<EndingCall>& calls) {
    std::vector<AskedEnding> all;
    auto now = calls.front().now;
    for (const auto& call : calls) {
        now = std::max(now, call.now);
        for (const auto& ending : call.endings) all.push_back({&ending, call.planner});
    }
    auto done = complete_all(all, now);
    std::vector<Ended> answers;
    std::size_t next = 0;
    for (const auto& call : calls) {
        if (!done) {
            answers.emplace_back(done.error());
            continue;
        }
        std::vector<Result<decide::AttemptPlan>> own;
        for (std::size_t i = 0; i < call.endings.size(); ++i) own.push_back(std::move((*done)[next++]));
        answers.emplace_back(std::move(own));
    }
    return answers;
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::complete(std::span<const Ending> endings, Instant now,
                                                                    const AttemptPlanner& planner) {
    return endings_.ask(0, endings.size(), {endings, now, &planner});
}

}  // namespace belfry::store::sql
