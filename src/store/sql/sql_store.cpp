#include "store/sql/sql_store.hpp"

#include <algorithm>
#include <set>

#include "store/errors.hpp"
#include "store/rules/lock_order.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/schema/migrations.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

Result<std::unique_ptr<Store>> open_store(std::unique_ptr<Database> database, const spec::ZoneDatabase& zones,
                                          const Clock* clock, StoreLimits limits) {
    auto status = schema_status(*database);
    if (!status) return status.error();
    if (status->version() == 0) {
        if (auto migrated = migrate_up(*database, clock != nullptr ? clock->now() : SystemClock().now()); !migrated)
            return migrated.error();
    } else if (auto error = check_schema(*status)) {
        return *error;
    }
    return std::unique_ptr<Store>(std::make_unique<SqlStore>(std::move(database), zones, clock, limits));
}

Result<std::int64_t> find_schedule(Session& session, const ScheduleRef& schedule) {
    std::optional<std::int64_t> key;
    const auto take = [&key](const Row& row) { key = row.integer(0); };
    const auto tenant = model::tenant_key(schedule.tenant);
    auto found = schedule.id.empty()
                     ? session.run(kFindByName, {tenant, schedule.name, schedule.tenant}, take)
                     : session.run(kFindById, {model::key_of(schedule.id), tenant, schedule.id, schedule.tenant}, take);
    if (!found) return found.error();
    if (!key) return schedule_not_found(schedule);
    return *key;
}

Result<void> need_tenant(Session& session, const std::string& tenant) {
    bool exists = false;
    auto read = session.run(kTenant, tenant_place(tenant), [&exists](const Row&) { exists = true; });
    if (!read) return read.error();
    if (!exists) return tenant_not_found(tenant);
    return {};
}

Result<void> notify(Session& session, const std::vector<Notification>& notifications) {
    std::set<std::string> texts;
    for (const auto& notification : notifications) texts.insert(format_notification(notification));
    if (texts.size() > kNotifiedMax) texts = {std::string()};
    for (const auto& text : texts) {
        if (auto told = session.notify(text); !told) return told;
    }
    return {};
}

// The plans of one transaction commit together, so it is enough to check one.
Result<SqlStore::CommitOutcome> SqlStore::look_for(Session& session, const std::vector<CommitEvidence>& traces) {
    if (traces.empty()) return CommitOutcome::yes;
    const auto& trace = traces.front();
    std::optional<model::ScheduleState> state;
    auto locked =
        session.run(kLockStatesWait, {trace.key}, [&state](const Row& row) { state = read_state(row).state; });
    if (!locked) return locked.error();
    if (!state || state->revision < trace.revision) return CommitOutcome::no;
    if (trace.sequence > 0) {
        bool same = false;
        auto read = session.run(kEventHash, {trace.key, trace.sequence},
                                [&](const Row& row) { same = row.text(1) == trace.hash; });
        if (!read) return read.error();
        return same ? CommitOutcome::yes : CommitOutcome::no;
    }
    if (trace.ended || trace.started) return look_for_run(session, trace);
    if (trace.node) return look_for_node(session, *trace.node);
    // Another transaction may have reached the same revision.
    if (state->revision > trace.revision) return CommitOutcome::unclear;
    return *state == trace.state ? CommitOutcome::yes : CommitOutcome::no;
}

Result<SqlStore::CommitOutcome> SqlStore::look_for_run(Session& session, const CommitEvidence& trace) {
    const auto& run = trace.ended ? *trace.ended : *trace.started;
    std::optional<model::ExecutionStatus> status;
    std::optional<Instant> completed_at;
    auto read = session.run(kRunEnd, {run.schedule, run.slot}, [&](const Row& row) {
        status = static_cast<model::ExecutionStatus>(row.integer(2));
        completed_at = optional_instant(row, 3);
    });
    if (!read) return read.error();
    if (!status) return CommitOutcome::unclear;  // removed by retention
    if (trace.ended)
        return *status == trace.ended_as && completed_at == trace.ended_at ? CommitOutcome::yes : CommitOutcome::no;
    if (*status == model::ExecutionStatus::awaiting_approval) return CommitOutcome::no;
    // The run was either rejected, or approved and then stopped.
    const bool stopped = *status == model::ExecutionStatus::cancelled || *status == model::ExecutionStatus::terminated;
    return stopped ? CommitOutcome::unclear : CommitOutcome::yes;
}

