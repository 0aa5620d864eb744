#include "base/text/json_pointer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace belfry {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }
Json exact(std::string_view text) { return parse_json(text, {.numbers = JsonNumbers::exact}).value(); }

Error error_of(std::string_view text, JsonLimits limits = {}) {
    const auto parsed = parse_json(text, limits);
    return parsed ? Error{.message = "accepted as " + to_text(*parsed)} : parsed.error();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

struct TextRow {
    std::string_view text;
    std::string_view written;
};

TEST(ParseJson, ReadsEveryKindAndWritesItWithoutBlanks) {
    for (const auto& [text, written] : std::vector<TextRow>{
             {"null", "null"},
             {" true ", "true"},
             {"false", "false"},
             {R"("a")", R"("a")"},
             {"[ 1 , 2 ]", "[1,2]"},
             {"\t{ \"b\" : 1,\r\n \"a\" : [ ] }\n", R"({"b":1,"a":[]})"},  // the order of the keys stays
             {R"("\u00e9\ud83d\ude00\/")", R"("é😀/")"},
             {R"("\u0000\u001f\b\f\n\r\t\"\\")", R"("\u0000\u001f\b\f\n\r\t\"\\")"},
             {R"({"":0})", R"({"":0})"},
         }) {
        EXPECT_EQ(to_text(json(text)), written) << text;
    }
}

TEST(ParseJson, WritesANumberInOneWayHoweverItWasWritten) {
    for (const auto& [text, written] : std::vector<TextRow>{
             {"1", "1"},
             {"1.0", "1"},
             {"1e0", "1"},
             {"10E-1", "1"},
             {"-0", "0"},
             {"-0.0", "0"},
             {"0e5", "0"},
             {"0.1", "0.1"},
             {"-1.50", "-1.5"},
             {"0.10000000000000001", "0.1"},  // the same double
             {"1e5", "100000"},
             {"1e20", "100000000000000000000"},
             {"1e21", "1e+21"},
             {"-1.5e300", "-1.5e+300"},
             {"0.000001", "0.000001"},
             {"0.0000001", "1e-7"},
             {"5e-324", "5e-324"},
             {"1e-400", "0"},
             {"9223372036854775807", "9223372036854775807"},
             {"-9223372036854775808", "-9223372036854775808"},
             {"18446744073709551615", "18446744073709551615"},
             {"9007199254740993.0", "9007199254740993"},  // a whole number is no double
             {"12345678901234567890123", "1.2345678901234568e+22"},
             {"12345678901234567890.5", "12345678901234567000"},  // the shortest decimal of its double
         }) {
        EXPECT_EQ(to_text(json(text)), written) << text;
        EXPECT_EQ(json(written), json(text)) << text;
    }
}

TEST(ParseJson, ExactNumbersKeepTheirDigits) {
    for (const auto& [text, written] : std::vector<TextRow>{
             {"2.9999999999999999999", "2.9999999999999999999"},
             {"0.10000000000000001", "0.10000000000000001"},
             {"12345678901234567890123", "1.2345678901234567890123e+22"},
             {"18446744073709551616", "18446744073709551616"},
             {"1e400", "1e+400"},
             {"-1e-400", "-1e-400"},
             {"[1.00000000000000000001]", "[1.00000000000000000001]"},
         }) {
        EXPECT_EQ(to_text(exact(text)), written) << text;
        EXPECT_TRUE(same_json(exact(written), exact(text))) << text;
    }
    EXPECT_EQ(kind_of(exact("1e400")), JsonKind::number);
    EXPECT_EQ(error_of("[1e-1000000]", {.numbers = JsonNumbers::exact}).message,
              "JSON: the number is too large or too small; write it as a string");
    EXPECT_TRUE(exact("0.1").is_double());
    EXPECT_TRUE(exact("1.0").is_int64());
}

TEST(ParseJson, ADoubleIsTheNearestOne) {
    // Boost.JSON 1.81 itself misses 9.5e-23 and 6.2e-301 by an ulp.
    for (const auto* const text :
         {"1e23", "8.41e21", "9.5e-23", "6.2e-301", "1.7976931348623157e308", "2.2250738585072014e-308"}) {
        EXPECT_EQ(json(text).as_double(), std::strtod(text, nullptr)) << text;
    }
}

struct RefusalRow {
    std::string_view text;
    std::size_t column;
    std::string_view message;
};

TEST(ParseJson, SaysWhereAndWhyATextIsRefused) {
    const std::string early = "the text ends too early; a value, quote or bracket is missing";
    for (const auto& [text, column, message] : std::vector<RefusalRow>{
             {"", 1, early},
             {"  ", 3, early},
             {R"({"a":)", 6, early},
             {R"("abc)", 5, early},
             {"[1,]", 4, "a value is missing, or there is an extra comma"},
             {R"({"a":1,})", 8, "a value is missing, or there is an extra comma"},
             {"{'a':1}", 2, "strings use double quotes"},
             {"[1] // x", 5, "there is more text after the value"},
             {"/* x */ 1", 1, "comments are not allowed"},
             {"NaN", 1, "NaN and Infinity are not allowed; use null"},
             {"-Infinity", 2, "NaN and Infinity are not allowed; use null"},
             {"[nul]", 2, "the only words without quotes are true, false and null"},
             {"{} {}", 4, "there is more text after the value"},
             {"01", 2, "there is more text after the value"},
             {"+1", 1, "unexpected character \"+\" here"},
             {".5", 1, "unexpected character \".\" here"},
             {R"({"a":1,"a":2})", 10, "the key \"a\" appears twice in one object; keep one of them"},
             {R"({"a":1,"\u0061":2})", 15, "the key \"a\" appears twice in one object; keep one of them"},
             {R"("\ud800")", 8, "unexpected start or end of a string here"},
             {R"("\ud800\u0041")", 10, "half of a surrogate pair; write both halves, or the character itself"},
             {R"("\uzzzz")", 4, "\\u must be followed by four hexadecimal digits"},
             {"1e400", 6, "the number is too large or too small; write it as a string"},
             {"1e99999999999", 12, "the exponent is too large"},
         }) {
        const auto error = error_of(text);
        EXPECT_EQ(error.message, "JSON: " + std::string(message)) << text;
        EXPECT_EQ(error.place.column, column) << text;
    }
}

TEST(ParseJson, NamesTheLineWhenThereAreSeveral) {
    const auto error = error_of("{\n  \"a\": 1,\n  \"b\": x\n}");
    EXPECT_EQ(error.message, "JSON, line 3: the only words without quotes are true, false and null");
    EXPECT_EQ(error.place.column, 20U);
}

TEST(ParseJson, RefusesInvalidUtf8) {
    for (const auto* const text : {"\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "\"\xE2\x82\"",
                                   "\"\x80\"", "\"\xFF\"", "{\"\xFFnumber\":\"1\"}",
                                   "\xEF\xBB\xBF"
                                   "1"}) {
        EXPECT_FALSE(parse_json(text)) << text;
    }
}

TEST(ParseJson, HasLimits) {
    EXPECT_TRUE(parse_json(nested(kJsonDepthMax)));
    EXPECT_EQ(error_of(nested(kJsonDepthMax + 1)).message, "JSON: nested more than 32 levels deep");
    EXPECT_EQ(error_of("[[]]", {.depth_max = 1}).message, "JSON: nested more than 1 levels deep");
    EXPECT_TRUE(parse_json(std::string(kJsonBytesMax - 1, ' ') + "1"));
    EXPECT_EQ(error_of(std::string(kJsonBytesMax, ' ') + "1").message,
              "JSON: 1048577 bytes are too many; the limit is 1048576");
}

TEST(ToText, WritesWhatJsonCannotSayAsNull) {
    EXPECT_EQ(to_text(Json(std::nan(""))), "null");
    EXPECT_EQ(to_text(Json(-std::numeric_limits<double>::infinity())), "null");
}

TEST(CompareNumbers, IsExactAcrossTypes) {
    // Strictly ascending; every pair is compared both ways.
    const std::vector<std::string> ascending{"-1e400",
                                             "-18446744073709551616",
                                             "-9223372036854775809",
                                             "-9223372036854775808",
                                             "-9007199254740993",
                                             "-9007199254740992",
                                             "-1.5",
                                             "-1e-400",
                                             "0",
                                             "1e-400",
                                             "5e-324",
                                             "0.1",
                                             "0.10000000000000001",
                                             "0.30000000000000004",
                                             "1",
                                             "2.9999999999999996",
                                             "2.9999999999999999999",
                                             "3",
                                             "3.0000000000000000000001",
                                             "10",
                                             "9007199254740992",
                                             "9007199254740992.5",
                                             "9007199254740993",
                                             "9223372036854775807",
                                             "9223372036854775808",
                                             "18446744073709551615",
                                             "18446744073709551615.5",
                                             "18446744073709551616",
                                             "1e20",
                                             "1.7976931348623157e308",
                                             "1e400"};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            const auto a = exact(ascending[i]);
            const auto b = exact(ascending[j]);
            EXPECT_EQ(compare_numbers(a, b), i <=> j) << ascending[i] << " and " << ascending[j];
            EXPECT_EQ(same_json(a, b), i == j) << ascending[i] << " and " << ascending[j];
        }
    }
}

