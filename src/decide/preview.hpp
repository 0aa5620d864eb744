// What a schedule would do at its coming times. The same guards as a tick, no side effects. Pure.
#pragma once

#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

inline constexpr std::size_t kPreviewRowsMax = 10'000;
inline constexpr std::size_t kForesightBytesMax = std::size_t{4} << 20U;  // of inputs: every row has a copy
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

// The same for a page: the rows before it have no inputs, and the page ends early with the row that fills `bytes`.
struct PreviewPage {
    std::size_t rows = 0;    // with those before it
    std::size_t before = 0;  // how many those are
    std::size_t bytes = kForesightBytesMax;
};
struct Previewed {
    std::vector<PreviewRow> rows = {};
    bool cut = false;  // there was no room for more
};
[[nodiscard]] Previewed preview(const Facts& facts, Instant from, const PreviewPage& page);

}  // namespace belfry::decide
