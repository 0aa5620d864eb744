#include "api/contract/leniency.hpp"

#include <gtest/gtest.h>

namespace belfry::api {
namespace {

ShapePtr order_shape() {
    return record("", {{"count", integer(), ""},
                       {"urgent", boolean(), ""},
                       {"memo", map_of(anything()), ""},
                       {"lines", list_of(record("", {{"every", text(), ""}})), ""},
                       {"input", anything(), ""}});
}

std::string loosened(std::string_view text, std::vector<std::string>* ignored = nullptr) {
    auto json = parse_json(text, {.numbers = JsonNumbers::exact}).value();
    auto removed = loosen(json, *order_shape());
    if (ignored != nullptr) *ignored = std::move(removed);
    return to_text(json);
}

TEST(Leniency, AnEmptyListStandsForAnEmptyMapAndForNothingElse) {
    EXPECT_EQ(loosened(R"({"memo":[],"lines":[],"input":[]})"), R"({"memo":{},"lines":[],"input":[]})");
    EXPECT_EQ(loosened(R"({"memo":[1]})"), R"({"memo":[1]})") << "the validation rejects it";
}

TEST(Leniency, TextsAndNumbersBecomeWhatTheShapeNeeds) {
    EXPECT_EQ(loosened(R"({"count":"30","urgent":1})"), R"({"count":30,"urgent":true})");
    EXPECT_EQ(loosened(R"({"count":"-3","urgent":"0"})"), R"({"count":-3,"urgent":false})");
    EXPECT_EQ(loosened(R"({"urgent":"true"})"), R"({"urgent":true})");
    for (const auto* const same : {R"({"count":"many"})", R"({"count":"3.5"})", R"({"urgent":"yes"})",
                                   R"({"urgent":2})", R"({"count":null})", R"({"input":{"count":"30"}})"})
        EXPECT_EQ(loosened(same), same);
}

TEST(Leniency, UnknownMembersAreRemovedAndNamed) {
    std::vector<std::string> ignored;
    EXPECT_EQ(loosened(R"({"count":1,"colour":"red","lines":[{"every":"PT1H","at/on":2}]})", &ignored),
              R"({"count":1,"lines":[{"every":"PT1H"}]})");
    EXPECT_EQ(ignored, (std::vector<std::string>{"/lines/0/at~1on", "/colour"}));
}

TEST(Leniency, TheHeaderHasNoCharacterThatAHeaderMayNotHave) {
    EXPECT_EQ(ignored_text({"/a", "?b", "/x\r\nSet-Cookie: y", "/é"}), "/a, ?b, /x%0D%0ASet-Cookie%3A%20y, /%C3%A9");
    EXPECT_LT(ignored_text({1'000, "/" + std::string(1'000, 'n')}).size(), 20'000U);
}

}  // namespace
}  // namespace belfry::api
