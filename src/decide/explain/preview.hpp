// What a schedule would do at its future times. The same guards as a tick, without side effects. Pure.
#pragma once

#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

inline constexpr std::size_t kPreviewRowsMax = 10'000;
inline constexpr std::size_t kForecastBytesMax = std::size_t{4} << 20U;   // of inputs, because every row has a copy
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

// The occurrences after `from` (not included), at most `rows` of them, kPreviewRowsMax and ten years. Every row
// assumes that the runs before it ended in time: the context is the current one, and rotation and maxRuns advance
// with every row. simulate() shows how overlap, conditions and buffers unfold.
[[nodiscard]] std::vector<PreviewRow> preview(const Facts& facts, Instant from, std::size_t rows);

// The same for a page: the rows before it have no inputs, and the page ends early with the row that fills `bytes`.
struct PreviewPage {
    std::size_t rows = 0;    // including those before the page
    std::size_t before = 0;  // rows before the page
    std::size_t bytes = kForecastBytesMax;
};
struct Previewed {
    std::vector<PreviewRow> rows = {};
    bool cut = false;  // `bytes` ended the page
};
[[nodiscard]] Previewed preview(const Facts& facts, Instant from, const PreviewPage& page);

}  // namespace belfry::decide
