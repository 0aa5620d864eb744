#include "app/worker/error_lines.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace belfry::app {
namespace {

class ErrorLinesTest : public ::testing::Test {
protected:
    std::vector<std::string> told;
    ErrorLines lines{[this](std::string_view line) { told.emplace_back(line); }};
};

TEST_F(ErrorLinesTest, PassesOnWholeLinesHoweverTheyArrive) {
    lines.take("one\ntw");
    EXPECT_EQ(told, (std::vector<std::string>{"one"}));
    lines.take("o\n\nthree");
    lines.finish();
    lines.finish();
    EXPECT_EQ(told, (std::vector<std::string>{"one", "two", "", "three"}));
    EXPECT_EQ(lines.end(), "one\ntwo\n\nthree");
}

TEST_F(ErrorLinesTest, ALineWithoutAnEndIsPassedOnInPieces) {
    lines.take(std::string(2 * ErrorLines::kLineMax + 1, 'x'));
    lines.take("\n");
    EXPECT_EQ(told, (std::vector<std::string>{std::string(ErrorLines::kLineMax, 'x'),
                                              std::string(ErrorLines::kLineMax, 'x'), "x"}));
}

TEST_F(ErrorLinesTest, KeepsTheEndFromTheBeginningOfALine) {
    for (int i = 0; i < 10'000; ++i) lines.take("line " + std::to_string(i) + "\n");
    EXPECT_LE(lines.end().size(), ErrorLines::kKeptMax);
    EXPECT_TRUE(lines.end().starts_with("line 9"));
    EXPECT_TRUE(lines.end().ends_with("line 9998\nline 9999\n"));
}

TEST_F(ErrorLinesTest, KeepsTheEndOfALineThatIsTooLong) {
    lines.take(std::string(100'000, 'x') + "y");
    EXPECT_EQ(lines.end().size(), ErrorLines::kKeptMax);
    EXPECT_TRUE(lines.end().ends_with("xy"));
}

}  // namespace
}  // namespace belfry::app
