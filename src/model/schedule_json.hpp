// Schedules, workflow assignments and calendars as JSON, for storage and for audit events. Pure; nothing here throws.
//
// What to_json wrote, the functions …_from_json read back equal, also through text:
//
//   to_text(to_json(schedule))                                   into the database
//   schedule_from_json(*parse_json(text, kStoredJsonLimits))     and back
//
// The limits matter. Numbers in memo, inputs and conditions keep their digits only with JsonNumbers::exact; with the usual
// limits 2.9999999999999999999 comes back as 3, and a value as deep as a request may have it is refused one level further in.
// Values built in memory rather than parsed come back in parse_json's form: a double 1.0 as the integer 1, NaN as null.
#pragma once

#include "base/json.hpp"
#include "model/assignment.hpp"
#include "spec/calendar.hpp"

namespace belfry::model {

// For the texts that we wrote ourselves. A free value of kJsonDepthMax levels lies at most two levels down, at
// /target/input or /inputsRotation/0. There are six such members, each at most a request in size, and writing `1e20` plainly
// makes it five times as long: 6 × 5, rounded up.
inline constexpr JsonLimits kStoredJsonLimits{.depth_max = kJsonDepthMax + 2, .bytes_max = 32 * kJsonBytesMax, .numbers = JsonNumbers::exact};

// Whole, with null for what is absent, as audit events show them.
[[nodiscard]] Json to_json(const spec::SpecText& spec);
[[nodiscard]] Json to_json(const Target& target);

// Compact: in the shape of the native API, without the members that are at their default.
// REQUIRES: texts are UTF-8, memo and searchAttributes are objects, durations lie between zero and kDurationMax, and instants
// between kInstantMin and kInstantMax.
[[nodiscard]] Json to_json(const Schedule& schedule);
[[nodiscard]] Json to_json(const WorkflowAssignment& record);
[[nodiscard]] Json to_json(const spec::CalendarText& calendar);

// Any JSON may be given. An absent member has its default; a wrong type, an unknown member or name and the lack of what has
// no default (id, tenant and name, the kind of a target, …) are errors whose `field` is the pointer to it. Only the shape is
// checked: whether a cron expression, a zone, a date or a condition means something is said by those who compile it.
[[nodiscard]] Result<Schedule> schedule_from_json(const Json& json);
[[nodiscard]] Result<WorkflowAssignment> assignment_from_json(const Json& json);
[[nodiscard]] Result<spec::CalendarText> calendar_from_json(const Json& json);

}  // namespace belfry::model
