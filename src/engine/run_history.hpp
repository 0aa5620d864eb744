// What happened in a run, from its beginning: what the store keeps, and what follows from the run itself. Thread-safe.
//
// A single task writes no events while all goes well: that it was triggered, has started and has ended is in its row. Only
// attempts that failed are kept.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace belfry::engine {

// Events after that sequence, at most `limit`.
[[nodiscard]] Result<std::vector<model::RunEvent>> run_history(store::Store& store, const std::string& tenant, const std::string& run_id,
                                                               std::int64_t after_sequence, std::size_t limit);

// Why the run was started: the first event of each.
[[nodiscard]] model::RunEvent lineage_event(const model::Run& run, const model::Schedule& definition);

}  // namespace belfry::engine
