// A schedule ready to be decided on: its spec, calendars and condition parsed once per version, so that a fire parses
// nothing. Immutable, safe to share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decide/condition.hpp"
#include "model/assignment.hpp"
#include "spec/calendar.hpp"

namespace belfry::decide {

// An event that the schedule waits for.
struct Subscription {
    std::string event;
    std::optional<Condition> filter = {};  // nothing: every payload passes
    std::string broken = {};               // why the stored filter does not parse: then nothing passes
    [[nodiscard]] bool lets_pass(const Json& payload) const { return broken.empty() && (!filter || filter->holds(payload)); }
};

struct CompiledSchedule {
    model::Schedule definition;
    spec::Spec spec;
    std::vector<spec::Calendar> calendars;
    std::optional<Condition> condition;
    model::ApprovalPolicy approval;  // the definition's, and what its assignment wants besides: decisions look at this one

    // What cannot be resolved fails closed when it is asked: the guard refuses with this text as the detail.
    std::string missing_calendar;  // the first attached name that nobody knows
    std::string broken_condition;  // why the stored condition does not parse

    // Why what is stored cannot be read or compiled; empty when it can. Then this is a stand-in: it has no occurrences and starts
    // nothing, and of its definition there may be no more than whose it is. It can be paused, replaced and deleted, and its runs end.
    std::string unreadable;

    std::vector<Subscription> subscriptions = {};

    // Whether everything that it names was found, and everything in it parsed.
    [[nodiscard]] bool is_resolved() const;
};

using CompiledPtr = std::shared_ptr<const CompiledSchedule>;

// The calendar of that name as the tenant sees it, or nothing.
using CalendarLookup = std::function<std::optional<spec::CalendarText>(const std::string& name)>;

// Refuses a spec that does not compile; a missing calendar or a broken condition is kept as such (see above). `assignment` is the
// one that the definition names; null: there is none, and nothing begins unless it is approved.
[[nodiscard]] Result<CompiledPtr> compile(model::Schedule definition, const spec::ZoneDatabase& zones, const CalendarLookup& calendars,
                                          const model::WorkflowAssignment* assignment = nullptr);

// What stands for a schedule that does not compile, with as much of its definition as is known.
[[nodiscard]] CompiledPtr stand_in(model::Schedule definition, std::string unreadable, const model::WorkflowAssignment* assignment = nullptr);

// Without calendars of its own: the built-in ones alone.
[[nodiscard]] std::optional<spec::CalendarText> find_built_in_calendar(const std::string& name);

}  // namespace belfry::decide
