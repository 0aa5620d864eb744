// Reads the usage of attempts.
#pragma once

#include <map>

#include "store/rules/attempt_usage.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

// By run, for a batch of schedule key and slot. Omits runs without reported usage.
[[nodiscard]] Result<std::map<model::RunKey, UsageByAttempt>> read_usage(Session& session, const Batch& runs);
// A row of kPutUsage.
void add_usage(Batch& batch, const model::RunKey& run, const std::string& node, int attempt, const model::Usage& usage);

// Adds the usage to runs, as users see them.
[[nodiscard]] Result<void> show_usage(Session& session, std::vector<model::Run>& runs);

}  // namespace belfry::store::sql
