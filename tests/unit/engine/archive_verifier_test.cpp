#include "engine/audit/archive_verifier.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace belfry::engine {
namespace {

const std::string kSchedule = "01970000-0000-7000-8000-000000000000";

std::vector<model::ArchivedEvent> chain_of(int events, const std::string& payload = "{}") {
    std::vector<model::ArchivedEvent> chain;
    for (int i = 1; i <= events; ++i) {
        model::ArchivedEvent next{"default", kSchedule, chain.empty() ? "" : chain.back().event.hash, {}};
        next.event.sequence = i;
        next.event.payload = payload;
        next.event.hash = model::chain_hash(next.previous, kSchedule, {.sequence = i}, payload);
        chain.push_back(next);
    }
    return chain;
}

TEST(ArchiveVerifier, AcceptsAnyOrderAndEqualTwins) {
    const auto chain = chain_of(5);
    ArchiveVerifier verifier;
    for (const auto i : {3, 4, 0, 2, 1, 2, 4}) EXPECT_FALSE(verifier.add(chain[static_cast<std::size_t>(i)])) << i;
    EXPECT_FALSE(verifier.find_gap());
    EXPECT_EQ(verifier.events(), 5U);
    EXPECT_EQ(verifier.schedules(), 1U);
    EXPECT_FALSE(verifier.check_join(kSchedule, {4, chain[3].event.hash}));
}

TEST(ArchiveVerifier, FindsWhatIsMissing) {
    const auto chain = chain_of(5);
    ArchiveVerifier verifier;
    for (const auto i : {1, 2, 4}) EXPECT_FALSE(verifier.add(chain[static_cast<std::size_t>(i)]));
    ASSERT_TRUE(verifier.find_gap());
    EXPECT_EQ(verifier.find_gap()->first, kSchedule);
    EXPECT_EQ(verifier.find_gap()->second.sequence, 4) << "the first may be in an older file";
    EXPECT_EQ(verifier.check_join(kSchedule, {6, "x"})->sequence, 6) << "a day is missing";
    EXPECT_TRUE(verifier.check_join("another", {1, "x"}));
    EXPECT_TRUE(verifier.check_join(kSchedule, {5, "another hash"}));
}

TEST(ArchiveVerifier, FindsWhatWasChangedEvenWithAHashOfItsOwn) {
    const auto chain = chain_of(3);
    const auto other = chain_of(3, R"({"a":1})");
    auto changed = chain[1];
    changed.event.payload = "[]";
    EXPECT_TRUE(ArchiveVerifier().add(changed)) << "the hash does not fit";

    ArchiveVerifier twins;
    EXPECT_FALSE(twins.add(chain[1]));
    EXPECT_TRUE(twins.add(other[1])) << "two events with one number";
    ArchiveVerifier forward;
    EXPECT_FALSE(forward.add(chain[0]));
    EXPECT_TRUE(forward.add(other[1])) << "it follows another event";
    ArchiveVerifier backward;
    EXPECT_FALSE(backward.add(other[1]));
    EXPECT_TRUE(backward.add(chain[0]));
}

}  // namespace
}  // namespace belfry::engine
