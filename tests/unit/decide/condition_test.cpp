#include "decide/schedule/condition.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/worlds/vectors.hpp"

namespace belfry::decide {
namespace {

Json json(std::string_view text) { return parse_json(text, {.numbers = JsonNumbers::exact}).value(); }
Condition condition(std::string_view text) { return Condition::parse(json(text)).value(); }

// `true`, `false` or `error`, as in the table of vectors.
std::string verdict(std::string_view filter, std::string_view context) {
    const auto parsed = Condition::parse(json(filter));
    if (!parsed) return "error";
    return parsed->holds(json(context)) ? "true" : "false";
}

bool holds(std::string_view filter, std::string_view context) { return condition(filter).holds(json(context)); }

std::string failing(std::string_view filter, std::string_view context) {
    return condition(filter).first_failing(json(context)).value_or("nothing fails");
}

Error error_of(std::string_view filter) {
    const auto parsed = Condition::parse(json(filter));
    return parsed ? Error{.message = "accepted"} : parsed.error();
}

// {"/a": {op: operand}} over {"a": value}.
bool compares(const std::string& value, const std::string& op, const std::string& operand) {
    return holds(R"({"/a":{")" + op + R"(":)" + operand + "}}", R"({"a":)" + value + "}");
}

constexpr const char* kExample = R"({"/prior_run_result/status":{"eq":"completed"},"/last_24h_stats/failed":{"lt":3}})";

TEST(ConditionVectors, EveryRowHasItsVerdict) {
    constexpr std::size_t kRows = 79;
    const auto rows = test::read_table("condition.tsv");
    EXPECT_EQ(rows.size(), kRows);
    for (const auto& row : rows) {
        ASSERT_GE(row.size(), 3U);
        EXPECT_EQ(verdict(row[0], row[1]), row[2]) << row[0] << " over " << row[1];
    }
}

TEST(ConditionVectors, EveryFalseSaysWhyAndEveryErrorSaysHow) {
    for (const auto& row : test::read_table("condition.tsv")) {
        const auto parsed = Condition::parse(json(row[0]));
        EXPECT_EQ(parsed.has_value(), row[2] != "error") << row[0];
        if (!parsed) {
            EXPECT_NE(parsed.error().message.find("use"), std::string::npos) << parsed.error().message;
        } else {
            EXPECT_EQ(parsed->first_failing(json(row[1])).has_value(), row[2] == "false")
                << row[0] << " over " << row[1];
        }
    }
}

// --- The requirements by number -------------------------------------------------------------------------------------

TEST(Requirements, S0_27_PathsAreJsonPointers) {
    EXPECT_TRUE(holds(R"({"/a~1b/0/c~0d":{"eq":1}})", R"({"a/b":[{"c~d":1}]})"));
    EXPECT_FALSE(Condition::parse(json(R"({"a.b":{"eq":1}})")));
}

TEST(Requirements, S0_28_EqHoldsForTheSameJson) {
    EXPECT_TRUE(compares(R"("completed")", "eq", R"("completed")"));
    EXPECT_FALSE(compares(R"("Completed")", "eq", R"("completed")"));
    EXPECT_TRUE(compares("1.0", "eq", "1"));
    EXPECT_FALSE(compares("1", "eq", R"("1")"));
    EXPECT_FALSE(compares("1", "eq", "true"));
}

TEST(Requirements, S0_29_NeqHoldsForAnythingElseAndForWhatIsMissing) {
    EXPECT_TRUE(compares("1", "neq", "2"));
    EXPECT_FALSE(compares("1", "neq", "1e0"));
    EXPECT_TRUE(holds(R"({"/a/b":{"neq":1}})", "{}"));
}

TEST(Requirements, S0_30_GtComparesNumbersExactlyAndTimesAsInstants) {
    EXPECT_TRUE(compares("9007199254740993", "gt", "9007199254740992"));
    EXPECT_FALSE(compares("9007199254740992", "gt", "9007199254740992.0"));
    EXPECT_TRUE(compares(R"("2026-03-08T08:00:00-05:00")", "gt", R"("2026-03-08T12:30:00Z")"));
    EXPECT_FALSE(compares(R"("b")", "gt", R"("a")"));
}

TEST(Requirements, S0_31_LtComparesNumbersExactlyAndTimesAsInstants) {
    EXPECT_TRUE(compares("2", "lt", "3"));
    EXPECT_TRUE(compares("2.9999999999999999999", "lt", "3"));
    EXPECT_TRUE(compares(R"("2026-03-08T13:00:00+02:00")", "lt", R"("2026-03-08T12:30:00Z")"));
    EXPECT_FALSE(compares(R"("2")", "lt", "3"));
}

TEST(Requirements, S0_32_ContainsFindsATextInATextAndAnElementInAnArray) {
    EXPECT_TRUE(compares(R"("rate limit reached")", "contains", R"("limit")"));
    EXPECT_FALSE(compares(R"("rate limit reached")", "contains", R"("Limit")"));
    EXPECT_TRUE(compares(R"(["a","b"])", "contains", R"("b")"));
    EXPECT_FALSE(compares(R"(["ab"])", "contains", R"("b")"));
    EXPECT_TRUE(compares(R"([{"id":7,"state":"open"}])", "contains", R"({"state":"open"})"));
}

TEST(Requirements, S0_33_AllKeysMustHold) {
    constexpr const char* kBoth = R"({"/a":{"gt":1},"/b":{"lt":1}})";
    EXPECT_TRUE(holds(kBoth, R"({"a":2,"b":0})"));
    EXPECT_FALSE(holds(kBoth, R"({"a":2,"b":1})"));
    EXPECT_FALSE(holds(kBoth, R"({"a":1,"b":0})"));
    EXPECT_TRUE(holds("{}", "null"));
}

TEST(Requirements, S0_34_TheContextHasTheThreeKeys) {
    const auto context =
        condition_context(json(R"({"status":"completed"})"), {.succeeded = 7, .failed = 2, .total = 10}, json("[1]"));
    EXPECT_EQ(to_text(context),
              R"({"prior_run_result":{"status":"completed"},"last_24h_stats":{"succeeded":7,"failed":2,"total":10},)"
              R"("signal_rpc_result":[1]})");
}

TEST(Requirements, S0_36_BeforeTheFirstRunItsResultIsNull) {
    const auto context = condition_context(nullptr, {}, nullptr);
    EXPECT_TRUE(
        condition(
            R"({"/prior_run_result":{"eq":null},"/signal_rpc_result":{"eq":null},"/last_24h_stats/total":{"eq":0}})")
            .holds(context));
}

TEST(Requirements, S0_42_AMalformedConditionIsAnErrorEvenWhenAnEarlierClauseFails) {
    const auto error = error_of(R"({"/a":{"eq":1},"/b":{"matches":"x"}})");
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    EXPECT_EQ(error.field, "/~1b");
    EXPECT_EQ(error.message, R"(condition on "/b": there is no operator "matches"; use eq, neq, gt, lt or contains)");
}

TEST(Requirements, S0_43_TheExampleHoldsAfterACompletedRunWithFewFailures) {
    const auto example = condition(kExample);
    const auto completed = json(R"({"status":"completed"})");
    EXPECT_TRUE(example.holds(condition_context(completed, {.succeeded = 9, .failed = 2, .total = 11}, nullptr)));
    EXPECT_FALSE(example.holds(condition_context(completed, {.succeeded = 9, .failed = 3, .total = 12}, nullptr)));
    EXPECT_FALSE(example.holds(condition_context(json(R"({"status":"failed"})"), {}, nullptr)));
}

TEST(Requirements, S0_43_TheExampleNeverHoldsOnAFreshScheduleAndThatIsNoError) {
    const auto fresh = condition_context(nullptr, {}, nullptr);
    const auto example = Condition::parse(json(kExample));
    ASSERT_TRUE(example);
    EXPECT_FALSE(example->holds(fresh));
    EXPECT_EQ(example->first_failing(fresh), R"(/prior_run_result/status is missing, must be "completed")");
}

// --- Laws -----------------------------------------------------------------------------------------------------------

const std::vector<std::string> kValues{"null",
                                       "true",
                                       "false",
                                       "0",
                                       "-0.0",
                                       "1",
                                       "1.0",
                                       "-1.5",
                                       "2.9999999999999999999",
                                       "9007199254740992",
                                       "9007199254740993",
                                       "18446744073709551616",
                                       "1e400",
                                       R"("")",
                                       R"("1")",
                                       R"("a")",
                                       R"("2026-01-01T00:00:00Z")",
                                       R"("2026-01-01T01:00:00+01:00")",
                                       R"("2025-12-31T23:59:59.999999Z")",
                                       R"("2026-01-01")",
                                       "[]",
                                       "[1]",
                                       "[1,2]",
                                       "[[1,2],null]",
                                       "{}",
                                       R"({"x":1})",
                                       R"({"x":1.0,"y":[{}]})"};

TEST(ConditionLaws, EqAndNeqAreComplementsAndAtMostOneOfEqGtAndLtHolds) {
    for (const auto& value : kValues) {
        for (const auto& operand : kValues) {
            const bool eq = compares(value, "eq", operand);
            const bool gt = compares(value, "gt", operand);
            const bool lt = compares(value, "lt", operand);
            EXPECT_NE(eq, compares(value, "neq", operand)) << value << " and " << operand;
            EXPECT_LE(int{eq} + int{gt} + int{lt}, 1) << value << " and " << operand;
            EXPECT_EQ(eq, compares(operand, "eq", value)) << value << " and " << operand;
            EXPECT_EQ(gt, compares(operand, "lt", value)) << value << " and " << operand;
        }
    }
}

TEST(ConditionLaws, WhatIsMissingSatisfiesNeqAndNothingElse) {
    for (const auto& operand : kValues) {
        for (const auto* const op : {"eq", "neq", "gt", "lt", "contains"}) {
            const auto filter = R"({"/b":{")" + std::string(op) + R"(":)" + operand + "}}";
            EXPECT_EQ(holds(filter, R"({"a":1})"), op == std::string_view("neq")) << filter;
        }
    }
}

TEST(ConditionLaws, AnArrayContainsEachOfItsElements) {
    for (const auto& element : kValues) {
        EXPECT_TRUE(compares("[7," + element + "]", "contains", element)) << element;
        EXPECT_FALSE(compares("[]", "contains", element)) << element;
    }
}

TEST(ConditionOrder, TimesWithDifferentOffsetsCompareAsInstants) {
    // From the earliest to the latest; each text alone would sort otherwise.
    const std::vector<std::string> ascending{R"("2026-01-01T09:00:00+14:00")", R"("2025-12-31T23:00:00Z")",
                                             R"("2026-01-01T00:30:00+01:00")", R"("2025-12-31T12:00:00-12:00")",
                                             R"("2026-01-01 00:00:00.000001z")"};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            EXPECT_EQ(compares(ascending[i], "gt", ascending[j]), i > j) << ascending[i] << " and " << ascending[j];
            EXPECT_EQ(compares(ascending[i], "lt", ascending[j]), i < j) << ascending[i] << " and " << ascending[j];
        }
    }
}

