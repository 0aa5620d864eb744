// Spreads fire times in a stable way. Pure.
//
// The offset of an occurrence is a hash of the schedule and the occurrence, so a restart or a second server computes
// the same one. Occurrences keep their order: if the ranges of two neighbours overlap, each gets its share of the time
// between them.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/instant.hpp"

namespace belfry::spec {

struct Jitter {
    Micros before{0};  // how much earlier than the occurrence it may fire
    Micros after{0};   // how much later
    friend bool operator==(const Jitter&, const Jitter&) = default;
};

// An offset in [-before, +after], in whole milliseconds. `previous` and `next` are the neighbouring occurrences.
[[nodiscard]] Micros jitter_offset(const Jitter& jitter, std::string_view schedule_id, Instant occurrence,
                                   std::optional<Instant> previous, std::optional<Instant> next);

}  // namespace belfry::spec
