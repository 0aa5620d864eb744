// Tasks and leases. A ready task is a narrow row of its own; claiming moves it to the leases and touches no run. A run is
// written once more, when it ends. What becomes of a claim when somebody dies:
//
//   worker, after the claim         the lease runs out, the reaper ends the attempt, and the task is ready again
//   server, before the commit       nothing was claimed
//   server, after the commit        the worker never hears of it: as the first case
//   worker that was only slow       its token is the attempt's number; the next claim has a higher one, and its word is refused
#include <algorithm>
#include <set>

#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"
#include "store/sql/waves.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

namespace {

constexpr int kPicksMax = 10;                 // rounds of a claim that meets tasks of runs that have ended
constexpr std::int64_t kPromotedMax = 1'000;  // delayed tasks that one claim makes ready
constexpr int kTriesMax = 5;                  // once something is, or may be, committed; the database backs off between them

struct Picked {
    std::int64_t rank = 0;
    std::int64_t ready_us = 0;
    RunKey key;
    std::int64_t attempt = 0;  // so far
};

struct LeaseRow {
    std::int64_t attempt = 0;
    Instant since = {};
    Instant until = {};
};

// What was to be done later and has become due.
Result<void> promote_delayed(Session& session, Instant now) {
    Batch ready;
    Batch gone;
    auto picked = session.run(kPickDelayed, {epoch_us(now), kPromotedMax}, [&](const Row& row) {
        ready.add_row(row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4), row.integer(5));
        gone.add_row(row.integer(2), row.integer(3), row.integer(4));
    });
    if (!picked) return picked.error();
    if (auto inserted = run_batch(session, kInsertReady, ready); !inserted) return inserted;
    return run_batch(session, kDeleteDelayed, gone);
}

// The next ready tasks of the queue, without those whose runs were ended meanwhile: their rows go.
Result<std::vector<Picked>> pick_ready(Session& session, std::int64_t queue, Instant now, std::size_t limit) {
    std::vector<Picked> all;
    for (int round = 0; round < kPicksMax && all.size() < limit; ++round) {
        std::vector<Picked> picked;
        auto read = session.run(kPickReady, {queue, epoch_us(now), static_cast<std::int64_t>(limit - all.size())}, [&picked](const Row& row) {
            picked.push_back({row.integer(0), row.integer(1), {row.integer(2), row.integer(3)}, row.integer(4)});
        });
        if (!read) return read.error();
        if (picked.empty()) break;
        Batch rows;
        Batch keys;
        for (const auto& task : picked) {
            rows.add_row(queue, task.rank, task.ready_us, task.key.schedule, task.key.slot);
            keys.add_row(task.key.schedule, task.key.slot);
        }
        if (auto deleted = run_batch(session, kDeleteReady, rows); !deleted) return deleted.error();
        std::map<RunKey, ExecutionStatus> status;
        read = session.run(kStatusOfRuns, keys, [&status](const Row& row) {
            status[{row.integer(0), row.integer(1)}] = static_cast<ExecutionStatus>(row.integer(2));
        });
        if (!read) return read.error();
        for (const auto& task : picked) {
            const auto found = status.find(task.key);
            if (found != status.end() && found->second == ExecutionStatus::queued) all.push_back(task);
        }
    }
    return all;
}

model::Task make_task(const RunWithDefinition& read, const ClaimRequest& request, std::int64_t attempt) {
    const auto& definition = *read.definition;
    const auto& run = read.run;
    model::Task task;
    task.run_id = run.id;
    task.schedule_id = definition.id;
    task.tenant = definition.tenant;
    task.schedule_name = definition.name;
    task.idempotency_key = model::idempotency_key(definition.id, run.slot);
    task.instance_id = model::instance_id(definition.name, run.slot);
    task.target = definition.target;
    task.input = run.input;
    task.slot = run.slot;
    task.attempt = static_cast<int>(attempt);
    task.lease_until = request.now + request.lease;
    task.timeout = definition.retry.timeout;
    return task;
}

}  // namespace

