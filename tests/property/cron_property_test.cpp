// The searches of CronRule against brute force: random expressions in every zone of the system, around the instants at
// which its clocks change.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/oracles/cron_case.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using namespace std::chrono_literals;
using test::BruteOccurrence;
using test::CronCase;
using test::CronPair;
using test::describe;
using test::GlibcZone;
using test::instant_at;
using test::Random;
using test::start_of_year;

constexpr Micros kTick{1};

struct Question {
    const char* verb;
    Instant moment;
};

// Whether the rule gives the expected answer; the message has all it takes to write a unit test.
[[nodiscard]] bool same(const CronCase& asked, const Question& question, std::optional<Instant> expected,
                        std::optional<Instant> actual) {
    if (expected == actual) return true;
    ADD_FAILURE() << describe(asked) << "\n  " << question.verb << " " << format_instant(question.moment)
                  << "\n  expected " << describe(expected) << "\n  actual   " << describe(actual);
    return false;
}

std::vector<Instant> instants_of(const std::vector<BruteOccurrence>& occurrences) {
    std::vector<Instant> result;
    for (const auto& occurrence : occurrences) result.push_back(instant_at(occurrence.utc_s));
    return result;
}

// What lies outside the window is not the oracle's business: any answer there counts as none.
std::optional<Instant> within(const CronCase& asked, std::optional<Instant> answer) {
    if (!answer || *answer < instant_at(asked.window.from_s) || *answer >= instant_at(asked.window.to_s))
        return std::nullopt;
    return answer;
}

