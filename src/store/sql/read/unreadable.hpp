// What is known of schedules whose definitions are unreadable, from the other columns of their rows. It replaces the
// definition when an operator lists or removes such a schedule, and when its runs end.
#pragma once

#include <map>
#include <string>

#include "store/sql/database.hpp"
#include "store/sql/read/run_reader.hpp"

namespace belfry::store::sql {

// Why a schedule cannot be decided. Without an id, no name for it is left.
[[nodiscard]] Error unreadable(const std::string& id, const Error& error);

// By key: id, tenant, name, version, and the type of the target. Everything that would start under it needs an
// approval.
[[nodiscard]] Result<std::map<std::int64_t, DefinitionPtr>> read_known(Session& session, const Batch& keys);

}  // namespace belfry::store::sql
