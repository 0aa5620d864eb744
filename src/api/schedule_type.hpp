// `scheduleType`: the short form of a spec, for the two kinds of schedules that most people have. Pure.
//
//   {"type": "recurring", "cron": "0 9 * * 1-5", "timezone": "America/New_York", "endAt": null}
//   {"type": "once", "runAt": "2026-12-31T23:59:00Z"}
//
// It is accepted in place of `spec` and shown beside it.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "spec/spec.hpp"

namespace belfry::api {

// The spec that it stands for. Without a zone it has that of `base`; what the short form cannot say (window, DST rules,
// jitter) is taken from `base`, too. Errors point into the short form. REQUIRES: it has the shape of a ScheduleType.
[[nodiscard]] Result<spec::SpecText> spec_from_type(const Json& type, const spec::SpecText& base = {});

// With an English sentence as `description`; null when the spec is more than the short form can say.
[[nodiscard]] Json type_from_spec(const spec::SpecText& spec, const spec::ZoneDatabase& zones);

// An error in the spec, as seen by somebody who wrote the short form: `/spec/cron/0` is `/scheduleType/cron`.
[[nodiscard]] Error in_short_form(Error error);

}  // namespace belfry::api
