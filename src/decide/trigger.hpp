// A run that a person or a program asks for now, beside the schedule's own times. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// Something that happened elsewhere, as its sender reports it.
struct ReceivedEvent {
    std::string name;
    std::string id;  // its sender's; a schedule is started once for each
    Json payload = nullptr;
};

struct TriggerRequest {
    std::optional<Json> input = {};                    // instead of the schedule's
    std::optional<model::OverlapPolicy> overlap = {};  // instead of the schedule's
    std::optional<Instant> occurrence = {};            // its own, when another trigger has the millisecond of now
    std::string replays = {};                          // the dead letter that it does again
};

// Skips the guards that belong to the schedule's own times (window, missed runs, calendars, condition) and jitter, never
// overlap or approval. The plan holds one run: dispatched, buffered, or skipped with its reason. A conflict when another
// trigger took the same millisecond: ask again.
[[nodiscard]] Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now, const model::CommandContext& context = {});

// A run that an event starts, with the guards of a trigger. Its input is the schedule's own with the member `event` beside it: `name`, `id`
// and `payload`; an input that is no object becomes the member `input`. An empty plan when the schedule does not wait for the event, or no
// filter lets the payload pass: then nothing is recorded. `occurrence` as of a trigger.
[[nodiscard]] Result<Plan> plan_event(const Facts& facts, const ReceivedEvent& event, std::optional<Instant> occurrence, Instant now,
                                      const model::CommandContext& context = {});

}  // namespace belfry::decide
