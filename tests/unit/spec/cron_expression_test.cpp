#include "spec/cron/cron_expression.hpp"

#include <gtest/gtest.h>

namespace belfry::spec {
namespace {

struct Refusal {
    const char* text;
    const char* message;
    std::size_t column;
    std::size_t length;
};

class CronRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(CronRefusals, NameFieldValueColumnAndFix) {
    const auto& [text, message, column, length] = GetParam();
    const auto result = parse_cron(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().message, message);
    EXPECT_EQ(result.error().place, (Place{column, length})) << text << ": " << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Values, CronRefusals,
    testing::Values(
        Refusal{"60 * * * *", "minute \"60\" at column 1: use 0-59", 1, 2},
        Refusal{"0 24 * * *", "hour \"24\" at column 3: use 0-23", 3, 2},
        Refusal{"0 0 0 * *", "day-of-month \"0\" at column 5: use 1-31", 5, 1},
        Refusal{"0 0 1 13 *", "month \"13\" at column 7: use 1-12 or JAN-DEC", 7, 2},
        Refusal{"0 0 * * 8", "day-of-week \"8\" at column 9: use 0-7 (0 and 7 are Sunday) or SUN-SAT", 9, 1},
        Refusal{"60 0 0 * * *", "second \"60\" at column 1: use 0-59", 1, 2},
        Refusal{"0 0 0 1 1 * 1969", "year \"1969\" at column 13: use 1970-2199", 13, 4},
        Refusal{"1,2,61 * * * *", "minute \"61\" at column 5: use 0-59", 5, 2},
        Refusal{"0-60 * * * *", "minute \"60\" at column 3: use 0-59", 3, 2},
        Refusal{"\t 99999999999999999999 * * * *", "minute \"99999999999999999999\" at column 3: use 0-59", 3, 20},
        Refusal{"0 0 * FOO *", "month \"FOO\" at column 7: use 1-12 or JAN-DEC", 7, 3},
        Refusal{"0 0 * * MONDAY", "day-of-week \"MONDAY\" at column 9: write the name with three letters: MON", 9, 6},
        Refusal{"0 0 * January *", "month \"January\" at column 7: write the name with three letters: Jan", 7, 7},
        Refusal{"-1 * * * *", "minute \"-1\" at column 1: use 0-59", 1, 2}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, CronRefusals,
    testing::Values(
        Refusal{"*/0 * * * *", "minute \"*/0\" at column 1: a step of 0 never advances; use 1 or more", 1, 3},
        Refusal{"*/x * * * *", "minute \"*/x\" at column 1: the step after \"/\" is a number from 1", 1, 3},
        Refusal{"*/ * * * *", "minute \"*/\" at column 1: the step after \"/\" is a number from 1", 1, 2},
        Refusal{"*/99999999 * * * *", "minute \"*/99999999\" at column 1: the step is larger than 9999", 1, 10},
        Refusal{"*/10000 * * * *", "minute \"*/10000\" at column 1: the step is larger than 9999", 1, 7},
        Refusal{"1, * * * *", "minute \"1,\" at column 1: a value is missing; use 0-59", 1, 2},
        Refusal{"1- * * * *", "minute \"1-\" at column 1: a value is missing; use 0-59", 1, 2},
        Refusal{"1-2-3 * * * *", "minute \"1-2-3\" at column 1: unexpected \"-3\"; use 0-59", 1, 5},
        Refusal{"? * * * *", "minute \"?\" at column 1: \"?\" is for the day fields; use *", 1, 1},
        Refusal{"0 0 ?/2 * *", "day-of-month \"?/2\" at column 5: \"?\" stands alone; use * with steps and lists", 5,
                3},
        Refusal{"0 0 1,? * *", "day-of-month \"1,?\" at column 5: \"?\" stands alone; use * with steps and lists", 5,
                3},
        Refusal{"0 0 1 * +?", "day-of-week \"+?\" at column 9: \"?\" stands alone; use * with steps and lists", 9, 2},
        Refusal{"0 0 1-5W * *", "day-of-month \"1-5W\" at column 5: W follows a single day of the month, as in 15W", 5,
                4},
        Refusal{"0 0 * * MON-FRI#2",
                "day-of-week \"MON-FRI#2\" at column 9: # follows a single day of the week, as in 5#2", 9, 9},
        Refusal{"0 0 1 é *", "month \"é\" at column 7: use 1-12 or JAN-DEC", 7, 2},
        Refusal{"0 0 * * L", "day-of-week \"L\" at column 9: add the weekday: 5L is the last Friday of the month", 9,
                1},
        Refusal{"0 0 L-31 * *", "day-of-month \"L-31\" at column 5: use L-0 to L-30", 5, 4},
        Refusal{"0 0 * * 1#6",
                "day-of-week \"1#6\" at column 9: after \"#\" use 1-5: a month has at most five of each weekday", 9, 3},
        Refusal{"0 0 1#2 * *", "day-of-month \"1#2\" at column 5: # follows a single day of the week, as in 5#2", 5, 3},
        Refusal{"0 0 * * 1W", "day-of-week \"1W\" at column 9: W follows a single day of the month, as in 15W", 9, 2},
        Refusal{"H * * * *",
                "minute \"H\" at column 1: \"H\" is Jenkins' spread; give a value here and set a jitter instead", 1, 1},
        Refusal{"0~30 * * * *",
                "minute \"0~30\" at column 1: \"~\" is a random value elsewhere; give a value here and set a jitter "
                "instead",
                1, 4},
        Refusal{"0 0 W * *", "day-of-month \"W\" at column 5: W follows a day of the month, as in 15W or LW", 5, 1},
        Refusal{"0 9 * * * 2027",
                "day-of-week \"2027\" at column 11: use 0-7 (0 and 7 are Sunday) or SUN-SAT; six fields start with "
                "seconds: put 0 first to end with "
                "a year",
                11, 4},
        Refusal{"0 9 * * * /bin/true",
                "day-of-week \"/bin/true\" at column 11: use 0-7 (0 and 7 are Sunday) or SUN-SAT; give the time fields "
                "only, not a whole crontab line",
                11, 9},
        Refusal{"0 9 a.txt b.txt 1-5",
                "day-of-month \"a.txt\" at column 5: use 1-31; if the shell expanded *, put the expression in quotes",
                5, 5},
        Refusal{"\"0 9 * * 1\"", "minute \"\"0\" at column 1: use 0-59; remove the quotes inside the expression", 1, 2},
        Refusal{"0 0 0 1 1 * 2030-2027",
                "year \"2030-2027\" at column 13: years do not wrap around; put the earlier one first", 13, 9}));

INSTANTIATE_TEST_SUITE_P(
    Whole, CronRefusals,
    testing::Values(
        Refusal{"", "the cron expression is empty: use five fields, for example 0 9 * * 1-5", 1, 0},
        Refusal{"  \t ", "the cron expression is empty: use five fields, for example 0 9 * * 1-5", 1, 0},
        Refusal{"* * * *",
                "cron \"* * * *\" has 4 fields: use 5 (minute hour day-of-month month day-of-week), 6 with seconds "
                "first, or 7 with a year last",
                7, 1},
        Refusal{"* * * * * * * *",
                "cron \"* * * * * * * *\" has 8 fields: use 5 (minute hour day-of-month month day-of-week), 6 with "
                "seconds first, or 7 with a year last",
                15, 1},
        Refusal{"0 0 30 2 *", "cron \"0 0 30 2 *\" never matches: no date has day-of-month \"30\" in month \"2\"", 5,
                4},
        Refusal{"0 0 31 2,4,6,9,11 *",
                "cron \"0 0 31 2,4,6,9,11 *\" never matches: no date has day-of-month \"31\" in month \"2,4,6,9,11\"",
                5, 13},
        Refusal{
            "0 0 0 29 2 * 2027",
            "cron \"0 0 0 29 2 * 2027\" never matches: no date has day-of-month \"29\" in month \"2\" in year \"2027\"",
            7, 4},
        Refusal{"0 0 8-14 * +1#1",
                "cron \"0 0 8-14 * +1#1\" never matches: no date has day-of-month \"8-14\" in month \"*\" with "
                "day-of-week \"+1#1\"",
                5, 6},
        Refusal{"@reboot", "@reboot is not a time: start such a job with the machine, or use a single instant", 1, 7},
        Refusal{"@dayly", "unknown macro \"@dayly\": use @yearly, @monthly, @weekly, @daily, @hourly or @every 1h30m",
                1, 6},
        Refusal{"@daily 5", "\"@daily\" must be alone, without fields after it", 8, 1},
        Refusal{"@every", "@every takes one duration, for example @every 1h30m", 1, 6},
        Refusal{"@every 0s", "@every \"0s\": use whole seconds, at least 1s", 8, 2},
        Refusal{"@every 1.5s", "@every \"1.5s\": use whole seconds, at least 1s", 8, 4},
        Refusal{"@every -5m", "duration \"-5m\": a sign is not allowed", 8, 1},
        Refusal{"TZ=0", "only a zone: the cron fields are missing after \"TZ=0\"", 1, 4},
        Refusal{"CRON_TZ= * * * * *", "CRON_TZ= needs a zone, for example CRON_TZ=Europe/Berlin", 1, 8},
        Refusal{"* * * *\n*", "control character at column 8: a cron expression is one line of text", 8, 1}));

TEST(CronExpression, RefusesTextsBeyondItsLimit) {
    std::string text = "0";
    while (text.size() <= kCronTextMax) text += ",0";
    EXPECT_FALSE(parse_cron(text + " * * * *"));
}

TEST(CronExpression, TakesSixFieldsAsSecondsFirstAndSevenWithAYear) {
    const auto six = parse_cron("1 2 3 4 5 6").value();
    EXPECT_EQ(six.field(CronUnit::second).text, "1");
    EXPECT_EQ(six.field(CronUnit::day_of_week).text, "6");
    const auto seven = parse_cron("1 2 3 4 5 * 2030").value();
    EXPECT_EQ(seven.field(CronUnit::year).text, "2030");
    EXPECT_EQ(parse_cron("2 3 4 5 6").value().field(CronUnit::second).items,
              (std::vector{CronItem{.kind = CronItem::Kind::range}}));
}

TEST(CronExpression, CountsAsWildcardWhenATimeFieldStartsWithAStar) {
    for (const auto* const text : {"* 2 * * *", "*/5 2 * * *", "5 * * * *", "0 */2 * * *", "* 5 2 * * *", "@hourly"})
        EXPECT_TRUE(parse_cron(text)->wildcard()) << text;
    for (const auto* const text : {"0-59 2 * * *", "5 0-23 * * *", "5 0,* * * *", "@daily", "30 2 */2 * *"})
        EXPECT_FALSE(parse_cron(text)->wildcard()) << text;
}

TEST(CronExpression, AsksForBothDayFieldsWhenOneStartsWithAStarOrAPlus) {
    for (const auto* const text : {"0 0 */2 * 1", "0 0 13 * *", "0 0 ? * 5", "0 0 13 * */5", "0 0 13 * +5"})
        EXPECT_TRUE(parse_cron(text)->days_must_both_match) << text;
    for (const auto* const text : {"0 0 13 * 5", "0 0 1-31 * 5", "0 0 13 * 0-6"})
        EXPECT_FALSE(parse_cron(text)->days_must_both_match) << text;
}

TEST(CronExpression, ReadsTheZonePrefixInBothSpellings) {
    EXPECT_EQ(parse_cron("CRON_TZ=Europe/Berlin 0 9 * * *")->zone, "Europe/Berlin");
    EXPECT_EQ(parse_cron("tz=UTC @daily")->zone, "UTC");
    EXPECT_EQ(parse_cron("0 9 * * *")->zone, std::nullopt);
}

}  // namespace
}  // namespace belfry::spec
