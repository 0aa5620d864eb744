// Clock changes beyond what the tables of expected times cover: the options, the marks, and the far ends of time.
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::cron;
using test::instant;
using test::next_texts;
using Kind = DstMark::Kind;

constexpr DstRules kSkip{GapRule::skip, RepeatRule::automatic};
constexpr DstRules repeat(RepeatRule rule) { return {GapRule::shift, rule}; }

TEST(CronRule, GapRuleSkipDropsWhatDoesNotExist) {
    EXPECT_EQ(next_texts(cron("30 2 * * *", "America/New_York", kSkip), "2026-03-07T12:00:00Z", 2),
              "2026-03-09T06:30:00Z 2026-03-10T06:30:00Z");
    EXPECT_EQ(next_texts(cron("*/15 2 * * *", "America/New_York", kSkip), "2026-03-07T12:00:00Z", 1),
              "2026-03-09T06:00:00Z");
}

TEST(CronRule, RepeatRulesChooseThePass) {
    const auto times = [](RepeatRule rule) {
        return next_texts(cron("30 1 * * *", "America/New_York", repeat(rule)), "2026-10-31T12:00:00Z", 3);
    };
    EXPECT_EQ(times(RepeatRule::first), "2026-11-01T05:30:00Z 2026-11-02T06:30:00Z 2026-11-03T06:30:00Z");
    EXPECT_EQ(times(RepeatRule::last), "2026-11-01T06:30:00Z 2026-11-02T06:30:00Z 2026-11-03T06:30:00Z");
    EXPECT_EQ(times(RepeatRule::both), "2026-11-01T05:30:00Z 2026-11-01T06:30:00Z 2026-11-02T06:30:00Z");
}

TEST(CronRule, RepeatRulesHoldForWildcardsToo) {
    const auto times = [](RepeatRule rule) {
        return next_texts(cron("*/30 * * * *", "America/New_York", repeat(rule)), "2026-11-01T04:30:00Z", 4);
    };
    EXPECT_EQ(times(RepeatRule::first),
              "2026-11-01T05:00:00Z 2026-11-01T05:30:00Z 2026-11-01T07:00:00Z 2026-11-01T07:30:00Z");
    EXPECT_EQ(times(RepeatRule::last),
              "2026-11-01T06:00:00Z 2026-11-01T06:30:00Z 2026-11-01T07:00:00Z 2026-11-01T07:30:00Z");
}

TEST(CronRule, AGapNeverMovesAWildcardWhateverTheRepeatRule) {
    EXPECT_EQ(next_texts(cron("7 * * * *", "America/New_York", repeat(RepeatRule::first)), "2026-03-08T06:10:00Z", 2),
              "2026-03-08T07:07:00Z 2026-03-08T08:07:00Z");
}

TEST(CronRule, AGapAcrossMidnightDoesNotLoseTheDay) {
    // Pyongyang went from 23:30 on 4 May 2018 straight to 00:00 on 5 May.
    EXPECT_EQ(next_texts(cron("45 23 * * *", "Asia/Pyongyang"), "2018-05-03T16:00:00Z", 2),
              "2018-05-04T15:00:00Z 2018-05-05T14:45:00Z");
    EXPECT_EQ(next_texts(cron("*/10 23 4 5 *", "Asia/Pyongyang"), "2018-05-04T14:40:00Z", 1), "2018-05-04T14:50:00Z");
}

