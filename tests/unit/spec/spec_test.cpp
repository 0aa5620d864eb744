#include "spec/spec.hpp"

#include "support/worlds/zones.hpp"

namespace belfry::spec::spec_test {
namespace {

using test::compile;
using test::instant;
using test::next_texts;
using test::zones;

TEST(Spec, IsTheUnionOfItsMembersAndEqualInstantsAreOne) {
    const auto spec = compile({.cron = {"0 9 * * *", "0 9,12 * * *"},
                               .intervals = {{"PT6H", "PT5M"}},
                               .at = {"2026-01-01T09:00:00Z", "2026-01-01T10:30:00Z"}});
    EXPECT_EQ(
        next_texts(spec, "2026-01-01T06:30:00Z", 5),
        "2026-01-01T09:00:00Z 2026-01-01T10:30:00Z 2026-01-01T12:00:00Z 2026-01-01T12:05:00Z 2026-01-01T18:05:00Z");
    EXPECT_EQ(spec.previous(instant("2026-01-01T12:00:00Z")), instant("2026-01-01T10:30:00Z"));
}

TEST(Spec, ItsWindowIncludesBothEnds) {
    const auto spec =
        compile({.cron = {"0 * * * *"}, .start_at = "2026-01-01T10:00:00Z", .end_at = "2026-01-01T12:00:00Z"});
    EXPECT_EQ(next_texts(spec, "2020-01-01T00:00:00Z", 9),
              "2026-01-01T10:00:00Z 2026-01-01T11:00:00Z 2026-01-01T12:00:00Z");
    EXPECT_EQ(spec.previous(instant("2030-01-01T00:00:00Z")), instant("2026-01-01T12:00:00Z"));
    EXPECT_EQ(spec.previous(instant("2026-01-01T10:00:00Z")), std::nullopt);
    EXPECT_EQ(spec.between(instant("2026-01-01T11:00:00Z"), instant("2026-01-01T12:00:00Z"), 9).size(), 2U);
    EXPECT_EQ(spec.between(instant("2026-01-01T10:00:00Z"), instant("2026-01-01T12:00:00Z"), 2).size(), 2U);
}

// A member of every kind, some of whose instants coincide.
Spec many_members(const std::optional<std::string>& start, const std::optional<std::string>& end) {
    return compile({.cron = {"*/7 * * * *", "0 * * * *", "30 9 * * 1-5", "CRON_TZ=Europe/Berlin 30 2 * * *"},
                    .intervals = {{"PT35M", "PT5M"}},
                    .at = {"2026-03-29T00:35:00Z", "2026-03-29T00:36:00Z"},
                    .start_at = start,
                    .end_at = end});
}

TEST(Spec, CountsWhatAWalkFromOneToTheNextWouldMeet) {
    const auto from = instant("2026-03-28T23:00:00Z");
    const auto to = instant("2026-03-30T02:00:00Z");
    const std::vector<std::optional<std::string>> starts{std::nullopt, "2026-03-29T00:35:00Z", "2026-04-01T00:00:00Z"};
    const std::vector<std::optional<std::string>> ends{std::nullopt, "2026-03-29T12:00:00Z"};
    for (const auto& start : starts) {
        for (const auto& end : ends) {
            if (start && end && *end < *start) continue;
            const auto spec = many_members(start, end);
            const auto all = spec.between(from, to, 10'000);
            EXPECT_EQ(spec.count(from - Micros{1}, to, 10'000), static_cast<std::int64_t>(all.size()));
            if (all.size() < 20) continue;
            EXPECT_EQ(spec.count(all[3], all[19], 10'000), 16) << "without the first, with the last";
            EXPECT_EQ(spec.count(all[3], all[19], 10), 10) << "no further than asked for";
            EXPECT_EQ(spec.back(all[19], 0, all[3]), all[19]);
            EXPECT_EQ(spec.back(all[19], 5, all[3]), all[14]);
            EXPECT_EQ(spec.back(all[19], 16, all[3]), all[3]);
            EXPECT_EQ(spec.back(all[19], 100, all[3]), all[3]) << "not before the first";
        }
    }
}

TEST(Spec, OneThatNeverFiresHasNoOccurrence) {
    const auto never = Spec::never();
    EXPECT_EQ(never.next(instant("2026-01-01T00:00:00Z")), std::nullopt);
    EXPECT_EQ(never.previous(instant("2026-01-01T00:00:00Z")), std::nullopt);
    EXPECT_EQ(never.count(kInstantMin, kInstantMax, 10), 0);
}

TEST(Spec, AnInstantWithAFractionRoundsUpSoThatNothingIsEarly) {
    const auto spec = compile({.at = {"2026-01-01T10:00:00.25Z"}});
    EXPECT_EQ(next_texts(spec, "2026-01-01T00:00:00Z", 2), "2026-01-01T10:00:01Z");
    EXPECT_TRUE(spec.one_time());
    EXPECT_FALSE(compile({.cron = {"@daily"}}).one_time());
}

TEST(Spec, AnExpressionsOwnZoneWinsAndEveryIgnoresZones) {
    const auto spec = compile({.cron = {"CRON_TZ=Asia/Tokyo 0 9 * * *", "@every 12h"}, .timezone = "America/New_York"});
    EXPECT_EQ(next_texts(spec, "2026-03-07T12:30:00Z", 4),
              "2026-03-08T00:00:00Z 2026-03-08T12:00:00Z 2026-03-09T00:00:00Z 2026-03-09T12:00:00Z");
    EXPECT_EQ(spec.zone_of(instant("2026-03-08T00:00:00Z")).name(), "Asia/Tokyo");
    EXPECT_EQ(spec.zone_of(instant("2026-03-08T12:00:00Z")).name(), "America/New_York");
}

struct Refusal {
    SpecText text;
    const char* field;
    const char* message;
};

class SpecRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(SpecRefusals, PointAtTheField) {
    const auto result = Spec::compile(GetParam().text, zones());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().field, GetParam().field) << result.error().message;
    EXPECT_NE(result.error().message.find(GetParam().message), std::string::npos) << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, SpecRefusals,
    testing::Values(
        Refusal{{}, "", "no timing: set at least one of cron, intervals, at or events"},
        Refusal{{.cron = {"0 9 * * *", "61 * * * *"}}, "/cron/1", "minute \"61\" at column 1: use 0-59"},
        Refusal{{.cron = {"@daily"}, .timezone = "Mars/Base"}, "/timezone", "unknown time zone \"Mars/Base\""},
        Refusal{{.cron = {"CRON_TZ=Nowhere 0 9 * * *"}}, "/cron/0", "unknown time zone \"Nowhere\""},
        Refusal{{.cron = {"CRON_TZ=Nowhere @every 1h"}}, "/cron/0", "unknown time zone \"Nowhere\""},
        Refusal{{.intervals = {{"PT0S"}}}, "/intervals/0/every", "use a duration above zero"},
        Refusal{{.intervals = {{"-PT1H"}}}, "/intervals/0/every", "a sign is not allowed"},
        Refusal{{.intervals = {{"PT1.5S"}}}, "/intervals/0/every", "use whole seconds"},
        Refusal{{.intervals = {{"PT1H"}, {"PT1H", "PT1H"}}}, "/intervals/1/offset", "use less than the interval"},
        Refusal{{.at = {"soon"}}, "/at/0", "use RFC 3339"},
        Refusal{{.cron = {"@daily"}, .start_at = "x"}, "/startAt", "use RFC 3339"},
        Refusal{{.cron = {"@daily"}, .start_at = "2027-01-01T00:00:00Z", .end_at = "2026-01-01T00:00:00Z"},
                "/endAt",
                "is before startAt"},
        Refusal{{.cron = {"@daily"}, .jitter = {.after = "5 min"}}, "/jitter/after", "or ISO 8601 such as"},
        Refusal{{.at = {"9999-12-31T23:59:59.5Z"}}, "/at/0", "after the year 9999"},
        Refusal{{.cron = std::vector<std::string>(101, "@daily")}, "/cron", "has 101 elements; send at most 100"}));

TEST(Spec, RefusesRecurrenceBelowTheLeastInterval) {
    const auto message = [](const SpecText& text) {
        const auto error = compile(text).closer_than(Seconds{60});
        return error ? error->message : "";
    };
    EXPECT_EQ(message({.cron = {"*/10 * * * * *"}}), "fires 10 s apart: the minimum interval is 60 s");
    EXPECT_EQ(message({.cron = {"@every 30s"}}), "fires 30 s apart: the minimum interval is 60 s");
    EXPECT_EQ(message({.cron = {"0 * * * *"}, .intervals = {{"PT1H", "PT20S"}}}),
              "fires 20 s apart: the minimum interval is 60 s");
    EXPECT_EQ(message({.cron = {"59 59 23 * * *", "0 0 0 * * *"}}), "fires 1 s apart: the minimum interval is 60 s");
    EXPECT_EQ(message({.cron = {"30 * * * * *"}}), "");
    EXPECT_EQ(message({.cron = {"* * * * *"}, .at = {"2026-01-01T00:00:01Z"}}), "");
}

}  // namespace
}  // namespace belfry::spec::spec_test
