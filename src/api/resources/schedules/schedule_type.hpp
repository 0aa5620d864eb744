// `scheduleType`: the short form of a spec, for the two most common kinds of schedules. Pure.
//
//   {"type": "recurring", "cron": "0 9 * * 1-5", "timezone": "America/New_York", "endAt": null}
//   {"type": "once", "runAt": "2026-12-31T23:59:00Z"}
//
// Requests may have it instead of `spec`; responses have both.
#pragma once

#include <optional>
#include <string>

#include "base/text/json.hpp"
#include "spec/spec.hpp"

namespace belfry::api {

// Returns the equivalent spec. Members that the short form omits or cannot express (time zone, window, DST rules,
// jitter) come from `base`. Errors point into the short form. REQUIRES: `type` has the shape of a ScheduleType.
[[nodiscard]] Result<spec::SpecText> spec_from_type(const Json& type, const spec::SpecText& base = {});

// Returns the short form with an English `description`, or null when the short form cannot express the spec.
[[nodiscard]] Json type_from_spec(const spec::SpecText& spec, const spec::ZoneDatabase& zones);

// Maps an error in the spec to the short form that the client sent: `/spec/cron/0` becomes `/scheduleType/cron`.
[[nodiscard]] Error in_short_form(Error error);

}  // namespace belfry::api
