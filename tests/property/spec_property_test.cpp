// A spec is the union of its members: whatever each of them yields on its own, once, in order and inside the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/time/duration.hpp"
#include "support/oracles/cron_case.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::spec {
namespace {

using test::BruteCron;
using test::BruteWindow;
using test::GlibcZone;
using test::instant_at;
using test::Random;
using test::start_of_year;

struct SpecCase {
    SpecText text;
    BruteWindow window;
};

std::string describe(const SpecText& text) {
    std::string result = "in " + text.timezone;
    for (const auto& cron : text.cron) result += "\n  cron \"" + cron + "\"";
    for (const auto& interval : text.intervals) result += "\n  every " + interval.every + " offset " + interval.offset;
    for (const auto& at : text.at) result += "\n  at " + at;
    result += "\n  from " + text.start_at.value_or("-") + " to " + text.end_at.value_or("-");
    result += std::string("\n  gap ") + std::string(name_of(text.dst.gap)) + " repeat " +
              std::string(name_of(text.dst.repeat));
    return result + "\n  with SEED=" + std::to_string(test::seed());
}

SpecCase random_case(Random& random) {
    const auto zone = random.pick(test::zones().names());
    const GlibcZone system(zone);
    const int year = random.number(1980, 2036);
    const auto transitions = system.transitions(year, year + 1);
    const auto centre =
        transitions.empty() ? random.between(start_of_year(year), start_of_year(year + 1)) : random.pick(transitions);
    SpecCase result{{.timezone = zone, .dst = random_rules(random)},
                    {centre - 2 * test::kDay, centre + 2 * test::kDay}};
    const auto moment = [&] {
        return format_instant(instant_at(random.between(result.window.from_s, result.window.to_s - 1)));
    };
    auto& text = result.text;
    for (int i = random.number(0, 3); i > 0; --i) {
        // A prefix gives a member a zone of its own.
        const auto prefix =
            random.percent(20) ? random.pick({"TZ=", "CRON_TZ="}) + random.pick(test::zones().names()) + " " : "";
        text.cron.push_back(prefix + random_cron(random, aim_at(random, system, centre)));
    }
    for (int i = random.number(0, 2); i > 0; --i) {
        const auto every = random.pick(std::vector<int>{300, 1800, 3600, 5400, 7'001, 86400, 604800});
        text.intervals.push_back(
            {format_duration(Seconds{every}), format_duration(Seconds{random.number(0, every - 1)})});
    }
    for (int i = random.number(0, 3); i > 0; --i) text.at.push_back(moment());
    if (text.cron.empty() && text.intervals.empty() && text.at.empty()) text.at.push_back(moment());
    if (random.percent(30)) text.start_at = moment();
    if (random.percent(30)) text.end_at = moment();
    if (text.start_at && text.end_at && *text.start_at > *text.end_at) std::swap(text.start_at, text.end_at);
    return result;
}

// Adds what one cron text yields; false when it never matches, for then the spec is refused.
bool add_cron(const SpecCase& asked, const std::string& text, std::set<Instant>& all) {
    const auto blank = text.find(' ');
    const bool prefixed = text.starts_with("TZ=") || text.starts_with("CRON_TZ=");
    const auto equals = text.find('=');
    const auto zone = prefixed ? text.substr(equals + 1, blank - equals - 1) : asked.text.timezone;
    const auto cron = BruteCron::parse(prefixed ? text.substr(blank + 1) : text).value();
    for (const auto& occurrence : brute_occurrences(cron, GlibcZone(zone), asked.text.dst, asked.window))
        all.insert(instant_at(occurrence.utc_s));
    return cron.ever_matches();
}

void add_interval(const SpecCase& asked, const IntervalText& text, std::set<Instant>& all) {
    const auto every = parse_iso_duration(text.every).value() / Seconds{1};
    const auto offset = parse_iso_duration(text.offset).value() / Seconds{1};
    for (auto moment = asked.window.from_s; moment < asked.window.to_s; ++moment) {
        if ((moment - offset) % every == 0) all.insert(instant_at(moment));
    }
}

// The occurrences in the window by brute force, sorted; nothing when a member never matches.
std::optional<std::vector<Instant>> merged(const SpecCase& asked) {
    std::set<Instant> all;
    bool possible = true;
    for (const auto& cron : asked.text.cron) possible = add_cron(asked, cron, all) && possible;
    for (const auto& interval : asked.text.intervals) add_interval(asked, interval, all);
    for (const auto& at : asked.text.at) all.insert(test::instant(at));
    if (!possible) return std::nullopt;
    std::vector<Instant> result(all.begin(), all.end());
    std::erase_if(result, [&](Instant moment) {
        return (asked.text.start_at && moment < test::instant(*asked.text.start_at)) ||
               (asked.text.end_at && moment > test::instant(*asked.text.end_at));
    });
    return result;
}

TEST(SpecProperty, IsTheMergeOfItsMembersInsideItsWindow) {
    Random random(40);
    constexpr std::size_t kNoLimit = 1'000'000;
    for (std::size_t i = 0; i < test::case_count(1'500); ++i) {
        const auto asked = random_case(random);
        SCOPED_TRACE(describe(asked.text));
        const auto expected = merged(asked);
        const auto spec = Spec::compile(asked.text, test::zones());
        ASSERT_EQ(spec.has_value(), expected.has_value()) << (spec ? "" : spec.error().message);
        if (!spec) continue;
        const auto from = instant_at(asked.window.from_s);
        const auto to = instant_at(asked.window.to_s) - Micros{1};
        ASSERT_EQ(spec->between(from, to, kNoLimit), *expected);

        const auto limit = static_cast<std::size_t>(random.between(0, 5));
        const auto first = std::vector<Instant>(
            expected->begin(), expected->begin() + static_cast<std::ptrdiff_t>(std::min(limit, expected->size())));
        ASSERT_EQ(spec->between(from, to, limit), first);

        const auto moment = instant_at(random.between(asked.window.from_s, asked.window.to_s - 1));
        const auto after = std::ranges::upper_bound(*expected, moment);
        const auto next = spec->next(moment);
        if (after != expected->end()) {
            ASSERT_EQ(next, *after) << "after " << format_instant(moment);
        } else {
            ASSERT_GT(next.value_or(kInstantMax), to) << "after " << format_instant(moment);
        }
        const auto before = std::ranges::lower_bound(*expected, moment);
        const auto previous = spec->previous(moment);
        if (before != expected->begin()) {
            ASSERT_EQ(previous, *std::prev(before)) << "before " << format_instant(moment);
        } else {
            ASSERT_LT(previous.value_or(kInstantMin), from) << "before " << format_instant(moment);
        }
    }
}

}  // namespace
}  // namespace belfry::spec
