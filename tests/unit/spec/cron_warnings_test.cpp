#include <gtest/gtest.h>

#include "spec/explain.hpp"

namespace belfry::spec {
namespace {

void expect_warnings(const std::string& cron, const std::vector<std::string>& expected) {
    const auto expression = parse_cron(cron);
    ASSERT_TRUE(expression) << cron;
    EXPECT_EQ(warnings(*expression), expected) << cron;
}

TEST(CronWarnings, SayThatAnUnevenStepIsNotAPeriod) {
    expect_warnings("*/45 * * * *", {"*/45 in the minute field does not mean every 45 minutes: it runs at :00 and :45 of each hour, "
                                     "and 15 minutes after the last it starts again"});
    expect_warnings("*/7 * * * *", {"*/7 in the minute field does not mean every 7 minutes: it runs at :00, :07, :14 … :56 of each hour, "
                                    "and 4 minutes after the last it starts again"});
    expect_warnings("*/90 * * * *", {"*/90 in the minute field does not mean every 90 minutes: it runs only at :00 of each hour"});
    expect_warnings("0 */5 * * *", {"*/5 in the hour field does not mean every 5 hours: it runs in the hours 0, 5, 10, 15 and 20 of each day, "
                                    "and 4 hours after the last it starts again"});
    expect_warnings("0 0 1 */5 *", {"*/5 in the month field does not mean every 5 months: it runs in January, June and November of each year, "
                                    "and 2 months after the last it starts again"});
    expect_warnings("*/25 * * * * *", {"*/25 in the second field does not mean every 25 seconds: it runs at seconds 0, 25 and 50 of each minute, "
                                       "and 10 seconds after the last it starts again"});
    expect_warnings("0 0 */10 * *", {"*/10 in the day-of-month field does not mean every 10 days: it runs on the 1st, 11th, 21st and 31st "
                                     "of each month and starts again on the 1st"});
    expect_warnings("0 0 * * */3", {"*/3 in the day-of-week field does not mean every 3 days: it runs on Sunday, Wednesday and Saturday "
                                    "of each week, and 1 day after the last it starts again"});
}

TEST(CronWarnings, AreSilentWhereTheTextMeansWhatItSays) {
    for (const auto* cron : {"*/15 * * * *", "5/15 * * * *", "0 */6 * * *", "0 9 * * 1-5", "0 0 1 */3 *", "*/10 * * * * *", "0 9-17/3 * * *",
                             "@every 7h", "0 0 L * *", "0 0 29 1 *", "0 0 13 * +5", "0 0 1-31 * 5", "0 0 0 1 1 * */3", "* * * * *", "0 0 30 4 *"}) {
        expect_warnings(cron, {});
    }
}

TEST(CronWarnings, SayWhichDayRuleApplies) {
    expect_warnings("0 12 13 * 5", {"Day-of-month \"13\" and day-of-week \"5\" are both given: either is enough. "
                                    "Write +5 as the day-of-week to require both"});
    const auto star = warnings(*parse_cron("0 12 */2 * 5"));
    ASSERT_EQ(star.size(), 2U);
    EXPECT_EQ(star[1], "Day-of-month \"*/2\" starts with a star, so a date must match both day fields; without a star either would be enough");
}

TEST(CronWarnings, AskWhetherEveryMinuteOfAnHourWasMeant) {
    expect_warnings("* 9 * * *", {"Runs every minute of the hour 9, 60 runs a day; did you mean 0 9 * * *?"});
    expect_warnings("* 9-17 * * 1-5", {"Runs every minute of 9 hours, 540 runs a day; did you mean 0 9-17 * * 1-5?"});
    expect_warnings("* 0 9 * * *", {"Runs every second of 1 minute in each hour that matches, 60 runs an hour; did you mean 0 0 9 * * *?"});
}

TEST(CronWarnings, SayWhichMonthsAreSkipped) {
    expect_warnings("0 0 31 * *", {"Day-of-month 31: months with fewer than 31 days are skipped; use L for the last day"});
    expect_warnings("0 0 15,30 * *", {"Day-of-month 30: months with fewer than 30 days are skipped; use L for the last day"});
    expect_warnings("0 0 L-29 * *", {"Day-of-month L-29: months with fewer than 30 days are skipped"});
    expect_warnings("0 0 29 2 *", {"Day-of-month 29: February has 29 days only in leap years"});
    expect_warnings("0 0 * * 5#5", {"Day-of-week 5#5: months with four Fridays are skipped; use 5L for the last Friday"});
    expect_warnings("0 0 1W * *", {"Day-of-month 1W moves from a Saturday or Sunday to the nearest weekday, holidays aside; "
                                   "when the 1st is a Saturday it runs on Monday the 3rd"});
}

}  // namespace
}  // namespace belfry::spec
