#include "base/concurrency/grouped_share.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace belfry {
namespace {

using Limit = GroupedPlaces::Limit;

// All that the member gets, and the limit that it meets then.
struct All {
    std::vector<FairPlaces::Place> places;
    Limit met = Limit::none;
};

All take_all(GroupedPlaces& pool, const std::string& group, const std::string& member) {
    All all;
    for (auto taken = pool.take(group, member);; taken = pool.take(group, member)) {
        all.met = taken.met;
        if (!taken.place) return all;
        all.places.push_back(std::move(taken.place));
    }
}

TEST(GroupedPlaces, OneMemberLeavesPlacesToOthersOfItsGroup) {
    GroupedPlaces pool(256);
    const auto first = take_all(pool, "t", "viewer");
    EXPECT_EQ(first.places.size(), 144U) << "three quarters of what the group may have";
    EXPECT_EQ(first.met, Limit::member);
    EXPECT_TRUE(pool.take("t", "other").place);
}

TEST(GroupedPlaces, OneGroupLeavesPlacesToOthers) {
    GroupedPlaces pool(256);
    std::vector<All> all;
    for (int i = 0; i < 300; ++i) all.push_back(take_all(pool, "t", std::to_string(i)));
    std::size_t held = 0;
    for (const auto& each : all) held += each.places.size();
    EXPECT_EQ(held, 192U);
    EXPECT_EQ(all.back().met, Limit::group);
    EXPECT_TRUE(pool.take("u", "0").place);
}

TEST(GroupedShare, RoomIsWhatAMemberCanTakeOneByOne) {
    GroupedShare share(32);
    EXPECT_EQ(share.room_for("t"), 24U);
    EXPECT_EQ(share.room_for("t", "slow"), 18U);
    for (auto room = share.room_for("t", "slow"); room > 0; --room) {
        EXPECT_EQ(share.room_for("t", "slow"), room);
        share.take("t", "slow");
    }
    EXPECT_EQ(share.limit_for("t", "slow"), GroupedShare::Limit::member);
    EXPECT_GE(share.room_for("t", "other"), 1U);
    EXPECT_EQ(share.room_for("u"), 10U) << "below its half of 24 places; 4 of the 14 free ones are reserved";
    EXPECT_EQ(share.room_for("u", "slow"), 8U);
}

TEST(GroupedShare, AMemberThatHoldsNoneIsServedAlthoughAnotherHoldsAllOfItsGroup) {
    GroupedShare share(32);
    const auto take_all_of = [&share](const std::string& group) {
        while (share.has_room(group, "silent")) share.take(group, "silent");
    };
    take_all_of("first");  // while it is alone
    take_all_of("second");
    share.take("third", "healthy");
    for (const std::string group : {"first", "second"}) {
        for (int calls = 0; calls < 3; ++calls) {
            ASSERT_TRUE(share.has_room(group, "healthy")) << group;
            EXPECT_FALSE(share.has_room(group, "silent")) << group;
            share.take(group, "healthy");
            share.give_back(group, "healthy");
        }
    }
    share.take("first", "healthy");
    EXPECT_EQ(share.limit_for("first", "another"), GroupedShare::Limit::group) << "one at a time";
    EXPECT_TRUE(share.has_room("fourth", "healthy"));
}

TEST(GroupedShare, HalfOfTheReserveIsNotLent) {
    GroupedShare share(32);
    for (const std::string group : {"first", "second"}) {
        while (share.has_room(group, "silent")) share.take(group, "silent");
        while (share.has_room(group, "slow")) share.take(group, "slow");
    }
    EXPECT_EQ(share.places() - share.in_use(), 4U);
    EXPECT_FALSE(share.has_room("first", "healthy"));
    EXPECT_TRUE(share.has_room("new", "healthy"));
}

TEST(GroupedPlaces, APlaceReturnsEvenAfterThePool) {
    std::optional<GroupedPlaces> pool(std::in_place, 1);
    {
        const auto place = pool->take("a", "b").place;
        EXPECT_TRUE(place);
        EXPECT_FALSE(pool->take("c", "d").place);
    }
    const auto place = pool->take("c", "d").place;
    EXPECT_TRUE(place);
    pool.reset();
}

}  // namespace
}  // namespace belfry
