#include "store/sql/read/workflow_run_reader.hpp"

#include <algorithm>

#include "model/workflow/workflow_check.hpp"
#include "model/workflow/workflow_json.hpp"
#include "store/listing.hpp"
#include "store/sql/statements/statements.hpp"

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

// Columns of kNodesOfRuns, from the third on.
Result<model::NodeRun> read_node(const Row& row) {
    model::NodeRun node;
    node.node = text_at(row, 2);
    node.status = static_cast<model::NodeStatus>(row.integer(3));
    node.attempts = static_cast<int>(row.integer(4));
    node.attempts_before = static_cast<int>(row.integer(5));
    node.redeliveries = static_cast<int>(row.integer(19));
    node.queue = text_at(row, 6);
    node.assignee = text_at(row, 7);
    node.ready_at = instant_at(row, 8);
    if (!row.is_null(9)) node.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(Micros{row.integer(9)});
    node.started_at = optional_instant(row, 10);
    node.completed_at = optional_instant(row, 11);
    for (const auto& [column, value] : {std::pair{12, &node.input}, std::pair{13, &node.result}}) {
        if (row.is_null(column)) continue;
        auto parsed = parse_stored(row.text(column));
        if (!parsed) return parsed.error();
        *value = std::move(*parsed);
    }
    if (!row.is_null(14)) node.error = text_at(row, 14);
    if (!row.is_null(15)) node.category = static_cast<model::FailureCategory>(row.integer(15));
    return node;
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
    auto read = session.run(kWorkflowVersions, missing, [&](const Row& row) {
        auto workflow = read_workflow(row.text(2));
        if (!workflow) {
            failed = workflow.error();
            return;
        }
        const WorkflowCache::Version version{row.integer(0), row.integer(1)};
        if (sees == Sees::committed) cache.keep(version, *workflow, row.text(2).size());
        found[version] = std::move(*workflow);
    });
    if (!read) return read.error();
    if (failed) return *failed;
    std::erase_if(found, [](const auto& each) { return !each.second; });
    return found;
}

Result<std::map<std::int64_t, WorkflowHeadRow>> read_workflow_heads(Session& session, const Batch& keys) {
    std::map<std::int64_t, WorkflowHeadRow> heads;
    auto read = session.run(kWorkflowHeads, keys, [&heads](const Row& row) {
        heads[row.integer(0)] = {row.integer(1), !row.is_null(2), row.integer(3), text_at(row, 4)};
    });
    if (!read) return read.error();
    return heads;
}

model::Approval read_approval(const Row& row) {
    model::Approval approval;
    approval.run_id = model::run_id(row.integer(0), row.integer(1));
    approval.node = text_at(row, 2);
    approval.attempts = static_cast<int>(row.integer(3));
    approval.action = text_at(row, 4);
    approval.why = static_cast<model::ApprovalWhy>(row.integer(5));
    approval.status = static_cast<model::ApprovalStatus>(row.integer(6));
    approval.requested_at = instant_at(row, 7);
    approval.expires_at = instant_at(row, 8);
    approval.decided_at = optional_instant(row, 9);
    approval.decided_by = text_at(row, 10);
    approval.comment = text_at(row, 11);
    if (!row.is_null(12)) approval.workflow_version = row.integer(12);
    return approval;
}

Result<std::vector<model::Approval>> read_approvals(Session& session, const Batch& runs) {
    std::vector<model::Approval> approvals;
    auto read =
        session.run(kApprovalsOfRuns, runs, [&approvals](const Row& row) { approvals.push_back(read_approval(row)); });
    if (!read) return read.error();
    sort_by_run(approvals);
    return approvals;
}

Result<std::map<model::RunKey, WorkflowRunRow>> read_workflow_runs(Session& session, const Batch& runs,
                                                                   WorkflowCache& cache, Sees sees) {
    std::map<model::RunKey, WorkflowRunRow> walks;
    std::map<model::RunKey, WorkflowCache::Version> versions;
    auto read = session.run(kWorkflowRunsByKey, runs, [&](const Row& row) {
        const model::RunKey run{row.integer(0), row.integer(1)};
        versions[run] = {row.integer(2), row.integer(3)};
        walks[run].walk.events = row.integer(4);
        walks[run].walk.deadline = optional_instant(row, 5);
    });
    if (!read) return read.error();
    std::optional<Error> failed;
    read = session.run(kNodesOfRuns, runs, [&](const Row& row) {
        const model::RunKey run{row.integer(0), row.integer(1)};
        auto node = read_node(row);
        if (!node) {
            failed = node.error();
            return;
        }
        auto& walk = walks[run];
        if (!row.is_null(16)) {
            walk.leases.push_back(
                {{model::run_id(run.schedule, run.slot), static_cast<int>(row.integer(16)), node->node},
                 text_at(row, 18),
                 instant_at(row, 17)});
        }
        walk.walk.nodes.push_back(std::move(*node));
    });
    if (!read) return read.error();
    if (failed) return *failed;
    std::vector<WorkflowCache::Version> wanted;
    for (const auto& [run, version] : versions) wanted.push_back(version);
    auto workflows = read_workflows(session, wanted, cache, sees);
    if (!workflows) return workflows.error();
    for (auto& [run, walk] : walks) {
        std::ranges::sort(walk.walk.nodes, {}, &model::NodeRun::node);
        const auto version = versions.find(run);
        if (version == versions.end()) continue;
        const auto workflow = workflows->find(version->second);
        if (workflow == workflows->end())
            return Error{ErrorCode::corrupt,
                         "the workflow of run " + model::run_id(run.schedule, run.slot) + " is missing"};
        walk.walk.workflow = workflow->second;
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
