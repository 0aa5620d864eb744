#include "store/sql/sql_store.hpp"

#include <algorithm>
#include <set>

#include "store/errors.hpp"
#include "store/rules/lock_order.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/schema/migrations.hpp"
#include "store/sql/statements/statements_audit.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"

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
    const auto tenant = model::tenant_key(schedule.tenant);
    const auto key = schedule.id.empty() ? read_one(session, kFindByName, {tenant, schedule.name, schedule.tenant})
                                         : read_one(session, kFindById,
                                                    {model::key_of(schedule.id), tenant, schedule.id, schedule.tenant});
    if (!key) return key.error();
    if (!*key) return schedule_not_found(schedule);
    return **key;
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
    const auto row = read_one(session, kLockStatesWait, {trace.key});
    if (!row) return row.error();
    if (!*row) return CommitOutcome::no;
    const auto& state = (*row)->state;
    if (state.revision < trace.revision) return CommitOutcome::no;
    if (trace.sequence > 0) {
        std::optional<bool> same;
        auto read = session.run(kEventHash, {trace.key, trace.sequence},
                                [&](std::string_view hash) { same = hash == trace.hash; });
        if (!read) return read.error();
        if (same) return *same ? CommitOutcome::yes : CommitOutcome::no;
        const auto archived = read_one(session, kCheckpointSequence, {trace.key});
        if (!archived) return archived.error();
        return archived->value_or(0) >= trace.sequence ? CommitOutcome::unclear : CommitOutcome::no;
    }
    if (trace.ended || trace.started) return look_for_run(session, trace);
    if (trace.node) return look_for_node(session, *trace.node);
    // Another transaction may have reached the same revision.
    if (state.revision > trace.revision) return CommitOutcome::unclear;
    return state == trace.state ? CommitOutcome::yes : CommitOutcome::no;
}

Result<SqlStore::CommitOutcome> SqlStore::look_for_run(Session& session, const CommitEvidence& trace) {
    const auto& key = trace.ended ? *trace.ended : *trace.started;
    const auto run = read_one(session, kRunEnd, {key.schedule, key.slot});
    if (!run) return run.error();
    if (!*run) return CommitOutcome::unclear;  // removed by retention
    const auto status = (*run)->execution;
    if (trace.ended) {
        const bool same = status == trace.ended_as && (*run)->completed_at == trace.ended_at;
        return same ? CommitOutcome::yes : CommitOutcome::no;
    }
    if (status == model::ExecutionStatus::awaiting_approval) return CommitOutcome::no;
    // The run was either rejected, or approved and then stopped.
    const bool stopped = status == model::ExecutionStatus::cancelled || status == model::ExecutionStatus::terminated;
    return stopped ? CommitOutcome::unclear : CommitOutcome::yes;
}

// The end of a node leaves no evidence in the schedule's state: another node of the same run may have led to the same
// revision.
Result<SqlStore::CommitOutcome> SqlStore::look_for_node(Session& session, const decide::NodeChange& change) {
    const auto& node = change.node;
    const auto key = model::parse_run_id(change.run_id).value_or(model::RunKey{});
    const auto held = read_one(session, kLockLeases, {key.schedule, key.slot, node.node});
    if (!held) return held.error();
    if (*held && (*held)->lease.ref.attempt == node.attempts) return CommitOutcome::no;
    const auto stored = read_one(session, kNodeOfRun, {key.schedule, key.slot, node.node});
    if (!stored) return stored.error();
    // The reaper or the end of the run may have ended it.
    if (!*stored || (*stored)->attempts != node.attempts) return CommitOutcome::unclear;
    const auto& found = **stored;
    if (found.status == node.status && found.ready_at == node.ready_at && found.completed_at == node.completed_at)
        return CommitOutcome::yes;
    // It still waits for the decision that this was about.
    return found.status == model::NodeStatus::awaiting_approval ? CommitOutcome::no : CommitOutcome::unclear;
}

}  // namespace belfry::store::sql
