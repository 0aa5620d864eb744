// Calendars as clients see them, and their shapes. Pure.
#pragma once

#include "api/shape.hpp"
#include "api/values.hpp"
#include "engine/calendars.hpp"

namespace belfry::api {

// Without its dates: what lists show.
[[nodiscard]] boost::json::object calendar_summary_json(const store::CalendarRecord& record, const engine::CalendarOutlook& outlook);
[[nodiscard]] boost::json::object calendar_json(const store::CalendarRecord& record, const engine::CalendarOutlook& outlook);

[[nodiscard]] ShapePtr calendar_kind_names();
[[nodiscard]] ShapePtr calendar_summary_shape();
[[nodiscard]] ShapePtr calendar_shape();
[[nodiscard]] ShapePtr new_calendar_shape();
[[nodiscard]] ShapePtr changed_calendar_shape();  // the name may be left out

// REQUIRES: they have the shape of a new or a changed one.
[[nodiscard]] spec::CalendarText read_calendar(const Values& values, std::string name);

}  // namespace belfry::api
