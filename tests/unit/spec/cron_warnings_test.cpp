#include <gtest/gtest.h>

#include "spec/explain/explain.hpp"

namespace belfry::spec {
namespace {

void expect_warnings(const std::string& cron, const std::vector<std::string>& expected) {
    const auto expression = parse_cron(cron);
    ASSERT_TRUE(expression) << cron;
    EXPECT_EQ(warnings(*expression), expected) << cron;
}

TEST(CronWarnings, SayThatAnUnevenStepIsNotAPeriod) {
    expect_warnings("*/45 * * * *",
                    {"*/45 in the minute field does not mean every 45 minutes: it runs at :00 and :45 of each hour, "
                     "15 minutes apart at the end"});
    expect_warnings("*/90 * * * *",
                    {"*/90 in the minute field does not mean every 90 minutes: it runs only at :00 of each hour"});
    expect_warnings(
        "0 */5 * * *",
        {"*/5 in the hour field does not mean every 5 hours: it runs in the hours 0, 5, 10, 15 and 20 of each day, "
         "4 hours apart at the end"});
    expect_warnings(
        "0 0 1 */5 *",
        {"*/5 in the month field does not mean every 5 months: it runs in January, June and November of each year, "
         "2 months apart at the end"});
    expect_warnings(
        "*/25 * * * * *",
        {"*/25 in the second field does not mean every 25 seconds: it runs at seconds 0, 25 and 50 of each minute, "
         "10 seconds apart at the end"});
    expect_warnings(
        "0 0 */10 * *",
        {"*/10 in the day-of-month field does not mean every 10 days: it runs on the 1st, 11th, 21st and 31st "
         "of each month and starts again on the 1st"});
    expect_warnings(
        "0 0 */31 * *",
        {"*/31 in the day-of-month field does not mean every 31 days: it runs only on the 1st of each month"});
    expect_warnings(
        "0 0 * * */3",
        {"*/3 in the day-of-week field does not mean every 3 days: it runs on Sunday, Wednesday and Saturday "
         "of each week, 1 day apart at the end"});
}

TEST(CronWarnings, DoNotContradictASentenceThatSaysARate) {
    expect_warnings(
        "*/7 * * * *",
        {"*/7 in the minute field breaks its rhythm at the end of each hour: after :56 comes :00, 4 minutes later"});
    expect_warnings("*/7 * * * * *", {"*/7 in the second field breaks its rhythm at the end of each minute: after "
                                      "second 56 comes second 0, 4 seconds later"});
    expect_warnings(
        "0 3/2 * * *",
        {"3/2 in the hour field breaks its rhythm at the end of each day: after hour 23 comes hour 3, 4 hours later"});
    // No hour follows another, so nothing breaks: "Every 8 minutes from 9:00 AM to 9:56 AM".
    expect_warnings("*/8 9 * * *", {});
    expect_warnings("*/45 9 * * *",
                    {"*/45 in the minute field does not mean every 45 minutes: it runs at :00 and :45 of each hour"});
}

TEST(CronWarnings, SayThatFixedHoursAreNotRealHours) {
    const std::string tail =
        " follows the wall clock: when the clocks go back, the repeated hour runs once; write * to run every real hour";
    expect_warnings("0 0-23 * * *", {"0-23" + tail});
    expect_warnings("0-59 0-23 * * *", {"0-23" + tail});
    expect_warnings("0 0/1 * * *", {"0/1" + tail});
    expect_warnings("0 0-22 * * *", {});
    expect_warnings("*/5 0-23 * * *", {});  // a star anywhere in the clock follows real time
}

TEST(CronWarnings, SayThatADayFieldHasNoEffect) {
    expect_warnings(
        "0 0 1-31 * 1",
        {"Day-of-month \"1-31\" matches every day, and either day field is enough: day-of-week \"1\" has no effect. "
         "Write * as the day-of-month to let it decide"});
    expect_warnings(
        "0 0 1 * 0-6",
        {"Day-of-week \"0-6\" matches every day, and either day field is enough: day-of-month \"1\" has no effect. "
         "Write * as the day-of-week to let it decide"});
    EXPECT_EQ(warnings(*parse_cron("0 0 31 * 0-6")).size(), 1U);  // it does not matter which months have a 31st
    expect_warnings("0 0 1-31 * 0-6", {});
}

TEST(CronWarnings, AreSilentWhereTheTextMeansWhatItSays) {
    for (const auto* cron : {"*/15 * * * *", "5/15 * * * *", "0 */6 * * *", "0 9 * * 1-5", "0 0 1 */3 *",
                             "*/10 * * * * *", "0 9-17/3 * * *", "@every 7h", "0 0 L * *", "0 0 29 1 *", "0 0 13 * +5",
                             "0 0 0 1 1 * */3", "* * * * *", "0 0 30 4 *", "0 0 31,L * *", "0 0 * * FRI#5,FRIL"}) {
        expect_warnings(cron, {});
    }
}

TEST(CronWarnings, SayWhichDayRuleApplies) {
    expect_warnings("0 12 13 * 5", {"Day-of-month \"13\" and day-of-week \"5\" are both given: either is enough. "
                                    "Write +5 as the day-of-week to require both"});
    const auto star = warnings(*parse_cron("0 12 */2 * 5"));
    ASSERT_EQ(star.size(), 2U);
    EXPECT_EQ(star[1],
              "Day-of-month \"*/2\" starts with a star, so a date must match both day fields; without a star either "
              "would be enough");
}

TEST(CronWarnings, AskWhetherEveryMinuteOfAnHourWasMeant) {
    expect_warnings("* 9 * * *", {"Runs every minute of the hour 9, 60 runs a day; did you mean 0 9 * * *?"});
    expect_warnings("* 9-17 * * 1-5", {"Runs every minute of 9 hours, 540 runs a day; did you mean 0 9-17 * * 1-5?"});
    expect_warnings(
        "* 0 9 * * *",
        {"Runs every second of 1 minute in each hour that matches, 60 runs an hour; did you mean 0 0 9 * * *?"});
}

TEST(CronWarnings, SayWhichMonthsLackTheDay) {
    const std::string use_l = " (L is the last day of every month)";
    expect_warnings("0 0 31 * *",
                    {"The 31st does not exist in months with fewer than 31 days; there it does not run" + use_l});
    expect_warnings("0 0 31 * +FRI",
                    {"The 31st does not exist in months with fewer than 31 days; there it does not run" + use_l});
    expect_warnings("0 0 L-29 * *", {"L-29 does not exist in months with fewer than 30 days; there it does not run"});
    expect_warnings("0 0 29 2 *", {"Day-of-month 29: February has 29 days only in leap years"});
    expect_warnings("0 0 * * 5#5",
                    {"Day-of-week 5#5: months with four Fridays are skipped; use 5L for the last Friday"});
    expect_warnings("0 0 * * FRI#5",
                    {"Day-of-week FRI#5: months with four Fridays are skipped; use FRIL for the last Friday"});
}

TEST(CronWarnings, DoNotSayThatAMonthIsSkippedWhereSomethingElseRuns) {
    const std::string no_31st =
        "The 31st does not exist in months with fewer than 31 days; a missing day is not replaced (L is the last day "
        "of every month)";
    expect_warnings("0 0 15,31 * *", {no_31st});
    expect_warnings("0 0 1,31,31 * *", {no_31st});
    EXPECT_EQ(warnings(*parse_cron("0 0 31 * FRI")).back(), no_31st);
    expect_warnings("0 0 29,30,31 * *", {"The 29th, 30th and 31st do not exist in every month; a missing day is not "
                                         "replaced (L is the last day of every month)"});
    EXPECT_EQ(warnings(*parse_cron("0 0 31W,1 * *")).front(),
              "31W does not exist in months with fewer than 31 days; a missing day is not replaced (LW is the last "
              "weekday of every month)");
    expect_warnings("0 0 * * FRI#5,MON",
                    {"Day-of-week FRI#5: months with four Fridays have no fifth; use FRIL for the last Friday"});
    EXPECT_EQ(warnings(*parse_cron("0 0 15 2 FRI#5")).back(),
              "Day-of-week FRI#5: months with four Fridays have no fifth; use FRIL for the last Friday");
}

TEST(CronWarnings, NameTheDaysThatNeverOccur) {
    expect_warnings("0 0 31 2 FRI", {"The 31st never occurs in February"});
    expect_warnings("0 0 1,30 2 *", {"The 30th never occurs in February"});
    expect_warnings("0 0 1,30,31 2 *", {"The 30th and 31st never occur in February"});
    expect_warnings("0 0 L-30 4,6 MON", {"L-30 never occurs in April and June"});
}

TEST(CronWarnings, SayHowFarANearestWeekdayMoves) {
    expect_warnings("0 0 1W * *",
                    {"Day-of-month 1W moves from a Saturday or Sunday to the nearest weekday, holidays aside; "
                     "when the 1st is a Saturday it runs on Monday the 3rd"});
    expect_warnings("0 0 L-3W * *",
                    {"Day-of-month L-3W moves from a Saturday or Sunday to the nearest weekday, holidays aside; "
                     "it never moves into another month"});
}

}  // namespace
}  // namespace belfry::spec
