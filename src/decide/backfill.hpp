// Past occurrences of a schedule, run now. Pure; a long range is planned page by page.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "model/backfill.hpp"

namespace belfry::decide {

struct BackfillRequest {
    Instant from = {};  // both ends are included
    Instant to = {};
    std::optional<model::OverlapPolicy> overlap = {};  // instead of the schedule's; buffering becomes allow_all
    std::optional<int> concurrency = {};               // instead of every overlap policy: so many of its runs at a time, the others wait
    model::BackfillRerun rerun = model::BackfillRerun::missing;
    bool of_paused = true;  // whether a paused schedule may be backfilled
    bool foreseen = false;  // as if every run were over when the next one's turn comes: what a dry run shows
};

// Why an occurrence of the range is not decided.
enum class LeftAlone : std::uint8_t {
    has_run,         // `missing`: it has a run
    has_not_failed,  // `failed`: its newest run has not failed, or it has none
    not_over,        // `all`: its newest run goes on, or waits in the buffer
    not_due,         // the ticks have yet to decide it
    rerun_too_often,
};
[[nodiscard]] std::string_view name_of(LeftAlone why);

struct PassedOver {
    Instant occurrence = {};
    LeftAlone why = LeftAlone::has_run;
    friend bool operator==(const PassedOver&, const PassedOver&) = default;
};

struct BackfillPage {
    Plan plan;
    std::optional<Instant> next_from = {};  // where the next page begins; nothing when this was the last
    bool waits = false;                     // the next one's turn comes when a run has ended
    std::vector<PassedOver> passed_over = {};
    friend bool operator==(const BackfillPage&, const BackfillPage&) = default;
};

// Decides the occurrences of the range from the oldest, at their canonical times without jitter, at most `page` of them. Which they are
// says `rerun`; one that the ticks have yet to decide is left to them: nothing fires twice. With a concurrency the page ends
// where an occurrence has to wait for its turn. Ends early when maxRuns is exhausted. A dry run is this page without applying it. Refuses a range
// that is empty or not in the past, and a schedule that is neither active nor paused.
// REQUIRES: the facts have the slots of the page up to kRerunSpan after its last occurrence, and the runs in flight.
[[nodiscard]] Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now, int page,
                                                 const model::CommandContext& context = {});

}  // namespace belfry::decide
