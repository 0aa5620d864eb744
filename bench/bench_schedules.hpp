// Creates many schedules in a store, for benchmarks.
#pragma once

#include <functional>

#include "store/store.hpp"

namespace belfry::bench {

inline constexpr std::size_t kBenchBatch = 1'000;

struct BenchSchedules {
    std::size_t count = 0;
    Instant created_at = {};
    std::function<void(model::Schedule&)> edit = {};  // changes the default: a small task whose runs may overlap
    std::function<void(const decide::CompiledPtr&, const decide::Plan&)> sink = {};
};

[[nodiscard]] Result<void> create_schedules(store::Store& store, const spec::ZoneDatabase& zones,
                                            const BenchSchedules& wanted);

}  // namespace belfry::bench
