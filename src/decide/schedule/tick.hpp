// What a schedule does when it is due. Pure: the same facts and the same time give the same plan, live or in a
// preview.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// Decides every due occurrence, oldest first, at most `limits.catchup_per_tick` of them; the cursor stays on the
// first one for the next tick. Occurrences that the missed-run policy drops become one record. Ends an expired pause
// first. Empty if nothing is due.
[[nodiscard]] Plan plan_tick(const Facts& facts, Instant now, const Limits& limits = {});

}  // namespace belfry::decide
