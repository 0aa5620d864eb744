// The history of a run: its stored events, and those that follow from the run's row. Thread-safe.
//
// A single task stores no events while it succeeds: its row shows that it was triggered, started and ended. Only
// failed attempts are stored.
#pragma once

#include <string>
#include <vector>

#include "store/store_reader.hpp"

namespace belfry::engine {

// Returns the events after that sequence number, at most `limit`.
[[nodiscard]] Result<std::vector<model::RunEvent>> run_history(store::StoreReader& store, const std::string& tenant,
                                                               const std::string& run_id, std::int64_t after_sequence,
                                                               std::size_t limit);

// The cause of the run: the first event of every run.
[[nodiscard]] model::RunEvent lineage_event(const model::Run& run, const model::Schedule& definition);

}  // namespace belfry::engine
