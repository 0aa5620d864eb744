// What cannot be done waits longer each time, and what is behind it goes on.
#include "engine/jobs/quarantine.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using test::Lines;

const Error kCorrupt{ErrorCode::corrupt, "no JSON"};
const Error kConflict{ErrorCode::conflict, "somebody was faster"};

class BacklogTest : public testing::Test {
protected:
    // A look at a list of these, of which those in `bad` cannot be done; what was tried.
    Lines look(const Lines& items, const std::map<std::string, Error>& bad = {}, std::size_t batch = 2) {
        const auto reach = backlog.reach(batch);
        const auto found = std::min(reach, items.size());
        backlog.begin(found, reach, clock.now());
        Lines tried;
        for (std::size_t i = 0; i < found; ++i) {
            if (!backlog.takes(items[i])) continue;
            tried.push_back(items[i]);
            const auto error = bad.find(items[i]);
            if (auto stop = backlog.note(items[i], {.subject = items[i]},
                                         error == bad.end() ? Result<void>() : error->second)) {
                tried.push_back("stops: " + stop->message);
                return tried;
            }
        }
        more = backlog.end();
        return tried;
    }

    test::ManualClock clock{test::instant("2026-06-01T10:00:00Z")};
    test::Journal journal;
    Backlog backlog{"reaper", journal, {60s, 200s}};
    bool more = false;
};

TEST_F(BacklogTest, ReachesBehindWhatCannotBeDone) {
    const std::map<std::string, Error> bad{{"a", kCorrupt}, {"b", kCorrupt}};
    EXPECT_EQ(look({"a", "b", "c", "d", "e"}, bad), (Lines{"a", "b"}));
    EXPECT_TRUE(more);
    EXPECT_EQ(look({"a", "b", "c", "d", "e"}, bad), (Lines{"c", "d"}));
    EXPECT_TRUE(more);
    EXPECT_EQ(look({"a", "b", "e"}, bad), Lines{"e"});
    EXPECT_FALSE(more) << "all was looked at";
    EXPECT_EQ(look({"a", "b"}, bad), Lines{});
    EXPECT_FALSE(more);
    EXPECT_EQ(backlog.quarantined().size(), 2U);
    EXPECT_EQ(backlog.quarantined().front().worker, "reaper");
}

TEST_F(BacklogTest, WaitsLongerEachTimeAndNoLongerThanTheMost) {
    const std::map<std::string, Error> bad{{"a", kCorrupt}};
    for (const auto wait : {60s, 120s, 200s, 200s}) {
        EXPECT_EQ(look({"a"}, bad), Lines{"a"});
        EXPECT_EQ(backlog.quarantined().front().next_try, clock.now() + wait);
        clock.pass(wait - 1us);
        EXPECT_EQ(look({"a"}, bad), Lines{});
        clock.pass(1us);
    }
    EXPECT_EQ(look({"a"}), Lines{"a"});
    EXPECT_TRUE(backlog.quarantined().empty()) << "it works again";
}

TEST_F(BacklogTest, AClockThatWasPutBackMakesNoWaitLongerThanTheMost) {
    look({"a"}, {{"a", kCorrupt}});
    clock.pass(-1h);
    EXPECT_EQ(look({"a"}), Lines{"a"});
}

TEST_F(BacklogTest, WhatIsGoneIsForgotten) {
    look({"a", "b"}, {{"a", kCorrupt}, {"b", kCorrupt}}, 5);
    look({"b"}, {}, 5);
    EXPECT_EQ(backlog.quarantined().size(), 1U);
    backlog.leave();
    EXPECT_TRUE(backlog.quarantined().empty()) << "another server does it now";
    EXPECT_EQ(std::ranges::count(journal.lines, "released"), 2);
}

TEST_F(BacklogTest, SomebodyElseMayBeFasterAFewTimesAndThenItsRowsDoNotFit) {
    const std::map<std::string, Error> bad{{"a", kConflict}};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(look({"a", "b"}, bad, 1), Lines{"a"}) << i;
        EXPECT_FALSE(more) << "the same again at once would be a loop";
        EXPECT_TRUE(backlog.quarantined().empty());
    }
    look({"a", "b"}, bad, 1);
    EXPECT_EQ(backlog.quarantined().size(), 1U);
    EXPECT_EQ(look({"a", "b"}, bad, 1), Lines{"b"});
}

TEST_F(BacklogTest, AStoreThatIsAwayIsNobodysFault) {
    EXPECT_EQ(look({"a", "b"}, {{"a", {ErrorCode::unavailable, "away"}}}), (Lines{"a", "stops: away"}));
    EXPECT_TRUE(backlog.quarantined().empty());
}

}  // namespace
}  // namespace belfry::engine
