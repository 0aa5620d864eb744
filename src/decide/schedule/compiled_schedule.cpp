#include "decide/schedule/compiled_schedule.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"

namespace belfry::decide {

Result<CompiledPtr> compile(model::Schedule definition, const spec::ZoneDatabase& zones,
                            const CalendarLookup& calendars, const model::WorkflowAssignment* assignment) {
    auto spec = spec::Spec::compile(definition.spec, zones);
    if (!spec) return in_field(spec.error(), "/spec");
    auto approval = approval_of(definition, assignment);
    auto result = std::make_shared<CompiledSchedule>(
        CompiledSchedule{std::move(definition), std::move(*spec), {}, {}, std::move(approval), {}, {}, {}});
    for (const auto& name : result->definition.calendars) {
        const auto text = calendars(name);
        auto calendar =
            text ? spec::Calendar::compile(*text, zones) : Result<spec::Calendar>(invalid("unknown calendar"));
        if (calendar) {
            result->calendars.push_back(std::move(*calendar));
        } else if (result->missing_calendar.empty()) {
            result->missing_calendar = name;
        }
    }
    if (!result->definition.condition.is_null()) {
        auto condition = Condition::parse(result->definition.condition);
        if (condition) {
            result->condition = std::move(*condition);
        } else {
            result->broken_condition = condition.error().message;
        }
    }
    for (const auto& event : result->definition.spec.events) {
        auto& subscription = result->subscriptions.emplace_back(Subscription{.event = event.name});
        if (event.filter.is_null()) continue;
        auto filter = Condition::parse(event.filter);
        if (filter) {
            subscription.filter = std::move(*filter);
        } else {
            subscription.broken = filter.error().message;
        }
    }
    return CompiledPtr(std::move(result));
}

bool CompiledSchedule::is_resolved() const {
    const auto is_broken = [](const Subscription& subscription) { return !subscription.broken.empty(); };
    return missing_calendar.empty() && broken_condition.empty() && std::ranges::none_of(subscriptions, is_broken);
}

CompiledPtr stand_in(model::Schedule definition, std::string unreadable, const model::WorkflowAssignment* assignment) {
    auto approval = approval_of(definition, assignment);
    return std::make_shared<const CompiledSchedule>(CompiledSchedule{
        std::move(definition), spec::Spec::never(), {}, {}, std::move(approval), {}, {}, std::move(unreadable)});
}

std::optional<spec::CalendarText> find_built_in_calendar(const std::string& name) {
    const auto& all = spec::built_in_calendars();
    const auto found = std::ranges::find(all, name, &spec::CalendarText::name);
    if (found == all.end()) return std::nullopt;
    return *found;
}

}  // namespace belfry::decide
