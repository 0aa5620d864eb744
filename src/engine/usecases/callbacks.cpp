#include "engine/usecases/callbacks.hpp"

#include "base/text/ascii.hpp"

namespace belfry::engine {

namespace {

using model::ExecutionStatus;
using model::NodeStatus;
using Status = Callback::Status;

constexpr int kTriesMax = 3;  // another worker may take the lease between the read and the write

std::optional<ExecutionStatus> end_of(NodeStatus status) {
    switch (status) {
        case NodeStatus::succeeded: return ExecutionStatus::succeeded;
        case NodeStatus::failed: return ExecutionStatus::failed;
        case NodeStatus::timed_out: return ExecutionStatus::timed_out;
        default: return is_over(status) ? std::optional(ExecutionStatus::cancelled) : std::nullopt;
    }
}

bool is_same(Status told, ExecutionStatus over) {
    switch (told) {
        case Status::started: return true;  // it only arrives late
        case Status::success: return over == ExecutionStatus::succeeded;
        case Status::failed: return over == ExecutionStatus::failed || over == ExecutionStatus::timed_out;
    }
    return false;
}

std::string what(const Callback& callback) {
    return callback.node.empty() ? "run " + callback.run_id : "node " + callback.node + " of run " + callback.run_id;
}

}  // namespace

Result<Callbacks::Standing> Callbacks::look(const std::string& tenant, const Callback& callback) {
    auto run = store_.run(tenant, callback.run_id);
    if (!run) return run.error();
    Standing standing{.run = std::move(*run)};
    const auto workflow_run = store_.walk(tenant, callback.run_id);
    if (!workflow_run) return workflow_run.error();
    standing.has_workflow = workflow_run->workflow != nullptr;
    if (standing.has_workflow) {
        const auto* const node = workflow_run->find(callback.node);
        if (node == nullptr) {
            return in_field(
                invalid(callback.node.empty() ? "the run has a workflow: set node to the value in the message"
                                              : "the run has no node " + in_quotes(callback.node)),
                "/node");
        }
        standing.connection = model::connection_of(node->queue);
        standing.queued = node->status == NodeStatus::queued;
        standing.running = node->status == NodeStatus::running;
        standing.attempt = node->attempts;
        standing.over = end_of(node->status);
        return standing;
    }
    if (!callback.node.empty()) return in_field(invalid("the run has no nodes: omit node"), "/node");
    const auto schedule = store_.schedule({.tenant = tenant, .id = standing.run.schedule_id});
    if (!schedule) return schedule.error();
    standing.connection = model::connection_for({.target = schedule->definition.target}, default_connection_);
    standing.queued = standing.run.execution == ExecutionStatus::queued;
    standing.running = standing.run.execution == ExecutionStatus::running;
    standing.attempt = standing.run.attempts;
    if (is_terminal(standing.run.execution)) standing.over = standing.run.execution;
    return standing;
}

Result<model::Run> Callbacks::start(const Standing& standing, const Callback& callback) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto found = connections_.find(standing.connection);
    const auto timeout = found == connections_.end() ? kCallbackTimeout : found->second.callback_timeout;
    const auto holder = std::string(model::kConnectionMark) + standing.connection;
    const auto held = runs_.transfer_lease({{.lease = {callback.run_id, standing.attempt, callback.node},
                                             .worker = holder + ", started",
                                             .until = *now + timeout,
                                             .event = "node.started",
                                             .payload = {{"worker", holder}}}});
    if (!held) return held.error();
    if (held->empty()) return Error{ErrorCode::conflict, what(callback) + " is held by another worker now"};
    return standing.run;
}

Result<model::Run> Callbacks::tell(const std::string& tenant, const Callback& callback) {
    for (int tries = 1;; ++tries) {
        const auto standing = look(tenant, callback);
        if (!standing) return standing.error();
        if (standing->over) {
            if (is_same(callback.status, *standing->over)) return standing->run;
            return Error{ErrorCode::conflict,
                         what(callback) + " has ended as " + std::string(name_of(*standing->over))};
        }
        // A caller with the permission to work may end a running task, even if the schedule has another connection by
        // now.
        const bool ends = standing->running && callback.status != Status::started;
        if (standing->connection.empty() && !ends)
            return Error{ErrorCode::conflict, what(callback) + " does not use a connection, so it accepts no callback"};
        if (standing->queued)
            return Error{ErrorCode::unavailable, what(callback) + " is about to be delivered: retry in a moment"};
        if (!standing->running) return Error{ErrorCode::conflict, what(callback) + " has not started"};
        const bool stale = callback.attempt && *callback.attempt < standing->attempt;
        if (stale && callback.status != Status::success) {
            return Error{ErrorCode::conflict, "attempt " + std::to_string(*callback.attempt) + " has ended: attempt " +
                                                  std::to_string(standing->attempt) + " is running"};
        }
        auto told = callback.status == Status::started
                        ? start(*standing, callback)
                        : runs_.finish(tenant, callback.run_id, standing->attempt, callback.end, callback.node);
        if (told || told.error().code != ErrorCode::conflict || tries == kTriesMax) return told;
    }
}

}  // namespace belfry::engine
