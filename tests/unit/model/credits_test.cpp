// Credits: exact amounts, whatever JSON makes of them; and what adds up to what a run has used.
#include "model/schedule/credits.hpp"

#include <gtest/gtest.h>

#include "model/run/usage.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::model {
namespace {

TEST(Credits, ADecimalOfSixPlacesIsTakenExactly) {
    struct Row {
        const char* text;
        std::int64_t micros;
    };
    for (const auto& [text, micros] :
         {Row{"0", 0}, Row{"1", 1'000'000}, Row{"0.1", 100'000}, Row{"2.50", 2'500'000}, Row{"0.000001", 1},
          Row{"1e2", 100'000'000}, Row{"1000000000", kCreditsMax.micros},
          Row{"999999999.999999", 999'999'999'999'999}}) {
        const auto credits = credits_from_json(test::json(text));
        ASSERT_TRUE(credits) << text;
        EXPECT_EQ(credits->micros, micros) << text;
    }
}

TEST(Credits, WhatIsNoAmountIsRefused) {
    for (const auto* text :
         {"-1", "-0.5", "0.0000001", "1.0000005", "1000000000.000001", "1e30", "true", "null", "\"1\"", "[]"}) {
        EXPECT_FALSE(credits_from_json(test::json(text))) << text;
    }
}

TEST(Credits, EveryAmountComesBackAsItWasWritten) {
    for (const std::int64_t micros :
         {0L, 1L, 10L, 999'999L, 1'000'000L, 1'500'000L, 123'456'789'012L, 999'999'999'999'999L}) {
        const auto text = to_text(to_json(Credits{micros}));
        const auto read = credits_from_json(test::json(text));
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->micros, micros) << text;
    }
}

TEST(Credits, AreWrittenWithoutZerosAtTheEnd) {
    EXPECT_EQ(format_credits(Credits{0}), "0");
    EXPECT_EQ(format_credits(Credits{1'500'000}), "1.5");
    EXPECT_EQ(format_credits(Credits{1}), "0.000001");
    EXPECT_EQ(format_credits(Credits{-2'000'000}), "-2");
}

TEST(Usage, AReportThatSaysLessTakesNothingBack) {
    const Usage known{Credits{5}, 10, 3, {"browse"}};
    const auto after = raised(known, {Credits{7}, 8, 3, {"search"}});
    EXPECT_EQ(after, (Usage{Credits{7}, 10, 3, {"browse", "search"}}));
    EXPECT_EQ(raised(after, known), after);
}

TEST(Usage, OfSeveralAttemptsAddsUp) {
    Usage sum{Credits{5}, 10, 3, {"browse"}};
    sum += {Credits{1}, 2, 3, {"browse", "search"}};
    EXPECT_EQ(sum, (Usage{Credits{6}, 12, 6, {"browse", "search"}}));
}

}  // namespace
}  // namespace belfry::model
