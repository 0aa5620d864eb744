// A backfill: runs a range of past occurrences, page by page. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/schedule/policy.hpp"

namespace belfry::model {

enum class BackfillStatus : std::uint8_t { running, paused, completed, cancelled, failed };
[[nodiscard]] std::string_view name_of(BackfillStatus status);
[[nodiscard]] constexpr bool is_over(BackfillStatus status) { return status >= BackfillStatus::completed; }

// Which occurrences of its range a backfill runs.
enum class BackfillRerun : std::uint8_t {
    missing,  // those without a dispatched run, including skipped ones
    failed,   // those whose newest run failed
    all,      // all of them
};
[[nodiscard]] std::string_view name_of(BackfillRerun rerun);
[[nodiscard]] Result<BackfillRerun> parse_backfill_rerun(std::string_view text);

inline constexpr int kBackfillConcurrencyMax = 1'000;

struct Backfill {
    std::string id;
    std::string schedule_id;
    Instant from = {};  // both ends are inclusive
    Instant to = {};
    std::optional<OverlapPolicy> overlap = {};
    std::optional<int> concurrency = {};  // limit of its runs in flight; empty: overlap policies decide
    BackfillRerun rerun = BackfillRerun::missing;
    BackfillStatus status = BackfillStatus::running;
    std::optional<Instant> next_from = {};  // start of the next page; empty if none is left
    std::int64_t dispatched = 0;            // until now
    std::int64_t skipped = 0;
    std::string error = {};
    std::string created_by = {};
    Instant created_at = {};
    Instant updated_at = {};
    std::int64_t version = 1;  // counts changes; a page applies only to the version that it was planned for
    friend bool operator==(const Backfill&, const Backfill&) = default;
};

}  // namespace belfry::model
