// One random question to a cron rule, and how it is said when the answer is wrong.
#pragma once

#include <optional>
#include <string>

#include "spec/cron/cron_rule.hpp"
#include "support/oracles/brute_schedule.hpp"
#include "support/oracles/random_cron.hpp"

namespace belfry::test {

struct CronCase {
    std::string expression;
    std::string zone;
    spec::DstRules rules;
    BruteWindow window;
};

[[nodiscard]] spec::DstRules random_rules(Random& random);

// A local time in or near the gap or fold at `transition_s`.
[[nodiscard]] CronAim aim_at(Random& random, const GlibcZone& zone, std::int64_t transition_s);

// An expression that fires near the transition, and a window around it.
[[nodiscard]] CronCase case_around(Random& random, const std::string& zone, std::int64_t transition_s);

// The transitions of the years people schedule in, some of the past and some of the far future, where only the rule of
// the zone goes on. In random order; for a zone that never changes, one instant.
[[nodiscard]] std::vector<std::int64_t> interesting_transitions(Random& random, const GlibcZone& zone);

[[nodiscard]] Instant instant_at(std::int64_t utc_s);

// Both opinions about one expression.
struct CronPair {
    BruteCron brute;
    spec::CronRule rule;
};

// Nothing when the expression never matches, in the opinion of both; a failed expectation when they differ.
[[nodiscard]] std::optional<CronPair> compile_both(const CronCase& asked);

// For failure messages: a line that can be pasted into a unit test, and the seed.
[[nodiscard]] std::string describe(const CronCase& asked);
[[nodiscard]] std::string describe(std::optional<Instant> answer);

}  // namespace belfry::test
