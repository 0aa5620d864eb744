// Random schedules, as operators of a simulated world make and change them.
#pragma once

#include "model/schedule/schedule.hpp"
#include "simulation/sim_options.hpp"

namespace belfry::sim {

inline constexpr const char* kCalendar = "dates-with-a-1";  // leaves out every date that ends in 1, in UTC
[[nodiscard]] spec::CalendarText calendar();

[[nodiscard]] model::Schedule draw_schedule(SimRandom& random, const SimOptions& options, Instant now,
                                            const std::string& name);
// Changes some of it.
void redraw(SimRandom& random, const SimOptions& options, Instant now, model::Schedule& schedule);
// Changes the spec and none of its occurrences.
void nudge(model::Schedule& schedule);

}  // namespace belfry::sim
