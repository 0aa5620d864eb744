// The whole effect of a decision on one schedule, as data. The store applies it in one transaction, or not at all if
// the schedule is no longer at `revision`. Plans compare by value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/identity.hpp"
#include "model/request_key.hpp"
#include "model/run/approval.hpp"
#include "model/run/event.hpp"
#include "model/run/run.hpp"
#include "model/run/run_event.hpp"
#include "model/schedule/schedule.hpp"
#include "model/tenant/assignee.hpp"
#include "model/workflow/node.hpp"

namespace belfry::decide {

using model::run_id;
using model::SkippedRange;

// The start of a workflow run: the workflow and its version, the deadline, and the first nodes.
struct WorkflowStart {
    std::string workflow;
    std::int64_t version = 0;
    Instant deadline = {};
    std::vector<model::NodeRun> nodes = {};
    int priority = 0;  // of the nodes' tasks
    friend bool operator==(const WorkflowStart&, const WorkflowStart&) = default;
};

struct PlannedRun {
    std::string id;
    model::RunSlot slot;
    Instant fire_at = {};  // when its task becomes ready
    model::DispatchStatus dispatch = model::DispatchStatus::dispatched;
    model::ExecutionStatus execution = model::ExecutionStatus::none;
    std::optional<model::SkipReason> reason = {};
    std::string detail = {};
    Json input = nullptr;
    std::int64_t trigger_number = 0;  // 1, 2, 3… for dispatched runs
    std::optional<std::int64_t> rotation_index_used = {};
    model::OverlapPolicy overlap = model::OverlapPolicy::skip;  // the one that applied
    std::optional<SkippedRange> range = {};
    std::optional<WorkflowStart> workflow_run = {};   // empty: a single task
    std::optional<model::Reservation> reserves = {};  // of its assignee's budget, from dispatch to end
    bool replaces = false;                            // it overwrites the row of a skipped backfill in the same slot
    friend bool operator==(const PlannedRun&, const PlannedRun&) = default;
};

// A run that ends by this plan: it was completed, or a newer run replaced it.
struct RunEnd {
    std::string run_id;
    model::ExecutionStatus status = model::ExecutionStatus::cancelled;
    Json result = nullptr;
    std::string error = {};
    std::optional<model::TargetName> target = {};  // its target, if the current definition has another
    friend bool operator==(const RunEnd&, const RunEnd&) = default;
};

// A run that was approved: its task becomes ready.
struct RunStart {
    std::string run_id;
    Instant ready_at = {};
    std::optional<WorkflowStart> workflow_run = {};
    friend bool operator==(const RunStart&, const RunStart&) = default;
};

// The new state of a node. Its lease ends. If it is queued, its task becomes ready.
struct NodeChange {
    std::string run_id;
    model::NodeRun node;
    int priority = 0;  // of its task
    friend bool operator==(const NodeChange&, const NodeChange&) = default;
};

// An addition to the history of a workflow run.
struct RunNote {
    std::string run_id;
    model::RunEvent event;
    friend bool operator==(const RunNote&, const RunNote&) = default;
};

struct Plan {
    std::string schedule_id;
    std::int64_t revision = 0;  // the revision that it was decided on
    Instant decided_at = {};
    std::vector<PlannedRun> runs = {};      // new or replaced rows: dispatched, skipped and buffered
    std::vector<PlannedRun> releases = {};  // rows that were buffered until now
    std::vector<RunStart> starts = {};
    std::vector<RunEnd> ends = {};
    std::vector<NodeChange> nodes = {};
    std::vector<RunNote> notes = {};
    std::vector<model::Approval> asks = {};  // new requests for approval, pending from now on
    // Decided requests in their new state. Requests that an ended run leaves pending become void.
    std::vector<model::Approval> verdicts = {};
    std::string replays = {};                        // the dead letter that this plan's run replays and so ends
    std::optional<model::Schedule> definition = {};  // if it changed
    model::ScheduleState state = {};                 // the new state
    std::vector<model::Event> events = {};
    std::optional<model::RequestKey> request = {};  // written with the rest, and only if the key is unused

    // Nothing was decided: the plan leaves the schedule as it is, or has none.
    [[nodiscard]] bool empty() const { return schedule_id.empty() || state.revision == revision; }
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace belfry::decide
