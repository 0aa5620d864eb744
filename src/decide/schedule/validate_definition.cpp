#include "decide/schedule/validate_definition.hpp"

#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"

namespace belfry::decide {

namespace {

Error unknown_calendar(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& calendar : spec::built_in_calendars()) names.push_back(calendar.name);
    const auto meant = nearest(name, names);
    return invalid("there is no calendar " + in_quotes(name) +
                   (meant ? "; did you mean " + in_quotes(*meant) + "?" : ""));
}

}  // namespace

Errors validate_definition(const model::Schedule& definition, const spec::ZoneDatabase& zones,
                           const CalendarLookup& calendars, Seconds least) {
    Errors errors;
    if (const auto spec = spec::Spec::compile(definition.spec, zones); !spec) {
        errors.push_back(in_field(spec.error(), "/spec"));
    } else if (auto close = spec->closer_than(least)) {
        errors.push_back(in_field(std::move(*close), "/spec"));
    }
    for (std::size_t i = 0; i < definition.calendars.size(); ++i) {
        const auto& name = definition.calendars[i];
        const auto field = "/calendars/" + std::to_string(i);
        const auto text = calendars(name);
        if (!text) {
            errors.push_back(in_field(unknown_calendar(name), field));
        } else if (const auto calendar = spec::Calendar::compile(*text, zones); !calendar) {
            errors.push_back({ErrorCode::invalid_argument, calendar.error().message, field});
        }
    }
    if (!definition.condition.is_null()) {
        if (const auto condition = Condition::parse(definition.condition); !condition) {
            errors.push_back(in_field(condition.error(), "/preDispatchCondition"));
        }
    }
    const auto& events = definition.spec.events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].filter.is_null()) continue;
        if (const auto filter = Condition::parse(events[i].filter); !filter) {
            errors.push_back(in_field(filter.error(), "/spec/events/" + std::to_string(i) + "/filter"));
        }
    }
    return errors;
}

}  // namespace belfry::decide
