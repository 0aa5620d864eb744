// Runs past occurrences of a schedule now. Pure; plans a long range page by page.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "model/schedule/backfill.hpp"

namespace belfry::decide {

struct BackfillRequest {
    Instant from = {};  // both ends are included
    Instant to = {};
    std::optional<model::OverlapPolicy> overlap = {};  // overrides the schedule's; buffering becomes allow_all
    // Replaces the overlap policy: this many of its runs at a time, the others wait.
    std::optional<int> concurrency = {};
    model::BackfillRerun rerun = model::BackfillRerun::missing;
    bool of_paused = true;  // whether a paused schedule may be backfilled
    bool foreseen = false;  // for a dry run: assumes that every run ends before the next one's turn
};

// Why an occurrence of the range is not decided.
enum class LeftAlone : std::uint8_t {
    has_run,         // `missing`: it has a run
    has_not_failed,  // `failed`: its newest run has not failed, or it has none
    not_over,        // `all`: its newest run has not ended, or is buffered
    not_due,         // a tick has yet to decide it
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
    std::optional<Instant> next_from = {};  // the start of the next page; empty: this was the last
    bool waits = false;                     // the next occurrence waits for a run to end
    std::vector<PassedOver> passed_over = {};
    friend bool operator==(const BackfillPage&, const BackfillPage&) = default;
};

// Decides the occurrences of the range, oldest first, at most `page` of them, at their times without jitter. `rerun`
// selects them. Occurrences that ticks have yet to decide are left to the ticks, so nothing fires twice. With a
// concurrency, the page ends at the first occurrence that must wait. Ends early when maxRuns is reached. A dry run is
// this page without applying it. Rejects a range that is empty or not in the past, and a schedule that is neither
// active nor paused.
//
// REQUIRES: the facts have the slots of the page up to kRerunSpan after its last occurrence, and the runs in flight.
[[nodiscard]] Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now,
                                                 int page, const model::CommandContext& context = {});

}  // namespace belfry::decide
