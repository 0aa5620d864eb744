#include <array>
#include <thread>

#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::instant;
using test::zone;
using test::zones;

TEST(Zone, AnswersOffsetsOnBothSidesOfATransition) {
    const auto new_york = zone("America/New_York");
    EXPECT_EQ(new_york->offset_at(instant("2026-03-08T06:59:59.999999Z")), std::chrono::hours{-5});
    EXPECT_EQ(new_york->offset_at(instant("2026-03-08T07:00:00Z")), std::chrono::hours{-4});
    EXPECT_EQ(new_york->abbreviation_at(instant("2026-03-08T07:00:00Z")), "EDT");
    EXPECT_EQ(new_york->next_transition(instant("2026-03-08T06:59:59Z")), instant("2026-03-08T07:00:00Z"));
    EXPECT_EQ(new_york->next_transition(instant("2026-03-08T07:00:00Z")), instant("2026-11-01T06:00:00Z"));
    EXPECT_EQ(zone("Europe/Istanbul")->next_transition(instant("2026-01-01T00:00:00Z")), std::nullopt);
}

TEST(Zone, GoesOnWithItsRulesBeyondAnyTable) {
    // 9998 has the calendar of 1998, 400 years times 20 earlier: the second Sunday of March is the 8th.
    const auto new_york = zone("America/New_York");
    EXPECT_EQ(new_york->next_transition(instant("9998-01-01T00:00:00Z")), instant("9998-03-08T07:00:00Z"));
    EXPECT_EQ(new_york->offset_at(instant("9998-07-01T00:00:00Z")), std::chrono::hours{-4});
    EXPECT_EQ(new_york->offset_at(instant("2437-12-01T00:00:00Z")), std::chrono::hours{-5});
}

TEST(ZoneDatabase, RefusesUnknownNamesWithTheNearestOne) {
    const auto message = [](const char* name) { return zones().find(name).error().message; };
    EXPECT_EQ(message("America/NewYork"), "unknown time zone \"America/NewYork\": did you mean America/New_York?");
    EXPECT_EQ(message("europe/berlin"), "unknown time zone \"europe/berlin\": use Europe/Berlin");
    EXPECT_EQ(message("Berlin"), "unknown time zone \"Berlin\": did you mean Europe/Berlin?");
    EXPECT_EQ(message("UTC+3"),
              "unknown time zone \"UTC+3\": an offset is not a zone; name a place such as Europe/Berlin, or use UTC");
    EXPECT_EQ(message("PST"),
              "unknown time zone \"PST\": an abbreviation does not identify the rules; name a place, for example "
              "America/Los_Angeles");
    EXPECT_EQ(
        message("XYZ"),
        "unknown time zone \"XYZ\": use an IANA name such as Europe/Berlin or UTC (belfry tz list shows them all)");
    EXPECT_EQ(message(""),
              "unknown time zone \"\": use an IANA name such as Europe/Berlin or UTC (belfry tz list shows them all)");
}

TEST(ZoneDatabase, NeverTakesANameForAPath) {
    for (const auto* const name : {"../../../etc/passwd", "/etc/localtime", "/usr/share/zoneinfo/UTC",
                                   "file:/usr/share/zoneinfo/UTC", "localtime", "Fixed/UTC+01:00:00", "posix/UTC",
                                   "right/UTC", "America", "America/", "tzdata.zi", "Europe/../UTC"}) {
        EXPECT_FALSE(zones().find(name)) << name;
    }
    EXPECT_FALSE(zones().find(std::string_view("UTC\0", 4)));
}

TEST(ZoneDatabase, KnowsAliasesVersionAndSearch) {
    EXPECT_EQ(zones().canonical("US/Eastern"), "America/New_York");
    EXPECT_EQ(zones().canonical("America/New_York"), "America/New_York");
    const auto aliases = zones().aliases_of("America/New_York");
    EXPECT_NE(std::find(aliases.begin(), aliases.end(), "US/Eastern"), aliases.end());
    EXPECT_EQ(zones().search("new york"), std::vector<std::string>{"America/New_York"});
    EXPECT_EQ(zones().search(""), zones().names());
    EXPECT_GE(zones().names().size(), 400U);
    EXPECT_GE(zones().version(), "2026f")
        << "older zone data answers rows of tests/vectors differently: upgrade the package tzdata";
}

TEST(ZoneDatabase, SaysWhatToInstallWhenThereIsNoData) {
    const auto missing = ZoneDatabase::open("/nonexistent");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "no time zone data in \"/nonexistent\": install the package tzdata");
}

TEST(ZoneDatabase, ThreadsShareOneCopyOfEachZone) {
    const auto fresh = ZoneDatabase::open(ZoneDatabase::system_folder());
    const auto& database = fresh.value();
    std::array<std::vector<ZonePtr>, 4> seen;
    {
        std::vector<std::jthread> threads;
        for (auto& own : seen) {
            threads.emplace_back([&database, &own] {
                for (const auto& name : database.names()) own.push_back(database.find(name).value());
            });
        }
    }
    for (const auto& own : seen) EXPECT_EQ(own, seen.front());
}

TEST(ZoneDatabase, EveryZoneLoads) {
    for (const auto& name : zones().names()) EXPECT_TRUE(zones().find(name)) << name;
}

}  // namespace
}  // namespace belfry::spec
