#include "api/contract/shape.hpp"

#include <gtest/gtest.h>

#include "support/worlds/schedules.hpp"

namespace belfry::api {

namespace {

using test::json;

// One member of each kind.
ShapePtr every_kind() {
    return record("Everything", {{"text", text(3), "A text."},
                                 {"name", name_text(), "A name."},
                                 {"number", integer(1, 5), "A number."},
                                 {"flag", boolean(), "A flag."},
                                 {"when", instant(), "An instant."},
                                 {"color", one_of({"red", "green"}), "A choice."},
                                 {"list", list_of(integer(), 2), "A list."},
                                 {"map", map_of(boolean(), 1), "A map."},
                                 {"free", anything(), "Whatever."}});
}

std::string told(const std::vector<Error>& errors) {
    std::string all;
    for (const auto& error : errors) all += (all.empty() ? "" : "; ") + error.field + ": " + error.message;
    return all;
}

}  // namespace

TEST(Shape, ErrorsNameThePlaceAndTheFix) {
    struct Row {
        std::string body;
        std::string error;
    };
    const Row rows[] = {
        {R"({})", ""},
        {R"({"text": null, "number": null, "list": null, "free": null})", ""},
        {R"({"text": "a", "name": "b", "number": 5, "flag": true, "when": "2026-01-01T00:00:00Z", "list": [1, 2], )"
         R"("map": {"a": true}, "free": {"a": [1]}})",
         ""},
        {R"(5)", "/here: must be an object, not a number"},
        {R"({"text": 5})", "/here/text: must be a text, not a number"},
        {R"({"text": "abcd"})", "/here/text: has 4 bytes; send at most 3"},
        {R"({"text": "\u0000"})", "/here/text: must not contain the character U+0000"},
        {R"({"name": ""})", "/here/name: must not be empty"},
        {R"({"name": "a\u0007"})", "/here/name: must not contain the control character U+0007; remove it"},
        {R"({"number": 6})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"number": 1.5})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"number": 1e300})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"flag": "true"})", "/here/flag: must be true or false, not a text"},
        {R"({"color": "blue"})", R"(/here/color: "blue" is none of red, green)"},
        {R"({"list": [1, 2, 3]})", "/here/list: has 3 elements; send at most 2"},
        {R"({"list": [1, "a"]})", "/here/list/1: must be a number, not a text"},
        {R"({"map": {"a/b": 1}})", "/here/map/a~1b: must be true or false, not a number"},
        {R"({"map": {"a": true, "b": true}})", "/here/map: has 2 members; send at most 1"},
        {R"({"txt": "a"})", R"(/here/txt: there is no member "txt"; did you mean "text"?)"},
        {R"({"a/b": "a"})", R"(/here/a~1b: there is no member "a/b"; remove it)"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(told(check(json(row.body), *every_kind(), Side::request, "/here")), row.error) << row.body;
    EXPECT_NE(told(check(json(R"({"when": "soon"})"), *every_kind())).find("/when: "), std::string::npos);
}

TEST(Shape, TellsEverythingThatIsWrongAtOnceUpToABound) {
    const auto shape =
        record("", {{"name", name_text(), "A name.", Presence::required}, {"number", integer(0, 1), "A number."}});
    const auto errors = check(json(R"({"number": "x", "unknown": 1})"), *shape);
    EXPECT_EQ(told(errors),
              R"(/number: must be a number, not a text; /unknown: there is no member "unknown"; remove it; )"
              R"(/name: "name" is missing; add it)");
    const auto together_told = combine_errors(errors);
    EXPECT_EQ(together_told.field, "/number");
    EXPECT_EQ(together_told.more.size(), 2U);
    std::string many = "[";
    for (int i = 0; i < 200; ++i) many += i == 0 ? "1" : ",1";
    EXPECT_EQ(check(json(many + "]"), *list_of(text())).size(), kErrorsMax);
}

TEST(Shape, AnAnswerHasItsMembersAndNullOnlyWhereItSaysSo) {
    const auto shape =
        record("", {{"a", or_null(integer()), "A.", Presence::required}, {"b", integer(), "B.", Presence::required}});
    EXPECT_TRUE(check(json(R"({"a": null, "b": 1})"), *shape, Side::answer).empty());
    EXPECT_EQ(told(check(json(R"({"a": null, "b": null})"), *shape, Side::answer)), "/b: must be a number, not null");
    EXPECT_EQ(told(check(json(R"({"b": 1})"), *shape, Side::answer)), R"(/a: "a" is missing; add it)");
}

TEST(Shape, AParameterIsATextWhateverItsShape) {
    struct Row {
        std::string text;
        ShapePtr shape;
        bool accepted;
    };
    const Row rows[] = {
        {"5", integer(1, 5), true},       {"6", integer(1, 5), false}, {"five", integer(1, 5), false},
        {"true", boolean(), true},        {"yes", boolean(), false},   {"red", one_of({"red"}), true},
        {"blue", one_of({"red"}), false}, {"today", instant(), false}, {"2026-01-01T00:00:00Z", instant(), true},
    };
    for (const auto& row : rows) EXPECT_EQ(!check_parameter(row.text, *row.shape), row.accepted) << row.text;
}

TEST(Shape, IsWrittenAsJsonSchema) {
    const auto inner = record("Inner", {{"n", integer(1, 5), "A number.", Presence::required}});
    EXPECT_EQ(to_text(schema_of(*inner)), R"({"$ref":"#/components/schemas/Inner"})");
    EXPECT_EQ(to_text(schema_of(*or_null(inner))),
              R"({"anyOf":[{"$ref":"#/components/schemas/Inner"},{"type":"null"}]})");
    EXPECT_EQ(
        to_text(definition_of(*inner)),
        R"({"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":5,"description":"A number."}},)"
        R"("required":["n"],"additionalProperties":false})");
    EXPECT_EQ(to_text(schema_of(*or_null(one_of({"a"})))), R"({"type":["string","null"],"enum":["a",null]})");
    EXPECT_EQ(to_text(schema_of(*anything())), "{}");
    EXPECT_EQ(to_text(schema_of(*map_of(boolean()))), R"({"type":"object","additionalProperties":{"type":"boolean"}})");
}

TEST(CheckName, CountsCharactersNotBytes) {
    EXPECT_FALSE(check_name(std::string(kNameMax, 'x')));
    EXPECT_TRUE(check_name(std::string(kNameMax + 1, 'x')));
    EXPECT_TRUE(check_name("\xFF"));
    EXPECT_TRUE(check_name(""));
}

}  // namespace belfry::api
