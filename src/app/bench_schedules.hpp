// Many schedules in a store, for measurements.
#pragma once

#include <functional>

#include "store/store.hpp"

namespace belfry::app {

inline constexpr std::size_t kBenchBatch = 1'000;

struct BenchSchedules {
    std::size_t count = 0;
    Instant created_at = {};
    std::function<void(model::Schedule&)> edit = {};  // what is not said is a small task that never waits for another
    std::function<void(const decide::CompiledPtr&, const decide::Plan&)> sink = {};
};

[[nodiscard]] Result<void> create_schedules(store::Store& store, const spec::ZoneDatabase& zones, const BenchSchedules& wanted);

}  // namespace belfry::app
