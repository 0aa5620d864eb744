// Reads the facts about one moment of a schedule from the store and explains them: see decide/explain/why.hpp.
// Thread-safe.
#pragma once

#include <vector>

#include "decide/explain/why.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kWhyEventsMax = 2'000;  // read on either side of the moment
inline constexpr std::size_t kWhyRunsMax = 100;      // of one moment

struct WhyAnswer {
    Instant at = {};  // the explained moment: a whole second
    Instant now = {};
    decide::Why why;
    model::Schedule schedule;
    std::vector<model::Run> runs = {};  // the run that the answer is about comes first
    std::vector<store::EventRecord> events = {};
};

// Finds a trigger by its second; by its minute if `at` is a whole minute.
[[nodiscard]] Result<WhyAnswer> why(store::Store& store, const spec::ZoneDatabase& zones, const store::ScheduleRef& ref,
                                    Instant at);

}  // namespace belfry::engine
