// The effect of a plan on the facts it was made from: what a store does durably, in memory. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// REQUIRES: the plan was made from these facts.
void apply(const Plan& plan, Facts& facts);

}  // namespace belfry::decide
