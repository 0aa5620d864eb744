// Applies a plan to the facts that it was made from: in memory, what a store does durably. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// REQUIRES: the plan was made from these facts.
void apply(const Plan& plan, Facts& facts);

}  // namespace belfry::decide
