// Workflows, workflow runs and dead letters.
#include <algorithm>
#include <limits>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/run_rows.hpp"
#include "store/rules/workflow_targets.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"

namespace belfry::store::sql {

Result<std::int64_t> SqlStore::put_workflow(const model::Workflow& workflow, const WorkflowCheck& check) {
    const auto key = workflow_key(workflow.tenant, workflow.name);
    const auto tenant = model::tenant_key(workflow.tenant);
    std::string body;
    std::int64_t next = 0;
    const auto work = [&](Session& session) -> Result<void> {
        // Deployments lock the tenant's row, because a new workflow has no row yet.
        if (auto locked = require_tenant(session, workflow.tenant, kLockTenant); !locked) return locked;
        const auto stored = read_one(session, kLockWorkflow, {key, tenant, workflow.name});
        if (!stored) return stored.error();
        const auto newest = *stored ? std::optional((*stored)->newest) : std::nullopt;
        next = newest.value_or(0) + 1;
        if (workflow.version != 0 && workflow.version != next)
            return version_conflict("workflow " + workflow.name, next);
        if (check && newest) {
            auto workflows = read_workflows(session, {{key, *newest}}, memory_.workflows, Sees::anything);
            if (!workflows) return workflows.error();
            const auto found = workflows->find({key, *newest});
            if (found == workflows->end() || !found->second)
                return Error{ErrorCode::corrupt, "the newest version of workflow " + workflow.name +
                                                     " is missing: deploying another takes the permission approve"};
            if (auto refused = check(*found->second)) return *refused;
        }
        auto numbered = workflow;
        numbered.version = next;
        body = workflow_text(numbered);
        auto written = newest ? session.run(kUpdateWorkflow, {next, std::monostate(), key})
                              : session.run(kInsertWorkflow, {key, tenant, workflow.name, next});
        if (!written) return written.error();
        written = session.run(kInsertWorkflowVersion, {key, next, body});
        if (!written) return written.error();
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto locked = session.run(kLockTenant, tenant_place(workflow.tenant));
        if (!locked) return locked.error();
        bool same = false;
        auto read = session.run(kWorkflowVersions, {key, next},
                                [&](const WorkflowVersion& version) { same = version.body == body; });
        if (!read) return read.error();
        return same ? CommitOutcome::yes : CommitOutcome::no;
    });
    if (!done) return done.error();
    return next;
}

// Idempotent, unless a client deploys the workflow again in between.
Result<void> SqlStore::remove_workflow(const std::string& tenant, const std::string& name, Instant now) {
    const auto key = workflow_key(tenant, name);
    return commit(
        [&](Session& session) -> Result<void> {
            const auto stored = read_one(session, kLockWorkflow, {key, model::tenant_key(tenant), name});
            if (!stored) return stored.error();
            if (!*stored || (*stored)->removed_at) return workflow_not_found(name, {});
            auto written = session.run(kUpdateWorkflow, {(*stored)->newest, epoch_us(now), key});
            if (!written) return written.error();
            return {};
        },
        [&](Session& session) -> Result<CommitOutcome> {
            const auto stored = read_one(session, kLockWorkflow, {key, model::tenant_key(tenant), name});
            if (!stored) return stored.error();
            return *stored && (*stored)->removed_at == now ? CommitOutcome::yes : CommitOutcome::no;
        });
}

Result<model::WorkflowPtr> SqlStore::workflow(const std::string& tenant, const std::string& name,
                                              std::optional<std::int64_t> version) {
    const auto key = workflow_key(tenant, name);
    model::WorkflowPtr found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto heads = read_workflow_heads(session, {key});
        if (!heads) return heads.error();
        const auto head = heads->find(key);
        if (head == heads->end() || head->second.removed || !head->second.is(model::tenant_key(tenant), name))
            return workflow_not_found(name, version);
        const WorkflowCache::Version wanted{key, version.value_or(head->second.newest)};
        auto workflows = read_workflows(session, {wanted}, memory_.workflows, Sees::committed);
        if (!workflows) return workflows.error();
        const auto workflow = workflows->find(wanted);
        if (workflow == workflows->end()) return workflow_not_found(name, version);
        found = workflow->second;
        return {};
    });
    if (!done) return done.error();
    return found;
}

Result<Listing<WorkflowHead>> SqlStore::workflows(const std::string& tenant, const Page& page) {
    return tenant_page<WorkflowHead>(*database_, tenant, page, {&workflow_cursor, &parse_workflow_cursor},
                                     &WorkflowHead::name, kWorkflowNames);
}

namespace {

// The run's key, if it belongs to the tenant.
Result<model::RunKey> find_run(Session& session, const std::string& tenant, const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    bool own = false;
    if (key) {
        auto read = session.run(kLook, {key->schedule},
                                [&](const Upcoming& schedule) { own = schedule.tenant == model::tenant_key(tenant); });
        if (!read) return read.error();
    }
    if (!own) return run_not_found(run_id);
    return *key;
}

}  // namespace

