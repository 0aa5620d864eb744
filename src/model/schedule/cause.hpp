// The cause of a run as users see it. Pure.
//
// An immediate start is stored as a schedule with one instant (docs/adr/0015-immediate-starts.md), so its run has the
// slot of a tick. Users see the cause `start` instead.
#pragma once

#include <string_view>

#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::model {

inline constexpr std::string_view kStartCause = "start";

[[nodiscard]] inline bool is_immediate(const Schedule& schedule) { return schedule.labels.contains(kImmediateLabel); }

[[nodiscard]] inline std::string_view cause_name(const RunSlot& slot, bool immediate) {
    return immediate && slot.cause == RunCause::tick ? kStartCause : name_of(slot.cause);
}
[[nodiscard]] inline std::string_view cause_name(const RunSlot& slot, const Schedule& schedule) {
    return cause_name(slot, is_immediate(schedule));
}

}  // namespace belfry::model