// The end of a node leaves no evidence in the schedule's state: another node of the same run may have led to the same
// revision.
Result<SqlStore::CommitOutcome> SqlStore::look_for_node(Session& session, const decide::NodeChange& change) {
    const auto& node = change.node;
    const auto key = model::parse_run_id(change.run_id).value_or(model::RunKey{});
    bool held = false;
    auto read = session.run(kLockLeases, {key.schedule, key.slot, node.node},
                            [&](const Row& row) { held = row.integer(2) == node.attempts; });
    if (!read) return read.error();
    if (held) return CommitOutcome::no;
    auto answer = CommitOutcome::unclear;  // the reaper or the end of the run may have ended it
    read = session.run(kNodeOfRun, {key.schedule, key.slot, node.node}, [&](const Row& row) {
        const bool same = static_cast<model::NodeStatus>(row.integer(0)) == node.status &&
                          row.integer(1) == node.attempts && instant_at(row, 2) == node.ready_at &&
                          optional_instant(row, 3) == node.completed_at;
        if (same) answer = CommitOutcome::yes;
        // It still waits for the decision that this was about.
        const bool waits = static_cast<model::NodeStatus>(row.integer(0)) == model::NodeStatus::awaiting_approval &&
                           row.integer(1) == node.attempts;
        if (!same && waits) answer = CommitOutcome::no;
    });
    if (!read) return read.error();
    return answer;
}

Result<void> SqlStore::create(std::span<const decide::Plan> plans) {
    PlanWriter writer(plans.size());
    std::set<std::string> tenants;
    std::set<std::pair<std::string, std::string>> names;
    std::set<std::int64_t> keys;
    std::vector<Notification> notifications;
    for (const auto& plan : plans) {
        if (auto error = writer.add_new(plan)) return *error;
        tenants.insert(plan.definition->tenant);
        if (takes_name(plan) && !names.emplace(plan.definition->tenant, plan.definition->name).second)
            return name_taken(plan.definition->name);
        if (!keys.insert(model::key_of(plan.schedule_id)).second) return id_taken(plan.schedule_id);
        notifications.emplace_back(ScheduleMoved{model::key_of(plan.schedule_id), plan.state.next_fire,
                                                 model::tenant_key(plan.definition->tenant)});
    }
    std::set<std::string> followed;
    const auto lock_tenant = [&](Session& session, const std::string& name,
                                 const Statement& statement) -> Result<model::Tenant> {
        std::optional<model::Tenant> tenant;
        auto read = session.run(statement, tenant_place(name), [&](const Row& row) {
            tenant = read_tenant(row);
            if (is_followed(row, kFollowedColumnOfTenant, plans.front().decided_at)) followed.insert(name);
        });
        if (!read) return read.error();
        if (!tenant) return tenant_not_found(name);
        return *tenant;
    };
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& plan : plans) {
            const auto tenant = model::tenant_key(plan.definition->tenant);
            bool taken = false;
            const auto note = [&taken](const Row&) { taken = true; };
            if (plan.request) {
                auto used = session.run(kRequest, {tenant, plan.request->key}, note);
                if (!used) return used.error();
                if (taken) return request_taken();
            }
            auto read = session.run(kStateExists, {model::key_of(plan.schedule_id)}, note);
            if (!read) return read.error();
            if (taken) return id_taken(plan.schedule_id);
            if (!takes_name(plan)) continue;
            read = session.run(kFindByName, {tenant, plan.definition->name, plan.definition->tenant}, note);
            if (!read) return read.error();
            if (taken) return name_taken(plan.definition->name);
        }
        // Locks the tenants, so that their limits stay until the commit.
        std::map<std::int64_t, model::Tenant> owners;
        for (const auto& name : tenants) {
            auto tenant = lock_tenant(session, name, kShareTenant);
            if (!tenant) return tenant.error();
            owners.emplace(model::tenant_key(name), std::move(*tenant));
        }
        for (const auto& plan : plans) {
            if (followed.contains(plan.definition->tenant)) writer.tell(plan, *plan.definition);
        }
        for (const auto& name : followed) notifications.emplace_back(FeedGrown{name});
        if (auto written = writer.write(session, memory_); !written) {
            // Another transaction created a schedule of the same name between the check and the write.
            if (written.error().code == ErrorCode::conflict && plans.size() == 1)
                return name_taken(plans.front().definition->name);
            return written;
        }
        for (const auto& [key, count] : writer.counts()) {
            const auto& owner = owners.at(key);
            const auto most = owner.schedules_max.value_or(limits_.schedules_per_tenant);
            if (count > most) return tenant_full(owner.name, most);
        }
        return notify(session, notifications);
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        // There may be no row yet to wait for, so the tenant's row serves as the lock.
        for (const auto& name : tenants) {
            if (auto tenant = lock_tenant(session, name, kLockTenant); !tenant) return tenant.error();
        }
        return look_for(session, writer.traces());
    });
}

