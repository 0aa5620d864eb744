// What the store may remove, and from when on. Pure.
#pragma once

#include <optional>

#include "decide/plan.hpp"
#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::store {

// Whether a run with this result becomes a dead letter.
[[nodiscard]] bool is_dead_letter(model::ExecutionStatus status);

// Whether a run may be removed: it was skipped, or it has ended.
[[nodiscard]] bool is_history(const model::Run& run);

// When the schedule ended, after this plan; it may be removed some time later. The epoch: it may still fire. Empty:
// it is completed and stays until a user deletes it. A skipped immediate start has no user who would delete it, so it
// has ended.
[[nodiscard]] std::optional<Instant> ended_since(const decide::Plan& plan, const model::Schedule& definition);

// Why a run cannot be replayed.
inline constexpr const char* kNoDeadLetter = "is no longer a dead letter: it was already replayed or dismissed";

}  // namespace belfry::store
