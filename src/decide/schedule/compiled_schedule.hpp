// A schedule that is ready for decisions: its spec, calendars and condition are parsed once per version, so that a
// fire parses nothing. Immutable, safe to share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decide/schedule/condition.hpp"
#include "model/tenant/assignment.hpp"
#include "spec/calendar/calendar.hpp"

namespace belfry::decide {

// An event that the schedule waits for.
struct Subscription {
    std::string event;
    std::optional<Condition> filter = {};  // empty: accepts every payload
    std::string broken = {};               // why the stored filter does not parse: then it accepts none
    [[nodiscard]] bool lets_pass(const Json& payload) const {
        return broken.empty() && (!filter || filter->holds(payload));
    }
};

struct CompiledSchedule {
    model::Schedule definition;
    spec::Spec spec;
    std::vector<spec::Calendar> calendars;
    std::optional<Condition> condition;
    model::ApprovalPolicy approval;  // the definition's and its assignment's, combined; decisions use this one

    // Parts that cannot be resolved fail closed: the guard refuses with this text as the detail.
    std::string missing_calendar;  // the first attached name that does not exist
    std::string broken_condition;  // why the stored condition does not parse

    // Why the stored definition cannot be read or compiled; empty if it can. Otherwise this is a stand-in: it has no
    // occurrences, starts nothing, and may know no more of its definition than the owner. It can be paused, replaced
    // and deleted, and its runs can end.
    std::string unreadable;

    std::vector<Subscription> subscriptions = {};

    // Whether everything that it names exists and everything in it parsed.
    [[nodiscard]] bool is_resolved() const;
};

using CompiledPtr = std::shared_ptr<const CompiledSchedule>;

// The calendar of that name as the tenant sees it; empty if there is none.
using CalendarLookup = std::function<std::optional<spec::CalendarText>(const std::string& name)>;

// Rejects a spec that does not compile; keeps a missing calendar or a broken condition as such (see above).
// `assignment` is the one that the definition names; null: it does not exist, and every run needs approval if the
// definition names one.
[[nodiscard]] Result<CompiledPtr> compile(model::Schedule definition, const spec::ZoneDatabase& zones,
                                          const CalendarLookup& calendars,
                                          const model::WorkflowAssignment* assignment = nullptr);

// The stand-in for a schedule that does not compile, with the known parts of its definition.
[[nodiscard]] CompiledPtr stand_in(model::Schedule definition, std::string unreadable,
                                   const model::WorkflowAssignment* assignment = nullptr);

// For callers without a tenant's calendars: finds only the built-in ones.
[[nodiscard]] std::optional<spec::CalendarText> find_built_in_calendar(const std::string& name);

}  // namespace belfry::decide
