// What a spec says, in English: one sentence that is true under our rules, warnings where a text misleads, and the note
// for an occurrence that a clock change touched. Pure.
//
// The words are made from the values that the fields stand for, not from their text: expressions that fire at the same
// wall-clock times read the same, however they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.hpp"

namespace belfry::spec {

enum class ClockStyle : std::uint8_t {
    hours_12,  // 5:45 PM
    hours_24,  // 17:45
};

struct ExplainOptions {
    ClockStyle clock = ClockStyle::hours_12;
    bool with_zone = true;
};

// "Every weekday at 9:00 AM". Names the zone only when the expression has one of its own (CRON_TZ=).
[[nodiscard]] std::string explain(const CronExpression& expression, ExplainOptions options = {});

// The union of all members, the zone, the window, the jitter, and the DST rules where they are not the default.
// REQUIRES: the text compiles. A part that does not stands in the sentence as it was written.
[[nodiscard]] std::string explain(const SpecText& text, const ZoneDatabase& zones, ExplainOptions options = {});

// Sentences about what a reader would probably take the text to mean and what it does instead; none for a clear text.
[[nodiscard]] std::vector<std::string> warnings(const CronExpression& expression);

// "02:30 does not exist on 28 Mar → runs 03:00". `zone` is the one in which the occurrence's rule runs.
[[nodiscard]] std::string describe(const DstMark& mark, Instant occurrence, const Zone& zone);

}  // namespace belfry::spec
