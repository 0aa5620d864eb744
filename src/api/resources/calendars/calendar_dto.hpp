// Reads and writes calendars as JSON, with their shapes. Pure.
#pragma once

#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "engine/usecases/calendars.hpp"

namespace belfry::api {

// A calendar without its dates, as in lists.
[[nodiscard]] boost::json::object calendar_summary_json(const store::CalendarRecord& record,
                                                        const engine::CalendarOutlook& outlook);
[[nodiscard]] boost::json::object calendar_json(const store::CalendarRecord& record,
                                                const engine::CalendarOutlook& outlook);

[[nodiscard]] ShapePtr calendar_kind_names();
[[nodiscard]] ShapePtr calendar_summary_shape();
[[nodiscard]] ShapePtr calendar_shape();
[[nodiscard]] ShapePtr new_calendar_shape();
[[nodiscard]] ShapePtr changed_calendar_shape();  // the name is optional

// REQUIRES: the values have the shape of a new or a changed calendar.
[[nodiscard]] spec::CalendarText read_calendar(const Values& values, std::string name);

}  // namespace belfry::api
