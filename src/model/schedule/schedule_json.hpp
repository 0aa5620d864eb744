// Schedules, workflow assignments and calendars as JSON, for storage and for audit events. Pure; never throws.
//
// The …_from_json functions restore exactly what to_json wrote, also through text:
//
//   to_text(to_json(schedule))                                   writes to the database
//   schedule_from_json(*parse_json(text, kStoredJsonLimits))     reads it back
//
// The limits matter. Numbers in memo, inputs and conditions keep their digits only with JsonNumbers::exact. With the
// default limits, 2.9999999999999999999 becomes 3, and a value of the maximum depth of a request is rejected, because
// it is nested more deeply here. Values that were built in memory take parse_json's form: a double 1.0 becomes the
// integer 1, NaN becomes null.
#pragma once

#include "base/text/json.hpp"
#include "model/tenant/assignment.hpp"
#include "spec/calendar/calendar.hpp"

namespace belfry::model {

// For text that Belfry itself wrote. A free value of kJsonDepthMax levels is nested at most two levels deep, at
// /target/input or /inputsRotation/0. There are six such members, each at most as large as a request. Writing out
// `1e20` makes it five times as long: 6 × 5, rounded up.
inline constexpr JsonLimits kStoredJsonLimits{
    .depth_max = kJsonDepthMax + 2, .bytes_max = 32 * kJsonBytesMax, .numbers = JsonNumbers::exact};

// Complete, with null for absent values, as in audit events and in the native API.
[[nodiscard]] Json to_json(const spec::SpecText& spec);
[[nodiscard]] Json to_json(const Target& target);
[[nodiscard]] Json complete_json(const Schedule& schedule);
[[nodiscard]] Json complete_json(const WorkflowAssignment& record);

// Compact, for storage: the same without members that have their default. REQUIRES: texts are UTF-8, memo and
// searchAttributes are objects, durations are between zero and kDurationMax, and instants between kInstantMin and
// kInstantMax.
[[nodiscard]] Json to_json(const Schedule& schedule);
[[nodiscard]] Json to_json(const WorkflowAssignment& record);
[[nodiscard]] Json to_json(const spec::CalendarText& calendar);

// Accepts any JSON. An absent member has its default. A wrong type, an unknown member or name, and a missing member
// without a default (id, tenant and name, the kind of a target, …) are errors whose `field` is a pointer to it.
// Checks the form only: the compilers of cron expressions, zones, dates and conditions check their meaning.
[[nodiscard]] Result<Schedule> schedule_from_json(const Json& json);
[[nodiscard]] Result<spec::SpecText> spec_from_json(const Json& json);
[[nodiscard]] Result<WorkflowAssignment> assignment_from_json(const Json& json);
[[nodiscard]] Result<spec::CalendarText> calendar_from_json(const Json& json);

}  // namespace belfry::model
