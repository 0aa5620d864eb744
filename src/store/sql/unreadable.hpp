// What is still known of schedules whose definitions cannot be read: whose they are, by the columns beside them. It stands for the
// definition where an operator has to see or remove such a schedule, and where its runs have to end.
#pragma once

#include <map>
#include <string>

#include "store/sql/database.hpp"
#include "store/sql/run_reader.hpp"

namespace belfry::store::sql {

// Why a schedule cannot be decided; without an id nothing is left of it that people know it by.
[[nodiscard]] Error unreadable(const std::string& id, const Error& error);

// By key: id, tenant, name, version, and what kind of target it has. Whatever would begin under it has to be approved.
[[nodiscard]] Result<std::map<std::int64_t, DefinitionPtr>> read_known(Session& session, const Batch& keys);

}  // namespace belfry::store::sql