TEST(ConditionOrder, OneInstantInTwoSpellingsIsNeitherLaterNorEarlierNorTheSameJson) {
    const std::string utc = R"("2026-01-01T00:00:00Z")";
    const std::string paris = R"("2026-01-01T01:00:00+01:00")";
    EXPECT_FALSE(compares(utc, "gt", paris));
    EXPECT_FALSE(compares(utc, "lt", paris));
    EXPECT_FALSE(compares(utc, "eq", paris));
}

TEST(ConditionContains, AsksForPartsOfOneElement) {
    EXPECT_TRUE(compares(R"([{"x":[1,2,{"y":1,"z":2}]}])", "contains", R"({"x":[{"z":2},1]})"));
    EXPECT_FALSE(compares(R"([{"x":1},{"y":2}])", "contains", R"({"x":1,"y":2})"));  // never pieced together from two
    EXPECT_FALSE(compares("[1,2]", "contains", "[1]"));  // an element of its own, not a subset
    EXPECT_FALSE(compares("[[1,2]]", "contains", "1"));  // one level only
    EXPECT_TRUE(compares("[[1,2]]", "contains", "[]"));
}

// --- Words ----------------------------------------------------------------------------------------------------------

struct WordsRow {
    std::string_view filter;
    std::string_view context;
    std::string_view words;
};

