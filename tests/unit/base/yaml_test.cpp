#include "base/text/yaml.hpp"

#include <gtest/gtest.h>

namespace belfry {
namespace {

std::string read(std::string_view text, JsonLimits limits = {}) {
    const auto json = parse_yaml(text, limits);
    return json ? to_text(*json) : "refused: " + json.error().message;
}

TEST(Yaml, BlocksAndFlowsBecomeObjectsAndArrays) {
    EXPECT_EQ(read("name: report\n"
                   "nodes:\n"
                   "  - id: a\n"
                   "    input: {x: 1, y: [true, null]}   # a comment\n"
                   "  - id: b\n"
                   "    dependsOn: [a]\n"),
              R"({"name":"report","nodes":[{"id":"a","input":{"x":1,"y":[true,null]}},{"id":"b","dependsOn":["a"]}]})");
    EXPECT_EQ(read("---\na: 1\n...\n"), R"({"a":1})");
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "a: é\n"),
              R"({"a":"é"})");
}

TEST(Yaml, LongTextsKeepTheirLines) {
    EXPECT_EQ(read("a: |\n  one\n  two\nb: >-\n  one\n  two\n"), R"({"a":"one\ntwo\n","b":"one two"})");
    EXPECT_EQ(read("a: \"tab\\tand \\u00e9\"\nb: 'it''s'\n"), R"({"a":"tab\tand é","b":"it's"})");
}

TEST(Yaml, JsonIsYaml) {
    const std::string text =
        R"({"a":[1,-2.5,1e+21,"x\"y\\z",{"b":null,"c":[],"d":{}}],"":false,"k k":"${nodes.a.output/b}"})";
    EXPECT_EQ(read(text), text);
}

struct Scalar {
    const char* yaml;
    const char* json;
    const char* because;
};

TEST(Yaml, PlainScalarsMeanWhatJsonMeansByThem) {
    const Scalar rows[] = {
        {"true", "true", "JSON"},
        {"False", "false", "the core schema has three spellings"},
        {"null", "null", "JSON"},
        {"~", "null", "the core schema"},
        {"", "null", "nothing is null"},
        {"42", "42", "a number"},
        {"-0.5e3", "-500", "a number"},
        {"9223372036854775808", "9223372036854775808", "beyond 64 bits with a sign"},
        {"'42'", R"("42")", "quotes make a text"},
        {"\"true\"", R"("true")", "quotes make a text"},
        {"!!str 42", R"("42")", "the tag says so"},
        {"yes", R"("yes")", "YAML 1.1 took it for true"},
        {"off", R"("off")", "YAML 1.1 took it for false"},
        {"12:30:45", R"("12:30:45")", "YAML 1.1 took it for a number"},
        {"1_000", R"("1_000")", "YAML 1.1 took it for a number"},
        {"2026-01-01", R"("2026-01-01")", "YAML 1.1 took it for a date"},
        {"1.2.3", R"("1.2.3")", "a version"},
        {"-", "refused: line 1, column 4: illegal block entry", "a lone dash begins a sequence"},
        {"e5", R"("e5")", "no digit before the exponent"},
        {"1e", R"("1e")", "no digit after it"},
        {".", R"(".")", "no digit at all"},
        {"0 9 * * *", R"("0 9 * * *")", "a cron expression"},
        {"${input/x}", R"("${input/x}")", "a reference"},
    };
    for (const auto& row : rows) {
        const std::string json = row.json;
        const auto expected = json.starts_with("refused") ? json : "{\"a\":" + json + "}";
        EXPECT_EQ(read(std::string("a: ") + row.yaml + "\n"), expected) << row.yaml << ": " << row.because;
    }
}

TEST(Yaml, NumbersThatJsonSpellsOtherwiseAreRefused) {
    for (const char* text : {"0x1F", "0o17", "+1", ".5", "1.", "007", "-01", ".inf", "-.Inf", ".nan", "+1e5"}) {
        EXPECT_EQ(read(std::string("a: ") + text), std::string("refused: line 1, column 4: \"") + text +
                                                       "\" is not a JSON number; write it as one, or in quotes");
    }
}

TEST(Yaml, ExactNumbersKeepTheirDigits) {
    EXPECT_EQ(read("2.9999999999999999999"), "3");
    EXPECT_EQ(read("2.9999999999999999999", {.numbers = JsonNumbers::exact}), "2.9999999999999999999");
}

