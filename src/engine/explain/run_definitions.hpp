// The definitions that decided runs. A run keeps its definition, whatever happens to its schedule.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/store_reader.hpp"

namespace belfry::engine {

// In the order of the runs. The current definition replaces one that cannot be read.
[[nodiscard]] Result<std::vector<model::DefinitionPtr>> definitions_of(store::StoreReader& store,
                                                                       const std::string& tenant,
                                                                       std::span<const model::Run> runs);
[[nodiscard]] Result<model::DefinitionPtr> definition_of(store::StoreReader& store, const std::string& tenant,
                                                         const model::Run& run);

}  // namespace belfry::engine
