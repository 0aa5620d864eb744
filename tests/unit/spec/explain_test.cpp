#include "spec/explain/explain.hpp"

#include <gtest/gtest.h>

namespace belfry::spec {
namespace {

CronExpression parsed(const std::string& text) {
    auto expression = parse_cron(text);
    EXPECT_TRUE(expression) << text;
    return *expression;
}

std::string said(const std::string& text, ClockStyle clock = ClockStyle::hours_12) {
    return explain(parsed(text), {.clock = clock});
}

struct Row {
    const char* cron;
    const char* sentence;
};

void expect_sentences(const std::vector<Row>& rows) {
    for (const auto& row : rows) EXPECT_EQ(said(row.cron), row.sentence) << row.cron;
}

TEST(Explain, SaysTheTimesOfEveryDay) {
    expect_sentences({
        {"0 9 * * *", "At 9:00 AM every day"},
        {"30 4 * * *", "At 4:30 AM every day"},
        {"0 0 * * *", "At 12:00 AM every day"},
        {"0 12 * * *", "At 12:00 PM every day"},
        {"0 0,12 * * *", "At 12:00 AM and 12:00 PM every day"},  // clearer than "every 12 hours"
        {"0 8,12,16 * * *", "At 8:00 AM, 12:00 PM and 4:00 PM every day"},
        {"@daily", "At 12:00 AM every day"},
    });
}

TEST(Explain, SpeaksTheTwentyFourHourClockWhenAsked) {
    EXPECT_EQ(said("15,45 8 * * *", ClockStyle::hours_24), "At 08:15 and 08:45 every day");
    EXPECT_EQ(said("*/15 9-17 * * 1-5", ClockStyle::hours_24), "Every 15 minutes from 09:00 to 17:45 on weekdays");
    EXPECT_EQ(said("5,17,41 6,8,11 * * *", ClockStyle::hours_24),
              "At :05, :17 and :41 of the hours 06:00, 08:00 and 11:00 every day");
}

TEST(Explain, SaysARateWhereTheTimesAreEvenlySpaced) {
    expect_sentences({
        {"* * * * *", "Every minute"},
        {"*/15 * * * *", "Every 15 minutes"},
        {"0,30 * * * *", "Every 30 minutes"},
        {"0 * * * *", "Every hour"},
        {"0 */2 * * *", "Every 2 hours"},
        {"0 1/2 * * *", "Every 2 hours starting at 1:00 AM"},
        {"0 1/2 5 * *",
         "Every 2 hours from 1:00 AM to 11:00 PM on the 5th of every month"},  // it does not go on after the 5th
        {"@hourly", "Every hour"},
    });
}

// When the clocks change, six hours on the wall clock are not six real hours.
TEST(Explain, ListsUpToEightTimesThatAreMoreThanAnHourApart) {
    expect_sentences({
        {"0 */6 * * *", "At 12:00 AM, 6:00 AM, 12:00 PM and 6:00 PM every day"},
        {"0 0,6,12,18 * * *", "At 12:00 AM, 6:00 AM, 12:00 PM and 6:00 PM every day"},
        {"0 1/6 5 * *", "On the 5th of every month at 1:00 AM, 7:00 AM, 1:00 PM and 7:00 PM"},
        {"0 */5 * * *", "At 12:00 AM, 5:00 AM, 10:00 AM, 3:00 PM and 8:00 PM every day"},
        {"0 */3 * * *", "At 12:00 AM, 3:00 AM, 6:00 AM, 9:00 AM, 12:00 PM, 3:00 PM, 6:00 PM and 9:00 PM every day"},
        {"0 9-12 * * *", "Every hour from 9:00 AM to 12:00 PM every day"},
    });
}

TEST(Explain, EndsARangeWithTheLastRunAndNotWithTheLastHour) {
    expect_sentences({
        {"*/15 9-17 * * 1-5", "Every 15 minutes from 9:00 AM to 5:45 PM on weekdays"},
        {"*/15 9-17 * * *", "Every 15 minutes from 9:00 AM to 5:45 PM every day"},
        {"0 9-17 * * *", "Every hour from 9:00 AM to 5:00 PM every day"},
        {"* 9 * * *", "Every minute from 9:00 AM to 9:59 AM every day"},
        {"*/15 9-11,14-16 * * *", "Every 15 minutes from 9:00 AM to 11:45 AM and from 2:00 PM to 4:45 PM every day"},
        {"0,10 9-17 * * *", "At :00 and :10 of every hour from 9:00 AM to 5:10 PM every day"},
    });
}

TEST(Explain, SaysWhereAStepIsNotAPeriod) {
    expect_sentences({
        {"5 * * * *", "Every hour at :05"},
        {"*/45 * * * *", "Every hour at :00 and :45"},
        {"*/90 * * * *", "Every hour"},
        {"*/7 * * * *", "Every 7 minutes from :00 to :56 of every hour"},
        {"2/5 * * * *", "Every 5 minutes from :02 to :57 of every hour"},
        {"*/7 9-17 * * *", "Every 7 minutes from :00 to :56 of every hour from 9:00 AM to 5:56 PM every day"},
        {"* */2 * * *", "Every minute of every 2nd hour from 12:00 AM to 10:59 PM every day"},
        {"0 0 */2 * *", "On every 2nd day from the 1st to the 31st of every month at 12:00 AM"},
        {"0 0 1 */5 *", "On the 1st of January, June and November at 12:00 AM"},
    });
}

TEST(Explain, CrossesMidnightOnlyWhenEveryDateMatches) {
    expect_sentences({
        {"*/15 22-2 * * *", "Every 15 minutes from 10:00 PM to 2:45 AM every day"},
        {"0 22-2 * * *", "Every hour from 10:00 PM to 2:00 AM every day"},
        // On weekdays the small hours are those of Monday to Friday, not of Tuesday to Saturday.
        {"*/15 22-2 * * 1-5", "Every 15 minutes from 12:00 AM to 2:45 AM and from 10:00 PM to 11:45 PM on weekdays"},
        {"0 23-1 * * 1", "Every Monday at 12:00 AM, 1:00 AM and 11:00 PM"},
    });
}

TEST(Explain, NamesWeekdays) {
    expect_sentences({
        {"0 9 * * 1-5", "Every weekday at 9:00 AM"},
        {"0 0 * * 0", "Every Sunday at 12:00 AM"},
        {"0 0 * * 7", "Every Sunday at 12:00 AM"},
        {"0 9 * * 6,0", "On Saturdays and Sundays at 9:00 AM"},
        {"0 9 * * 0,3", "On Wednesdays and Sundays at 9:00 AM"},  // weeks are read from Monday
        {"0 9 * * FRI-MON", "From Friday to Monday at 9:00 AM"},
        {"0 9 * * 1-6", "Every day except Sunday at 9:00 AM"},
        {"* * * * 1-6", "Every minute on every day except Sunday"},
        {"*/5 * * * 1", "Every 5 minutes on Mondays"},
    });
}

TEST(Explain, NamesDaysOfTheMonth) {
    expect_sentences({
        {"0 0 1 * *", "On the 1st of every month at 12:00 AM"},
        {"0 0 1 * ?", "On the 1st of every month at 12:00 AM"},
        {"0 0 1,2,15,20-25 * *", "On the 1st, 2nd, 15th and 20th to 25th of every month at 12:00 AM"},
        {"0 0 25-5 * *", "On the 1st to 5th and 25th to 31st of every month at 12:00 AM"},
        {"0 0 11,12,13,21,22,23 * *", "On the 11th to 13th and 21st to 23rd of every month at 12:00 AM"},
        {"* * 5 * *", "Every minute on the 5th of every month"},
        {"0 0 2,4,7,9,12,15,17,20,22,27 * *", "On 10 days between the 2nd and the 27th of every month at 12:00 AM"},
    });
}

TEST(Explain, SaysEitherWhenBothDayFieldsAreGiven) {
    expect_sentences({
        {"0 12 13 * 5", "On the 13th and on Fridays at 12:00 PM"},
        {"0 9 1,15,L * MON", "On the 1st and 15th, on the last day of the month and on Mondays at 9:00 AM"},
        {"0 9 13 * MON#2", "On the 13th and on the 2nd Monday of the month at 9:00 AM"},
        {"*/5 * 13 3 1-5", "Every 5 minutes on the 13th and on weekdays in March"},
        {"0 9 1-31 * 5", "At 9:00 AM every day"},  // either is enough, and one of them is always true
        {"0 9 13 * 0-6", "At 9:00 AM every day"},
    });
}

TEST(Explain, SaysBothWhenADayFieldStartsWithAStarOrAPlus) {
    expect_sentences({
        {"0 12 13 * +FRI", "On the 13th when it is a Friday at 12:00 PM"},
        {"0 12 */2 * 5", "On every 2nd day from the 1st to the 31st when it is a Friday at 12:00 PM"},
        {"0 12 1-7 * +1,5", "On the 1st to 7th when it is a Monday or Friday at 12:00 PM"},
        {"0 12 1 * +1-5", "On the 1st when it is a weekday at 12:00 PM"},
        {"0 12 L * +MON,FRIL",
         "On the last day of the month when it is a Monday or the last Friday of the month at 12:00 PM"},
        {"0 12 1-7,L * +SUN", "On Sundays that fall on the 1st to 7th or on the last day of the month at 12:00 PM"},
        {"0 12 1,LW * +1-4",
         "On Mondays, Tuesdays, Wednesdays and Thursdays that fall on the 1st or on the last weekday of the month at "
         "12:00 PM"},
        {"0 12 31 2,3 +FRI", "On the 31st when it is a Friday at 12:00 PM in March"},
        {"0 12 * * 5", "Every Friday at 12:00 PM"},
    });
}

TEST(Explain, PutsLastNearestAndNthIntoWords) {
    expect_sentences({
        {"0 0 L * *", "On the last day of every month at 12:00 AM"},
        {"0 0 L-3 * *", "On the day 3 days before the last day of every month at 12:00 AM"},
        {"0 0 L-1 * *", "On the day 1 day before the last day of every month at 12:00 AM"},
        {"0 0 15W * *", "On the weekday nearest the 15th of every month at 12:00 AM"},
        {"0 0 LW * *", "On the last weekday of every month at 12:00 AM"},
        {"0 0 L-3W * *", "On the weekday nearest to 3 days before the last day of every month at 12:00 AM"},
        {"0 0 * * 1#2", "On the 2nd Monday of every month at 12:00 AM"},
        {"0 0 * * FRIL", "On the last Friday of every month at 12:00 AM"},
        {"0 0 L 1,7 *", "On the last day of January and July at 12:00 AM"},
        {"0 0 * 10 SUN#1", "On the 1st Sunday of October at 12:00 AM"},
        {"0 0 1,15,L * *", "On the 1st and 15th and on the last day of every month at 12:00 AM"},
    });
}

TEST(Explain, DoesNotPromiseDatesThatSomeMonthsLack) {
    expect_sentences({
        {"0 0 31 * *", "On the 31st of every month that has one at 12:00 AM"},
        {"0 0 31W * *", "On the weekday nearest the 31st of every month that has that day at 12:00 AM"},
        {"0 0 L-30 * *", "On the day 30 days before the last day of every month that has that day at 12:00 AM"},
        {"0 0 * * 5#5", "On the 5th Friday of every month that has one at 12:00 AM"},
        {"0 0 * 1,7 5#5", "On the 5th Friday of January and July when there is one at 12:00 AM"},
        {"0 0 29 1,2 *", "On the 29th of January and February when there is one at 12:00 AM"},
        {"0 0 29 2 *", "On February 29th of every leap year at 12:00 AM"},
        {"0 0 31 3-10 *", "On the 31st of March, May, July, August and October at 12:00 AM"},
        {"0 0 30 2,3 *", "Every year on March 30th at 12:00 AM"},
    });
}

TEST(Explain, SaysOfSeveralDatesThatSomeMonthsLackThem) {
    expect_sentences({
        {"0 0 29-31 * *", "On the 29th to 31st of every month that has that day at 12:00 AM"},
        {"0 0 30/1 * *", "On the 30th and 31st of every month that has that day at 12:00 AM"},
        {"0 0 */30 * *", "On the 1st and 31st of every month that has that day at 12:00 AM"},
        {"0 0 15,31 * *", "On the 15th and 31st of every month that has that day at 12:00 AM"},
        {"0 0 15,31 1,2 *", "On the 15th and 31st of January and February where the day exists at 12:00 AM"},
        {"0 0 1,31W * *",
         "On the 1st and on the weekday nearest the 31st of every month that has that day at 12:00 AM"},
        {"0 0 28-31 2 *", "On the 28th and 29th of February (the 29th in leap years) at 12:00 AM"},
        {"0 0 20-29 2 *", "On the 20th to 29th of February (the 29th in leap years) at 12:00 AM"},
        {"0 0 0 28-31 2 * 2027", "On February 28th at 12:00 AM in 2027"},
        {"0 0 31,L * *", "On the last day of every month at 12:00 AM"},  // the 31st is always a last day
        // The end of a longer range is where the month ends.
        {"0 0 27-31 * *", "On the 27th to 31st of every month at 12:00 AM"},
    });
}

TEST(Explain, LeavesOutDatesThatNeverExist) {
    expect_sentences({
        {"0 0 29-31 2 *", "On February 29th of every leap year at 12:00 AM"},
        {"0 0 1,30 2 *", "Every year on February 1st at 12:00 AM"},
        {"0 0 31 2 FRI", "Every Friday at 12:00 AM in February"},
        {"0 0 L-30 2 MON", "Every Monday at 12:00 AM in February"},
        {"0 0 31W 2,3 *", "On the weekday nearest the 31st of March at 12:00 AM"},
        {"0 0 1,31 4 FRI", "On the 1st and on Fridays at 12:00 AM in April"},
        {"0 0 1-30 4 *", "At 12:00 AM every day in April"},
    });
}

TEST(Explain, NamesMonthsAndYears) {
    expect_sentences({
        {"0 0 1 1 *", "Every year on January 1st at 12:00 AM"},
        {"@yearly", "Every year on January 1st at 12:00 AM"},
        {"* * 1 1 *", "Every minute on January 1st of every year"},
        {"0 9 * 1,7 1-5", "Every weekday at 9:00 AM in January and July"},
        {"0 9 * 3-10 *", "At 9:00 AM every day from March to October"},
        {"0 9 * 11-2 *", "At 9:00 AM every day from November to February"},
        {"0 9 * 1-5,7-12 *", "At 9:00 AM every day in every month except June"},
        {"0 0 1 3-10 *", "On the 1st of every month from March to October at 12:00 AM"},
        {"0 0 9 * * * 2027", "At 9:00 AM every day in 2027"},
        {"0 0 9 * * * 2027-2030", "At 9:00 AM every day from 2027 to 2030"},
        {"0 0 9 * * * 2027,2029", "At 9:00 AM every day in 2027 and 2029"},
        {"0 0 9 * 3-10 * 2027-2030", "At 9:00 AM every day from March to October, from 2027 to 2030"},
        {"0 0 9 1 1 * 2027", "On January 1st at 9:00 AM in 2027"},
        // The winter of a single year is cut in two.
        {"0 0 9 * 11-2 * 2027", "At 9:00 AM every day in January, February, November and December, in 2027"},
        {"0 0 9 1 1 * 2028/4", "On January 1st at 9:00 AM in every 4th year from 2028 to 2196"},
    });
}

TEST(Explain, SaysSecondsWhereThereAreAny) {
    expect_sentences({
        {"* * * * * *", "Every second"},
        {"*/10 * * * * *", "Every 10 seconds"},
        {"0 0 9 * * *", "At 9:00 AM every day"},
        {"30 0 9 * * *", "At 9:00:30 AM every day"},
        {"30 * * * * *", "Every minute at 30 seconds past"},
        {"1 * * * * *", "Every minute at 1 second past"},
        {"5,20 * * * * *", "Every minute at 5 and 20 seconds past"},
        {"30 5 * * * *", "Every hour at :05:30"},
        {"*/7 * * * * *", "Every 7 seconds from 0 to 56 seconds past every minute of every hour"},
        {"*/10 * 9-17 * * *", "Every 10 seconds from 9:00:00 AM to 5:59:50 PM every day"},
        {"*/10 */5 * * * *", "Every 10 seconds of every 5th minute from :00 to :55 of every hour"},
    });
}

TEST(Explain, CountsWhereAListWouldBeTooLong) {
    expect_sentences({
        {"1,3,4,9,11,17,23,24,30,33 * * * *", "At 10 different minutes between :01 and :33 of every hour"},
        {"1,3,4,9,11,17,23,24,30,33 7,9 * * *",
         "At 10 different minutes between :01 and :33 of the hours 7 AM and 9 AM every day"},
    });
}

TEST(Explain, NamesTheZoneOfTheExpressionUnlessToldNotTo) {
    const auto expression = parsed("CRON_TZ=America/New_York 0 9 * * 1-5");
    EXPECT_EQ(explain(expression), "Every weekday at 9:00 AM, in America/New_York");
    EXPECT_EQ(explain(expression, {.with_zone = false}), "Every weekday at 9:00 AM");
}

TEST(Explain, SaysEveryLikeAnInterval) {
    expect_sentences({
        {"@every 1h30m", "Every 1 hour 30 minutes (UTC)"},
        {"@every 1h", "Every hour (UTC)"},
        {"@every 24h", "Every day at 12:00 AM (UTC)"},
        {"@every 7h", "Every 7 hours, counted from 1 January 1970 (UTC)"},
        {"@every 90s", "Every 1 minute 30 seconds (UTC)"},
        {"@every 2d", "Every 2 days, counted from 1 January 1970 (UTC)"},
        {"CRON_TZ=Asia/Tokyo @every 45m", "Every 45 minutes (UTC)"},  // real time has no zone
    });
}

}  // namespace
}  // namespace belfry::spec
