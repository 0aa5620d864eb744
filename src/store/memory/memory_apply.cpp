#include <algorithm>
#include <cassert>
#include <utility>

#include "decide/approval/gate.hpp"
#include "decide/explain/feed.hpp"
#include "store/errors.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/budget_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/rules/retention_rules.hpp"
#include "store/rules/run_rows.hpp"

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

namespace {

using Rows = std::map<std::int64_t, MemoryRun>;

Error refused(const std::string& run_id, const char* why) { return {ErrorCode::conflict, "run " + run_id + " " + why}; }

// Collects the rows that a plan writes, as copies. The stored rows do not change until the commit.
class Draft {
public:
    Draft(const MemorySchedule& schedule, const MemoryTenant& tenant, const MemoryTables& tables,
          const decide::Plan& plan)
        : schedule_(schedule), tenant_(tenant), tables_(tables), plan_(plan) {}

    [[nodiscard]] Result<Rows> write() {
        const auto& definition = schedule_.definition();
        const auto approval = decide::approval_of(definition, tenant_.find_assignment(definition.assignment));
        const auto walked = [this](const decide::WorkflowStart& workflow_run) {
            return tables_.find_version(tenant_, workflow_run.workflow, workflow_run.version);
        };
        if (auto error = check_asks(plan_, approval, walked)) return *error;
        if (auto error = each(plan_.runs, &Draft::add)) return *error;
        if (auto error = each(plan_.releases, &Draft::release)) return *error;
        if (auto error = each(plan_.starts, &Draft::start)) return *error;
        if (auto error = each(plan_.nodes, &Draft::change_node)) return *error;
        if (auto error = each(plan_.asks, &Draft::ask)) return *error;
        if (auto error = each(plan_.verdicts, &Draft::settle)) return *error;
        if (auto error = check_begun()) return *error;
        if (auto error = each(plan_.notes, &Draft::note)) return *error;
        if (auto error = each(plan_.ends, &Draft::end)) return *error;
        if (!plan_.replays.empty()) {
            if (auto error = replay()) return *error;
        }
        return std::move(rows_);
    }

private:
    template <typename T>
    std::optional<Error> each(const std::vector<T>& parts, std::optional<Error> (Draft::*write_one)(const T&)) {
        for (const auto& part : parts) {
            if (auto error = (this->*write_one)(part)) return error;
        }
        return std::nullopt;
    }

    // The row including the plan's changes.
    [[nodiscard]] const MemoryRun* find(std::int64_t slot) const {
        if (const auto row = rows_.find(slot); row != rows_.end()) return &row->second;
        const auto row = schedule_.runs.find(slot);
        return row == schedule_.runs.end() ? nullptr : &row->second;
    }
    [[nodiscard]] const MemoryRun* find(const std::string& run_id) const {
        const auto key = model::parse_run_id(run_id);
        return key && key->schedule == schedule_.key ? find(key->slot) : nullptr;
    }

    void put(MemoryRun row) {
        const auto slot = model::slot_number(row.run.slot);
        rows_.insert_or_assign(slot, std::move(row));
    }
    std::optional<Error> put(const decide::PlannedRun& planned) {
        MemoryRun row{.run = run_row(plan_, planned, schedule_.version)};
        if (is_in_flight(planned.execution)) row.reservation = planned.reserves;
        if (planned.execution == ExecutionStatus::queued) {
            if (auto error = begin(row, planned.workflow_run, planned.fire_at)) return error;
        }
        put(std::move(row));
        return std::nullopt;
    }

    // Makes the run's first tasks claimable.
    std::optional<Error> begin(MemoryRun& row, const std::optional<decide::WorkflowStart>& workflow_run,
                               Instant ready_at) const {
        if (!workflow_run) {
            row.put_task(single_task(schedule_.versions.at(row.run.version), row.run.input, {}, ready_at, 0,
                                     tables_.limits.default_connection),
                         plan_.decided_at);
            return std::nullopt;
        }
        row.workflow = tables_.find_version(tenant_, workflow_run->workflow, workflow_run->version);
        if (!row.workflow) return workflow_not_found(workflow_run->workflow, workflow_run->version);
        row.deadline = workflow_run->deadline;
        for (const auto& node : workflow_run->nodes) row.put_node(node, workflow_run->priority, plan_.decided_at);
        return std::nullopt;
    }

