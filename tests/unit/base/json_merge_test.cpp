#include "base/text/json_merge.hpp"

#include <gtest/gtest.h>

namespace belfry {

TEST(JsonMerge, DoesWhatTheExamplesOfRfc7386Say) {
    constexpr const char* kRows[][3] = {
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
        {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
        {R"({"a":"foo"})", R"(null)", R"(null)"},
        {R"({"a":"foo"})", R"("bar")", R"("bar")"},
        {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
        {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
    };
    for (const auto& row : kRows) {
        auto target = *parse_json(row[0]);
        merge_patch(target, *parse_json(row[1]));
        EXPECT_TRUE(same_json(target, *parse_json(row[2])))
            << row[0] << " with " << row[1] << " is " << to_text(target);
    }
}

TEST(JsonMerge, AnExactNumberReplacesWhatIsThere) {
    auto target = *parse_json(R"({"a":{"b":1}})");
    merge_patch(target, *parse_json(R"({"a":2.9999999999999999999})", {.numbers = JsonNumbers::exact}));
    EXPECT_EQ(to_text(target), R"({"a":2.9999999999999999999})");
}

}  // namespace belfry
