#include "support/oracles/cron_case.hpp"

#include <algorithm>
#include <sstream>

#include "support/worlds/zones.hpp"

namespace belfry::test {
namespace {

using spec::GapRule;
using spec::RepeatRule;

std::string_view literal_of(RepeatRule rule) { return rule == RepeatRule::automatic ? "automatic" : name_of(rule); }

void shuffle(Random& random, std::vector<std::int64_t>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
}

}  // namespace

spec::DstRules random_rules(Random& random) {
    static const std::vector<RepeatRule> repeats{RepeatRule::automatic, RepeatRule::automatic, RepeatRule::first,
                                                 RepeatRule::last, RepeatRule::both};
    return {random.percent(75) ? GapRule::shift : GapRule::skip, random.pick(repeats)};
}

CronAim aim_at(Random& random, const GlibcZone& zone, std::int64_t transition_s) {
    const auto before = zone.offset_at(transition_s - 1);
    const auto after = zone.offset_at(transition_s);
    const auto local =
        transition_s + std::min(before, after) + random.between(-kHour, std::abs(after - before) + kHour);
    const auto date = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{Seconds{local}});
    const auto second_of_day = local - date.time_since_epoch().count() * kDay;
    return {date, static_cast<int>(second_of_day / kHour), static_cast<int>(second_of_day / 60 % 60)};
}

CronCase case_around(Random& random, const std::string& zone_name, std::int64_t transition_s) {
    const bool seconds = random.percent(15);
    // Seconds are enumerated one by one, so their windows are short.
    const auto half = seconds ? random.pick(std::vector<std::int64_t>{kHour, 3 * kHour, 26 * kHour})
                              : random.pick(std::vector<std::int64_t>{3 * kHour, 30 * kHour, 50 * kHour});
    const auto aim = aim_at(random, GlibcZone(zone_name), transition_s);
    return {random_cron(random, aim, {.seconds = seconds}),
            zone_name,
            random_rules(random),
            {transition_s - half, transition_s + half}};
}

std::vector<std::int64_t> interesting_transitions(Random& random, const GlibcZone& zone) {
    auto result = zone.transitions(1970, 2038);
    const auto add_some_of = [&](std::vector<std::int64_t> others, std::size_t count) {
        shuffle(random, others);
        result.insert(result.end(), others.begin(),
                      others.begin() + static_cast<std::ptrdiff_t>(std::min(count, others.size())));
    };
    add_some_of(zone.transitions(1840, 1970), 12);
    add_some_of(zone.transitions(2087, 2102), 4);
    add_some_of(zone.transitions(2399, 2402), 2);
    if (result.empty()) result.push_back(random.between(start_of_year(1970), start_of_year(2038)));
    shuffle(random, result);
    return result;
}

Instant instant_at(std::int64_t utc_s) { return Instant{Seconds{utc_s}}; }

std::optional<CronPair> compile_both(const CronCase& asked) {
    auto brute = BruteCron::parse(asked.expression);
    const auto parsed = spec::parse_cron(asked.expression);
    EXPECT_TRUE(brute) << "outside the grammar: " << describe(asked);
    if (!brute) return std::nullopt;
    if (parsed) return CronPair{*brute, spec::CronRule(*parsed, zone(asked.zone), asked.rules)};
    EXPECT_NE(parsed.error().message.find("never matches"), std::string::npos)
        << describe(asked) << ": " << parsed.error().message;
    EXPECT_FALSE(brute->ever_matches()) << describe(asked) << ": " << parsed.error().message;
    return std::nullopt;
}

std::string describe(const CronCase& asked) {
    std::ostringstream out;
    out << "cron(\"" << asked.expression << "\", \"" << asked.zone << "\", {GapRule::" << name_of(asked.rules.gap)
        << ", RepeatRule::" << literal_of(asked.rules.repeat) << "}) with SEED=" << seed();
    return out.str();
}

std::string describe(std::optional<Instant> answer) { return answer ? format_instant(*answer) : "none"; }

}  // namespace belfry::test
