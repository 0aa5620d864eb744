// What attempts have used, from their rows.
#pragma once

#include <map>

#include "store/plan_rows.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

// Of runs, given as schedule key and slot; those of which nobody has reported anything are left out.
[[nodiscard]] Result<std::map<model::RunKey, UsageByAttempt>> read_usage(Session& session, const Batch& runs);
// A row of kPutUsage.
void add_usage(Batch& batch, const model::RunKey& run, const std::string& node, int attempt, const model::Usage& usage);

// Completes runs as people see them.
[[nodiscard]] Result<void> show_usage(Session& session, std::vector<model::Run>& runs);

}  // namespace belfry::store::sql