TEST(CronRule, MarksSayHowAClockChangeTouchedARun) {
    const auto mark = [](const char* expression, RepeatRule rule, const char* at) {
        return cron(expression, "America/New_York", repeat(rule)).mark(instant(at));
    };
    using namespace std::chrono;
    const auto gap_time = local_days{2026y / 3 / 8} + 2h + 30min;
    const auto fold_time = local_days{2026y / 11 / 1} + 1h + 30min;
    EXPECT_EQ(mark("30 2 * * *", RepeatRule::automatic, "2026-03-08T07:00:00Z"), (DstMark{Kind::shifted, gap_time}));
    EXPECT_EQ(mark("30 1 * * *", RepeatRule::automatic, "2026-11-01T05:30:00Z"),
              (DstMark{Kind::first_pass, fold_time}));
    EXPECT_EQ(mark("30 1 * * *", RepeatRule::last, "2026-11-01T06:30:00Z"), (DstMark{Kind::last_pass, fold_time}));
    EXPECT_EQ(mark("30 * * * *", RepeatRule::automatic, "2026-11-01T05:30:00Z"),
              (DstMark{Kind::both_first, fold_time}));
    EXPECT_EQ(mark("30 * * * *", RepeatRule::automatic, "2026-11-01T06:30:00Z"),
              (DstMark{Kind::both_second, fold_time}));
    EXPECT_EQ(mark("0 3 * * *", RepeatRule::automatic, "2026-03-08T07:00:00Z"), std::nullopt);
    EXPECT_EQ(mark("30 2 * * *", RepeatRule::automatic, "2026-03-09T06:30:00Z"), std::nullopt);
}

TEST(CronRule, PreviousIsTheMirrorOfNext) {
    const auto rule = cron("30 2 * * *", "America/New_York");
    EXPECT_EQ(rule.previous(instant("2026-03-09T06:30:00Z")), instant("2026-03-08T07:00:00Z"));
    EXPECT_EQ(rule.previous(instant("2026-03-08T07:00:00.000001Z")), instant("2026-03-08T07:00:00Z"));
    EXPECT_EQ(rule.previous(instant("2026-03-08T07:00:00Z")), instant("2026-03-07T07:30:00Z"));
    EXPECT_EQ(cron("0 0 0 1 1 * 2030").previous(instant("2030-01-01T00:00:00Z")), std::nullopt);
}

TEST(CronRule, NeverIsAnAnswer) {
    EXPECT_EQ(cron("0 0 0 1 1 * 2030").next(instant("2030-01-01T00:00:00Z")), std::nullopt);
    EXPECT_EQ(cron("* * * * *").next(kInstantMax), std::nullopt);
    EXPECT_EQ(cron("* * * * *").previous(kInstantMin), std::nullopt);
    EXPECT_EQ(cron("* * * * *", "Asia/Tokyo").next(kInstantMax), std::nullopt);
    EXPECT_EQ(cron("* * * * *", "America/New_York").previous(kInstantMin), std::nullopt);
}

TEST(CronRule, LeapDaysAreFoundAcrossTheCenturyThatHasNone) {
    EXPECT_EQ(next_texts(cron("0 0 29 2 *"), "2096-02-29T00:00:00Z", 1), "2104-02-29T00:00:00Z");
    EXPECT_EQ(cron("0 0 29 2 *").previous(instant("2104-02-29T00:00:00Z")), instant("2096-02-29T00:00:00Z"));
    EXPECT_EQ(next_texts(cron("0 0 29 2 */7"), "2088-03-01T00:00:00Z", 1), "2128-02-29T00:00:00Z");
}

TEST(CronRule, FractionsOfASecondStartTheSearchInTheRightPlace) {
    const auto rule = cron("* * * * * *");
    EXPECT_EQ(rule.next(instant("2026-01-01T00:00:00.999999Z")), instant("2026-01-01T00:00:01Z"));
    EXPECT_EQ(rule.next(instant("2026-01-01T00:00:00Z")), instant("2026-01-01T00:00:01Z"));
    EXPECT_EQ(rule.previous(instant("2026-01-01T00:00:00.000001Z")), instant("2026-01-01T00:00:00Z"));
    EXPECT_EQ(rule.next(instant("1969-12-31T23:59:58.5Z")), instant("1969-12-31T23:59:59Z"));
}

}  // namespace
}  // namespace belfry::spec
