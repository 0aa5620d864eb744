// Gathers what a store knows about one moment of a schedule and has it explained: see decide/why.hpp. Thread-safe.
#pragma once

#include <vector>

#include "decide/why.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kWhyEventsMax = 2'000;  // looked at on either side of the moment
inline constexpr std::size_t kWhyRunsMax = 100;      // of one moment

struct WhyAnswer {
    Instant at = {};  // the moment that was judged: a whole second
    Instant now = {};
    decide::Why why;
    model::Schedule schedule;
    std::vector<model::Run> runs = {};  // the one that the answer is about first
    std::vector<store::EventRecord> events = {};
};

// A trigger is found by the second that it happened in; by its minute when `at` is a whole minute.
[[nodiscard]] Result<WhyAnswer> why(store::Store& store, const spec::ZoneDatabase& zones, const store::ScheduleRef& ref, Instant at);

}  // namespace belfry::engine
