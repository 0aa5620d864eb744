// Assignees and their budgets.
#include <boost/json/array.hpp>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/statements/statements_retention.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/budget_guard.hpp"

namespace belfry::store::sql {

namespace {

Result<std::optional<model::AssigneeRecord>> find_assignee(Session& session, const std::string& tenant,
                                                           const std::string& id) {
    auto row = read_one(session, kAssigneesById, {model::tenant_key(tenant), id});
    if (!row) return row.error();
    return *row ? std::optional(std::move((*row)->record)) : std::nullopt;
}

Value null_or_micros(const std::optional<model::Credits>& credits) {
    return credits ? Value(credits->micros) : Value();
}

Value tools_value(const model::AssigneePolicies& policies) {
    if (!policies.allow_tools) return {};
    boost::json::array names;
    for (const auto& tool : *policies.allow_tools) names.emplace_back(tool);
    return to_text(names);
}

// Changes of a tenant's assignees lock the tenant's row; decisions do not wait for it.
Result<void> lock_tenant(Session& session, const std::string& tenant) {
    return require_tenant(session, tenant, kLockTenant);
}

}  // namespace

Result<void> SqlStore::put_assignee(const std::string& tenant, const model::AssigneeRecord& record) {
    const auto key = model::tenant_key(tenant);
    const auto& policies = record.policies;
    const auto work = [&](Session& session) -> Result<void> {
        if (auto locked = lock_tenant(session, tenant); !locked) return locked;
        auto stored = find_assignee(session, tenant, record.id);
        if (!stored) return stored.error();
        const auto next = *stored ? (*stored)->version + 1 : 1;
        if (record.version != next) return version_conflict("assignee " + record.id, next);
        const Value type = static_cast<std::int64_t>(record.type);
        const auto spending = null_or_micros(policies.spending_limit);
        const auto credits = null_or_micros(policies.credits_per_day);
        const auto runs = null_or(policies.max_runs_per_day);
        const auto tokens = null_or(policies.max_tokens);
        const auto calls = null_or(policies.max_tool_calls);
        const auto tools = tools_value(policies);
        auto done =
            *stored ? session.run(kUpdateAssignee, {type, record.display_name, spending, credits, runs, tokens, calls,
                                                    tools, record.version, key, record.id})
                    : session.run(kInsertAssignee, {key, record.id, type, record.display_name, spending, credits, runs,
                                                    tokens, calls, tools, epoch_us(record.created_at), record.version});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = lock_tenant(session, tenant); !locked) return locked.error();
        auto stored = find_assignee(session, tenant, record.id);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < record.version) return CommitOutcome::no;
        if ((*stored)->version > record.version) return CommitOutcome::unclear;
        auto same = record;
        same.created_at = (*stored)->created_at;  // an update does not change it
        return **stored == same ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<void> SqlStore::remove_assignee(const std::string& tenant, const std::string& id) {
    const auto work = [&](Session& session) -> Result<void> {
        if (auto locked = lock_tenant(session, tenant); !locked) return locked;
        auto done = session.run(kDeleteAssignee, {model::tenant_key(tenant), id});
        if (!done) return done.error();
        if (*done == 0) return assignee_not_found(id);
        return {};
    };
    // If the record is gone, it does not matter which call removed it.
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = lock_tenant(session, tenant); !locked) return locked.error();
        auto stored = find_assignee(session, tenant, id);
        if (!stored) return stored.error();
        return *stored ? CommitOutcome::no : CommitOutcome::yes;
    });
}

Result<model::AssigneeRecord> SqlStore::assignee(const std::string& tenant, const std::string& id) {
    std::optional<model::AssigneeRecord> record;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto found = find_assignee(session, tenant, id);
        if (!found) return found.error();
        record = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    if (!record) return assignee_not_found(id);
    return std::move(*record);
}

Result<Listing<model::AssigneeRecord>> SqlStore::assignees(const std::string& tenant, const Page& page) {
    return tenant_page<model::AssigneeRecord>(*database_, tenant, page, {&assignee_cursor, &parse_assignee_cursor},
                                              &model::AssigneeRecord::id, kAssigneesOfTenant);
}

Result<model::BudgetDay> SqlStore::budget(const std::string& tenant, const std::string& assignee, model::Day day) {
    model::BudgetDay taken;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto there = require_tenant(session, tenant); !there) return there;
        auto read = session.run(kBudgetDay, {model::tenant_key(tenant), assignee, day_number(day)},
                                [&taken](const model::BudgetDay& stored) { taken = stored; });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return taken;
}

Result<std::int64_t> SqlStore::prune_budgets(model::Day before, std::size_t limit) {
    std::int64_t removed = 0;
    const auto work = [&](Session& session) -> Result<void> {
        Batch old;
        auto read =
            session.run(kOldBudgetDays, {day_number(before), static_cast<std::int64_t>(limit)},
                        [&old](BudgetPlace place) { old.add_row(place.tenant, std::move(place.assignee), place.day); });
        if (!read) return read.error();
        removed = 0;
        if (!old.empty()) {
            auto done = session.run(kDeleteBudgetDays, old);
            if (!done) return done.error();
            removed = *done;
        }
        auto done = session.run(kPruneTenantDays, {day_number(before), static_cast<std::int64_t>(limit) - removed});
        if (!done) return done.error();
        removed += *done;
        done = session.run(kPruneEnds, {epoch_us(Instant{before}), static_cast<std::int64_t>(limit)});
        if (!done) return done.error();
        return {};
    };
    if (auto done = commit_repeatable(work); !done) return done.error();
    return removed;
}

}  // namespace belfry::store::sql
