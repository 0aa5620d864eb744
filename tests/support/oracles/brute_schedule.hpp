// All occurrences of a cron expression in a window, by stepping through real time: the oracle for the program's
// searches.
//
// Zone data comes from the C library; the rules about clock changes are applied from first principles to every second.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/zone/dst.hpp"
#include "support/oracles/brute_cron.hpp"
#include "support/oracles/glibc_zone.hpp"

namespace belfry::test {

struct BruteOccurrence {
    std::int64_t utc_s;
    bool on_time = false;                          // its local time exists and matches
    std::size_t passes = 1;                        // how often that local time happens
    std::size_t pass = 0;                          // which of them this is, from 0
    std::optional<LocalSecond> shifted_from = {};  // the first local time of the gap before it that it makes up for
};

struct BruteWindow {
    std::int64_t from_s;
    std::int64_t to_s;  // not included
};

[[nodiscard]] std::vector<BruteOccurrence> brute_occurrences(const BruteCron& cron, const GlibcZone& zone,
                                                             spec::DstRules rules, BruteWindow window);

}  // namespace belfry::test
