// Commits with an unknown outcome. If the connection breaks during a commit, the client does not know whether it
// succeeded. It can find out: wait for a lock that the lost transaction holds until it ends, and then check.
#pragma once

#include "store/sql/database.hpp"

namespace belfry::store::sql {

enum class CommitOutcome : std::uint8_t { no, yes, unclear };  // unclear: changed by others since
using CommitProbe = std::function<Result<CommitOutcome>(Session&)>;

// Writes. After an unknown outcome, `look` determines it; it must first wait for a lock that the lost transaction may
// hold.
[[nodiscard]] Result<void> commit(Database& database, const Work& work, const CommitProbe& look);

// The same for idempotent work: after an unknown outcome, it runs again.
[[nodiscard]] Result<void> commit_repeatable(Database& database, const Work& work);

}  // namespace belfry::store::sql
