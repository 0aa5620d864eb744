// The program's zones against the C library's: two readers of the same files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "support/oracles/cron_case.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::GlibcZone;
using test::instant_at;
using test::start_of_year;

constexpr int kFirstYear = 1850;
constexpr int kEndYear = 2500;

std::int64_t offset_of(const Zone& zone, std::int64_t utc_s) { return zone.offset_at(instant_at(utc_s)).count(); }

std::string at(const std::string& name, std::int64_t utc_s) {
    return name + " at " + format_instant(instant_at(utc_s)) + " with SEED=" + std::to_string(test::seed());
}

TEST(ZoneProperty, OffsetsAgreeWithTheSystemAroundEveryTransition) {
    for (const auto& name : test::zones().names()) {
        const auto zone = test::zone(name);
        const GlibcZone system(name);
        for (const auto transition : system.transitions(kFirstYear, 2051)) {
            for (const auto moment : {transition - 1, transition, transition + 1}) {
                ASSERT_EQ(offset_of(*zone, moment), system.offset_at(moment)) << at(name, moment);
            }
        }
    }
}

TEST(ZoneProperty, OffsetsAgreeWithTheSystemAtRandomInstants) {
    test::Random random(30);
    const auto& names = test::zones().names();
    for (const auto& name : names) {
        const auto zone = test::zone(name);
        const GlibcZone system(name);
        for (std::size_t i = 0; i < test::case_count(600'000) / names.size(); ++i) {
            const auto moment = random.between(start_of_year(kFirstYear), start_of_year(kEndYear));
            ASSERT_EQ(offset_of(*zone, moment), system.offset_at(moment)) << at(name, moment);
        }
    }
}

// Also catches a segment that the scan above would step over.
TEST(ZoneProperty, EverySegmentHasTheSystemsOffsetAtBothItsEnds) {
    for (const auto& name : test::zones().names()) {
        const auto zone = test::zone(name);
        const GlibcZone system(name);
        const auto last = zone->index_at(start_of_year(kEndYear));
        for (auto index = zone->index_at(start_of_year(kFirstYear)); index <= last; ++index) {
            const auto segment = zone->segment(index);
            const auto begin = std::max(segment.begin_s, start_of_year(kFirstYear));
            const auto end = std::min(segment.end_s, start_of_year(kEndYear));
            ASSERT_EQ(zone->index_at(begin), index) << at(name, begin);
            ASSERT_EQ(system.offset_at(begin), segment.offset_s) << at(name, begin);
            ASSERT_EQ(system.offset_at(end - 1), segment.offset_s) << at(name, end - 1);
        }
    }
}

TEST(ZoneProperty, SegmentsFollowEachOtherAndKnowTheirNeighbours) {
    for (const auto& name : test::zones().names()) {
        const auto zone = test::zone(name);
        const auto last = zone->index_at(start_of_year(kEndYear));
        for (std::size_t index = 0; index < last; ++index) {
            const auto here = zone->segment(index);
            const auto after = zone->segment(index + 1);
            ASSERT_LT(here.begin_s, here.end_s) << at(name, here.end_s);
            ASSERT_EQ(here.end_s, after.begin_s) << at(name, here.end_s);
            ASSERT_NE(here.offset_s, after.offset_s) << at(name, here.end_s);
            ASSERT_EQ(here.offset_after_s, after.offset_s) << at(name, here.end_s);
            ASSERT_EQ(after.offset_before_s, here.offset_s) << at(name, here.end_s);
        }
    }
}

// The searches look at one border at a time; that is enough because no gap or fold reaches past a neighbouring segment.
TEST(ZoneProperty, NoGapOrFoldIsLongerThanTheSegmentsBesideIt) {
    for (const auto& name : test::zones().names()) {
        const auto zone = test::zone(name);
        const auto last = zone->index_at(start_of_year(kEndYear));
        for (std::size_t index = 0; index < last; ++index) {
            const auto here = zone->segment(index);
            const auto after = zone->segment(index + 1);
            const auto jump = std::abs(std::int64_t{after.offset_s} - here.offset_s);
            ASSERT_LE(jump, here.end_s - here.begin_s) << at(name, here.end_s);
            ASSERT_LE(jump, after.end_s - after.begin_s) << at(name, here.end_s);
        }
    }
}

}  // namespace
}  // namespace belfry::spec