Result<std::vector<model::Task>> SqlStore::claim(const ClaimRequest& request) {
    const auto limit = std::min(request.limit, kClaimMax);
    std::vector<Picked> picked;
    const auto work = [&](Session& session) -> Result<void> {
        bool exists = false;
        auto read = session.run(kTenant, {model::key_of(request.tenant)}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        if (!exists) return tenant_not_found(request.tenant);
        if (auto promoted = promote_delayed(session, request.now); !promoted) return promoted;
        auto ready = pick_ready(session, queue_key(request.tenant, request.queue), request.now, limit);
        if (!ready) return ready.error();
        picked = std::move(*ready);
        Batch leases;
        for (const auto& task : picked) {
            leases.add_row(task.key.schedule, task.key.slot, task.attempt + 1, request.worker, epoch_us(request.now),
                           epoch_us(request.now + request.lease));
        }
        return run_batch(session, kInsertLease, leases);
    };
    auto done = commit(work, [&](Session& session) -> Result<Happened> {
        if (picked.empty()) return Happened::yes;
        // The task's row is what a lost claim still holds, ready or, when it had just become due, delayed.
        const auto& first = picked.front();
        auto read = session.run(kLockDelayed, {first.ready_us, first.key.schedule, first.key.slot});
        if (!read) return read.error();
        read = session.run(kLockReady, {queue_key(request.tenant, request.queue), first.rank, first.ready_us, first.key.schedule, first.key.slot});
        if (!read) return read.error();
        // Once it was free again, another worker may have been quicker: that has the same attempt.
        bool ours = false;
        read = session.run(kLockLeases, {first.key.schedule, first.key.slot}, [&](const Row& row) {
            ours = row.integer(2) == first.attempt + 1 && instant_at(row, 3) == request.now && row.text(5) == request.worker;
        });
        if (!read) return read.error();
        return ours ? Happened::yes : Happened::no;
    });
    if (!done) return done.error();
    if (picked.empty()) return std::vector<model::Task>();

    // What the worker needs to know is read after the commit: it is committed data, and may be kept in memory.
    Batch keys;
    std::map<RunKey, std::int64_t> attempts;
    for (const auto& task : picked) {
        keys.add_row(task.key.schedule, task.key.slot);
        attempts[task.key] = task.attempt + 1;
    }
    std::map<RunKey, model::Task> tasks;
    const auto read_tasks = [&](Session& session) -> Result<void> {
        auto runs = read_runs_with_definitions(session, kRunsByKey, keys, memory_.definitions, Sees::committed);
        if (!runs) return runs.error();
        for (const auto& each : *runs) {
            const auto key = *model::parse_run_id(each.run.id);
            tasks.emplace(key, make_task(each, request, attempts.at(key)));
        }
        return {};
    };
    auto read = database_->read(read_tasks);
    for (int i = 1; !read && i < kTriesMax; ++i) read = database_->read(read_tasks);
    // The leases are there, so that nobody may say that nothing was changed.
    if (!read) return Error{ErrorCode::unknown, "tasks were claimed and could not be read: " + read.error().message};
    std::vector<model::Task> in_order;
    for (const auto& task : picked) {
        if (const auto found = tasks.find(task.key); found != tasks.end()) in_order.push_back(std::move(found->second));
    }
    return in_order;
}

Result<std::vector<model::LeaseRef>> SqlStore::heartbeat(std::span<const model::LeaseRef> leases, Instant until) {
    using Held = std::pair<RunKey, std::int64_t>;
    Batch rows;
    std::set<Held> asked;
    for (const auto& lease : leases) {
        const auto key = model::parse_run_id(lease.run_id);
        if (key && asked.emplace(*key, lease.attempt).second) rows.add_row(epoch_us(until), key->schedule, key->slot, std::int64_t{lease.attempt});
    }
    std::set<Held> held;
    const auto work = [&](Session& session) -> Result<void> {
        auto done = session.run(kHeartbeat, rows, [&held](const Row& row) { held.emplace(RunKey{row.integer(0), row.integer(1)}, row.integer(2)); });
        if (!done) return done.error();
        return {};
    };
    auto done = database_->write(work);
    // Doing it twice is doing it once. As long as that fails, too, the first may have happened.
    for (int i = 0; i < kTriesMax && !done && done.error().code == ErrorCode::unknown; ++i) {
        if (database_->write(work)) done = {};
    }
    if (!done) return done.error();
    std::vector<model::LeaseRef> answer;
    for (const auto& lease : leases) {
        const auto key = model::parse_run_id(lease.run_id);
        if (key && held.contains({*key, lease.attempt})) answer.push_back(lease);
    }
    return answer;
}

Result<std::vector<model::Lease>> SqlStore::expired(Instant now, std::size_t limit) {
    std::vector<model::Lease> leases;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kExpiredLeases, {epoch_us(now), static_cast<std::int64_t>(limit)}, [&leases](const Row& row) {
            leases.push_back({{model::run_id(row.integer(0), row.integer(1)), static_cast<int>(row.integer(2))},
                              text_at(row, 3),
                              instant_at(row, 4),
                              instant_at(row, 5)});
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return leases;
}

namespace {

// Ends attempts inside one transaction; the endings of one wave concern different schedules.
class AttemptEnder {
public:
    AttemptEnder(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones, std::span<const Ending> endings, Instant now,
                 const AttemptPlanner& planner, std::vector<Result<decide::AttemptPlan>>& results)
        : session_(session), memory_(memory), reader_(session, memory, zones), endings_(endings), now_(now), planner_(planner), results_(results) {}

    Result<void> end(const Wave& wave, PlanWriter& writer) {
        if (auto locked = lock(wave); !locked) return locked;
        Needs needs;
        needs.now = now_;
        if (auto gathered = reader_.gather(subjects_, needs, Purpose::change); !gathered) return gathered;
        TenantGuard tenants(session_, now_);
        if (auto loaded = tenants.load(subjects_); !loaded) return loaded;
        for (auto& subject : subjects_) {
            const auto index = wave.at(subject.row.key);
            if (auto refused = refusal(subject, endings_[index])) {
                results_[index] = *refused;
                continue;
            }
            tenants.tell(subject);
            const auto key = *model::parse_run_id(endings_[index].lease.run_id);
            const auto& lease = leases_.at(key);
            auto& run = runs_.at(key);
            run.attempts = static_cast<int>(lease.attempt);
            run.started_at = lease.since;
            subject.facts.run = run;
            auto plan = planner_(subject.facts, endings_[index].end);
            if (plan) {
                if (auto error = keep(subject, key, lease, endings_[index], *plan, writer, tenants)) plan = *error;
            }
            results_[index] = std::move(plan);
        }
        return write(writer, tenants);
    }

private:
    Result<void> lock(const Wave& wave) {
        Batch keys;
        Batch runs;
        for (const auto& [key, index] : wave) {
            keys.add_row(key);
            runs.add_row(key, model::parse_run_id(endings_[index].lease.run_id)->slot);
        }
        std::vector<StateRow> rows;
        auto read = session_.run(kLockStatesWait, keys, [&rows](const Row& row) { rows.push_back(read_state(row)); });
        if (!read) return read.error();
        read = session_.run(kLockLeases, runs, [this](const Row& row) {
            leases_[{row.integer(0), row.integer(1)}] = {row.integer(2), instant_at(row, 3), instant_at(row, 4)};
        });
        if (!read) return read.error();
        auto found = read_runs_with_definitions(session_, kRunsByKey, runs, memory_.definitions, Sees::anything);
        if (!found) return found.error();
        for (auto& [run, definition] : *found) {
            const auto key = *model::parse_run_id(run.id);
            definitions_.emplace(key, std::move(definition));
            runs_.emplace(key, std::move(run));
        }
        auto subjects = reader_.subjects(std::move(rows));
        if (!subjects) return subjects.error();
        subjects_ = std::move(*subjects);
        for (const auto& [key, index] : wave) results_[index] = run_not_found(endings_[index].lease.run_id);
        return {};
    }

    std::optional<Error> refusal(const Subject& subject, const Ending& ending) {
        if (subject.broken) return subject.broken;
        const auto key = *model::parse_run_id(ending.lease.run_id);
        const auto run = runs_.find(key);
        if (run == runs_.end()) return run_not_found(ending.lease.run_id);
        const auto lease = leases_.find(key);
        if (lease == leases_.end() || lease->second.attempt != ending.lease.attempt) return lease_lost(ending.lease);
        if (run->second.execution != ExecutionStatus::running) {
            // It was ended while somebody claimed it; the lease is left over.
            lost_.add_row(key.schedule, key.slot);
            return lease_lost(ending.lease);
        }
        if (ending.expired_before && lease->second.until >= *ending.expired_before) return lease_prolonged(ending.lease);
        return std::nullopt;
    }

    std::optional<Error> keep(const Subject& subject, const RunKey& key, const LeaseRow& lease, const Ending& ending,
                              const decide::AttemptPlan& decided, PlanWriter& writer, TenantGuard& tenants) {
        if (const auto* retry = std::get_if<decide::Retry>(&decided)) {
            lost_.add_row(key.schedule, key.slot);
            retries_.add_row(lease.attempt, epoch_us(lease.since), null_if_empty(ending.end.error), key.schedule, key.slot);
            const auto& definition = *definitions_.at(key);
            const auto queue = queue_key(definition.tenant, definition.target.queue);
            add_task_row(ready_, delayed_, key, definition, queue, {retry->ready_at, lease.attempt, now_});
            announcements_.emplace_back(TasksReady{definition.tenant, definition.target.queue});
            return std::nullopt;
        }
        const auto& plan = std::get<decide::Plan>(decided);
        if (auto error = writer.add(*subject.schedule, subject.row, plan)) return error;
        tenants.count(subject, plan);
        for (auto& each : announcements_of(plan, subject.schedule->compiled->definition, plan.state.next_fire != subject.row.state.next_fire)) {
            announcements_.push_back(std::move(each));
        }
        return std::nullopt;
    }

    Result<void> write(PlanWriter& writer, TenantGuard& tenants) {
        if (auto written = writer.write(session_, memory_.definitions); !written) return written;
        if (auto counted = tenants.write(); !counted) return counted;
        if (auto done = run_batch(session_, kDeleteLease, lost_); !done) return done;
        if (auto done = run_batch(session_, kRetryRun, retries_); !done) return done;
        if (auto done = run_batch(session_, kInsertReady, ready_); !done) return done;
        if (auto done = run_batch(session_, kInsertDelayed, delayed_); !done) return done;
        return announce(session_, announcements_);
    }

    Session& session_;
    StoreMemory& memory_;
    FactsReader reader_;
    std::span<const Ending> endings_;
    Instant now_;
    const AttemptPlanner& planner_;
    std::vector<Result<decide::AttemptPlan>>& results_;

    std::vector<Subject> subjects_ = {};
    std::map<RunKey, LeaseRow> leases_ = {};
    std::map<RunKey, model::Run> runs_ = {};
    std::map<RunKey, DefinitionPtr> definitions_ = {};  // of the runs' versions
    Batch lost_ = {};
    Batch retries_ = {};
    Batch ready_ = {};
    Batch delayed_ = {};
    std::vector<Announcement> announcements_ = {};
};

}  // namespace

// The lease went with its attempt. Who else may have ended it, the reaper, would have done the same, unless the run is over.
Result<SqlStore::Happened> SqlStore::look_for_retry(Session& session, const model::LeaseRef& lease) {
    const auto key = *model::parse_run_id(lease.run_id);
    auto read = session.run(kLockStatesWait, {key.schedule});
    if (!read) return read.error();
    bool held = false;
    read = session.run(kLockLeases, {key.schedule, key.slot}, [&](const Row& row) { held = row.integer(2) == lease.attempt; });
    if (!read) return read.error();
    if (held) return Happened::no;
    auto answer = Happened::unclear;
    read = session.run(kRunEnd, {key.schedule, key.slot}, [&](const Row& row) {
        const bool over = is_terminal(static_cast<ExecutionStatus>(row.integer(2)));
        if (!over || row.integer(4) > lease.attempt) answer = Happened::yes;
    });
    if (!read) return read.error();
    return answer;
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::complete_together(std::span<const Ending> endings, Instant now,
                                                                             const AttemptPlanner& planner) {
    std::vector<Result<decide::AttemptPlan>> results;
    std::vector<Ending> named;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < endings.size(); ++i) {
        results.emplace_back(run_not_found(endings[i].lease.run_id));
        if (!model::parse_run_id(endings[i].lease.run_id)) continue;
        named.push_back(endings[i]);
        places.push_back(i);
    }
    std::vector<PlanWriter> writers;
    std::vector<Result<decide::AttemptPlan>> answers;
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& ending : named) answers.emplace_back(run_not_found(ending.lease.run_id));
        const auto waves = waves_by(named, [](const Ending& ending) { return model::parse_run_id(ending.lease.run_id)->schedule; });
        for (const auto& wave : waves) {
            auto& writer = writers.emplace_back();
            AttemptEnder ender(session, memory_, zones_, named, now, planner, answers);
            if (auto ended = ender.end(wave, writer); !ended) return ended;
        }
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<Happened> {
        for (const auto& writer : writers) {
            if (!writer.traces().empty()) return look_for(session, writer.traces());
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i]) return look_for_retry(session, named[i].lease);
        }
        return Happened::yes;
    });
    if (!done) return done.error();
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(answers[i]);
    return results;
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::complete(std::span<const Ending> endings, Instant now, const AttemptPlanner& planner) {
    auto together = complete_together(endings, now, planner);
    if (together || together.error().code != ErrorCode::conflict) return together;
    if (endings.size() == 1) return std::vector<Result<decide::AttemptPlan>>{together.error()};
    std::vector<Result<decide::AttemptPlan>> results;
    for (const auto& ending : endings) {
        auto one = complete({&ending, 1}, now, planner);
        results.push_back(one ? std::move(one->front()) : Result<decide::AttemptPlan>(one.error()));
    }
    return results;
}

}  // namespace belfry::store::sql
