// Workflows, the runs that walk them, and runs that failed in the end.
#include <algorithm>
#include <limits>

#include "store/listing.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"
#include "store/sql/tenant_page.hpp"
#include "store/sql/usage_reader.hpp"

namespace belfry::store::sql {

Result<std::int64_t> SqlStore::put_workflow(const model::Workflow& workflow) {
    const auto key = workflow_key(workflow.tenant, workflow.name);
    const auto tenant = model::tenant_key(workflow.tenant);
    std::string body;
    std::int64_t next = 0;
    const auto work = [&](Session& session) -> Result<void> {
        // The tenant's row orders those who deploy, also when there is no workflow of that name yet.
        bool exists = false;
        auto read = session.run(kLockTenant, tenant_place(workflow.tenant), [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        if (!exists) return tenant_not_found(workflow.tenant);
        std::optional<std::int64_t> newest;
        read = session.run(kLockWorkflow, {key, tenant, workflow.name}, [&newest](const Row& row) { newest = row.integer(0); });
        if (!read) return read.error();
        next = newest.value_or(0) + 1;
        if (workflow.version != 0 && workflow.version != next) return version_conflict("workflow " + workflow.name, next);
        auto numbered = workflow;
        numbered.version = next;
        body = workflow_text(numbered);
        auto written =
            newest ? session.run(kUpdateWorkflow, {next, std::monostate(), key}) : session.run(kInsertWorkflow, {key, tenant, workflow.name, next});
        if (!written) return written.error();
        written = session.run(kInsertWorkflowVersion, {key, next, body});
        if (!written) return written.error();
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<Happened> {
        auto locked = session.run(kLockTenant, tenant_place(workflow.tenant));
        if (!locked) return locked.error();
        bool same = false;
        auto read = session.run(kWorkflowVersions, {key, next}, [&](const Row& row) { same = row.text(2) == body; });
        if (!read) return read.error();
        return same ? Happened::yes : Happened::no;
    });
    if (!done) return done.error();
    return next;
}

// Twice is once, but for somebody who deploys it again in between.
Result<void> SqlStore::remove_workflow(const std::string& tenant, const std::string& name, Instant now) {
    const auto key = workflow_key(tenant, name);
    return commit(
        [&](Session& session) -> Result<void> {
            std::optional<std::int64_t> newest;
            auto read = session.run(kLockWorkflow, {key, model::tenant_key(tenant), name}, [&newest](const Row& row) {
                if (row.is_null(1)) newest = row.integer(0);
            });
            if (!read) return read.error();
            if (!newest) return workflow_not_found(name, {});
            auto written = session.run(kUpdateWorkflow, {*newest, epoch_us(now), key});
            if (!written) return written.error();
            return {};
        },
        [&](Session& session) -> Result<Happened> {
            bool ours = false;
            auto read =
                session.run(kLockWorkflow, {key, model::tenant_key(tenant), name}, [&](const Row& row) { ours = optional_instant(row, 1) == now; });
            if (!read) return read.error();
            return ours ? Happened::yes : Happened::no;
        });
}

Result<model::WorkflowPtr> SqlStore::workflow(const std::string& tenant, const std::string& name, std::optional<std::int64_t> version) {
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
    const auto read = [](Session& session, const Batch& batch) -> Result<std::vector<WorkflowHead>> {
        std::vector<WorkflowHead> heads;
        auto done = session.run(kWorkflowNames, batch, [&](const Row& row) { heads.push_back({text_at(row, 0), row.integer(1)}); });
        if (!done) return done.error();
        return heads;
    };
    return tenant_page(*database_, tenant, page, {&workflow_cursor, &parse_workflow_cursor}, &WorkflowHead::name, read);
}

namespace {

// The run's key, when it is the tenant's.
Result<model::RunKey> find_run(Session& session, const std::string& tenant, const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    bool own = false;
    if (key) {
        auto read = session.run(kLook, {key->schedule}, [&](const Row& row) { own = row.integer(2) == model::tenant_key(tenant); });
        if (!read) return read.error();
    }
    if (!own) return run_not_found(run_id);
    return *key;
}

}  // namespace

Result<model::Walk> SqlStore::walk(const std::string& tenant, const std::string& run_id) {
    model::Walk walk;
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto key = find_run(session, tenant, run_id);
        if (!key) return key.error();
        auto runs = read_runs(session, kRunsByKey, {key->schedule, key->slot}, memory_.definitions, Sees::committed);
        if (!runs) return runs.error();
        if (runs->empty()) return run_not_found(run_id);
        auto walks = read_walks(session, {key->schedule, key->slot}, memory_.workflows, Sees::committed);
        if (!walks) return walks.error();
        const auto found = walks->find(*key);
        if (found == walks->end()) return {};
        walk = std::move(found->second.walk);
        const auto used = read_usage(session, {key->schedule, key->slot});
        if (!used) return used.error();
        const auto usage = used->find(*key);
        for (auto& node : walk.nodes) {
            const auto& leases = found->second.leases;
            const auto lease = std::ranges::find_if(leases, [&](const model::Lease& each) { return each.ref.node == node.node; });
            show_progress(node, runs->front(), lease == leases.end() ? std::nullopt : std::optional(*lease));
            if (usage != used->end()) node.used = used_by_node(usage->second, node.node);
        }
        return {};
    });
    if (!done) return done.error();
    return walk;
}

Result<std::vector<model::RunEvent>> SqlStore::run_events(const std::string& tenant, const std::string& run_id, std::int64_t after_sequence,
                                                          std::size_t limit) {
    std::vector<model::RunEvent> events;
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto key = find_run(session, tenant, run_id);
        if (!key) return key.error();
        std::optional<Error> failed;
        bool exists = false;
        auto read = session.run(kRunEnd, {key->schedule, key->slot}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        if (!exists) return run_not_found(run_id);
        read = session.run(kRunEvents, {key->schedule, key->slot, after_sequence, static_cast<std::int64_t>(std::min(limit, kPageMax))},
                           [&](const Row& row) {
                               auto payload = parse_stored(row.text(4));
                               if (!payload) {
                                   failed = payload.error();
                                   return;
                               }
                               events.push_back({row.integer(0), text_at(row, 1), instant_at(row, 2), text_at(row, 3), std::move(*payload)});
                           });
        if (!read) return read.error();
        if (failed) return *failed;
        return {};
    });
    if (!done) return done.error();
    return events;
}

