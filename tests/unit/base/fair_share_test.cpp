#include "base/concurrency/fair_share.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace belfry {
namespace {

std::size_t take_all(FairShare& share, const std::string& key) {
    std::size_t taken = 0;
    for (; share.room_for(key) > 0; ++taken) share.take(key);
    return taken;
}

TEST(FairShare, AKeyThatIsAloneGetsThreeQuarters) {
    FairShare share(32);
    EXPECT_EQ(share.room_for("a"), 24U);
    EXPECT_EQ(take_all(share, "a"), 24U);
}

TEST(FairShare, HalfOfTheReserveIsForKeysBelowTheirShareAndAllOfItForKeysThatHoldNone) {
    FairShare share(32);
    take_all(share, "a");
    EXPECT_EQ(take_all(share, "b"), 4U);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(take_all(share, "new" + std::to_string(i)), 1U);
    EXPECT_EQ(share.room_for("late"), 0U);
    EXPECT_EQ(share.in_use(), 32U);
}

TEST(FairShare, KeysConvergeToEqualSharesAsPlacesAreGivenBack) {
    FairShare share(32);
    take_all(share, "a");
    take_all(share, "b");
    for (int i = 0; i < 100; ++i) {
        if (share.held_by("a") > 0) share.give_back("a");
        take_all(share, "b");
        take_all(share, "a");
    }
    EXPECT_EQ(share.held_by("a"), 12U);
    EXPECT_EQ(share.held_by("b"), 12U);
}

TEST(FairShare, SmallPoolsKeepAtLeastOnePlaceFree) {
    for (const std::size_t places : {2U, 3U, 4U, 7U}) {
        FairShare share(places);
        EXPECT_EQ(take_all(share, "a"), places - 1) << places;
        EXPECT_EQ(take_all(share, "b"), 1U) << places;
    }
    FairShare single(1);
    EXPECT_EQ(take_all(single, "a"), 1U);
    FairShare none(0);
    EXPECT_EQ(take_all(none, "a"), 0U);
}

TEST(FairShare, TheFirstUseOfAKeyMayTakeAllThatIsFree) {
    FairShare bytes(100);
    EXPECT_TRUE(bytes.has_room_for("a", 100));
    bytes.take("a", 60);
    EXPECT_FALSE(bytes.has_room_for("a", 16)) << "alone it gets three quarters";
    EXPECT_TRUE(bytes.has_room_for("a", 15));
    EXPECT_TRUE(bytes.has_room_for("b", 40));
    EXPECT_FALSE(bytes.has_room_for("b", 41));
    bytes.take("b", 40);
    bytes.give_back("a", 60);
    EXPECT_EQ(bytes.in_use(), 40U);
    EXPECT_EQ(bytes.held_by("a"), 0U);
}

TEST(FairPlaces, APlaceReturnsWithTheLastCopyEvenAfterThePool) {
    std::optional<FairPlaces> pool(std::in_place, 2);
    auto first = pool->take("a");
    EXPECT_TRUE(first);
    EXPECT_FALSE(pool->take("a"));
    auto copy = first;
    first.reset();
    EXPECT_FALSE(pool->take("a"));
    copy.reset();
    copy = pool->take("a");
    EXPECT_TRUE(copy);
    EXPECT_EQ(pool->in_use(), 1U);
    pool.reset();
    copy.reset();
}

}  // namespace
}  // namespace belfry
