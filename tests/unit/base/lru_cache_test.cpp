#include "base/concurrency/lru_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace belfry {

namespace {

using Cache = LruCache<int, std::string>;

Cache::Pointer text(const char* text) { return std::make_shared<const std::string>(text); }

}  // namespace

TEST(LruCache, TheOneThatWasNotUsedForLongestGoesFirst) {
    Cache cache(2);
    cache.keep(1, text("one"), 1);
    cache.keep(2, text("two"), 1);
    ASSERT_TRUE(cache.find(1));
    cache.keep(3, text("three"), 1);
    EXPECT_TRUE(cache.find(1));
    EXPECT_FALSE(cache.find(2));
    EXPECT_TRUE(cache.find(3));
}

TEST(LruCache, ADearOneTakesTheRoomOfSeveral) {
    Cache cache(10);
    for (int i = 0; i < 5; ++i) cache.keep(i, text("small"), 2);
    cache.keep(5, text("large"), 7);
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_TRUE(cache.find(4));
    EXPECT_TRUE(cache.find(5));
}

TEST(LruCache, WhatHasNoRoomIsNotKeptAndTakesNobodysPlace) {
    Cache cache(10);
    cache.keep(1, text("one"), 5);
    cache.keep(2, text("huge"), 11);
    EXPECT_TRUE(cache.find(1));
    EXPECT_FALSE(cache.find(2));
}

TEST(LruCache, ANewValueTakesThePlaceAndTheRoomOfTheOld) {
    Cache cache(10);
    cache.keep(1, text("old"), 8);
    const auto old = cache.find(1);
    cache.keep(1, text("new"), 4);
    cache.keep(2, text("two"), 6);
    ASSERT_TRUE(cache.find(1));
    EXPECT_EQ(*cache.find(1), "new");
    EXPECT_TRUE(cache.find(2));
    EXPECT_EQ(*old, "old") << "whoever has it keeps it";
}

}  // namespace belfry
