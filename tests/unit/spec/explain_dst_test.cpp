#include "spec/explain/explain.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

namespace chrono = std::chrono;

std::string note(const std::string& cron, const std::string& zone, const std::string& after, DstRules rules = {}) {
    const auto rule = test::cron(cron, zone, rules);
    const auto occurrence = rule.next(test::instant(after));
    const auto mark = rule.mark(*occurrence);
    return mark ? describe(*mark, *occurrence, rule.zone()) : "none";
}

TEST(DescribeDst, SaysWhereAMissingTimeRunsInstead) {
    EXPECT_EQ(note("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z"),
              "02:30 does not exist on 28 Mar → runs 03:00");
    EXPECT_EQ(note("15 30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z"),
              "02:30:15 does not exist on 28 Mar → runs 03:00");
    const DstMark mark{DstMark::Kind::shifted,
                       chrono::local_days{chrono::year{2027} / 5 / 4} + chrono::hours{23} + chrono::minutes{45}};
    EXPECT_EQ(describe(mark, test::instant("2027-05-05T00:00:00Z"), *Zone::utc()),
              "23:45 does not exist on 4 May → runs 00:00 on 5 May");
}

TEST(DescribeDst, SaysInWhichPassARepeatedTimeRuns) {
    const auto in_london = [](RepeatRule repeat, const char* after) {
        return note("30 1 * * *", "Europe/London", after, {.repeat = repeat});
    };
    EXPECT_EQ(in_london(RepeatRule::first, "2026-10-24T12:00:00Z"),
              "01:30 happens twice on 25 Oct → runs once, the first time");
    EXPECT_EQ(in_london(RepeatRule::last, "2026-10-24T12:00:00Z"),
              "01:30 happens twice on 25 Oct → runs once, the second time");
    EXPECT_EQ(in_london(RepeatRule::both, "2026-10-24T12:00:00Z"),
              "01:30 happens twice on 25 Oct → runs both times, this is the first");
    EXPECT_EQ(in_london(RepeatRule::both, "2026-10-25T00:30:00Z"),
              "01:30 happens twice on 25 Oct → runs both times, this is the second");
}

}  // namespace
}  // namespace belfry::spec