TEST(ConditionWords, SayWhatTheFirstFailingClauseFoundAndWanted) {
    for (const auto& [filter, context, words] : std::vector<WordsRow>{
             {R"({"/last_24h_stats/failed":{"lt":3}})", R"({"last_24h_stats":{"failed":5}})",
              "/last_24h_stats/failed is 5, must be less than 3"},
             {R"({"/a":{"eq":1},"/b":{"eq":2},"/c":{"eq":3}})", R"({"a":1})", "/b is missing, must be 2"},
             {R"({"/a":{"neq":null}})", R"({"a":null})", "/a is null, must not be null"},
             {R"({"/a":{"gt":1}})", R"({"a":"2"})", R"(/a is "2", must be a number greater than 1)"},
             {R"({"/a":{"gt":1}})", "{}", "/a is missing, must be greater than 1"},
             {R"({"/a":{"gt":"2026-01-01T00:00:00Z"}})", R"({"a":"2025-01-01T00:00:00Z"})",
              R"(/a is "2025-01-01T00:00:00Z", must be after "2026-01-01T00:00:00Z")"},
             {R"({"/a":{"lt":"2026-01-01T00:00:00Z"}})", R"({"a":"2025-01-01"})",
              R"(/a is "2025-01-01", must be an RFC 3339 time before "2026-01-01T00:00:00Z")"},
             {R"({"/a":{"lt":"b"}})", R"({"a":"a"})",
              R"(/a is "a", must be less than "b", but only numbers and RFC 3339 times have an order)"},
             {R"({"/a":{"contains":"x"}})", R"({"a":["y"]})", R"(/a is ["y"], must contain "x")"},
             {R"({"":{"eq":1}})", "{}", "the context is {}, must be 1"},
             {R"({"/a\n":{"eq":1}})", "{}", R"(/a\n is missing, must be 1)"},
             {R"({"/a":{"eq":1}})", R"({"a":1})", "nothing fails"},
         }) {
        EXPECT_EQ(failing(filter, context), words);
    }
}

