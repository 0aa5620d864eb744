#include "store/sql/read/workflow_run_reader.hpp"

#include <algorithm>

#include "model/workflow/workflow_check.hpp"
#include "model/workflow/workflow_json.hpp"
#include "store/listing.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/statements/statements_approvals.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

Result<model::WorkflowPtr> read_workflow(std::string_view body) {
    const auto unreadable = [](const std::string& why) {
        return Error{ErrorCode::corrupt, "a stored workflow cannot be read: " + why};
    };
    const auto json = parse_stored(body);
    if (!json) return unreadable(json.error().message);
    const auto* const object = json->if_object();
    const auto* const tenant = object ? object->if_contains("tenant") : nullptr;
    const auto* const written = object ? object->if_contains("workflow") : nullptr;
    if (tenant == nullptr || !tenant->is_string() || written == nullptr) return unreadable("it has no tenant");
    auto workflow = model::workflow_from_json(*written);
    if (!workflow) return unreadable(workflow.error().message);
    workflow->tenant = std::string(tenant->get_string());
    workflow->cycle = model::find_cycle(*workflow);
    return std::make_shared<const model::Workflow>(std::move(*workflow));
}

}  // namespace

std::string workflow_text(const model::Workflow& workflow) {
    return to_text(boost::json::object{{"tenant", workflow.tenant}, {"workflow", model::to_json(workflow)}});
}

Result<Workflows> read_workflows(Session& session, const std::vector<WorkflowCache::Version>& wanted,
                                 WorkflowCache& cache, Sees sees) {
    Workflows found;
    Batch missing;
    for (const auto& version : wanted) {
        if (found.contains(version)) continue;
        found[version] = cache.find(version);
        if (!found[version]) missing.add_row(version.first, version.second);
    }
    std::optional<Error> failed;
    auto read = session.run(kWorkflowVersions, missing, [&](const WorkflowVersion& row) {
        auto workflow = read_workflow(row.body);
        if (!workflow) {
            failed = workflow.error();
            return;
        }
        if (sees == Sees::committed) cache.keep(row.version, *workflow, row.body.size());
        found[row.version] = std::move(*workflow);
    });
    if (!read) return read.error();
    if (failed) return *failed;
    std::erase_if(found, [](const auto& each) { return !each.second; });
    return found;
}

Result<std::map<std::int64_t, WorkflowHeadRow>> read_workflow_heads(Session& session, const Batch& keys) {
    std::map<std::int64_t, WorkflowHeadRow> heads;
    auto read =
        session.run(kWorkflowHeads, keys, [&heads](WorkflowHeadRow head) { heads[head.key] = std::move(head); });
    if (!read) return read.error();
    return heads;
}

Result<std::vector<model::Approval>> read_approvals(Session& session, const Batch& runs) {
    auto approvals = read_all(session, kApprovalsOfRuns, runs);
    if (approvals) sort_by_run(*approvals);
    return approvals;
}

Result<std::map<model::RunKey, WorkflowRunRow>> read_workflow_runs(Session& session, const Batch& runs,
                                                                   WorkflowCache& cache, Sees sees) {
    std::map<model::RunKey, WorkflowRunRow> walks;
    std::map<model::RunKey, WorkflowCache::Version> versions;
    auto read = session.run(kWorkflowRunsByKey, runs, [&](const WorkflowRunHead& head) {
        versions[head.run] = head.version;
        walks[head.run].workflow_run.events = head.events;
        walks[head.run].workflow_run.deadline = head.deadline;
    });
    if (!read) return read.error();
    auto nodes = read_all(session, kNodesOfRuns, runs);
    if (!nodes) return nodes.error();
    for (auto& [run, node, lease] : *nodes) {
        auto& workflow_run = walks[run];
        if (lease) workflow_run.leases.push_back(std::move(*lease));
        workflow_run.workflow_run.nodes.push_back(std::move(node));
    }
    std::vector<WorkflowCache::Version> wanted;
    for (const auto& [run, version] : versions) wanted.push_back(version);
    auto workflows = read_workflows(session, wanted, cache, sees);
    if (!workflows) return workflows.error();
    for (auto& [run, workflow_run] : walks) {
        std::ranges::sort(workflow_run.workflow_run.nodes, {}, &model::NodeRun::node);
        const auto version = versions.find(run);
        if (version == versions.end()) continue;
        const auto workflow = workflows->find(version->second);
        if (workflow == workflows->end())
            return Error{ErrorCode::corrupt,
                         "the workflow of run " + model::run_id(run.schedule, run.slot) + " is missing"};
        workflow_run.workflow_run.workflow = workflow->second;
    }
    return walks;
}

Result<std::map<model::RunKey, WorkflowRunRow>> read_readable_walks(Session& session,
                                                                    const std::vector<model::RunKey>& runs,
                                                                    WorkflowCache& cache) {
    Batch keys;
    for (const auto& run : runs) keys.add_row(run.schedule, run.slot);
    auto together = read_workflow_runs(session, keys, cache, Sees::committed);
    if (together || together.error().code != ErrorCode::corrupt) return together;
    std::map<model::RunKey, WorkflowRunRow> walks;
    for (const auto& run : runs) {
        auto one = read_workflow_runs(session, {run.schedule, run.slot}, cache, Sees::committed);
        if (one) walks.merge(*one);
        if (!one && one.error().code != ErrorCode::corrupt) return one.error();
    }
    return walks;
}

}  // namespace belfry::store::sql
