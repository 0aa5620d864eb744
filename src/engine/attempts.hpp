// The end of attempts, whoever tells of it: a worker, or the reaper.
#pragma once

#include <span>

#include "engine/observer.hpp"
#include "store/store.hpp"

namespace belfry::engine {

// Per ending, what was done or why not.
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> end_attempts(store::Store& store, Observer& observer,
                                                                            std::span<const store::Ending> endings, Instant now);

}  // namespace belfry::engine
