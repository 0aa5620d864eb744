// The system's zones and short ways to say times, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "spec/spec.hpp"

namespace belfry::test {

[[nodiscard]] const spec::ZoneDatabase& zones();
[[nodiscard]] spec::ZonePtr zone(const std::string& name);

// A database of the system's zones that a test may change, and one that has UTC alone: what an update may leave of the
// other.
[[nodiscard]] spec::ZoneDatabase own_zones();
[[nodiscard]] spec::ZoneDatabase utc_alone();

// REQUIRES: valid text; a test with a wrong literal ends the program.
[[nodiscard]] Instant instant(const std::string& text);
[[nodiscard]] spec::CronRule cron(const std::string& expression, const std::string& zone_name = "UTC",
                                  spec::DstRules rules = {});
[[nodiscard]] spec::Spec compile(const spec::SpecText& text);

// The next `count` occurrences after `after`, as texts joined by blanks; "none" when there are none.
template <typename Timing>
[[nodiscard]] std::string next_texts(const Timing& timing, const std::string& after, std::size_t count) {
    std::string result;
    auto moment = timing.next(instant(after));
    for (std::size_t i = 0; i < count && moment; ++i, moment = timing.next(*moment)) {
        result += (result.empty() ? "" : " ") + format_instant(*moment);
    }
    return result.empty() ? "none" : result;
}

}  // namespace belfry::test