    std::optional<Error> add(const decide::PlannedRun& planned) {
        const auto* const row = find(model::slot_number(planned.slot));
        if (!planned.replaces && row != nullptr) return refused(planned.id, "already exists: its slot is taken");
        if (planned.replaces && (row == nullptr || row->run.dispatch != DispatchStatus::skipped))
            return refused(planned.id, "was not skipped");
        return put(planned);
    }

    std::optional<Error> release(const decide::PlannedRun& planned) {
        const auto* const row = find(model::slot_number(planned.slot));
        if (row == nullptr || row->run.dispatch != DispatchStatus::buffered)
            return refused(planned.id, "is not buffered");
        return put(planned);
    }

    std::optional<Error> start(const decide::RunStart& started) {
        const auto* const row = find(started.run_id);
        if (row == nullptr || row->run.execution != ExecutionStatus::awaiting_approval)
            return refused(started.run_id, "does not wait for approval");
        auto queued = *row;
        queued.run.execution = ExecutionStatus::queued;
        if (auto error = begin(queued, started.workflow_run, started.ready_at)) return error;
        put(std::move(queued));
        return std::nullopt;
    }

    std::optional<Error> change_node(const decide::NodeChange& change) {
        const auto* const row = find(change.run_id);
        if (row == nullptr || !is_in_flight(row->run.execution)) return refused(change.run_id, "is not in flight");
        auto changed = *row;
        changed.put_node(change.node, change.priority, plan_.decided_at);
        if (!changed.workflow) {
            changed.run.execution = ExecutionStatus::queued;
            changed.run.error = change.node.error;
        }
        put(std::move(changed));
        return std::nullopt;
    }

    std::optional<Error> ask(const model::Approval& asked) {
        const auto* const row = find(asked.run_id);
        if (row == nullptr) return refused(asked.run_id, "does not exist");
        auto waiting = *row;
        if (waiting.find_approval(asked.node, asked.attempts) != nullptr)
            return refused(asked.run_id, "already has this approval request");
        waiting.approvals.push_back(asked);
        put(std::move(waiting));
        return std::nullopt;
    }

    std::optional<Error> settle(const model::Approval& verdict) {
        const auto* const row = find(verdict.run_id);
        if (row == nullptr) return refused(verdict.run_id, "does not exist");
        auto settled = *row;
        auto* const asked = settled.find_approval(verdict.node, verdict.attempts);
        if (asked == nullptr || asked->status != model::ApprovalStatus::pending)
            return refused(verdict.run_id, "no longer waits for approval");
        *asked = verdict;
        put(std::move(settled));
        return std::nullopt;
    }

    // Checks everything that the plan starts against the recorded approvals: the run's, and the node's.
    [[nodiscard]] std::optional<Error> check_begun() const {
        const auto check = [this](const std::string& run_id, const std::string& node) -> std::optional<Error> {
            const auto* const row = find(run_id);
            if (row == nullptr || (row->may_begin({}) && row->may_begin(node))) return std::nullopt;
            return not_approved(run_id, node);
        };
        for (const auto& start : plan_.starts) {
            if (auto error = check(start.run_id, {})) return error;
        }
        for (const auto& change : plan_.nodes) {
            if (change.node.status != model::NodeStatus::queued) continue;
            if (auto error = check(change.run_id, change.node.node)) return error;
        }
        return std::nullopt;
    }

    std::optional<Error> note(const decide::RunNote& note) {
        const auto* const row = find(note.run_id);
        if (row == nullptr) return refused(note.run_id, "does not exist");
        if (!row->workflow && note.event.sequence == 0) return std::nullopt;  // follows from the run; not stored
        auto noted = *row;
        noted.put_event(note.event);
        put(std::move(noted));
        return std::nullopt;
    }

    std::optional<Error> replay() {
        const auto* const row = find(plan_.replays);
        if (row == nullptr || !row->dead_since) return refused(plan_.replays, kNoDeadLetter);
        auto replayed = *row;
        replayed.dead_since.reset();
        put(std::move(replayed));
        return std::nullopt;
    }

