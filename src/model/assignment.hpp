// A workflow assignment: a workflow in the hands of an agent or a team, with the policies that come along. Schedules name one by
// its id. What they leave out is the assignment's when they are written, and what it wants approved they cannot do without:
// docs/adr/0020-workflow-assignments.md. Plain data.
#pragma once

#include "model/schedule.hpp"

namespace belfry::model {

// Nothing: the schedule's own default.
struct QueuePolicy {
    std::optional<OverlapPolicy> mode = {};
    std::optional<int> max_concurrency = {};
    std::optional<int> priority = {};
    friend bool operator==(const QueuePolicy&, const QueuePolicy&) = default;
};

struct WorkflowAssignment {
    std::string id;        // given out by the server, never reused
    std::string workflow;  // its name; never changed
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
