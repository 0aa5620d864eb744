// Commits whose outcome may be unknown. When the connection breaks inside a commit nobody knows whether it happened: whoever
// waits for a lock that the lost transaction must hold until it is over can look afterwards.
#pragma once

#include "store/sql/database.hpp"

namespace belfry::store::sql {

enum class Happened : std::uint8_t { no, yes, unclear };  // unclear: others have changed it since
using Look = std::function<Result<Happened>(Session&)>;

// Writes; a commit of unknown outcome is looked up with `look`, which must first wait for what the lost one may hold.
[[nodiscard]] Result<void> commit(Database& database, const Work& work, const Look& look);

// The same for work that may be done twice: an unknown outcome is settled by doing it again.
[[nodiscard]] Result<void> commit_repeatable(Database& database, const Work& work);

}  // namespace belfry::store::sql
