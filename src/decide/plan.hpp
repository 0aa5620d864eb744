// The whole effect of a decision on one schedule, as data. The store applies it in one transaction, or not at all when the
// schedule is no longer at `revision`. Two plans are the same when they compare equal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/approval.hpp"
#include "model/assignee.hpp"
#include "model/event.hpp"
#include "model/identity.hpp"
#include "model/node.hpp"
#include "model/request_key.hpp"
#include "model/run.hpp"
#include "model/run_event.hpp"
#include "model/schedule.hpp"

namespace belfry::decide {

using model::run_id;
using model::SkippedRange;

// A run that walks a workflow: which one and by which version, until when, and the nodes that begin.
struct WalkStart {
    std::string workflow;
    std::int64_t version = 0;
    Instant deadline = {};
    std::vector<model::NodeRun> nodes = {};
    int priority = 0;  // of their tasks
    friend bool operator==(const WalkStart&, const WalkStart&) = default;
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
    std::optional<WalkStart> walk = {};               // nothing: one task
    std::optional<model::Reservation> reserves = {};  // of its assignee's budget, from its dispatch to its end
    bool replaces = false;                            // its slot has a row, of a backfill that was skipped: this is written over it
    friend bool operator==(const PlannedRun&, const PlannedRun&) = default;
};

// A run that ends by this plan: it was completed, or an overlapping run put an end to it.
struct RunEnd {
    std::string run_id;
    model::ExecutionStatus status = model::ExecutionStatus::cancelled;
    Json result = nullptr;
    std::string error = {};
    std::optional<model::TargetName> target = {};  // that it started, when the definition in force has another
    friend bool operator==(const RunEnd&, const RunEnd&) = default;
};

// A run whose person said yes: its task becomes ready.
struct RunStart {
    std::string run_id;
    Instant ready_at = {};
    std::optional<WalkStart> walk = {};
    friend bool operator==(const RunStart&, const RunStart&) = default;
};

// A node of a run as it will be; its lease, if it has one, goes. When it is queued its task becomes ready.
struct NodeChange {
    std::string run_id;
    model::NodeRun node;
    int priority = 0;  // of its task
    friend bool operator==(const NodeChange&, const NodeChange&) = default;
};

// Added to what happened in a run that walks a workflow.
struct RunNote {
    std::string run_id;
    model::RunEvent event;
    friend bool operator==(const RunNote&, const RunNote&) = default;
};

struct Plan {
    std::string schedule_id;
    std::int64_t revision = 0;  // the one it was decided on
    Instant decided_at = {};
    std::vector<PlannedRun> runs = {};      // new rows: dispatched, skipped and buffered alike; and those that replace one
    std::vector<PlannedRun> releases = {};  // rows that were buffered and now are not
    std::vector<RunStart> starts = {};
    std::vector<RunEnd> ends = {};
    std::vector<NodeChange> nodes = {};
    std::vector<RunNote> notes = {};
    std::vector<model::Approval> asks = {};          // somebody is to be asked: pending from now on
    std::vector<model::Approval> verdicts = {};      // those that were pending, as they will be; what a run that ends leaves pending is void
    std::string replays = {};                        // the dead letter that this plan's run does again: it is one no longer
    std::optional<model::Schedule> definition = {};  // when it changed
    model::ScheduleState state = {};                 // as it will be
    std::vector<model::Event> events = {};
    std::optional<model::RequestKey> request = {};  // written with the rest, and only when nobody has used it

    // Nothing was decided: it leaves the schedule as it is, or is about none.
    [[nodiscard]] bool empty() const { return schedule_id.empty() || state.revision == revision; }
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace belfry::decide
