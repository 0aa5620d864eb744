#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

using test::ApiWorld;
using test::at;

TEST(TimezoneRoutes, ASearchAnswersWithTheTimeThere) {
    const ApiWorld world;
    const auto page = world.get("/api/timezones?query=new+york");
    EXPECT_EQ(at(page, "/items/0/name"), "\"America/New_York\"");
    EXPECT_EQ(at(page, "/items/0/common"), "true");
    EXPECT_NE(at(page, "/items/0/nextTransition/at"), "absent");
    EXPECT_EQ(at(page, "/tzdata"), '"' + test::zones().version() + '"');
    // The wall and the clock agree: local time minus the offset is the server's time.
    const auto local = parse_instant(std::string(page.at("items").at(0).at("localTime").as_string()) +
                                     std::string(page.at("items").at(0).at("offset").as_string()));
    const auto now = parse_instant(page.at("now").as_string());
    ASSERT_TRUE(local && now);
    EXPECT_EQ(*local, std::chrono::floor<Seconds>(*now));
    EXPECT_EQ(at(world.get("/api/timezones?query=nowhere"), "/items"), "[]");
}

TEST(TimezoneRoutes, AllZonesComePageByPageCommonOnesFirst) {
    const ApiWorld world;
    std::size_t count = 0;
    std::string cursor;
    do {
        const auto page = world.get("/api/timezones?limit=250" + (cursor.empty() ? "" : "&cursor=" + cursor));
        if (cursor.empty()) {
            EXPECT_EQ(at(page, "/items/0/name"), "\"UTC\"");
        }
        count += page.at("items").as_array().size();
        cursor = page.at("nextCursor").is_null() ? "" : page.at("nextCursor").as_string().c_str();
    } while (!cursor.empty());
    EXPECT_EQ(count, test::zones().names().size());
    EXPECT_EQ(world.call("GET", "/api/timezones?cursor=zz").status, 422);
    EXPECT_EQ(world.call("GET", "/api/timezones?cursor=2d31").status, 422) << "a negative place";
}

TEST(TimezoneRoutes, AZoneIsReadByItsEncodedName) {
    const ApiWorld world;
    const auto zone = world.get("/api/timezones/America%2FNew_York");
    EXPECT_EQ(at(zone, "/name"), "\"America/New_York\"");
    EXPECT_EQ(at(zone, "/aliasOf"), "null");
    EXPECT_NE(at(zone, "/aliases").find("US/Eastern"), std::string::npos);
    EXPECT_EQ(at(world.get("/api/timezones/US%2FEastern"), "/aliasOf"), "\"America/New_York\"");
    const auto utc = world.get("/api/timezones/UTC");
    EXPECT_EQ(at(utc, "/offset"), "\"+00:00\"");
    EXPECT_EQ(at(utc, "/dst"), "false");
    EXPECT_EQ(at(utc, "/nextTransition"), "null");
    const auto unknown = world.call("GET", "/api/timezones/Europe%2FBerlinn");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_NE(at(unknown, "/detail").find("Europe/Berlin"), std::string::npos) << unknown.body;
}

}  // namespace belfry::api
