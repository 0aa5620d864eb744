// Past occurrences of a schedule, run now. Pure; a long range is planned page by page.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

struct BackfillRequest {
    Instant from = {};  // both ends are included
    Instant to = {};
    std::optional<model::OverlapPolicy> overlap = {};  // instead of the schedule's; buffering becomes allow_all
};

struct BackfillPage {
    Plan plan;
    std::optional<Instant> next_from = {};  // where the next page begins; nothing when this was the last
    friend bool operator==(const BackfillPage&, const BackfillPage&) = default;
};

// Decides the occurrences of the range from the oldest, at their canonical times without jitter, at most `page` of them. An
// occurrence that already ran, by a tick or a backfill, is left alone, and so is one that the ticks have yet to decide:
// nothing fires twice. Ends early when maxRuns is exhausted. A dry run is this page without applying it. Refuses a range
// that is empty or not in the past, and a schedule that is not active.
[[nodiscard]] Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now, int page,
                                                 const model::CommandContext& context = {});

}  // namespace belfry::decide
