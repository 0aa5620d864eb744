// An expression is refused as one that never matches exactly when no date of 400 years, or of the years it names,
// matches.
#include <gtest/gtest.h>

#include "spec/cron/cron_expression.hpp"
#include "support/oracles/brute_cron.hpp"
#include "support/oracles/random_cron.hpp"

namespace belfry::spec {
namespace {

TEST(CronProperty, RefusesAsNeverExactlyWhatNeverMatches) {
    test::Random random(20);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < test::case_count(20'000); ++i) {
        const auto expression = random_dates_cron(random);
        const auto brute = test::BruteCron::parse(expression);
        ASSERT_TRUE(brute) << expression;
        const auto parsed = parse_cron(expression);
        ASSERT_EQ(parsed.has_value(), brute->ever_matches())
            << expression << ": " << (parsed ? "accepted" : parsed.error().message) << " with SEED=" << test::seed();
        if (parsed) continue;
        ++refused;
        ASSERT_NE(parsed.error().message.find("never matches"), std::string::npos)
            << expression << ": " << parsed.error().message;
    }
    EXPECT_GT(refused, 0U) << "the generator no longer makes any";
}

}  // namespace
}  // namespace belfry::spec