Result<decide::Plan> SqlStore::decide_one(Session& session, std::int64_t key, const FactsRequest& needs,
                                          const Planner& planner, PlanWriter& writer) {
    std::vector<StateRow> rows;
    auto locked = session.run(kLockStatesWait, {key}, [&rows](const Row& row) { rows.push_back(read_state(row)); });
    if (!locked) return locked.error();
    FactsReader reader(session, memory_, zones_);
    auto subjects = reader.subjects(std::move(rows), needs.stand_in ? Unreadable::stands_in : Unreadable::broken);
    if (!subjects) return subjects.error();
    auto& subject = subjects->front();
    if (subject.broken) return *subject.broken;
    if (auto gathered = reader.gather(*subjects, needs, Purpose::change); !gathered) return gathered.error();
    TenantGuard tenants(session, memory_.usage, needs.now);
    if (auto loaded = tenants.load(*subjects); !loaded) return loaded.error();
    tenants.tell(subject);
    auto plan = planner(subject.facts);
    if (!plan || plan->empty()) return plan;
    if (auto error = writer.add(*subject.schedule, subject.row, subject.facts, *plan, tenants.follow(subject)))
        return *error;
    tenants.count(subject, *plan);
    const bool moved = is_moved(*plan, subject.row.state.next_fire);
    const auto& before = subject.schedule->compiled->definition;
    if (plan->definition && plan->definition->name != before.name) {
        std::optional<std::int64_t> other;
        auto read = session.run(kFindByName, {subject.schedule->tenant_key, plan->definition->name, before.tenant},
                                [&other](const Row& row) { other = row.integer(0); });
        if (!read) return read.error();
        if (other) return name_taken(plan->definition->name);
    }
    if (auto written = writer.write(session, memory_); !written) return written.error();
    if (auto counted = tenants.write(); !counted) return counted.error();
    if (auto told = notify(session, notifications_of(*plan, before,
                                                     {moved, tenants.follow(subject), limits_.default_connection,
                                                      subject.facts.run_definition}));
        !told)
        return told.error();
    return plan;
}

Result<decide::Plan> SqlStore::change(const ScheduleRef& schedule, const FactsRequest& needs, const Planner& planner) {
    PlanWriter writer;
    std::optional<decide::Plan> applied;
    const auto work = [&](Session& session) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        auto plan = decide_one(session, *key, needs, planner, writer);
        if (!plan) return plan.error();
        // While this call waited for the lock, another schedule may have taken the name.
        if (schedule.id.empty()) {
            auto again = find_schedule(session, schedule);
            const bool gave_it_up = plan->definition || plan->state.status == model::ScheduleStatus::deleted;
            if (!gave_it_up && (!again || *again != *key))
                return Error{ErrorCode::conflict,
                             "schedule " + schedule.name + " was changed by another request: try again"};
        }
        applied = std::move(*plan);
        return {};
    };
    auto done = commit(work, [&writer](Session& session) { return look_for(session, writer.traces()); });
    if (!done) return done.error();
    return std::move(*applied);
}

