// A workflow assignment gives a workflow to an agent or a team, with policies. Schedules refer to it by id. When a
// schedule is written, it inherits the policies that it does not set. It cannot drop approvals that the assignment
// requires (docs/adr/0020-workflow-assignments.md). Plain data.
#pragma once

#include "model/schedule/schedule.hpp"

namespace belfry::model {

// Empty members: the default of the schedule.
struct QueuePolicy {
    std::optional<OverlapPolicy> mode = {};
    std::optional<int> max_concurrency = {};
    std::optional<int> priority = {};
    friend bool operator==(const QueuePolicy&, const QueuePolicy&) = default;
};

struct WorkflowAssignment {
    std::string id;        // assigned by the server, never reused
    std::string workflow;  // name of the workflow; never changes
    Assignee assignee = {};
    ApprovalPolicy approval = {};
    RetryPolicy retry = {};
    FailurePolicy failure = {};
    QueuePolicy queue = {};
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const WorkflowAssignment&, const WorkflowAssignment&) = default;
};

}  // namespace belfry::model
