// Workflow assignments. Their approval policies are compiled into the schedules that use them. So every change of an
// assignment stamps those schedules, and the next decision, on any server, compiles them again. A schedule that newly
// uses an assignment locks its row until the commit (PlanWriter), so no schedule is missed, and none can use an
// assignment that is being removed.
#include "base/crypto/uuid.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_assignments.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/write/assignments.hpp"

namespace belfry::store::sql {

namespace {

using model::WorkflowAssignment;

Result<std::optional<WorkflowAssignment>> find_assignment(
    Session& session, const std::string& tenant, const std::string& id,
    const Query<Result<WorkflowAssignment>>& query = kAssignment) {
    return read_one(session, query, {model::tenant_key(tenant), id});
}

// Creation and removal lock the tenant's row; new uses lock the assignment's row.
Result<std::optional<WorkflowAssignment>> lock_assignment(Session& session, const std::string& tenant,
                                                          const std::string& id) {
    if (auto locked = require_tenant(session, tenant, kLockTenant); !locked) return locked.error();
    return find_assignment(session, tenant, id, kLockAssignment);
}

Result<void> stamp_users(Session& session, const std::string& tenant, const std::string& id) {
    auto done =
        session.run(kStampAssigned, {static_cast<std::int64_t>(system_random() >> 1U), model::tenant_key(tenant), id});
    if (!done) return done.error();
    return {};
}

}  // namespace

Result<void> hold_assignments(Session& session, const AssignmentKeys& named) {
    if (named.empty()) return {};
    Batch keys;
    for (const auto& [tenant, id] : named) keys.add_row(tenant, id);
    auto missing = named;
    auto read = session.run(kShareAssignments, keys, [&missing](const AssignmentKey& found) { missing.erase(found); });
    if (!read) return read.error();
    if (!missing.empty()) return assignment_not_there(missing.begin()->second);
    return {};
}

Result<void> SqlStore::put_assignment(const std::string& tenant, const WorkflowAssignment& record) {
    const auto key = model::tenant_key(tenant);
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = lock_assignment(session, tenant, record.id);
        if (!stored) return stored.error();
        const auto next = *stored ? (*stored)->version + 1 : 1;
        if (record.version != next) return version_conflict("workflow assignment " + record.id, next);
        auto body = to_text(model::to_json(record));
        auto done = *stored ? session.run(kUpdateAssignment, {std::move(body), key, record.id})
                            : session.run(kInsertAssignment, {key, record.id, std::move(body)});
        if (!done) return done.error();
        return *stored ? stamp_users(session, tenant, record.id) : Result<void>();
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto stored = lock_assignment(session, tenant, record.id);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < record.version) return CommitOutcome::no;
        if ((*stored)->version > record.version) return CommitOutcome::unclear;
        return **stored == record ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<void> SqlStore::remove_assignment(const std::string& tenant, const std::string& id) {
    const auto key = model::tenant_key(tenant);
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = lock_assignment(session, tenant, id);
        if (!stored) return stored.error();
        if (!*stored) return assignment_not_found(id);
        const auto user = read_one(session, kAssignmentUser, {key, id});
        if (!user) return user.error();
        if (*user) return assignment_in_use(id, **user);
        if (auto done = session.run(kDeleteAssignment, {key, id}); !done) return done.error();
        // Deleted schedules may still have runs in flight.
        return stamp_users(session, tenant, id);
    };
    // If the assignment is gone, it does not matter which call removed it.
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto stored = lock_assignment(session, tenant, id);
        if (!stored) return stored.error();
        return *stored ? CommitOutcome::no : CommitOutcome::yes;
    });
}

Result<WorkflowAssignment> SqlStore::assignment(const std::string& tenant, const std::string& id) {
    std::optional<WorkflowAssignment> record;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto found = find_assignment(session, tenant, id);
        if (!found) return found.error();
        record = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    if (!record) return assignment_not_found(id);
    return std::move(*record);
}

Result<Listing<WorkflowAssignment>> SqlStore::assignments(const std::string& tenant, const Page& page) {
    return tenant_page<WorkflowAssignment>(*database_, tenant, page, {&assignment_cursor, &parse_assignment_cursor},
                                           &WorkflowAssignment::id, kAssignmentsOfTenant);
}

}  // namespace belfry::store::sql