// Finds due schedules, gathers the facts, calls the planner and prepares the writes.
Result<void> SqlStore::decide_due(Session& session, const TickRequest& request, const Planner& planner,
                                  TenantGuard& tenants, DueTick& tick) {
    auto& outcome = tick.outcome;
    std::vector<StateRow> due;
    due.reserve(request.keys.size());
    const auto take = [&](const Row& row) {
        auto read = read_state(row);
        outcome.upcoming.push_back({read.key, read.state.next_fire});
        const bool is_due = read.state.next_fire && *read.state.next_fire <= request.now;
        if (is_due || waits_for_release(read.state)) due.push_back(std::move(read));
    };
    Batch keys;
    for (const auto key : request.keys) keys.add_row(key);
    auto locked =
        request.keys.empty()
            ? session.run(kLockDueStates,
                          {epoch_us(request.now), static_cast<std::int64_t>(std::min(request.limit, kTickBatchMax))},
                          take)
            : session.run(kLockStates, keys, take);
    if (!locked) return locked.error();
    std::ranges::sort(outcome.upcoming, {}, &Upcoming::key);
    for (const auto& row : due) tick.looked.push_back(row.key);
    FactsReader reader(session, memory_, zones_);
    auto subjects = reader.subjects(std::move(due), Unreadable::broken);
    if (!subjects) return subjects.error();
    FactsRequest needs;
    needs.now = request.now;
    if (auto gathered = reader.gather(*subjects, needs, Purpose::tick); !gathered) return gathered;
    if (tick.ahead) {
        auto free = tenants.peek(*subjects);
        if (!free) return free.error();
        if (!*free) return Error{ErrorCode::conflict, "a tenant or an assignee has a limit that needs a lock"};
    } else if (auto loaded = tenants.load(*subjects); !loaded) {
        return loaded;
    }
    outcome.plans.reserve(subjects->size());
    auto upcoming = outcome.upcoming.begin();
    for (auto& subject : *subjects) {
        while (upcoming->key != subject.row.key) ++upcoming;
        if (subject.broken) {
            outcome.poisoned.push_back({subject.row.key, subject.id, *subject.broken});
            continue;
        }
        tenants.tell(subject);
        auto plan = planner(subject.facts);
        auto error = plan ? std::optional<Error>() : std::optional(plan.error());
        if (plan && !plan->empty())
            error = tick.writer.add(*subject.schedule, subject.row, subject.facts, *plan, tenants.follow(subject));
        if (error) {
            outcome.poisoned.push_back({subject.row.key, subject.id, std::move(*error)});
            continue;
        }
        upcoming->next_fire = plan->state.next_fire;
        upcoming->tenant = subject.schedule->tenant_key;
        if (plan->empty()) continue;
        upcoming->waits = waits_for_release(plan->state);
        tenants.count(subject, *plan);
        for (auto& each : notifications_of(*plan, subject.schedule->compiled->definition,
                                           {false, tenants.follow(subject), limits_.default_connection})) {
            if (tick.notifications.empty() || !(tick.notifications.back() == each))
                tick.notifications.push_back(std::move(each));
        }
        outcome.plans.push_back(std::move(*plan));
    }
    std::erase_if(outcome.upcoming, [&](const Upcoming& each) {
        return std::ranges::binary_search(outcome.poisoned, each.key, {}, &Poisoned::key);  // sorted like the subjects
    });
    return {};
}

