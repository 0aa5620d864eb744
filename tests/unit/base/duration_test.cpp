#include "base/time/duration.hpp"

#include <gtest/gtest.h>

namespace belfry {
namespace {

std::string canonical(const std::string& text) {
    const auto duration = parse_duration(text);
    return duration ? format_duration(*duration) : "error: " + duration.error().message;
}

TEST(Duration, ReadsIso8601AndTheShortForm) {
    EXPECT_EQ(canonical("PT90M"), "PT1H30M");
    EXPECT_EQ(canonical("1h30m"), "PT1H30M");
    EXPECT_EQ(canonical("1.5h"), "PT1H30M");
    EXPECT_EQ(canonical("P1W2DT3H4M5.25S"), "P9DT3H4M5.25S");
    EXPECT_EQ(canonical("pt1h"), "PT1H");
    EXPECT_EQ(canonical("2d"), "P2D");
    EXPECT_EQ(canonical("250ms"), "PT0.25S");
    EXPECT_EQ(canonical("PT0S"), "PT0S");
    EXPECT_EQ(canonical("PT0,5S"), "PT0.5S");
    EXPECT_EQ(canonical("P36500D"), "P36500D");
}

class DurationRefusals : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DurationRefusals, SayWhy) {
    const auto [text, reason] = GetParam();
    const auto result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find(reason), std::string::npos) << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, DurationRefusals,
    testing::Values(std::pair{"", "use units"}, std::pair{"P", "use ISO 8601"}, std::pair{"PT", "use ISO 8601"},
                    std::pair{"P1DT", "use ISO 8601"}, std::pair{"P1M", "years and months have no fixed length"},
                    std::pair{"P1Y", "years and months have no fixed length"}, std::pair{"-PT1H", "sign"},
                    std::pair{"+1h", "sign"}, std::pair{"PT-1H", "use ISO 8601"}, std::pair{"1h1h", "use units"},
                    std::pair{"1m1h", "use units"}, std::pair{"PT1S1M", "use ISO 8601"},
                    std::pair{"P36501D", "longer than 100 years"}, std::pair{"P36500DT1S", "longer than 100 years"},
                    std::pair{"PT99999999999999999999H", "too long"},
                    std::pair{"999999999999999h", "longer than 100 years"}, std::pair{"1", "use units"},
                    std::pair{"1 h", "use units"}, std::pair{"PT1.H", "number"}, std::pair{"PT1.0000000S", "number"},
                    std::pair{"five minutes", "use units"}));

}  // namespace
}  // namespace belfry