TEST(Yaml, KeysAreTexts) {
    EXPECT_EQ(read("1: a\ntrue: b\n'': c\n"), R"({"1":"a","true":"b","":"c"})");
    EXPECT_EQ(read("{[1]: a}"), "refused: line 1, column 2: a key must be a text");
    EXPECT_EQ(read("? {a: b}\n: c\n"), "refused: line 1, column 3: a key must be a text");
    EXPECT_EQ(read("~: a"), "refused: line 1, column 1: a key is missing, or is null; write it in quotes");
}

TEST(Yaml, AKeyTwiceIsRefused) {
    EXPECT_EQ(read("a: 1\nb:\n  c: 1\n  c: 2\n"),
              "refused: line 4, column 3: the key \"c\" appears twice in one mapping; keep one of them");
    EXPECT_EQ(read("{a: 1, \"a\": 2}"),
              "refused: line 1, column 8: the key \"a\" appears twice in one mapping; keep one of them");
}

TEST(Yaml, AliasesAreRefusedSoThatNothingGrows) {
    EXPECT_EQ(read("a: &x [1]\nb: *x\n"),
              "refused: line 2, column 4: aliases are not supported; replace *name with its value");
    EXPECT_EQ(read("a: &x 1\n"), R"({"a":1})");
    std::string laughs = "a0: &a0 [lol, lol]\n";
    for (int i = 1; i < 30; ++i) {
        const auto before = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
    }
    EXPECT_TRUE(read(laughs).starts_with("refused: line 2, column 10: aliases"));
}

TEST(Yaml, TagsAreRefused) {
    EXPECT_EQ(read("a: !!binary aGk="),
              "refused: line 1, column 4: the tag \"tag:yaml.org,2002:binary\" is not supported; remove it");
    EXPECT_EQ(read("!point {x: 1}"), "refused: line 1, column 1: the tag \"!point\" is not supported; remove it");
}

TEST(Yaml, SeveralDocumentsAreRefused) {
    EXPECT_EQ(read("a: 1\n---\nb: 2\n"), "refused: there is more than one document; send one at a time");
    EXPECT_EQ(read("a: 1\n...\n"), R"({"a":1})");
    EXPECT_EQ(read(""), "refused: the text is empty");
    EXPECT_EQ(read("# only a comment\n"), "refused: the text is empty");
}

TEST(Yaml, DepthAndSizeAreBounded) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_EQ(read(nested(32)), nested(32));
    EXPECT_EQ(read(nested(33)), "refused: line 1, column 33: more than 32 levels deep");
    EXPECT_EQ(read(std::string(1'000'000, '[')), "refused: more than 32 levels deep") << "before it costs anything";
    EXPECT_EQ(read("a: '" + std::string(500, '[') + "'"), R"({"a":")" + std::string(500, '[') + R"("})")
        << "brackets in a text are none";
    std::string stairs;
    for (std::size_t i = 0; i < 1'000; ++i) stairs += std::string(i, ' ') + "a:\n";
    EXPECT_EQ(read(stairs), "refused: line 33, column 33: more than 32 levels deep");
    EXPECT_EQ(read("abcde", {.bytes_max = 4}), "refused: the text has more than 4 bytes");
}

TEST(Yaml, WhatIsNoTextIsRefused) {
    EXPECT_EQ(read("a: \xFF"), "refused: the text is not UTF-8, or contains a NUL character");
    EXPECT_EQ(read(std::string_view("a: \0", 4)), "refused: the text is not UTF-8, or contains a NUL character");
}

TEST(Yaml, EscapesThatYieldNoTextAreRefused) {
    EXPECT_EQ(read(R"("\x41 \u00e9 \U0001F600 \e")"), R"("A é 😀 \u001b")");
    for (const char* text : {R"(a: "\N")", R"(a: "x\_y")", R"(a: "\0")", R"("\N": a)"}) {
        EXPECT_NE(
            read(text).find(R"(the text contains \0, \N or \_; remove \0, and write \u0085 and \u00a0 for the others)"),
            std::string::npos)
            << text;
    }
    EXPECT_EQ(read(R"("\ud83d\ude00")"), "refused: line 1, column 8: invalid unicode: 55357");
}

TEST(Yaml, AnErrorSaysWhereItIs) {
    const auto result = parse_yaml("a: 1\nb: [1, 2\nc: 3\n");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "line 3, column 2: end of sequence flow not found");
    EXPECT_EQ(result.error().place, (Place{16, 1}));
    EXPECT_EQ(read("a: b: c"), "refused: line 1, column 5: illegal map value");
    EXPECT_EQ(read("a: 'x"), "refused: line 1, column 6: illegal EOF in scalar");
}

}  // namespace
}  // namespace belfry