Result<TickOutcome> SqlStore::tick_together(const TickRequest& request, const Planner& planner,
                                            std::vector<std::int64_t>& looked) {
    DueTick tick(request.keys.empty() ? request.limit : request.keys.size());
    const auto work = [&](Session& session) -> Result<void> {
        TenantGuard tenants(session, memory_.usage, request.now);
        auto decided = decide_due(session, request, planner, tenants, tick);
        looked = tick.looked;
        if (!decided) return decided;
        if (auto written = tick.writer.write(session, memory_); !written) return written;
        if (auto counted = tenants.write(); !counted) return counted;
        return notify(session, tick.notifications);
    };
    auto done = commit(work, [&tick](Session& session) { return look_for(session, tick.writer.traces()); });
    if (!done) return done.error();
    return std::move(tick.outcome);
}

// On a database where a writer locks everything, the slow part runs first on a snapshot, concurrently with other
// writers. The rows are written only if nothing that the decision used has changed: the schedule's state (its
// revision), its compiled form (its stamp), and what its tenant allows. Otherwise the result is a conflict, and
// nothing was changed.
Result<TickOutcome> SqlStore::tick_ahead(const TickRequest& request, const Planner& planner) {
    DueTick tick(request.keys.size());
    tick.ahead = true;
    std::optional<TenantGuard> seen;
    auto decided = database_->read([&](Session& session) {
        seen.emplace(session, memory_.usage, request.now);
        return decide_due(session, request, planner, *seen, tick);
    });
    if (!decided) return decided.error();
    if (tick.outcome.plans.empty()) return std::move(tick.outcome);
    const auto work = [&](Session& session) -> Result<void> {
        TenantGuard tenants(session, memory_.usage, request.now);
        auto same = tenants.look_again(*seen);
        if (!same) return same.error();
        if (!*same) return Error{ErrorCode::conflict, "a tenant was changed by another transaction"};
        if (auto written = tick.writer.write(session, memory_); !written) return written;
        return notify(session, tick.notifications);
    };
    auto done = commit(work, [&tick](Session& session) { return look_for(session, tick.writer.traces()); });
    if (!done) return done.error();
    seen->remember();
    return std::move(tick.outcome);
}

// A schedule whose rows cannot be written must not hold up the others: each gets its own transaction.
Result<TickOutcome> SqlStore::tick_one_by_one(const TickRequest& request, const Planner& planner,
                                              const std::vector<std::int64_t>& keys) {
    TickOutcome all;
    for (const auto key : keys) {
        std::vector<std::int64_t> looked;
        auto one = tick_together({request.now, {key}, 1}, planner, looked);
        if (!one) {
            const auto code = one.error().code;
            const bool its_own = code == ErrorCode::conflict || code == ErrorCode::corrupt;
            // Reports the plans that were applied; the other schedules are still due.
            if (!its_own && !all.plans.empty()) return all;
            if (!its_own) return one.error();
            all.poisoned.push_back({key, {}, one.error()});
            continue;
        }
        std::ranges::move(one->plans, std::back_inserter(all.plans));
        std::ranges::move(one->upcoming, std::back_inserter(all.upcoming));
        std::ranges::move(one->poisoned, std::back_inserter(all.poisoned));
    }
    return all;
}

Result<TickOutcome> SqlStore::tick(const TickRequest& request, const Planner& planner) {
    if (request.keys.size() > kTickBatchMax) return too_many_keys();
    const TickRequest sorted{request.now, ascending(request.keys), request.limit};
    const auto its_own = [](const Error& error) {
        return error.code == ErrorCode::conflict || error.code == ErrorCode::corrupt;
    };
    if (!database_->dialect().locks_rows && !sorted.keys.empty()) {
        auto ahead = tick_ahead(sorted, planner);
        if (ahead || !its_own(ahead.error())) return ahead;
    }
    std::vector<std::int64_t> looked;
    auto together = tick_together(sorted, planner, looked);
    if (together) return together;
    if (looked.empty() || !its_own(together.error())) return together;
    return tick_one_by_one(sorted, planner, sorted.keys.empty() ? looked : sorted.keys);
}

}  // namespace belfry::store::sql
