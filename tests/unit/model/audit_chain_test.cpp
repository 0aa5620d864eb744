#include "model/run/audit_chain.hpp"

#include <gtest/gtest.h>

#include "base/crypto/sha256.hpp"

namespace belfry::model {
namespace {

const std::string kSchedule = "01970000-0000-7000-8000-000000000000";

ChainedEvent event(std::int64_t sequence, const ChainHash& previous) {
    ChainedEvent made{sequence, EventType::schedule_paused, Instant{Micros{1'780'300'800'123'456}},
                      R"({"reason":"ä"})"};
    made.hash = chain_hash(previous, kSchedule,
                           {.sequence = sequence, .type = made.type, .recorded_at = made.recorded_at}, made.payload);
    return made;
}

// docs/reference/audit.md shows this text.
TEST(AuditChain, TheHashIsThatOfTheDocumentedText) {
    const auto first = event(1, {});
    EXPECT_EQ(to_hex(first.hash),
              sha256_hex(":36:" + kSchedule + ":1:1:14:SchedulePaused:16:1780300800123456:15:" + R"({"reason":"ä"})"));
    const auto second = event(2, first.hash);
    EXPECT_EQ(to_hex(second.hash), sha256_hex(first.hash + ":36:" + kSchedule +
                                              ":1:2:14:SchedulePaused:16:1780300800123456:15:" + R"({"reason":"ä"})"));
}

TEST(AuditChain, FollowsEventsAndStopsAtTheFirstBreak) {
    const auto first = event(1, {});
    const auto second = event(2, first.hash);
    ChainPoint point;
    EXPECT_FALSE(follow(point, kSchedule, first));
    EXPECT_FALSE(follow(point, kSchedule, second));
    EXPECT_EQ(point, (ChainPoint{2, second.hash}));

    auto changed = second;
    changed.payload = R"({"reason":"b"})";
    point = {1, first.hash};
    const auto broken = follow(point, kSchedule, changed);
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->sequence, 2);
    EXPECT_EQ(broken->found, second.hash);
    EXPECT_NE(broken->expected, second.hash);
    EXPECT_EQ(point.sequence, 1) << "the point stays";

    EXPECT_EQ(follow(point, kSchedule, event(3, second.hash))->problem, "event 2 is missing: event 3 follows event 1");
    EXPECT_TRUE(follow(point, "01970000-0000-7000-8000-000000000001", second)) << "the event of another schedule";
    auto strange = second;
    strange.type = static_cast<EventType>(60);
    EXPECT_EQ(follow(point, kSchedule, strange)->problem, "event 2 has an unknown type");
}

TEST(AuditChain, AChainEndsWhereTheStateSays) {
    EXPECT_FALSE(check_end({2, "x"}, {2, "x"}));
    EXPECT_EQ(check_end({2, "x"}, {2, "y"})->sequence, 2);
    EXPECT_EQ(check_end({1, "x"}, {2, "y"})->sequence, 2) << "the second is missing";
    EXPECT_EQ(check_end({3, "x"}, {2, "y"})->sequence, 3) << "the third is too much";
}

TEST(AuditArchive, ALineHoldsTheWholeEvent) {
    const ArchivedEvent archived{"acme", kSchedule, event(1, {}).hash, event(2, event(1, {}).hash)};
    const auto line = archive_line(archived);
    EXPECT_TRUE(line.starts_with(R"({"tenant":"acme","scheduleId":"01970000-0000-7000-8000-000000000000","sequence":2,)"
                                 R"("type":"SchedulePaused","recordedAt":"2026-06-01T08:00:00.123456Z",)"
                                 R"("payload":"{\"reason\":\"ä\"}","previousHash":")"))
        << line;
    EXPECT_EQ(parse_archive_line(line).value(), archived);
    const ArchivedEvent first{"acme", kSchedule, {}, event(1, {})};
    EXPECT_EQ(parse_archive_line(archive_line(first)).value(), first) << "it has no predecessor";
}

TEST(AuditArchive, ABadLineNamesItsMember) {
    for (const auto* const line : {"", "[]", "{}", "null", R"({"tenant":1})"})
        EXPECT_FALSE(parse_archive_line(line)) << line;
    auto line = archive_line({"acme", kSchedule, {}, event(1, {})});
    line.replace(line.find("SchedulePaused"), 14, "ScheduleEaten!");
    EXPECT_EQ(parse_archive_line(line).error().message, "the member type of the line is missing or invalid");
}

}  // namespace
}  // namespace belfry::model
