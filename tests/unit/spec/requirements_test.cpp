// The requirements that the time core answers, one test each, named by the number in docs/requirements.md. What several
// requirements share is tested in depth elsewhere; here stands the example that a reader of the requirement would try.
#include <algorithm>
#include <string>
#include <vector>

#include "spec/calendar/calendar.hpp"
#include "spec/explain/explain.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec::requirements_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using test::compile;
using test::cron;
using test::instant;
using test::next_texts;

constexpr const char* kNewYork = "America/New_York";
constexpr const char* kIstanbul = "Europe/Istanbul";

Calendar calendar(const CalendarText& text) { return Calendar::compile(text, test::zones()).value(); }

const CalendarText& built_in(const std::string& name) {
    return *std::ranges::find(built_in_calendars(), name, &CalendarText::name);
}

std::vector<std::string> dates_of(const CalendarText& text) {
    const auto compiled = calendar(text);
    std::vector<std::string> dates;
    for (const auto date : compiled.dates()) dates.push_back(format_date(date));
    return dates;
}

std::string error_of(const std::string& expression) {
    const auto parsed = parse_cron(expression);
    return parsed ? "accepted" : parsed.error().message;
}

Error error_of(const SpecText& text) {
    const auto spec = Spec::compile(text, test::zones());
    return spec ? Error{.message = "accepted"} : spec.error();
}

// The offsets from the occurrence that a thousand schedules get, from the least to the greatest.
std::vector<Micros> jitter_of_many(const SpecText& text, const std::string& occurrence) {
    const auto spec = compile(text);
    const auto nominal = instant(occurrence);
    std::vector<Micros> offsets;
    for (int i = 0; i < 1000; ++i)
        offsets.push_back(spec.fire_time("schedule-" + std::to_string(i), nominal) - nominal);
    std::ranges::sort(offsets);
    return offsets;
}

// --- S0: calendars, precision ---------------------------------------------------------------------------------------

TEST(Requirements, S0_12_CalendarHasNameKindDatesZoneAndASeedMark) {
    const auto summer = calendar({"summer", CalendarKind::only_dates, kIstanbul, {"2026-07-02", "2026-07-01"}});
    EXPECT_EQ(summer.name(), "summer");
    EXPECT_EQ(summer.kind(), CalendarKind::only_dates);
    EXPECT_EQ(summer.zone().name(), kIstanbul);
    EXPECT_EQ(summer.dates().size(), 2U);
    EXPECT_FALSE(CalendarText{.name = "summer"}.built_in);
}

TEST(Requirements, S0_13_SkipDatesRefusesAListedDate) {
    const auto closed = calendar({"closed", CalendarKind::skip_dates, "UTC", {"2026-12-25"}});
    EXPECT_FALSE(closed.allows(instant("2026-12-25T09:00:00Z")));
    EXPECT_TRUE(closed.allows(instant("2026-12-24T23:59:59Z")));
    EXPECT_TRUE(closed.allows(instant("2026-12-26T00:00:00Z")));
}

TEST(Requirements, S0_14_OnlyDatesRefusesEveryOtherDate) {
    const auto open = calendar({"open", CalendarKind::only_dates, "UTC", {"2026-12-25"}});
    EXPECT_TRUE(open.allows(instant("2026-12-25T09:00:00Z")));
    EXPECT_FALSE(open.allows(instant("2026-12-24T23:59:59Z")));
    EXPECT_FALSE(open.allows(instant("2026-12-26T00:00:00Z")));
}

TEST(Requirements, S0_15_TodayIsTheWallClockDateInTheCalendarsZone) {
    const auto closed = calendar({"closed", CalendarKind::skip_dates, kNewYork, {"2026-07-03"}});
    EXPECT_TRUE(closed.allows(instant("2026-07-03T03:59:59Z")));   // still 2 July in New York
    EXPECT_FALSE(closed.allows(instant("2026-07-03T04:00:00Z")));  // midnight there
    EXPECT_FALSE(closed.allows(instant("2026-07-04T03:59:59Z")));
    EXPECT_TRUE(closed.allows(instant("2026-07-04T04:00:00Z")));
}

TEST(Requirements, S0_16_TheCalendarsZoneWinsOverTheSchedules) {
    const auto occurrence = *cron("30 0 * * *", kIstanbul).next(instant("2026-01-01T12:00:00Z"));
    ASSERT_EQ(format_instant(occurrence),
              "2026-01-01T21:30:00Z");  // 2 January for the schedule, 1 January for the calendar
    EXPECT_FALSE(calendar(built_in("us-federal-holidays-2026")).allows(occurrence));
    EXPECT_TRUE(calendar(built_in("tr-public-holidays-2026")).allows(occurrence));
}