TEST(CompareNumbers, KnowsNoOrderButThatOfNumbers) {
    EXPECT_EQ(compare_numbers(json("1"), json(R"("1")")), std::partial_ordering::unordered);
    EXPECT_EQ(compare_numbers(json("null"), json("null")), std::partial_ordering::unordered);
    EXPECT_EQ(compare_numbers(Json(std::nan("")), json("1")), std::partial_ordering::unordered);
}

TEST(SameJson, IgnoresTheOrderOfKeysAndTheSpellingOfNumbers) {
    EXPECT_TRUE(same_json(json(R"({"a":1,"b":[2.0]})"), json(R"({"b":[2],"a":1e0})")));
    EXPECT_TRUE(same_json(Json(1), Json(1.0)));
    EXPECT_TRUE(same_json(Json(std::uint64_t{1}), Json(1)));
    EXPECT_FALSE(same_json(json("[1,2]"), json("[2,1]")));
    EXPECT_FALSE(same_json(json("[1]"), json("[1,1]")));
    EXPECT_FALSE(same_json(json(R"({"a":1})"), json(R"({"a":1,"b":1})")));
    EXPECT_FALSE(same_json(json(R"({"a":1})"), json(R"({"b":1})")));
    EXPECT_FALSE(same_json(json("true"), json("1")));
    EXPECT_FALSE(same_json(json("false"), json("null")));
}

