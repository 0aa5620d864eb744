#include "spec/zone/zone_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "spec/zone/offset_text.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {

namespace {

std::vector<std::string> found(const std::string& query) {
    return search_zones(test::zones(), query, test::instant("2026-07-01T00:00:00Z"));
}
bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

TEST(ZoneSearch, FindsWhatPeopleType) {
    EXPECT_EQ(found("york").front(), "America/New_York");
    EXPECT_EQ(found("new york").front(), "America/New_York");
    EXPECT_EQ(found("New_York").front(), "America/New_York");
    EXPECT_EQ(found("tokyo ASIA").front(), "Asia/Tokyo");
    EXPECT_TRUE(found("nowhere at all").empty());
    EXPECT_EQ(found("").size(), test::zones().names().size()) << "all of them, once";
    EXPECT_EQ(found("").front(), "UTC") << "common ones first";
}

TEST(ZoneSearch, FindsZonesByTheirOffsetNow) {
    const auto three = found("utc+3");
    EXPECT_EQ(three.front(), "Africa/Cairo") << "summer";
    EXPECT_TRUE(has(three, "Europe/Istanbul"));
    EXPECT_TRUE(has(three, "Asia/Riyadh"));
    EXPECT_FALSE(has(three, "Europe/Berlin"));
    EXPECT_TRUE(has(found("-02:30"), "America/St_Johns"));
    EXPECT_TRUE(has(found("GMT+0545"), "Asia/Kathmandu"));
}

TEST(ZoneSearch, OffsetsAreReadInSeveralWays) {
    EXPECT_EQ(parse_offset("utc+3"), std::chrono::hours{3});
    EXPECT_EQ(parse_offset("UTC -03:30"), -std::chrono::minutes{210});
    EXPECT_EQ(parse_offset("+0545"), std::chrono::minutes{345});
    for (const auto* text : {"", "utc", "3", "+", "+x", "+19", "+3:75", "+3:", "gmt+3:0x", "+-3"})
        EXPECT_EQ(parse_offset(text), std::nullopt) << text;
}

TEST(ZoneSearch, DaylightSavingTimeIsWhatClocksGoBackFrom) {
    const auto is_on = [](const std::string& zone, const std::string& at) {
        return is_dst(*test::zone(zone), test::instant(at));
    };
    EXPECT_TRUE(is_on("America/New_York", "2026-07-01T00:00:00Z"));
    EXPECT_FALSE(is_on("America/New_York", "2026-01-01T00:00:00Z"));
    EXPECT_TRUE(is_on("Australia/Sydney", "2026-01-01T00:00:00Z"));
    EXPECT_TRUE(is_on("Europe/Dublin", "2026-07-01T00:00:00Z")) << "whatever the database calls standard there";
    EXPECT_FALSE(is_on("Europe/Dublin", "2026-01-01T00:00:00Z"));
    EXPECT_FALSE(is_on("UTC", "2026-07-01T00:00:00Z"));
    EXPECT_FALSE(is_on("Asia/Tokyo", "2026-07-01T00:00:00Z"));
}

}  // namespace belfry::spec