TEST(Requirements, S0_17_ThreeCalendarsShip) {
    std::vector<std::string> names;
    for (const auto& text : built_in_calendars()) names.push_back(text.name);
    names.resize(3);  // later ones follow
    EXPECT_EQ(names,
              (std::vector<std::string>{"us-federal-holidays-2026", "tr-public-holidays-2026", "weekends-only"}));
}

TEST(Requirements, S0_18_UsFederalHolidaysAreTheElevenObservedDates) {
    const auto& text = built_in("us-federal-holidays-2026");
    EXPECT_EQ(text.kind, CalendarKind::skip_dates);
    EXPECT_EQ(text.timezone, kNewYork);
    EXPECT_EQ(dates_of(text), (std::vector<std::string>{"2026-01-01", "2026-01-19", "2026-02-16", "2026-05-25",
                                                        "2026-06-19", "2026-07-03", "2026-09-07", "2026-10-12",
                                                        "2026-11-11", "2026-11-26", "2026-12-25"}));
}

TEST(Requirements, S0_19_TurkishHolidaysAreNationalAndReligious) {
    const auto& text = built_in("tr-public-holidays-2026");
    EXPECT_EQ(text.kind, CalendarKind::skip_dates);
    EXPECT_EQ(text.timezone, kIstanbul);
    EXPECT_EQ(dates_of(text), (std::vector<std::string>{"2026-01-01", "2026-03-20", "2026-03-21", "2026-03-22",
                                                        "2026-03-23", "2026-04-23", "2026-05-01", "2026-05-19",
                                                        "2026-05-26", "2026-05-27", "2026-05-28", "2026-05-29",
                                                        "2026-05-30", "2026-07-15", "2026-08-30", "2026-10-29"}));
}

TEST(Requirements, S0_20_WeekendsOnlyIsEverySaturdayAndSundayOf2026) {
    const auto& text = built_in("weekends-only");
    EXPECT_EQ(text.kind, CalendarKind::only_dates);
    EXPECT_EQ(text.timezone, "UTC");
    EXPECT_EQ(text.dates.size(), 104U);
    const auto weekends = calendar(text);
    const auto saturdays_and_sundays = cron("0 12 * * 6,0");
    const auto weekdays = cron("0 12 * * 1-5");
    const auto end = instant("2027-01-01T00:00:00Z");
    for (auto day = saturdays_and_sundays.next(instant("2026-01-01T00:00:00Z")); day < end;
         day = saturdays_and_sundays.next(*day)) {
        EXPECT_TRUE(weekends.allows(*day)) << format_instant(*day);
    }
    for (auto day = weekdays.next(instant("2026-01-01T00:00:00Z")); day < end; day = weekdays.next(*day)) {
        EXPECT_FALSE(weekends.allows(*day)) << format_instant(*day);
    }
}

TEST(Requirements, S0_21_SeedCalendarsAreMarkedAsBuiltIn) {
    for (const auto& text : built_in_calendars()) EXPECT_TRUE(text.built_in) << text.name;
}

