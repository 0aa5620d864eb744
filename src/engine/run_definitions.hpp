// The definitions by which runs were decided: a run keeps them for its whole life, whatever becomes of its schedule.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace belfry::engine {

// In the order of the runs. The definition in force stands in for one that cannot be read any more.
[[nodiscard]] Result<std::vector<model::DefinitionPtr>> definitions_of(store::Store& store, const std::string& tenant,
                                                                       std::span<const model::Run> runs);
[[nodiscard]] Result<model::DefinitionPtr> definition_of(store::Store& store, const std::string& tenant, const model::Run& run);

}  // namespace belfry::engine
