// A backfill: a range of past occurrences that is run page by page. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/policy.hpp"

namespace belfry::model {

enum class BackfillStatus : std::uint8_t { running, paused, completed, cancelled, failed };
[[nodiscard]] std::string_view name_of(BackfillStatus status);
[[nodiscard]] Result<BackfillStatus> parse_backfill_status(std::string_view text);
[[nodiscard]] constexpr bool is_over(BackfillStatus status) { return status >= BackfillStatus::completed; }

// Which occurrences of its range a backfill runs.
enum class BackfillRerun : std::uint8_t {
    missing,  // that have no dispatched run: those that were skipped, too
    failed,   // whose newest run has failed
    all,      // whatever became of them
};
[[nodiscard]] std::string_view name_of(BackfillRerun rerun);
[[nodiscard]] Result<BackfillRerun> parse_backfill_rerun(std::string_view text);

inline constexpr int kBackfillConcurrencyMax = 1'000;

struct Backfill {
    std::string id;
    std::string schedule_id;
    Instant from = {};  // both ends are included
    Instant to = {};
    std::optional<OverlapPolicy> overlap = {};
    std::optional<int> concurrency = {};  // so many of its runs go on at once, and the others wait; nothing: overlap policies decide
    BackfillRerun rerun = BackfillRerun::missing;
    BackfillStatus status = BackfillStatus::running;
    std::optional<Instant> next_from = {};  // where the next page begins; nothing when none is left
    std::int64_t dispatched = 0;            // so far
    std::int64_t skipped = 0;
    std::string error = {};
    std::string created_by = {};
    Instant created_at = {};
    Instant updated_at = {};
    std::int64_t version = 1;  // counts the changes; a page is applied to the version it was planned on
    friend bool operator==(const Backfill&, const Backfill&) = default;
};

}  // namespace belfry::model
