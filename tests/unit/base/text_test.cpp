#include <gtest/gtest.h>

#include <vector>

#include "base/crypto/stable_hash.hpp"
#include "base/text/ascii.hpp"
#include "base/text/control_characters.hpp"
#include "base/text/json.hpp"
#include "base/text/name.hpp"
#include "base/text/nearest.hpp"

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

TEST(Visible, EscapesWhatATerminalOrAReaderIsDeceivedWith) {
    EXPECT_EQ(visible("a\u0085b\u009b31mc"), R"(a\u0085b\u009b31mc)") << "C1";
    EXPECT_EQ(visible("\u202Egnp.exe\u202C \u2066a\u2069 \u200E\u200F\u061C\x7f"),
              R"(\u202egnp.exe\u202c \u2066a\u2069 \u200e\u200f\u061c\u007f)");
    EXPECT_EQ(visible("\u00A0 \u200D \u205F \u2070"), "\u00A0 \u200D \u205F \u2070")
        << "those beside them stay: emoji are joined by U+200D";
    const auto json = to_text(Json("\u202E\x7f\n"));
    EXPECT_EQ(parse_json(visible(json)).value(), parse_json(json).value());
}

TEST(ControlError, NamesTheCharacter) {
    struct Row {
        std::string_view text;
        const char* found;
    };
    const Row rows[] = {{"Köln 😀", ""},        {"", ""},
                        {"a\nb", "U+000A"},    {"\x7f", "U+007F"},
                        {"\u0080", "U+0080"},  {"\u009F", "U+009F"},
                        {"\u00A0", ""},        {"\u061C", "U+061C"},
                        {"\u200E", "U+200E"},  {"\u200F", "U+200F"},
                        {"x\u202A", "U+202A"}, {"\u202E", "U+202E"},
                        {"\u202F", ""},        {"\u2066", "U+2066"},
                        {"\u2069", "U+2069"},  {"\u206A", ""},
                        {"\xff", "U+FFFD"},    {std::string_view("\0", 1), "U+0000"}};
    for (const auto& row : rows) {
        const auto error = control_error(row.text);
        const auto expected = row.found[0] == '\0' ? ""
                              : row.found[2] == 'F'
                                  ? "must be valid UTF-8"
                                  : "must not contain the control character " + std::string(row.found) + "; remove it";
        EXPECT_EQ(error ? error->message : "", expected) << visible(row.text);
    }
}

TEST(ControlError, NamesTheInvisibleCharacter) {
    struct Row {
        std::string text;
        const char* found;  // empty: it is visible, or a blank
    };
    const Row rows[] = {{"\u00AD", "U+00AD"},
                        {"\u180A", ""},
                        {"\u180D", "U+180D"},
                        {"\u180E", "U+180E"},
                        {"\u1810", ""},
                        {"\u200A", ""},
                        {"\u200B", "U+200B"},
                        {"a\u200Cb", "U+200C"},
                        {"\u200D", "U+200D"},
                        {"\u2027", ""},
                        {"\u2028", "U+2028"},
                        {"\u2029", "U+2029"},
                        {"\u205F", ""},
                        {"\u2060", "U+2060"},
                        {"\u2064", "U+2064"},
                        {"\u2065", "U+2065"},
                        {"\u2800", "U+2800"},
                        {"\u2801", ""},
                        {"\u3164", "U+3164"},
                        {"\uFE0F", "U+FE0F"},
                        {"\uFEFF", "U+FEFF"},
                        {"\uFEFE", ""},
                        {"\U000DFFFF", ""},
                        {"\U000E0000", "U+E0000"},
                        {"a\U000E0041", "U+E0041"},
                        {"\U000E007F", "U+E007F"},
                        {"\U000E01EF", "U+E01EF"},
                        {"\U000E1000", ""}};
    for (const auto& row : rows) {
        const auto error = control_error(row.text);
        const auto expected =
            row.found[0] == '\0' ? ""
                                 : "must not contain the invisible character " + std::string(row.found) + "; remove it";
        EXPECT_EQ(error ? error->message : "", expected) << visible(row.text);
    }
}

TEST(Visible, EscapesWhatIsInvisibleAndKeepsTheSameJson) {
    EXPECT_EQ(visible("a\u200Bb\u2028\uFEFF\u00AD\U000E0041"), R"(a\u200bb\u2028\ufeff\u00ad\udb40\udc41)");
    EXPECT_EQ(visible("\u200C\u200D"), "\u200C\u200D") << "scripts and emoji need them";
    const auto json = to_text(Json("\u2028\U000E007F"));
    EXPECT_EQ(parse_json(visible(json)).value(), parse_json(json).value());
}

TEST(NameError, NamesTheControlCharacter) {
    EXPECT_EQ(name_error("pay\u200Broll")->message, "must not contain the invisible character U+200B; remove it");
    EXPECT_EQ(name_error("pay\u202Eroll")->message, "must not contain the control character U+202E; remove it");
    EXPECT_EQ(name_error("a\xff")->message, "must be valid UTF-8");
    EXPECT_EQ(name_error("Lohn für März"), std::nullopt);
}

TEST(InQuotes, CutsBetweenCharactersNotInsideThem) {
    EXPECT_EQ(in_quotes(std::string(59, 'x') + "ö!"), "\"" + std::string(59, 'x') + "…\"");
}

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