Result<model::WorkflowRun> SqlStore::workflow_run(const std::string& tenant, const std::string& run_id) {
    model::WorkflowRun workflow_run;
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto key = find_run(session, tenant, run_id);
        if (!key) return key.error();
        auto runs = read_runs(session, kRunsByKey, {key->schedule, key->slot}, memory_.definitions, Sees::committed);
        if (!runs) return runs.error();
        if (runs->empty()) return run_not_found(run_id);
        auto walks = read_workflow_runs(session, {key->schedule, key->slot}, memory_.workflows, Sees::committed);
        if (!walks) return walks.error();
        const auto found = walks->find(*key);
        if (found == walks->end()) return {};
        workflow_run = std::move(found->second.workflow_run);
        const auto used = read_usage(session, {key->schedule, key->slot});
        if (!used) return used.error();
        const auto usage = used->find(*key);
        for (auto& node : workflow_run.nodes) {
            const auto& leases = found->second.leases;
            const auto lease =
                std::ranges::find_if(leases, [&](const model::Lease& each) { return each.ref.node == node.node; });
            show_progress(node, runs->front(), lease == leases.end() ? std::nullopt : std::optional(*lease));
            if (usage != used->end()) node.used = used_by_node(usage->second, node.node);
        }
        return {};
    });
    if (!done) return done.error();
    return workflow_run;
}

Result<std::vector<model::RunEvent>> SqlStore::run_events(const std::string& tenant, const std::string& run_id,
                                                          std::int64_t after_sequence, std::size_t limit) {
    std::vector<model::RunEvent> events;
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto key = find_run(session, tenant, run_id);
        if (!key) return key.error();
        bool exists = false;
        auto read = session.run(kRunEnd, {key->schedule, key->slot}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        if (!exists) return run_not_found(run_id);
        const auto most = std::min(limit, kPageMax);
        auto page = read_page<model::RunEvent>(
            session, kRunEvents, {key->schedule, key->slot, after_sequence, static_cast<std::int64_t>(most)},
            PageBudget(most, kPageBytesMax));
        if (!page) return page.error();
        events = std::move(page->items);
        return {};
    });
    if (!done) return done.error();
    return events;
}

Result<std::vector<OverdueRun>> SqlStore::overdue(Instant now, std::size_t limit) {
    std::vector<OverdueRun> runs;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_all(session, kOverdueWorkflowRuns, {epoch_us(now), static_cast<std::int64_t>(limit)});
        if (!read) return read.error();
        runs = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return runs;
}

Result<Listing<model::Run>> SqlStore::dead_letters(const std::string& tenant, const Page& page) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    DeadPlace before{kMost, {kMost, kMost}};
    if (!page.after.empty()) {
        auto parsed = parse_dead_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        before = *parsed;
    }
    RunPage found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto there = require_tenant(session, tenant); !there) return there;
        const Batch parameters{model::tenant_key(tenant), before.first, before.second.slot, before.second.schedule,
                               static_cast<std::int64_t>(page_limit(page)) + 1};
        auto read = read_run_page(session, kDeadLetters, parameters, page, memory_.definitions);
        if (!read) return read.error();
        found = std::move(*read);
        return show_usage(session, found.runs);
    });
    if (!done) return done.error();
    Listing<model::Run> listing{std::move(found.runs)};
    if (found.more) {
        const auto& last = listing.items.back();
        // The time of the dead letter is the end of the run.
        listing.next = dead_cursor(tenant, {epoch_us(*last.completed_at), *model::parse_run_id(last.id)});
    }
    return listing;
}

Result<void> SqlStore::dismiss(const std::string& tenant, const std::string& run_id) {
    return commit(
        [&](Session& session) -> Result<void> {
            const auto key = find_run(session, tenant, run_id);
            if (!key)
                return key.error().code == ErrorCode::not_found ? Result<void>(dead_letter_not_found(run_id))
                                                                : Result<void>(key.error());
            auto removed = session.run(kDeleteDeadLetter, {key->schedule, key->slot});
            if (!removed) return removed.error();
            if (*removed == 0) return dead_letter_not_found(run_id);
            return {};
        },
        [&](Session& session) { return look_for_no_dead_letter(session, *model::parse_run_id(run_id)); });
}

// If the dead letter is gone, it does not matter which call removed it.
Result<SqlStore::CommitOutcome> SqlStore::look_for_no_dead_letter(Session& session, const model::RunKey& run) {
    bool there = false;
    auto read = session.run(kLockDeadLetter, {run.schedule, run.slot}, [&there](const Row&) { there = true; });
    if (!read) return read.error();
    return there ? CommitOutcome::no : CommitOutcome::yes;
}

}  // namespace belfry::store::sql