Result<std::vector<OverdueRun>> SqlStore::overdue(Instant now, std::size_t limit) {
    std::vector<OverdueRun> runs;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kOverdueWalks, {epoch_us(now), static_cast<std::int64_t>(limit)}, [&runs](const Row& row) {
            runs.push_back({text_at(row, 3), model::run_id(row.integer(0), row.integer(1)), instant_at(row, 2)});
        });
        if (!read) return read.error();
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
    const auto limit = page_limit(page);
    Listing<model::Run> listing;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto there = need_tenant(session, tenant); !there) return there;
        const Batch parameters{model::tenant_key(tenant), before.first, before.second.slot, before.second.schedule,
                               static_cast<std::int64_t>(limit) + 1};
        auto read = read_runs(session, kDeadLetters, parameters, memory_.definitions, Sees::committed);
        if (!read) return read.error();
        listing.items = std::move(*read);
        return show_usage(session, listing.items);
    });
    if (!done) return done.error();
    if (listing.items.size() > limit) {
        listing.items.resize(limit);
        const auto& last = listing.items.back();
        // It became a dead letter when it ended.
        listing.next = dead_cursor(tenant, {epoch_us(*last.completed_at), *model::parse_run_id(last.id)});
    }
    return listing;
}

Result<void> SqlStore::dismiss(const std::string& tenant, const std::string& run_id) {
    return commit(
        [&](Session& session) -> Result<void> {
            const auto key = find_run(session, tenant, run_id);
            if (!key) return key.error().code == ErrorCode::not_found ? Result<void>(dead_letter_not_found(run_id)) : Result<void>(key.error());
            auto removed = session.run(kDeleteDeadLetter, {key->schedule, key->slot});
            if (!removed) return removed.error();
            if (*removed == 0) return dead_letter_not_found(run_id);
            return {};
        },
        [&](Session& session) { return look_for_no_dead_letter(session, *model::parse_run_id(run_id)); });
}

// Gone is gone, whoever did it.
Result<SqlStore::Happened> SqlStore::look_for_no_dead_letter(Session& session, const model::RunKey& run) {
    bool there = false;
    auto read = session.run(kLockDeadLetter, {run.schedule, run.slot}, [&there](const Row&) { there = true; });
    if (!read) return read.error();
    return there ? Happened::no : Happened::yes;
}

}  // namespace belfry::store::sql
