#include "base/time/instant.hpp"

#include <gtest/gtest.h>

namespace belfry {
namespace {

std::string round_trip(const std::string& text) {
    const auto instant = parse_instant(text);
    return instant ? format_instant(*instant) : "error: " + instant.error().message;
}

TEST(Instant, ReadsUtcAndOffsetsAsTheSamePointInTime) {
    EXPECT_EQ(round_trip("2026-11-15T09:00:00Z"), "2026-11-15T09:00:00Z");
    EXPECT_EQ(round_trip("2026-11-15T10:00:00+01:00"), "2026-11-15T09:00:00Z");
    EXPECT_EQ(round_trip("2026-11-15t04:30:00-04:30"), "2026-11-15T09:00:00Z");
    EXPECT_EQ(round_trip("2026-11-15 09:00:00z"), "2026-11-15T09:00:00Z");
    EXPECT_EQ(round_trip("2026-11-15T09:00:00-00:00"), "2026-11-15T09:00:00Z");
}

TEST(Instant, KeepsMicrosecondsAndPrintsThemOnlyWhenThereAreAny) {
    EXPECT_EQ(round_trip("2026-11-15T09:00:00.5Z"), "2026-11-15T09:00:00.500000Z");
    EXPECT_EQ(round_trip("2026-11-15T09:00:00.123456789Z"), "2026-11-15T09:00:00.123456Z");
    EXPECT_EQ(round_trip("2026-11-15T09:00:00.000Z"), "2026-11-15T09:00:00Z");
    EXPECT_EQ(round_trip("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z");
}

TEST(Instant, ReachesFromTheYear1To9999AndNotBeyond) {
    EXPECT_EQ(round_trip("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00Z");
    EXPECT_EQ(round_trip("9999-12-31T23:59:59.999999Z"), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(round_trip("0001-01-01T00:00:00+00:01"),
              "error: time \"0001-01-01T00:00:00+00:01\": outside the years 0001 to 9999");
    EXPECT_EQ(round_trip("0000-01-01T00:00:00Z"), "error: time \"0000-01-01T00:00:00Z\": there is no such date");
}

TEST(Instant, IsNeverWrittenWithAYearBeyond9999) {
    EXPECT_EQ(format_instant(kInstantMax + Seconds{300}), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_instant(kInstantMin - Seconds{300}), "0001-01-01T00:00:00Z");
    const auto last = LocalSeconds{std::chrono::floor<Seconds>(kInstantMax).time_since_epoch()};
    EXPECT_EQ(format_local(last + std::chrono::hours{14}), "9999-12-31T23:59:59") << "in a zone that is ahead of UTC";
    EXPECT_EQ(format_local(last), "9999-12-31T23:59:59");
}

struct Refusal {
    const char* text;
    const char* reason;
    std::size_t column;
};

class InstantRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(InstantRefusals, NameTheTextTheReasonAndTheColumn) {
    const auto result = parse_instant(GetParam().text);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(result.error().message.find(GetParam().reason), std::string::npos) << result.error().message;
    EXPECT_EQ(result.error().place.column, GetParam().column) << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(Table, InstantRefusals,
                         testing::Values(Refusal{"", "use RFC 3339", 1}, Refusal{"tomorrow", "use RFC 3339", 1},
                                         Refusal{"2026-1-5T00:00:00Z", "use RFC 3339", 6},
                                         Refusal{"2026-02-30T00:00:00Z", "no such date", 1},
                                         Refusal{"2026-13-01T00:00:00Z", "no such date", 1},
                                         Refusal{"2026-11-15T24:00:00Z", "no such time of day", 12},
                                         Refusal{"2026-11-15T09:60:00Z", "no such time of day", 12},
                                         Refusal{"2026-12-31T23:59:60Z", "leap seconds", 12},
                                         Refusal{"2026-11-15T09:00:00", "zone is missing", 20},
                                         Refusal{"2026-11-15T09:00:00+1", "zone is missing or malformed", 21},
                                         Refusal{"2026-11-15T09:00:00+24:00", "malformed", 26},
                                         Refusal{"2026-11-15T09:00:00.Z", "1 to 9 decimals", 21},
                                         Refusal{"2026-11-15T09:00:00.1234567890Z", "1 to 9 decimals", 30},
                                         Refusal{"2026-11-15T09:00:00Zulu", "more text", 21},
                                         Refusal{"2026-11-15", "use RFC 3339", 11}));

TEST(LocalDate, IsWrittenWithFourDigitsOfTheYearOrMore) {
    using namespace std::chrono_literals;
    EXPECT_EQ(format_date(2026y / 1 / 2), "2026-01-02");
    EXPECT_EQ(format_date(7y / 11 / 30), "0007-11-30");
    EXPECT_EQ(format_date(0y / 1 / 1), "0000-01-01");
    EXPECT_EQ(format_date(std::chrono::year{-1} / 12 / 31), "-001-12-31");
    EXPECT_EQ(format_date(12345y / 1 / 1), "12345-01-01");
}

TEST(LocalDate, IsReadStrictly) {
    EXPECT_TRUE(parse_date("2028-02-29"));
    for (const auto* const text : {"2026-02-29", "2026-2-1", "2026-02-01T", "26-02-01", "", "2026/02/01"})
        EXPECT_FALSE(parse_date(text)) << text;
}

}  // namespace
}  // namespace belfry
