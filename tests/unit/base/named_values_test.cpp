#include "base/text/named_values.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "base/metrics.hpp"

namespace belfry {
namespace {

std::map<std::string, std::uint64_t> read(const NamedValues<Counter>& values) {
    std::map<std::string, std::uint64_t> all;
    values.each([&all](const std::string& name, const Counter& counter) {
        EXPECT_TRUE(all.emplace(name, counter.value()).second) << name;
    });
    return all;
}

TEST(NamedValues, CountsTheNamesBeyondTheBoundTogether) {
    NamedValues<Counter> values(2);
    for (const auto* const name : {"a", "b", "c", "d", "a"}) values.of(name).add();
    EXPECT_EQ(read(values), (std::map<std::string, std::uint64_t>{{"a", 2}, {"b", 1}, {"other", 2}}));
}

TEST(NamedValues, WhoeverIsReallyCalledOtherIsCountedWithTheOthers) {
    NamedValues<Counter> values(1);
    for (const auto* const name : {"other", "a", "b"}) values.of(name).add();
    EXPECT_EQ(read(values), (std::map<std::string, std::uint64_t>{{"a", 1}, {"other", 2}}));
}

TEST(NamedValues, ThreadsThatMeetAtANewNameShareItsValue) {
    NamedValues<Counter> values(100);
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&values] {
                for (int i = 0; i < 10'000; ++i) values.of("tenant-" + std::to_string(i % 150)).add();
            });
        }
    }
    const auto all = read(values);
    EXPECT_EQ(all.size(), 101U);
    std::uint64_t sum = 0;
    for (const auto& [name, count] : all) sum += count;
    EXPECT_EQ(sum, 40'000U);
}

}  // namespace
}  // namespace belfry