    std::optional<Error> end(const decide::RunEnd& ended) {
        const auto* const row = find(ended.run_id);
        if (row == nullptr || !is_in_flight(row->run.execution)) return refused(ended.run_id, "is not in flight");
        auto over = *row;
        over.run.execution = ended.status;
        over.run.result = ended.result;
        over.run.error = ended.error;
        over.run.completed_at = plan_.decided_at;
        for (auto& approval : over.approvals) {
            if (approval.status != model::ApprovalStatus::pending) continue;
            approval.status = model::ApprovalStatus::voided;
            approval.decided_at = plan_.decided_at;
        }
        over.tasks.clear();
        over.deadline.reset();
        over.reservation.reset();
        if (is_dead_letter(ended.status)) over.dead_since = plan_.decided_at;
        put(std::move(over));
        return std::nullopt;
    }

    const MemorySchedule& schedule_;
    const MemoryTenant& tenant_;
    const MemoryTables& tables_;
    const decide::Plan& plan_;
    Rows rows_;
};

// An error if the plan gives the schedule a name that another schedule has.
std::optional<Error> check_name(const MemorySchedule& schedule, const MemoryTenant& tenant, const decide::Plan& plan) {
    if (plan.state.status == model::ScheduleStatus::deleted) return std::nullopt;
    const auto& name = plan.definition ? plan.definition->name : schedule.definition().name;
    const auto taken = tenant.names.find(name);
    if (taken == tenant.names.end() || taken->second == schedule.key) return std::nullopt;
    return name_taken(name);
}

std::optional<Error> check_assignment(const MemoryTenant& tenant, const decide::Plan& plan,
                                      const model::Schedule* before) {
    const auto* const named = newly_assigned(plan, before);
    if (named == nullptr || tenant.find_assignment(*named) != nullptr) return std::nullopt;
    return assignment_not_there(*named);
}

std::optional<Error> check_request(const MemoryTenant& tenant, const std::optional<model::RequestKey>& request) {
    if (request && tenant.requests.contains(request->key)) return request_taken();
    return std::nullopt;
}

// The schedules that one call creates, so that later ones conflict with the names and keys of earlier ones.
struct Batch {
    std::set<std::int64_t> keys = {};
    std::set<std::pair<std::string, std::string>> requests = {};  // tenant and key
    std::map<std::string, std::set<std::string>> names = {};      // by tenant
};

std::optional<Error> check_new(const MemoryTables& tables, Batch& batch, const decide::Plan& plan) {
    if (plan.revision != 0 || !plan.definition) return moved_on(plan, 0);
    const auto& definition = *plan.definition;
    assert(definition.id == plan.schedule_id);
    const auto tenant = tables.tenants.find(definition.tenant);
    if (tenant == tables.tenants.end()) return tenant_not_found(definition.tenant);
    if (auto error = check_request(tenant->second, plan.request)) return error;
    if (plan.request && !batch.requests.emplace(definition.tenant, plan.request->key).second) return request_taken();
    const auto key = model::key_of(definition.id);
    if (tables.schedules.contains(key) || tables.removed.contains(key) || !batch.keys.insert(key).second)
        return id_taken(definition.id);
    if (!takes_name(plan)) return check_events(plan, 0);
    const auto& names = tenant->second.names;
    auto& names_in_batch = batch.names[definition.tenant];
    if (names.contains(definition.name) || !names_in_batch.insert(definition.name).second)
        return name_taken(definition.name);
    const auto most = tenant->second.tenant.schedules_max.value_or(tables.limits.schedules_per_tenant);
    if (std::cmp_greater(names.size() + names_in_batch.size(), most)) return tenant_full(definition.tenant, most);
    if (auto error = check_assignment(tenant->second, plan, nullptr)) return error;
    return check_events(plan, 0);
}

}  // namespace

// Books the plan's reservations in the budgets, and settles those of the runs that it ends. REQUIRES: the rows are as
// before the plan.
void MemoryTables::settle(MemorySchedule& schedule, const decide::Plan& plan) {
    auto& budgets = tenant_of(schedule).budgets;
    for (const auto& [key, taken] : taken_by(plan)) add(budgets[key], taken);
    for (const auto& end : plan.ends) {
        const auto& row = schedule.runs.at(model::parse_run_id(end.run_id)->slot);
        if (!row.reservation) continue;
        const auto used = used_by_all(row.usage).value_or(model::Usage{}).credits;
        add(budgets[{row.reservation->assignee, row.reservation->day}], settlement(*row.reservation, used));
    }
}

