// Every row of the tables of expected fire times: computed by brute force, measured on real cron daemons, and taken
// from the test suites and bug trackers of other schedulers.
#include "support/worlds/vectors.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::next_texts;

// The one row that we answer differently. Pyongyang went from 23:30 on 4 May 2018 straight to 00:00 on 5 May. The table
// drops the run of 23:45 because the end of the gap lies on the next date; Debian's cron runs the minutes that it
// jumped over, whatever their date, and so do we: a nonexistent time runs at the first instant after the gap.
struct Disagreement {
    std::string expression;
    std::string zone;
    std::string ours;
};
const Disagreement kAcrossMidnight{"45 23 * * *", "Asia/Pyongyang",
                                   "2018-05-03T15:15:00Z 2018-05-04T15:00:00Z 2018-05-05T14:45:00Z"};

// An expression that can never match is refused; in the tables that is an answer like any other.
std::string answer(const std::string& expression, const std::string& zone, const std::string& after,
                   std::size_t count) {
    const auto parsed = parse_cron(expression);
    if (!parsed)
        return parsed.error().message.find("never matches") != std::string::npos ? "none" : parsed.error().message;
    return next_texts(CronRule(*parsed, test::zone(zone), {}), after, count);
}

TEST(CronVectors, EveryComputedRowGivesItsFireTimes) {
    const auto rows = test::read_table("cron_next.tsv");
    ASSERT_EQ(rows.size(), 1100U);
    for (const auto& row : rows) {
        EXPECT_EQ(answer(row[0], row[1], row[2], test::split(row[3], ' ').size()), row[3])
            << row[0] << " in " << row[1] << " after " << row[2];
    }
}

TEST(CronVectors, EveryPeersRowGivesItsFireTimes) {
    const auto rows = test::read_table("cron_peers.tsv");
    ASSERT_EQ(rows.size(), 516U);
    for (const auto& row : rows) {
        const auto& expected =
            row[1] == kAcrossMidnight.expression && row[2] == kAcrossMidnight.zone ? kAcrossMidnight.ours : row[4];
        EXPECT_EQ(answer(row[1], row[2], row[3], test::split(row[4], ' ').size()), expected)
            << row[0] << ": " << row[1] << " in " << row[2] << " after " << row[3];
    }
}

}  // namespace
}  // namespace belfry::spec
