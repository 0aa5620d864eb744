// A run that a client requests now, beside the schedule's own times. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// An event elsewhere, as a client reports it.
struct ReceivedEvent {
    std::string name;
    std::string id;  // from the client; it starts a schedule once
    Json payload = nullptr;
};

struct TriggerRequest {
    std::optional<Json> input = {};                    // overrides the schedule's
    std::optional<model::OverlapPolicy> overlap = {};  // overrides the schedule's
    std::optional<Instant> occurrence = {};            // if another trigger has the current millisecond
    std::string replays = {};                          // the dead letter that it replays
};

// Skips jitter and the guards of the schedule's own times (window, missed runs, calendars, condition), but never
// overlap or approval. The plan has one run: dispatched, buffered, or skipped with its reason. Returns a conflict if
// another trigger has the same millisecond: the caller should retry with the next one.
[[nodiscard]] Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now,
                                        const model::CommandContext& context = {});

// A run that an event starts, with the guards of a trigger. Its input is the schedule's with an additional member
// `event`: `name`, `id` and `payload`; an input that is not an object becomes the member `input`. Returns an empty
// plan, and records nothing, if the schedule does not wait for the event or no filter accepts the payload.
// `occurrence` as for a trigger.
[[nodiscard]] Result<Plan> plan_event(const Facts& facts, const ReceivedEvent& event, std::optional<Instant> occurrence,
                                      Instant now, const model::CommandContext& context = {});

}  // namespace belfry::decide