// REQUIRES: all checks have passed; nothing in here can fail.
void MemoryTables::commit(MemorySchedule& schedule, const decide::Plan& plan, const Rows& rows) {
    auto& tenant = tenant_of(schedule);
    const auto old_name = schedule.definition().name;
    // A new schedule does not own its name yet; another schedule may.
    if (const auto named = tenant.names.find(old_name); named != tenant.names.end() && named->second == schedule.key)
        tenant.names.erase(named);
    if (plan.definition) {
        assert(plan.definition->id == schedule.definition().id &&
               plan.definition->tenant == schedule.definition().tenant);
        schedule.version = plan.definition->version;
        schedule.versions.insert_or_assign(schedule.version, *plan.definition);
        schedule.compiled = nullptr;
        tenant.schedules.erase({old_name, schedule.key});
        tenant.schedules.emplace(plan.definition->name, schedule.key);
        tenant.keys.insert(schedule.key);
    }
    settle(schedule, plan);
    if (plan.definition || plan.state.status != schedule.state.status)
        schedule.ended = ended_since(plan, schedule.definition());
    schedule.state = plan.state;
    if (!schedule.is_deleted()) tenant.names.emplace(schedule.definition().name, schedule.key);
    for (const auto& [slot, row] : rows) put_run(schedule, row);
    for (const auto& event : plan.events) {
        const auto previous = schedule.events.empty() ? model::ChainHash() : schedule.events.back().second;
        schedule.events.emplace_back(event,
                                     model::chain_hash(previous, plan.schedule_id, event, to_text(event.payload)));
    }
    if (plan.request) {
        const auto slot = requested_slot(plan);
        tenant.requests.emplace(plan.request->key,
                                RequestRecord{.fingerprint = plan.request->fingerprint,
                                              .schedule_id = plan.schedule_id,
                                              .run_id = slot ? model::run_id(schedule.key, *slot) : std::string(),
                                              .at = plan.decided_at});
    }
    if (tenant.is_followed(plan.decided_at)) {
        for (auto& item : decide::feed_items(plan, schedule.definition())) tell(tenant, std::move(item));
    }
    if (plan.definition || schedule.is_deleted()) watch_target(schedule);
    auto& days = tenant.tenant.runs_per_day ? tenant.dispatched : tenant.unsettled;
    if (const auto count = dispatched_in(plan); count > 0)
        days[std::chrono::floor<std::chrono::days>(plan.decided_at)] += count;
}

std::optional<Error> MemoryTables::apply(MemorySchedule& schedule, const decide::Plan& plan) {
    // Checks the revision first: the events of an outdated plan do not fit either, but that is not corruption.
    if (plan.revision != schedule.state.revision) return moved_on(plan, schedule.state.revision);
    if (plan.schedule_id != schedule.definition().id)
        return Error{ErrorCode::corrupt, "the plan is for schedule " + plan.schedule_id};
    if (plan.empty()) return std::nullopt;
    if (auto error = check_events(plan, schedule.state.events)) return error;
    if (auto error = check_request(tenant_of(schedule), plan.request)) return error;
    if (auto error = check_name(schedule, tenant_of(schedule), plan)) return error;
    if (auto error = check_assignment(tenant_of(schedule), plan, &schedule.definition())) return error;
    if (plan.definition && schedule.versions.contains(plan.definition->version)) {
        return version_conflict("schedule " + plan.schedule_id, schedule.versions.rbegin()->first + 1);
    }
    auto rows = Draft(schedule, tenant_of(schedule), *this, plan).write();
    if (!rows) return rows.error();
    commit(schedule, plan, *rows);
    return std::nullopt;
}

std::optional<Error> MemoryTables::create(std::span<const decide::Plan> plans) {
    Batch batch;
    std::vector<MemorySchedule> made;
    std::vector<Rows> rows;
    for (const auto& plan : plans) {
        if (auto error = check_new(*this, batch, plan)) return error;
        auto& schedule = made.emplace_back();
        schedule.key = model::key_of(plan.schedule_id);
        schedule.tenant_key = model::tenant_key(plan.definition->tenant);
        schedule.version = plan.definition->version;
        schedule.versions.emplace(schedule.version, *plan.definition);
        auto drafted = Draft(schedule, tenants.at(plan.definition->tenant), *this, plan).write();
        if (!drafted) return drafted.error();
        rows.push_back(std::move(*drafted));
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        auto& schedule = schedules.emplace(made[i].key, std::move(made[i])).first->second;
        commit(schedule, plans[i], rows[i]);
    }
    return std::nullopt;
}

}  // namespace belfry::store
