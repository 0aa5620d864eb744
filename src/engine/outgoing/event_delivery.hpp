// An event that another system reports, and the schedules of its tenant that it starts.
#pragma once

#include "engine/usecases/schedules.hpp"

namespace belfry::engine {

// Schedules per report. Each is its own transaction, so that a busy or broken schedule does not delay the others.
inline constexpr std::size_t kEventFanOutMax = 200;

struct EventReport {
    std::string tenant;
    decide::ReceivedEvent event;
    std::string after = {};  // `next` of the previous answer, to continue with the remaining schedules
};

// The result for one schedule that waits for the event.
struct EventOutcome {
    std::string schedule_id;
    std::optional<model::Run> run = {};  // dispatched, buffered, or skipped; empty: no filter accepts the payload
    bool repeated = false;               // an earlier report of the same event made the run
    std::optional<Error> error = {};     // nothing was decided: the client may repeat the report
};

struct EventAnswer {
    std::vector<EventOutcome> outcomes = {};
    std::string next = {};  // more schedules wait for it; empty: no more
};

// Returns an error if the schedules cannot be read. A repeated report with the same id starts nothing twice.
[[nodiscard]] Result<EventAnswer> deliver_event(store::StoreReader& store, Schedules& schedules,
                                                const EventReport& report, const model::CommandContext& context);

}  // namespace belfry::engine