TEST(ConditionWords, CutLongValuesBetweenCharacters) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "é";
    const auto words = failing(R"({"/a":{"eq":1}})", R"({"a":")" + text + R"("})");
    EXPECT_EQ(words, R"(/a is ")" + text.substr(0, 78) + "…, must be 1");
}

// --- Shape ----------------------------------------------------------------------------------------------------------

TEST(ConditionShape, ErrorsPointToTheClauseAndNameTheFix) {
    struct Row {
        std::string_view filter;
        std::string_view field;
        std::string_view message;
    };
    for (const auto& [filter, field, message] : std::vector<Row>{
             {"null", "",
              R"(condition: use an object of JSON pointers, for example {"/last_24h_stats/failed": {"lt": 3}}, )"
              R"(or {} for none)"},
             {"1e400", "",
              R"(condition: use an object of JSON pointers, for example {"/last_24h_stats/failed": {"lt": 3}}, )"
              R"(or {} for none)"},
             {R"({"a":{"eq":1}})", "/a", R"(condition: JSON pointer "a": use "/" at the start, for example "/a")"},
             {R"({"/a~":{"eq":1}})", "/~1a~0",
              R"(condition: JSON pointer "/a~": inside a name use "~0" for "~" and "~1" for "/")"},
             {R"({"/a/b":3})", "/~1a~1b",
              R"(condition on "/a/b": use an object with one operator, for example {"eq": 1})"},
             {R"({"/a":{}})", "/~1a", R"(condition on "/a": use exactly one of eq, neq, gt, lt or contains, not 0)"},
             {R"({"/a":{"gt":1,"lt":9}})", "/~1a",
              R"(condition on "/a": use exactly one of eq, neq, gt, lt or contains, not 2)"},
             {R"({"/a":{"EQ":1}})", "/~1a",
              R"(condition on "/a": there is no operator "EQ"; did you mean "eq"? use eq, neq, gt, lt or contains)"},
         }) {
        const auto error = error_of(filter);
        EXPECT_EQ(error.message, message);
        EXPECT_EQ(error.field, field) << filter;
        EXPECT_EQ(error.place, Place{}) << filter;
    }
}

std::string clauses(std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "\"/" : ",\"/") + std::to_string(i) + R"(":{"neq":1})";
    return text + "}";
}

std::string contains_list(std::size_t count) {
    std::string text = R"({"/a":{"contains":[0)";
    for (std::size_t i = 1; i < count; ++i) text += ",0";
    return text + "]}}";
}

std::string contains_text(std::size_t size) { return R"({"/a":{"contains":")" + std::string(size, 'x') + "\"}}"; }

TEST(ConditionShape, HasLimits) {
    EXPECT_EQ(error_of(clauses(kClausesMax)).message, "accepted");
    EXPECT_EQ(error_of(clauses(kClausesMax + 1)).message, "condition: 33 clauses are too many; use at most 32");
    EXPECT_EQ(error_of(contains_list(kContainsValuesMax - 1)).message, "accepted");
    EXPECT_EQ(error_of(contains_list(kContainsValuesMax)).message,
              R"(condition on "/a": too many values with contains; use at most 64 in one condition)");
    EXPECT_EQ(error_of(contains_text(kContainsTextMax)).message, "accepted");
    EXPECT_EQ(error_of(contains_text(kContainsTextMax + 1)).message,
              R"(condition on "/a": with contains use at most 1024 bytes of text)");
    EXPECT_EQ(error_of(R"({"/)" + std::string(kJsonPointerMax - 1, 'x') + R"(":{"eq":1}})").message, "accepted");
    EXPECT_NE(error_of(R"({"/)" + std::string(kJsonPointerMax, 'x') + R"(":{"eq":1}})").message, "accepted");
}

}  // namespace
}  // namespace belfry::decide
