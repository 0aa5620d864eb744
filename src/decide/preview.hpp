// What a schedule would do at its coming times. The same guards as a tick, no side effects. Pure.
#pragma once

#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

inline constexpr std::size_t kPreviewRowsMax = 10'000;
inline constexpr Micros kPreviewSpanMax = std::chrono::hours{24 * 3653};  // ten years with their leap days

struct PreviewRow {
    Instant occurrence = {};
    LocalSeconds local = {};
    model::DispatchStatus decision = model::DispatchStatus::dispatched;
    std::optional<model::SkipReason> reason = {};
    std::string detail = {};
    Json input = nullptr;
    std::optional<spec::DstMark> dst = {};
    friend bool operator==(const PreviewRow&, const PreviewRow&) = default;
};

// The occurrences after `from`, which is not included, at most `rows` of them (and kPreviewRowsMax, and ten years). Every row is judged as if the
// runs before it had ended well in time: the context is the one of now, rotation and maxRuns advance from row to row.
// How overlap, conditions and buffers unfold is a matter for simulate().
[[nodiscard]] std::vector<PreviewRow> preview(const Facts& facts, Instant from, std::size_t rows);

}  // namespace belfry::decide