std::string found(std::string_view pointer, const Json& root) {
    const auto* const value = JsonPointer::parse(pointer).value().find(root);
    return value == nullptr ? "nothing" : to_text(*value);
}

TEST(JsonPointer, FindsTheExamplesOfRfc6901) {
    const auto root =
        json(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");
    EXPECT_EQ(found("", root), to_text(root));
    EXPECT_EQ(found("/foo", root), R"(["bar","baz"])");
    EXPECT_EQ(found("/foo/0", root), R"("bar")");
    EXPECT_EQ(found("/", root), "0");
    EXPECT_EQ(found("/a~1b", root), "1");
    EXPECT_EQ(found("/c%d", root), "2");
    EXPECT_EQ(found("/e^f", root), "3");
    EXPECT_EQ(found("/g|h", root), "4");
    EXPECT_EQ(found("/i\\j", root), "5");
    EXPECT_EQ(found("/k\"l", root), "6");
    EXPECT_EQ(found("/ ", root), "7");
    EXPECT_EQ(found("/m~0n", root), "8");
}

TEST(JsonPointer, AnIndexIsADecimalNumberInsideTheArray) {
    const auto root = json(R"({"a":[7,8],"b":{"0":7,"-":8,"01":9}})");
    EXPECT_EQ(found("/a/1", root), "8");
    for (const auto* const pointer : {"/a/2", "/a/-", "/a/-1", "/a/+1", "/a/01", "/a/00", "/a/", "/a/1x", "/a/0x1",
                                      "/a/1/0", "/a/18446744073709551616", "/a/0/0"}) {
        EXPECT_EQ(found(pointer, root), "nothing") << pointer;
    }
    EXPECT_EQ(found("/b/0", root), "7");
    EXPECT_EQ(found("/b/-", root), "8");
    EXPECT_EQ(found("/b/01", root), "9");
    EXPECT_EQ(found("/a/\xFFnumber", exact(R"({"a":1e400})")), "nothing");  // an exact number has no members
}

TEST(JsonPointer, SaysHowToWriteItRight) {
    const auto error_in = [](const std::string& text) {
        const auto parsed = JsonPointer::parse(text);
        return parsed ? Error{.message = "accepted"} : parsed.error();
    };
    EXPECT_EQ(error_in("a/b"), invalid(R"(JSON pointer "a/b": use "/" at the start, for example "/a/b")", {1, 1}));
    const std::string escapes = R"(: inside a name use "~0" for "~" and "~1" for "/")";
    EXPECT_EQ(error_in("/a~2b"), invalid(R"(JSON pointer "/a~2b")" + escapes, {3, 2}));
    EXPECT_EQ(error_in("/a~"), invalid(R"(JSON pointer "/a~")" + escapes, {3, 1}));
    EXPECT_EQ(error_in(std::string(kJsonPointerMax + 1, '/')).place, (Place{1, kJsonPointerMax + 1}));
    EXPECT_EQ(error_in(std::string(kJsonPointerMax, '/')).message, "accepted");
}

TEST(JsonPointer, AStepEscapesTheName) {
    EXPECT_EQ(pointer_step("a"), "/a");
    EXPECT_EQ(pointer_step("/a~b"), "/~1a~0b");
    EXPECT_EQ(pointer_step(""), "/");
}

}  // namespace
}  // namespace belfry
