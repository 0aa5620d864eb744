// An event that another system reports, and what it starts: the schedules of its tenant that wait for it.
#pragma once

#include "engine/schedules.hpp"

namespace belfry::engine {

// So many schedules are looked at for one report. Each is a transaction of its own, so that one that is busy or broken holds up no other.
inline constexpr std::size_t kEventFanOutMax = 200;

struct EventReport {
    std::string tenant;
    decide::ReceivedEvent event;
    std::string after = {};  // `next` of the answer before: goes on with the schedules that it left out
};

// What became of it in one schedule that waits for it.
struct EventOutcome {
    std::string schedule_id;
    std::optional<model::Run> run = {};  // dispatched, buffered, or skipped with its reason; nothing: no filter let the payload pass
    bool repeated = false;               // an earlier report of the same event made the run
    std::optional<Error> error = {};     // nothing was decided: the same report may be sent again
};

struct EventAnswer {
    std::vector<EventOutcome> outcomes = {};
    std::string next = {};  // more schedules wait for it; empty: these were all
};

// The error when nobody could be asked. Reported again under the same id, it starts nothing twice.
[[nodiscard]] Result<EventAnswer> deliver_event(store::Store& store, Schedules& schedules, const EventReport& report,
                                                const model::CommandContext& context);

}  // namespace belfry::engine
