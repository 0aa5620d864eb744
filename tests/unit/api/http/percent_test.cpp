#include "api/http/percent.hpp"

#include <gtest/gtest.h>

namespace belfry::api {

TEST(PercentDecode, ReadsEscapesInEitherCaseAndLeavesTheRest) {
    EXPECT_EQ(*percent_decode("nightly%20invoices%2fa%2Fb+c"), "nightly invoices/a/b+c");
    EXPECT_EQ(*percent_decode("%C3%BCber"), "über");
    EXPECT_EQ(*percent_decode(""), "");
}

TEST(PercentDecode, RefusesBrokenEscapesAndBytesThatAreNoText) {
    for (const auto* text : {"%", "%4", "a%zz", "%C3", "%FF", "%00", "%ED%A0%80"}) {
        EXPECT_FALSE(percent_decode(text)) << text;
    }
}

TEST(PercentEncode, IsReadBackAsItWas) {
    const std::string text = "über/a b?c=%&\"#";
    EXPECT_EQ(percent_encode(text), "%C3%BCber%2Fa%20b%3Fc%3D%25%26%22%23");
    EXPECT_EQ(*percent_decode(percent_encode(text)), text);
}

TEST(ParseQuery, KeepsTheOrderAndDecodesNamesAndValues) {
    const auto query = parse_query("a=1&&b=x+y%2B&c&d=e=f");
    ASSERT_TRUE(query);
    const std::vector<std::pair<std::string, std::string>> expected{{"a", "1"}, {"b", "x y+"}, {"c", ""}, {"d", "e=f"}};
    EXPECT_EQ(*query, expected);
}

TEST(ParseQuery, NamesTheParameterThatIsBroken) {
    const auto query = parse_query("a=1&from=%zz");
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().field, "?from");
}

TEST(ParseQuery, RefusesMoreParametersThanAnyoneNeeds) {
    std::string many;
    for (std::size_t i = 0; i <= kQueryParametersMax; ++i) many += "a=1&";
    EXPECT_FALSE(parse_query(many));
}

}  // namespace belfry::api