std::optional<Instant> next_of(const std::vector<Instant>& all, Instant after) {
    const auto found = std::ranges::upper_bound(all, after);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

std::optional<Instant> previous_of(const std::vector<Instant>& all, Instant before) {
    const auto found = std::ranges::lower_bound(all, before);
    return found == all.begin() ? std::nullopt : std::optional(*std::prev(found));
}

Instant random_instant(Random& random, const CronCase& asked) {
    const auto whole = instant_at(random.between(asked.window.from_s, asked.window.to_s - 1));
    return random.percent(50) ? whole : whole + Micros{random.between(0, 999'999)};
}

void expect_same_forward(const CronCase& asked, const CronPair& both, Random& random) {
    const auto expected = instants_of(brute_occurrences(both.brute, GlibcZone(asked.zone), asked.rules, asked.window));
    const auto ask = [&](Instant after) {
        return same(asked, {"next after", after}, next_of(expected, after), within(asked, both.rule.next(after)));
    };
    auto after = instant_at(asked.window.from_s) - kTick;
    for (const auto& occurrence : expected) {
        if (!ask(after)) return;
        after = occurrence;
    }
    if (!ask(after)) return;
    for (int i = 0; i < 4 && ask(random_instant(random, asked)); ++i) {
    }
}

void expect_same_backward(const CronCase& asked, const CronPair& both, Random& random) {
    const auto expected = instants_of(brute_occurrences(both.brute, GlibcZone(asked.zone), asked.rules, asked.window));
    const auto ask = [&](Instant before) {
        return same(asked, {"previous before", before}, previous_of(expected, before),
                    within(asked, both.rule.previous(before)));
    };
    auto before = instant_at(asked.window.to_s);
    for (auto occurrence = expected.rbegin(); occurrence != expected.rend(); ++occurrence) {
        if (!ask(before)) return;
        before = *occurrence;
    }
    if (!ask(before)) return;
    for (int i = 0; i < 4 && ask(random_instant(random, asked)); ++i) {
    }
}

// The mark that follows from what brute force saw; nothing known when an occurrence is both on time and shifted.
void expect_same_marks(const CronCase& asked, const CronPair& both, Random&) {
    const auto all = brute_occurrences(both.brute, GlibcZone(asked.zone), asked.rules, asked.window);
    const bool fires_twice = asked.rules.repeat == RepeatRule::both ||
                             (asked.rules.repeat == RepeatRule::automatic && both.brute.wildcard());
    for (const auto& occurrence : all) {
        if (occurrence.on_time && occurrence.shifted_from) continue;
        const auto mark = both.rule.mark(instant_at(occurrence.utc_s));
        const bool touched = occurrence.shifted_from || occurrence.passes > 1;
        if (!touched && !mark) continue;
        const auto where = describe(asked) + "\n  mark of " + describe(instant_at(occurrence.utc_s));
        ASSERT_EQ(mark.has_value(), touched) << where;
        using Kind = DstMark::Kind;
        const bool first = occurrence.pass == 0;
        const auto expected = occurrence.shifted_from ? Kind::shifted
                              : fires_twice           ? (first ? Kind::both_first : Kind::both_second)
                                                      : (first ? Kind::first_pass : Kind::last_pass);
        ASSERT_EQ(static_cast<int>(mark->kind), static_cast<int>(expected)) << where;
        if (occurrence.shifted_from) {
            ASSERT_EQ(mark->nominal.time_since_epoch().count(), *occurrence.shifted_from) << where;
        }
    }
}

using Check = std::function<void(const CronCase&, const CronPair&, Random&)>;

// Asks `check` about every zone, `cases` times in all; a zone's transitions take turns.
void for_every_zone(std::uint64_t stream, std::size_t cases, const Check& check) {
    Random random(stream);
    const auto& names = test::zones().names();
    const auto per_zone = std::max<std::size_t>(1, cases / names.size());
    for (const auto& name : names) {
        const auto transitions = interesting_transitions(random, GlibcZone(name));
        for (std::size_t i = 0; i < per_zone; ++i) {
            const auto asked = case_around(random, name, transitions[i % transitions.size()]);
            if (const auto both = compile_both(asked)) check(asked, *both, random);
            // One failure tells enough, and a thousand hide it.
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(CronProperty, NextAgreesWithBruteForceAroundEveryTransition) {
    for_every_zone(1, test::case_count(36'000), expect_same_forward);
}

TEST(CronProperty, PreviousAgreesWithBruteForceAroundEveryTransition) {
    for_every_zone(2, test::case_count(20'000), expect_same_backward);
}

TEST(CronProperty, MarksSayHowAClockChangeTouchedEachOccurrence) {
    for_every_zone(3, test::case_count(10'000), expect_same_marks);
}

TEST(CronProperty, SequencesOverYearsAgreeWithBruteForceInBothDirections) {
    Random random(4);
    for (std::size_t i = 0; i < test::case_count(800); ++i) {
        const auto zone = random.pick(test::zones().names());
        const auto from = start_of_year(random.percent(70) ? random.number(1970, 2037) : random.number(1850, 2500)) +
                          random.between(0, 365) * test::kDay;
        const auto aim = aim_at(random, GlibcZone(zone), from);
        const CronCase asked{random_cron(random, aim), zone, random_rules(random), {from, from + 800 * test::kDay}};
        const auto both = compile_both(asked);
        // Brute force is too slow for years of minutes: those that fire often have the short windows above.
        if (!both || both->rule.pattern().shortest_spacing() < 1h) continue;
        expect_same_forward(asked, *both, random);
        expect_same_backward(asked, *both, random);
        ASSERT_FALSE(HasFailure());
    }
}

// Mostly near our time; now and then any that can be written.
Instant any_instant(Random& random) {
    if (random.percent(90))
        return Instant{Micros{random.between(start_of_year(1850) * 1'000'000, start_of_year(2500) * 1'000'000)}};
    return Instant{
        Micros{random.between(kInstantMin.time_since_epoch().count(), kInstantMax.time_since_epoch().count())}};
}

test::CronAim any_aim(Random& random) {
    const std::chrono::sys_days day{std::chrono::days{random.number(0, 25'000)}};
    return {day, random.number(0, 23), random.number(0, 59)};
}

// What must hold of any rule at any instant of the years 1 to 9999, whatever the right answers are.
TEST(CronProperty, NextAndPreviousAreStrictMonotoneAndInverse) {
    Random random(5);
    for (std::size_t i = 0; i < test::case_count(30'000); ++i) {
        const auto zone = random.pick(test::zones().names());
        const auto after = any_instant(random);
        const CronCase asked{
            random_cron(random, any_aim(random), {.seconds = random.percent(30)}), zone, random_rules(random), {}};
        const auto both = compile_both(asked);
        if (!both) continue;
        const auto& rule = both->rule;
        SCOPED_TRACE(describe(asked) + "\n  at " + format_instant(after));
        if (const auto next = rule.next(after)) {
            ASSERT_GT(*next, after);
            ASSERT_EQ(rule.next(*next - kTick), next);
            ASSERT_EQ(rule.next(*next - 1s), next);
            ASSERT_EQ(rule.previous(*next + kTick), next);
            ASSERT_LE(rule.previous(*next).value_or(kInstantMin), after);
            const auto between =
                Instant{Micros{random.between(after.time_since_epoch().count(), next->time_since_epoch().count() - 1)}};
            ASSERT_EQ(rule.next(between), next) << "and at " << format_instant(between);
        }
        if (const auto previous = rule.previous(after)) {
            ASSERT_LT(*previous, after);
            ASSERT_EQ(rule.previous(*previous + kTick), previous);
            ASSERT_EQ(rule.next(*previous - kTick), previous);
            ASSERT_GE(rule.next(*previous).value_or(kInstantMax), after);
        }
    }
}

TEST(CronProperty, TheEndsOfTimeAreQuietBorders) {
    Random random(6);
    for (const auto& name : test::zones().names()) {
        const CronCase asked{
            random.pick({"* * * * * *", "0 0 * * *", "59 59 23 31 12 *", "0 0 1 1 *"}), name, random_rules(random), {}};
        const auto both = compile_both(asked);
        ASSERT_TRUE(both);
        EXPECT_EQ(both->rule.next(kInstantMax), std::nullopt) << describe(asked);
        EXPECT_EQ(both->rule.previous(kInstantMin), std::nullopt) << describe(asked);
        const auto first = both->rule.next(kInstantMin);
        const auto last = both->rule.previous(kInstantMax);
        ASSERT_TRUE(first && last) << describe(asked);
        // The very first instant may itself be an occurrence, which next() cannot name: nothing is before it.
        EXPECT_EQ(both->rule.previous(*first).value_or(kInstantMin), kInstantMin)
            << describe(asked) << " before " << describe(first);
        EXPECT_EQ(both->rule.next(*last), std::nullopt) << describe(asked) << " after " << describe(last);
    }
}

}  // namespace
}  // namespace belfry::spec
