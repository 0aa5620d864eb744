// Describes a spec in English: one sentence that is true under Belfry's rules, warnings about misleading texts, and a
// note for an occurrence that a clock change affected. Pure.
//
// The words derive from the values of the fields, not from their text: expressions that fire at the same wall-clock
// times have the same sentence, however they are written.
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

// "Every weekday at 9:00 AM". Names the zone only if the expression sets one (CRON_TZ=).
[[nodiscard]] std::string explain(const CronExpression& expression, ExplainOptions options = {});

// Describes the union of all members, the zone, the window, the jitter, and DST rules other than the default.
// REQUIRES: the text compiles. A part that does not is quoted as written.
[[nodiscard]] std::string explain(const SpecText& text, const ZoneDatabase& zones, ExplainOptions options = {});

// Sentences about texts whose probable reading differs from their effect; empty for a clear text.
[[nodiscard]] std::vector<std::string> warnings(const CronExpression& expression);

// "02:30 does not exist on 28 Mar → runs 03:00". `zone` is the zone of the occurrence's rule.
[[nodiscard]] std::string describe(const DstMark& mark, Instant occurrence, const Zone& zone);

}  // namespace belfry::spec