TEST(Requirements, S0_70_TenYearsAreEnumeratedByTheSameParser) {
    const auto spec = compile({.cron = {"0 9 * * *"}, .timezone = kNewYork});
    const auto days = spec.between(instant("2026-01-01T00:00:00Z"), instant("2036-01-01T00:00:00Z"), 10'000);
    EXPECT_EQ(days.size(), 3652U);
}

TEST(Requirements, S0_71_SixFieldsGiveSecondPrecision) {
    EXPECT_EQ(next_texts(cron("*/20 30 9 * * *"), "2026-01-01T00:00:00Z", 4),
              "2026-01-01T09:30:00Z 2026-01-01T09:30:20Z 2026-01-01T09:30:40Z 2026-01-02T09:30:00Z");
}

// --- S1: five fields, zones ------------------------------------------------------------------------------------------

TEST(Requirements, S1_7_FiveFieldsAreValidated) {
    EXPECT_EQ(error_of("0 8 * * 1-5"), "accepted");
    EXPECT_EQ(error_of("0 24 * * *"), "hour \"24\" at column 3: use 0-23");
}

TEST(Requirements, S1_8_TheZoneDefaultsToUtc) {
    EXPECT_EQ(compile({.cron = {"0 8 * * *"}}).zone().name(), "UTC");
    EXPECT_EQ(error_of(SpecText{.cron = {"0 8 * * *"}, .timezone = "Mars/Olympus"}).field, "/timezone");
}

TEST(Requirements, S1_47_ACronWithFourOrEightFieldsIsRefused) {
    EXPECT_EQ(error_of("0 8 * *"),
              "cron \"0 8 * *\" has 4 fields: use 5 (minute hour day-of-month month day-of-week), 6 with seconds "
              "first, or 7 with a year last");
    EXPECT_NE(error_of("0 0 8 * * * * *").find("has 8 fields"), std::string::npos);
}

TEST(Requirements, S1_64_EveryZoneOfTheDatabaseIsAccepted) {
    ASSERT_GT(test::zones().names().size(), 300U);
    for (const auto& name : test::zones().names()) {
        const auto rule = cron("0 8 * * *", name);
        const auto occurrence = *rule.next(instant("2026-06-01T00:00:00Z"));
        EXPECT_EQ(format_local(rule.zone().to_local(occurrence)).substr(10), "T08:00:00") << name;
    }
}

TEST(Requirements, S1_65_TheExpressionIsReadInItsZoneAndAnsweredInUtc) {
    EXPECT_EQ(next_texts(cron("0 8 * * *", "Asia/Kathmandu"), "2026-01-10T00:00:00Z", 1), "2026-01-10T02:15:00Z");
}

TEST(Requirements, S1_66_TheZoneOnlyChangesHowTheExpressionIsRead) {
    EXPECT_EQ(next_texts(cron("0 8 * * *", kIstanbul), "2026-01-10T00:00:00Z", 3),
              next_texts(cron("0 5 * * *", "UTC"), "2026-01-10T00:00:00Z", 3));
}

TEST(Requirements, S1_67_UtcCronMeansTheSameHourAllYear) {
    EXPECT_EQ(next_texts(cron("0 8 * * *"), "2026-01-10T00:00:00Z", 1), "2026-01-10T08:00:00Z");
    EXPECT_EQ(next_texts(cron("0 8 * * *"), "2026-07-10T00:00:00Z", 1), "2026-07-10T08:00:00Z");
}

TEST(Requirements, S1_68_IstanbulIsThreeHoursAheadAllYear) {
    EXPECT_EQ(next_texts(cron("0 8 * * *", kIstanbul), "2026-01-10T00:00:00Z", 1), "2026-01-10T05:00:00Z");
    EXPECT_EQ(next_texts(cron("0 8 * * *", kIstanbul), "2026-07-10T00:00:00Z", 1), "2026-07-10T05:00:00Z");
}

TEST(Requirements, S1_69_NewYorkMovesWithItsClocks) {
    EXPECT_EQ(next_texts(cron("0 8 * * *", kNewYork), "2026-01-10T00:00:00Z", 1), "2026-01-10T13:00:00Z");
    EXPECT_EQ(next_texts(cron("0 8 * * *", kNewYork), "2026-07-10T00:00:00Z", 1), "2026-07-10T12:00:00Z");
}

TEST(Requirements, S1_71_AZoneTellsItsLocalTimeForAnyInstant) {
    const auto now = instant("2026-11-15T11:18:12Z");
    EXPECT_EQ(format_local(test::zone(kIstanbul)->to_local(now)), "2026-11-15T14:18:12");
    EXPECT_EQ(format_local(test::zone("UTC")->to_local(now)), "2026-11-15T11:18:12");
}

// --- S2: cron, window, jitter ----------------------------------------------------------------------------------------

TEST(Requirements, S2_23_FiveAndSixFieldsAreAccepted) {
    EXPECT_EQ(next_texts(cron("30 9 * * *"), "2026-01-01T00:00:00Z", 1), "2026-01-01T09:30:00Z");
    EXPECT_EQ(next_texts(cron("15 30 9 * * *"), "2026-01-01T00:00:00Z", 1), "2026-01-01T09:30:15Z");
}

TEST(Requirements, S2_25_NothingComesBeforeTheStart) {
    const auto spec = compile({.cron = {"0 * * * *"}, .start_at = "2026-05-01T10:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2026-01-01T00:00:00Z", 2), "2026-05-01T10:00:00Z 2026-05-01T11:00:00Z");
}

TEST(Requirements, S2_26_NothingComesAfterTheEnd) {
    const auto spec = compile({.cron = {"0 * * * *"}, .end_at = "2026-05-01T10:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2026-05-01T08:30:00Z", 5), "2026-05-01T09:00:00Z 2026-05-01T10:00:00Z");
}

TEST(Requirements, S2_56_AWindowIsExpandedHonouringZoneAndDst) {
    const auto spec = compile({.cron = {"30 1,2,3 * * *"}, .timezone = kNewYork});
    std::string texts;
    for (const auto moment : spec.between(instant("2026-03-08T06:00:00Z"), instant("2026-03-08T08:00:00Z"), 100))
        texts += format_instant(moment) + " ";
    EXPECT_EQ(texts, "2026-03-08T06:30:00Z 2026-03-08T07:00:00Z 2026-03-08T07:30:00Z ");
}

TEST(Requirements, S2_62_JitterMovesAFireTimeUpToItsRangeEitherWay) {
    const auto offsets =
        jitter_of_many({.cron = {"0 * * * *"}, .jitter = {"PT0.5S", "PT0.5S"}}, "2026-05-01T10:00:00Z");
    EXPECT_GE(offsets.front(), milliseconds{-500});
    EXPECT_LE(offsets.back(), milliseconds{500});
}

TEST(Requirements, S2_72_JitterIsSpreadEvenly) {
    const auto offsets = jitter_of_many({.cron = {"0 * * * *"}, .jitter = {"PT1M", "PT1M"}}, "2026-05-01T10:00:00Z");
    // Quartiles of 1000 even draws from [-60 s, +60 s] stay within 8 s of -30, 0 and 30 (more than five deviations).
    EXPECT_NEAR(static_cast<double>(offsets[250].count()), -30e6, 8e6);
    EXPECT_NEAR(static_cast<double>(offsets[500].count()), 0, 8e6);
    EXPECT_NEAR(static_cast<double>(offsets[750].count()), 30e6, 8e6);
}

TEST(Requirements, S2_90_SyntaxAndZonesAreCheckedAgainstWhatIsKnown) {
    EXPECT_EQ(error_of(SpecText{.cron = {"0 8 * * *"}, .timezone = "../../etc/passwd"}).field, "/timezone");
    EXPECT_EQ(error_of(SpecText{.cron = {"0 8 * * *"}, .timezone = "America/NewYork"}).message,
              "unknown time zone \"America/NewYork\": did you mean America/New_York?");
    const auto error = error_of(SpecText{.cron = {"0 8 * * *", "0 8 32 * *"}});
    EXPECT_EQ(error.field, "/cron/1");
    EXPECT_EQ(error.message, "day-of-month \"32\" at column 5: use 1-31");
}

TEST(Requirements, S2_100_TheFirstRunIsComputedFromNowOrTheStartWhicheverIsLater) {
    const auto spec = compile({.cron = {"0 9 * * *"}, .start_at = "2026-05-01T00:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2026-04-20T12:00:00Z", 1), "2026-05-01T09:00:00Z");
    EXPECT_EQ(next_texts(spec, "2026-05-10T12:00:00Z", 1), "2026-05-11T09:00:00Z");
}

TEST(Requirements, S2_106_TheFireTimeIsTheOccurrencePlusItsJitter) {
    const auto spec = compile({.cron = {"0 * * * *"}, .jitter = {"", "PT5M"}});
    const auto occurrence = instant("2026-05-01T10:00:00Z");
    const auto fire = spec.fire_time("s1", occurrence);
    EXPECT_GT(fire, occurrence);
    EXPECT_EQ(fire, spec.fire_time("s1", occurrence));
    EXPECT_NE(fire, spec.fire_time("s2", occurrence));
}

TEST(Requirements, S2_107_JitterDoesNotChangeTheOccurrence) {
    const auto plain = compile({.cron = {"*/10 * * * *"}});
    const auto jittered = compile({.cron = {"*/10 * * * *"}, .jitter = {"PT1M", "PT1M"}});
    EXPECT_EQ(next_texts(jittered, "2026-05-01T10:00:00Z", 20), next_texts(plain, "2026-05-01T10:00:00Z", 20));
}

TEST(Requirements, S2_109_OnlyTimesInsideTheWindowAreEnumerated) {
    const auto spec =
        compile({.cron = {"0 * * * *"}, .start_at = "2026-05-01T10:00:00Z", .end_at = "2026-05-01T12:00:00Z"});
    const std::vector inside{instant("2026-05-01T10:00:00Z"), instant("2026-05-01T11:00:00Z"),
                             instant("2026-05-01T12:00:00Z")};
    EXPECT_EQ(spec.between(instant("2026-05-01T00:00:00Z"), instant("2026-05-02T00:00:00Z"), 100), inside);
    EXPECT_EQ(spec.between(instant("2026-05-01T00:00:00Z"), instant("2026-05-01T11:30:00Z"), 100).size(), 2U);
    EXPECT_EQ(spec.between(instant("2026-05-01T00:00:00Z"), instant("2026-05-02T00:00:00Z"), 1).size(), 1U);
}

// --- S3: intervals, unions, jitter -----------------------------------------------------------------------------------

TEST(Requirements, S3_21_IntervalsAreIso8601Durations) {
    EXPECT_EQ(next_texts(compile({.intervals = {{"PT30M"}}}), "2026-05-01T10:00:00Z", 2),
              "2026-05-01T10:30:00Z 2026-05-01T11:00:00Z");
    EXPECT_EQ(error_of(SpecText{.intervals = {{"30 minutes"}}}).field, "/intervals/0/every");
    EXPECT_EQ(error_of(SpecText{.intervals = {{"PT0S"}}}).field, "/intervals/0/every");
    EXPECT_EQ(error_of(SpecText{.intervals = {{"-PT1H"}}}).field, "/intervals/0/every");
}

TEST(Requirements, S3_22_EveryTakesMinutesHoursAndDays) {
    EXPECT_EQ(next_texts(compile({.intervals = {{"PT30M"}}}), "2026-05-01T10:10:00Z", 1), "2026-05-01T10:30:00Z");
    EXPECT_EQ(next_texts(compile({.intervals = {{"PT1H"}}}), "2026-05-01T10:10:00Z", 1), "2026-05-01T11:00:00Z");
    EXPECT_EQ(next_texts(compile({.intervals = {{"P1D"}}}), "2026-05-01T10:10:00Z", 1), "2026-05-02T00:00:00Z");
}

TEST(Requirements, S3_23_TheOffsetShiftsTheAlignment) {
    EXPECT_EQ(next_texts(compile({.intervals = {{"P1D", "PT9H"}}}), "2026-05-01T10:10:00Z", 1), "2026-05-02T09:00:00Z");
    EXPECT_EQ(error_of(SpecText{.intervals = {{"PT1H", "PT1H"}}}).field, "/intervals/0/offset");
}

TEST(Requirements, S3_24_EveryHourWithAnOffsetOfFiveMinutesFiresAtFivePast) {
    EXPECT_EQ(next_texts(compile({.intervals = {{"PT1H", "PT5M"}}}), "2026-05-01T10:00:00Z", 3),
              "2026-05-01T10:05:00Z 2026-05-01T11:05:00Z 2026-05-01T12:05:00Z");
}

TEST(Requirements, S3_25_ASpecTakesSeveralCronExpressions) {
    EXPECT_EQ(next_texts(compile({.cron = {"0 9 * * *", "0 17 * * *"}}), "2026-05-01T00:00:00Z", 3),
              "2026-05-01T09:00:00Z 2026-05-01T17:00:00Z 2026-05-02T09:00:00Z");
}

TEST(Requirements, S3_26_TheSpecsZoneIsThatOfItsCronExpressions) {
    EXPECT_EQ(next_texts(compile({.cron = {"0 9 * * *"}, .timezone = kNewYork}), "2026-05-01T00:00:00Z", 1),
              "2026-05-01T13:00:00Z");
}

TEST(Requirements, S3_27_CronAndIntervalsCombineAndTheEarliestWins) {
    const SpecText text{.cron = {"20 * * * *", "0 11 * * *"}, .intervals = {{"PT30M"}}};
    EXPECT_EQ(next_texts(compile(text), "2026-05-01T10:00:00Z", 4),
              "2026-05-01T10:20:00Z 2026-05-01T10:30:00Z 2026-05-01T11:00:00Z 2026-05-01T11:20:00Z");
}

TEST(Requirements, S3_76_JitterSpreadsSchedulesThatShareAnOccurrence) {
    const auto offsets = jitter_of_many({.cron = {"0 * * * *"}, .jitter = {"", "PT5M"}}, "2026-05-01T10:00:00Z");
    // 1000 schedules over 300 s: no second gets more than 20 of them, where all would share one without jitter.
    for (auto from = Micros{0}; from < minutes{5}; from += Seconds{1}) {
        EXPECT_LE(std::ranges::count_if(offsets,
                                        [from](auto offset) { return offset >= from && offset < from + Seconds{1}; }),
                  20);
    }
}

TEST(Requirements, S3_77_JitterOf300SecondsFiresWithinFiveMinutesAfterTheHour) {
    const auto spec = compile({.cron = {"0 * * * *"}, .jitter = {"", "PT300S"}});
    for (auto occurrence = instant("2026-05-01T00:00:00Z"); occurrence < instant("2026-06-01T00:00:00Z");
         occurrence += hours{1}) {
        const auto fire = spec.fire_time("s1", occurrence);
        EXPECT_GE(fire, occurrence);
        EXPECT_LE(fire, occurrence + Seconds{300});
    }
}

TEST(Requirements, S3_78_JitterReachesBothEndsOfItsRange) {
    const auto offsets = jitter_of_many({.cron = {"0 * * * *"}, .jitter = {"", "PT0.004S"}}, "2026-05-01T10:00:00Z");
    EXPECT_EQ(offsets.front(), milliseconds{0});
    EXPECT_EQ(offsets.back(), milliseconds{4});
}

TEST(Requirements, S3_81_RangesAreEnumeratedWithoutJitter) {
    const auto spec = compile({.cron = {"0 * * * *"}, .jitter = {"", "PT5M"}});
    const std::vector canonical{instant("2026-05-01T10:00:00Z"), instant("2026-05-01T11:00:00Z")};
    EXPECT_EQ(spec.between(instant("2026-05-01T10:00:00Z"), instant("2026-05-01T11:00:00Z"), 100), canonical);
}

TEST(Requirements, S3_82_JitterOfZeroGivesExactTimes) {
    const auto spec = compile({.cron = {"0 * * * *"}, .jitter = {"PT0S", "PT0S"}});
    EXPECT_EQ(spec.fire_time("s1", instant("2026-05-01T10:00:00Z")), instant("2026-05-01T10:00:00Z"));
}

// --- S4: once and recurring, DST, cron format ------------------------------------------------------------------------

TEST(Requirements, S4_7_FirstMondayExceptHolidays) {
    const auto rule = cron("0 9 * * MON#1", kNewYork);
    const auto holidays = calendar(built_in("us-federal-holidays-2026"));
    std::string texts;
    for (auto moment = *rule.next(instant("2026-07-01T00:00:00Z")); moment < instant("2026-11-01T00:00:00Z");
         moment = *rule.next(moment)) {
        texts += format_instant(moment).substr(0, 10) + (holidays.allows(moment) ? " " : "(holiday) ");
    }
    EXPECT_EQ(texts, "2026-07-06 2026-08-03 2026-09-07(holiday) 2026-10-05 ");
}

TEST(Requirements, S4_19_OnceFiresAtItsInstant) {
    const auto once = compile({.at = {"2026-12-31T23:59:00Z"}});
    EXPECT_TRUE(once.one_time());
    EXPECT_EQ(next_texts(once, "2026-01-01T00:00:00Z", 5), "2026-12-31T23:59:00Z");
}

TEST(Requirements, S4_20_RecurringTakesFiveOrSixFieldsAZoneAndAnEnd) {
    const auto spec = compile({.cron = {"30 0 9 * * *"}, .timezone = kNewYork, .end_at = "2026-01-13T00:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2026-01-11T00:00:00Z", 5), "2026-01-11T14:00:30Z 2026-01-12T14:00:30Z");
}

TEST(Requirements, S4_55_OnceIsItsInstantWhileThatLiesAheadAndThenNever) {
    const auto once = compile({.at = {"2026-12-31T23:59:00Z"}});
    EXPECT_EQ(once.next(instant("2026-12-31T23:58:59Z")), instant("2026-12-31T23:59:00Z"));
    EXPECT_EQ(once.next(instant("2026-12-31T23:59:00Z")), std::nullopt);
}

TEST(Requirements, S4_56_RecurringIsTheNextLocalTimeInUtcAndNeverBeyondTheEnd) {
    const auto spec = compile({.cron = {"0 9 * * *"}, .timezone = kNewYork, .end_at = "2026-07-02T12:59:59Z"});
    EXPECT_EQ(spec.next(instant("2026-07-01T00:00:00Z")), instant("2026-07-01T13:00:00Z"));
    EXPECT_EQ(spec.next(instant("2026-07-01T13:00:00Z")), std::nullopt);
}

TEST(Requirements, S4_57_AnUnknownZoneIsRefusedAndNeverFallsBackToUtc) {
    const auto error = error_of(SpecText{.cron = {"0 9 * * *"}, .timezone = "Mars/Olympus"});
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    EXPECT_EQ(error.field, "/timezone");
    EXPECT_EQ(error_of(SpecText{.cron = {"CRON_TZ=Mars/Olympus 0 9 * * *"}}).field, "/cron/0");
}

TEST(Requirements, S4_58_ATimeThatDoesNotExistRunsAtTheNextValidTime) {
    EXPECT_EQ(next_texts(cron("30 2 * * *", kNewYork), "2026-03-07T12:00:00Z", 2),
              "2026-03-08T07:00:00Z 2026-03-09T06:30:00Z");
}

TEST(Requirements, S4_59_ATimeThatHappensTwiceRunsOnceTheFirstTime) {
    EXPECT_EQ(next_texts(cron("30 1 * * *", kNewYork), "2026-10-31T12:00:00Z", 2),
              "2026-11-01T05:30:00Z 2026-11-02T06:30:00Z");
}

// The document says 9 March; the clocks of New York go forward on 8 March 2026.
TEST(Requirements, S4_60_TwoOClockRunsAtThreeOnTheDayTheClocksGoForward) {
    const auto rule = cron("0 2 * * *", kNewYork);
    EXPECT_EQ(next_texts(rule, "2026-03-07T12:00:00Z", 2), "2026-03-08T07:00:00Z 2026-03-09T06:00:00Z");
    EXPECT_EQ(format_local(rule.zone().to_local(instant("2026-03-08T07:00:00Z"))), "2026-03-08T03:00:00");
}

// 02:00 happens once that day; 01:30 is the time that happens twice.
TEST(Requirements, S4_61_TwoOClockRunsOnceOnTheDayTheClocksGoBack) {
    EXPECT_EQ(next_texts(cron("0 2 * * *", kNewYork), "2026-10-31T12:00:00Z", 2),
              "2026-11-01T07:00:00Z 2026-11-02T07:00:00Z");
    EXPECT_EQ(next_texts(cron("30 1 * * *", kNewYork), "2026-10-31T12:00:00Z", 2),
              "2026-11-01T05:30:00Z 2026-11-02T06:30:00Z");
}

TEST(Requirements, S4_65_TheFieldsAndTheirRanges) {
    EXPECT_EQ(next_texts(cron("59 59 23 31 12 *"), "2026-01-01T00:00:00Z", 1), "2026-12-31T23:59:59Z");
    EXPECT_EQ(next_texts(cron("0 0 1 1 *"), "2026-02-01T00:00:00Z", 1), "2027-01-01T00:00:00Z");
    EXPECT_EQ(next_texts(cron("0 0 * * 0"), "2026-01-01T00:00:00Z", 1), "2026-01-04T00:00:00Z");  // a Sunday
    EXPECT_EQ(next_texts(cron("0 0 * * 6"), "2026-01-01T00:00:00Z", 1), "2026-01-03T00:00:00Z");  // a Saturday
    for (const auto* text : {"60 0 0 1 1 *", "60 0 1 1 *", "0 24 1 1 *", "0 0 0 1 *", "0 0 32 1 *", "0 0 1 0 *",
                             "0 0 1 13 *", "0 0 * * 8"}) {
        EXPECT_NE(error_of(text), "accepted") << text;
    }
}

TEST(Requirements, S4_66_TheExamplesOfTheCronFormat) {
    const std::string after = "2026-01-01T00:00:00Z";  // a Thursday
    EXPECT_EQ(next_texts(cron("0 * * * *"), after, 2), "2026-01-01T01:00:00Z 2026-01-01T02:00:00Z");
    EXPECT_EQ(next_texts(cron("*/15 * * * *"), after, 3),
              "2026-01-01T00:15:00Z 2026-01-01T00:30:00Z 2026-01-01T00:45:00Z");
    EXPECT_EQ(next_texts(cron("0 9 * * 1-5"), after, 3),
              "2026-01-01T09:00:00Z 2026-01-02T09:00:00Z 2026-01-05T09:00:00Z");
    EXPECT_EQ(next_texts(cron("0 0 1 * *"), after, 2), "2026-02-01T00:00:00Z 2026-03-01T00:00:00Z");
    EXPECT_EQ(next_texts(cron("30 4 * * *"), after, 2), "2026-01-01T04:30:00Z 2026-01-02T04:30:00Z");
}

TEST(Requirements, S4_78_TheDailyReportOfNewYork) {
    const auto spec = compile({.cron = {"0 9 * * *"}, .timezone = kNewYork});
    const auto next = spec.next(instant("2026-01-11T14:30:00Z"));
    EXPECT_EQ(format_instant(*next), "2026-01-12T14:00:00Z");
    EXPECT_EQ(format_local(spec.zone().to_local(*next)), "2026-01-12T09:00:00");
}

TEST(Requirements, S4_92_ACronExpressionIsDescribedInWords) {
    EXPECT_EQ(explain(*parse_cron("0 9 * * 1-5")), "Every weekday at 9:00 AM");
}

TEST(Requirements, S4_96_SubMinuteSchedulesCanBeRefused) {
    EXPECT_TRUE(compile({.cron = {"*/30 * * * * *"}}).closer_than(minutes{1}));
    EXPECT_TRUE(compile({.cron = {"@every 30s"}}).closer_than(minutes{1}));
    EXPECT_TRUE(compile({.intervals = {{"PT30S"}}}).closer_than(minutes{1}));
    EXPECT_FALSE(compile({.cron = {"* * * * *"}}).closer_than(minutes{1}));
    EXPECT_FALSE(compile({.cron = {"30 * * * * *"}}).closer_than(minutes{1}));
}

TEST(Requirements, S4_103_CronParsingValidExpressions) {
    for (const auto* text :
         {"* * * * *", "0 9 * * 1-5", "*/15 9-17 * * MON-FRI", "0 0 1,15 * ?", "0 0 L * *", "0 0 LW * *", "0 0 15W * *",
          "0 9 * * FRI#3", "0 9 * * 5L", "0 22-2 * * *", "0 0 * * FRI-MON", "0 30 9 * * *", "0 0 0 1 1 * 2030",
          "@daily", "@every 1h30m", "CRON_TZ=Europe/Berlin 0 9 * * *"}) {
        EXPECT_EQ(error_of(text), "accepted") << text;
    }
}

TEST(Requirements, S4_104_CronParsingInvalidExpressions) {
    for (const auto* text : {"",
                             "   ",
                             "* * * *",
                             "60 * * * *",
                             "* 24 * * *",
                             "* * 0 * *",
                             "* * * 13 *",
                             "* * * * 8",
                             "*/0 * * * *",
                             "1- * * * *",
                             ",1 * * * *",
                             "a * * * *",
                             "* * * FOO *",
                             "* ? * * *",
                             "* * * * MONDAY",
                             "0 0 30 2 *",
                             "@fortnightly",
                             "@reboot",
                             "@every",
                             "@every 0s",
                             "CRON_TZ= 0 9 * * *"}) {
        EXPECT_NE(error_of(text), "accepted") << text;
    }
}

TEST(Requirements, S4_105_NextRunCalculationOnce) {
    const auto once = compile({.at = {"2026-05-01T10:00:00+02:00"}});
    EXPECT_EQ(next_texts(once, "2026-01-01T00:00:00Z", 3), "2026-05-01T08:00:00Z");
    EXPECT_EQ(next_texts(once, "2026-06-01T00:00:00Z", 3), "none");
}

TEST(Requirements, S4_106_NextRunCalculationRecurring) {
    EXPECT_EQ(next_texts(compile({.cron = {"0 9 * * 1"}}), "2026-01-01T00:00:00Z", 3),
              "2026-01-05T09:00:00Z 2026-01-12T09:00:00Z 2026-01-19T09:00:00Z");
}

TEST(Requirements, S4_107_NextRunWithEndAt) {
    const auto spec = compile({.cron = {"0 9 * * 1"}, .end_at = "2026-01-12T09:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2026-01-01T00:00:00Z", 5), "2026-01-05T09:00:00Z 2026-01-12T09:00:00Z");
}

TEST(Requirements, S4_108_NextRunWithTimezone) {
    EXPECT_EQ(next_texts(compile({.cron = {"0 9 * * *"}, .timezone = "Asia/Tokyo"}), "2026-01-01T00:00:00Z", 1),
              "2026-01-02T00:00:00Z");
    EXPECT_EQ(next_texts(compile({.cron = {"CRON_TZ=Asia/Tokyo 0 9 * * *"}, .timezone = kNewYork}),
                         "2026-01-01T00:00:00Z", 1),
              "2026-01-02T00:00:00Z");
}

TEST(Requirements, S4_109_NextRunDstSpringForward) {
    const auto spec = compile({.cron = {"30 2 * * *"}, .timezone = "Europe/Berlin"});
    EXPECT_EQ(next_texts(spec, "2026-03-28T12:00:00Z", 2), "2026-03-29T01:00:00Z 2026-03-30T00:30:00Z");
    EXPECT_EQ(spec.mark(instant("2026-03-29T01:00:00Z"))->kind, DstMark::Kind::shifted);
    const auto skipping = compile({.cron = {"30 2 * * *"}, .timezone = "Europe/Berlin", .dst = {.gap = GapRule::skip}});
    EXPECT_EQ(next_texts(skipping, "2026-03-28T12:00:00Z", 1), "2026-03-30T00:30:00Z");
}

TEST(Requirements, S4_110_NextRunDstFallBack) {
    const auto answer = [](RepeatRule repeat) {
        return next_texts(compile({.cron = {"30 2 * * *"}, .timezone = "Europe/Berlin", .dst = {.repeat = repeat}}),
                          "2026-10-24T12:00:00Z", 2);
    };
    EXPECT_EQ(answer(RepeatRule::automatic), "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z");
    EXPECT_EQ(answer(RepeatRule::first), "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z");
    EXPECT_EQ(answer(RepeatRule::last), "2026-10-25T01:30:00Z 2026-10-26T01:30:00Z");
    EXPECT_EQ(answer(RepeatRule::both), "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z");
}

TEST(Requirements, S4_111_TimezoneValidation) {
    for (const auto* name : {"UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Asia/Kathmandu", "Etc/GMT+5"}) {
        EXPECT_EQ(error_of(SpecText{.cron = {"0 9 * * *"}, .timezone = name}).message, "accepted") << name;
    }
    for (const auto* name :
         {"", "Berlin", "europe/berlin", "Europe/Berlin ", "UTC+3", "Mars/Olympus", "/etc/localtime", "Europe"}) {
        EXPECT_EQ(error_of(SpecText{.cron = {"0 9 * * *"}, .timezone = name}).field, "/timezone") << name;
    }
}

}  // namespace
}  // namespace belfry::spec::requirements_test
