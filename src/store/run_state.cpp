#include "store/store.hpp"

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

RunState state_of(const model::Run& run) {
    if (run.dispatch == DispatchStatus::skipped) return RunState::skipped;
    switch (run.execution) {
        case ExecutionStatus::none: return RunState::buffered;
        case ExecutionStatus::awaiting_approval: return RunState::awaiting_approval;
        case ExecutionStatus::queued: return RunState::queued;
        case ExecutionStatus::running: return RunState::running;
        case ExecutionStatus::succeeded: return RunState::succeeded;
        case ExecutionStatus::failed: return RunState::failed;
        case ExecutionStatus::cancelled: return RunState::cancelled;
        case ExecutionStatus::terminated: return RunState::terminated;
        case ExecutionStatus::timed_out: return RunState::timed_out;
    }
    return RunState::buffered;
}

}  // namespace belfry::store
