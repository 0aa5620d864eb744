#include <gtest/gtest.h>

#include <vector>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/stable_hash.hpp"

namespace belfry {
namespace {

TEST(InQuotes, MakesControlCharactersVisibleAndCutsLongTexts) {
    EXPECT_EQ(in_quotes("a\tb\x1b[31m"), "\"a\\x09b\\x1b[31m\"");
    EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(60, 'x') + "…\"");
    EXPECT_EQ(in_quotes("Köln"), "\"Köln\"");
}

TEST(Visible, KeepsUtf8AndShowsEveryOtherByte) {
    EXPECT_EQ(visible("aö€😀"), "aö€😀");
    EXPECT_EQ(visible("\xff\xc0\x80\xed\xa0\x80\xf5"), R"(\xff\xc0\x80\xed\xa0\x80\xf5)");
    EXPECT_EQ(visible("\x1b[0m\n"), R"(\x1b[0m\x0a)");
    EXPECT_EQ(visible("\xe2\x82"), R"(\xe2\x82)") << "a character that is cut off";
}

TEST(InQuotes, CutsBetweenCharactersNotInsideThem) { EXPECT_EQ(in_quotes(std::string(59, 'x') + "ö!"), "\"" + std::string(59, 'x') + "…\""); }

TEST(Nearest, FindsWhatWasMeantAndNothingElse) {
    const std::vector<std::string> names{"America/New_York", "Europe/Berlin", "UTC"};
    EXPECT_EQ(nearest("America/NewYork", names), "America/New_York");
    EXPECT_EQ(nearest("europe/berlim", names), "Europe/Berlin");
    EXPECT_EQ(nearest("Mars/Olympus", names), std::nullopt);
    EXPECT_EQ(nearest("", names), std::nullopt);
    EXPECT_EQ(nearest(std::string(10'000, 'x'), names), std::nullopt);
}

TEST(StableHash, NeverChanges) {
    // Durable decisions depend on these values: a change here is a change of every jitter in the field.
    EXPECT_EQ(stable_hash("nightly", 1'767'225'600), 3400424891982427667U);
    EXPECT_EQ(stable_hash("", 0), 8922497616986557598U);
}

TEST(Text, IsStorableWithoutNulAndBrokenUtf8) {
    using namespace std::string_literals;
    EXPECT_EQ(storable("aö€😀\n\t\x7f"), "aö€😀\n\t\x7f");
    EXPECT_EQ(storable("a\0b\xc3 c"s), "a\uFFFDb\uFFFD c");
    EXPECT_EQ(storable(""), "");
}

TEST(Text, IsCutBetweenCharacters) {
    EXPECT_EQ(whole_characters("aé", 3), "aé");
    EXPECT_EQ(whole_characters("aé", 2), "a");
    EXPECT_EQ(whole_characters("éé", 0), "");
}

}  // namespace
}  // namespace belfry
