#include "api/fields.hpp"

#include <gtest/gtest.h>

#include "support/schedules.hpp"

namespace belfry::api {

namespace {

using test::json;

// Reads one member of each kind.
std::optional<Error> read_all(const Json& body) {
    Fields fields(body, "/here");
    static_cast<void>(fields.text("text"));
    static_cast<void>(fields.name("name"));
    static_cast<void>(fields.integer("number", {1, 5}));
    static_cast<void>(fields.boolean("flag"));
    static_cast<void>(fields.instant("when"));
    static_cast<void>(fields.array("list", 2));
    return fields.finish();
}

}  // namespace

TEST(Fields, ErrorsNameThePlaceAndTheFix) {
    struct Row {
        std::string body;
        std::string error;
    };
    const Row rows[] = {
        {R"({})", ""},
        {R"({"text": null, "number": null, "list": null})", ""},
        {R"({"text": "a", "name": "b", "number": 5, "flag": true, "when": "2026-01-01T00:00:00Z", "list": [1, 2]})", ""},
        {R"(5)", "/here: must be an object, not a number"},
        {R"({"text": 5})", "/here/text: must be a text, not a number"},
        {R"({"text": "\u0000"})", "/here/text: must not contain the character U+0000"},
        {R"({"name": ""})", "/here/name: must not be empty"},
        {R"({"name": "a\u0007"})", "/here/name: must be text without control characters"},
        {R"({"number": 6})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"number": 1.5})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"number": 1e300})", "/here/number: must be a whole number from 1 to 5"},
        {R"({"flag": "true"})", "/here/flag: must be true or false, not a text"},
        {R"({"list": [1, 2, 3]})", "/here/list: has 3 elements; send at most 2"},
        {R"({"txt": "a"})", R"(/here/txt: there is no member "txt"; did you mean "text"?)"},
        {R"({"a/b": "a"})", R"(/here/a~1b: there is no member "a/b"; remove it)"},
    };
    for (const auto& row : rows) {
        const auto error = read_all(json(row.body));
        EXPECT_EQ(error ? error->field + ": " + error->message : "", row.error) << row.body;
    }
}

TEST(Fields, AWrongValueIsToldBeforeAWrongNameAndALackLast) {
    const auto body = json(R"({"number": "x", "unknown": 1})");
    Fields fields(body);
    static_cast<void>(fields.required("name", fields.name("name")));
    static_cast<void>(fields.integer("number", {0, 1}));
    EXPECT_EQ(fields.finish()->field, "/number");
    const auto misspelt = json(R"({"nmae": "x"})");
    Fields again(misspelt);
    static_cast<void>(again.required("name", again.name("name")));
    EXPECT_EQ(again.finish()->field, "/nmae");
    const auto nothing = json("{}");
    Fields empty(nothing);
    static_cast<void>(empty.required("name", empty.name("name")));
    EXPECT_EQ(empty.finish()->message, R"("name" is missing; add it)");
}

TEST(Parameters, AreReadAsStrictlyAsABody) {
    struct Row {
        std::string query;
        std::string field;
    };
    const Row rows[] = {
        {"", "accepted"},         {"limit=5&from=2026-01-01T00:00:00Z", "accepted"},
        {"limit=", "accepted"},   {"limit=6", "?limit"},
        {"limit=five", "?limit"}, {"limit=1&limit=2", "?limit"},
        {"from=today", "?from"},  {"from=%zz", "?from"},
        {"form=x", "?form"},
    };
    for (const auto& row : rows) {
        Parameters parameters(row.query);
        static_cast<void>(parameters.integer("limit", {1, 5}));
        static_cast<void>(parameters.instant("from"));
        const auto error = parameters.finish();
        EXPECT_EQ(error ? error->field : "accepted", row.field) << row.query;
    }
}

TEST(CheckName, CountsCharactersNotBytes) {
    EXPECT_FALSE(check_name(std::string(kNameMax, 'x')));
    EXPECT_TRUE(check_name(std::string(kNameMax + 1, 'x')));
    EXPECT_TRUE(check_name("\xFF"));
    EXPECT_TRUE(check_name(""));
}

}  // namespace belfry::api
