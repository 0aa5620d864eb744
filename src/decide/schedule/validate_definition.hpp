// Reports every error of a definition beyond its shape at once, so that a client can fix all of them in one step.
// Pure.
#pragma once

#include "base/errors.hpp"
#include "decide/schedule/compiled_schedule.hpp"

namespace belfry::decide {

// Errors: parts of the spec that do not compile, times closer together than `least`, unknown calendars, and invalid
// clauses of conditions. Fields are JSON pointers into the definition. Empty: it can be scheduled.
[[nodiscard]] Errors validate_definition(const model::Schedule& definition, const spec::ZoneDatabase& zones,
                                         const CalendarLookup& calendars, Seconds least);

}  // namespace belfry::decide
