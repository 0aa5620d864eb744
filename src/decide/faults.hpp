// All that is wrong with a definition beyond its shape, at once: whoever mends one thing should not have to come back for the
// next. Pure.
#pragma once

#include "base/errors.hpp"
#include "decide/compiled_schedule.hpp"

namespace belfry::decide {

// Every part of the spec that does not compile, recurrence closer than `least`, calendars that nobody knows and clauses of the
// condition that mean nothing. Fields are pointers into the definition; none: it can be scheduled.
[[nodiscard]] Errors faults(const model::Schedule& definition, const spec::ZoneDatabase& zones, const CalendarLookup& calendars, Seconds least);

}  // namespace belfry::decide
