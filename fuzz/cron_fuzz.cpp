// Cron expressions: the parser against the naive one of the tests, the searches against their own laws and brute force.
//
// An input is the expression, and after a line feed, optionally, a letter for the zone, a digit for the DST rules, a
// blank and an instant: "30 2 * * *\nA0 2026-03-08T06:00:00Z".
#include <algorithm>
#include <array>

#include "base/text/ascii.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"
#include "support/oracles/brute_schedule.hpp"
#include "support/worlds/zones.hpp"

using namespace belfry;

namespace {

// One of each kind: an hour, half an hour, two hours, a missing day, a gap across midnight, negative DST, none.
constexpr std::array kZones{"America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia",
                            "Asia/Pyongyang",   "Africa/Casablanca",   "America/St_Johns", "UTC"};

struct Question {
    std::string zone = "America/New_York";
    spec::DstRules rules = {};
    Instant moment = test::instant("2026-03-08T06:00:00Z");
};

Question read_question(std::string_view text) {
    Question question;
    if (text.size() < 2) return question;
    question.zone = kZones[static_cast<unsigned char>(text[0] - 'A') % kZones.size()];
    const auto digit = static_cast<unsigned char>(text[1] - '0');
    question.rules = {digit % 2 == 0 ? spec::GapRule::shift : spec::GapRule::skip,
                      static_cast<spec::RepeatRule>(digit / 2 % 4)};
    if (const auto moment = parse_instant(text.substr(std::min<std::size_t>(3, text.size()))))
        question.moment = *moment;
    return question;
}

// The naive parser knows no prefixes, no @every and no limit of length.
bool both_know(std::string_view text) {
    return text.size() <= spec::kCronTextMax && text.find('=') == std::string_view::npos &&
           lower_case(text).find("@every") == std::string::npos &&
           std::ranges::all_of(text, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
}

void check_laws(const spec::CronRule& rule, Instant moment, const std::string& about) {
    constexpr Micros kTick{1};
    if (const auto next = rule.next(moment)) {
        fuzz::require(*next > moment, "next is later", about);
        fuzz::require(rule.next(*next - kTick) == next, "next finds itself again", about);
        fuzz::require(rule.previous(*next + kTick) == next, "previous finds what next found", about);
        fuzz::require(rule.previous(*next).value_or(kInstantMin) <= moment, "next skips nothing", about);
        static_cast<void>(rule.mark(*next));
    }
    if (const auto previous = rule.previous(moment)) {
        fuzz::require(*previous < moment, "previous is earlier", about);
        fuzz::require(rule.previous(*previous + kTick) == previous, "previous finds itself again", about);
        fuzz::require(rule.next(*previous - kTick) == previous, "next finds what previous found", about);
        fuzz::require(rule.next(*previous).value_or(kInstantMax) >= moment, "previous skips nothing", about);
        static_cast<void>(rule.mark(*previous));
    }
}

void check_brute(const spec::CronRule& rule, const test::BruteCron& brute, const Question& question,
                 const std::string& about) {
    const auto moment_s = std::chrono::floor<Seconds>(question.moment).time_since_epoch().count();
    if (moment_s < test::start_of_year(1850) || moment_s > test::start_of_year(2500)) return;
    const auto length = brute.whole_minutes() ? 30 * test::kHour : test::kHour;
    const test::BruteWindow window{moment_s + 1, moment_s + length};
    const auto expected = brute_occurrences(brute, test::GlibcZone(question.zone), question.rules, window);
    auto after = question.moment;
    for (const auto& occurrence : expected) {
        const auto next = rule.next(after);
        fuzz::require(next == Instant{Seconds{occurrence.utc_s}}, "next agrees with brute force",
                      about + " expected " + format_instant(Instant{Seconds{occurrence.utc_s}}) + " actual " +
                          (next ? format_instant(*next) : "none"));
        after = *next;
    }
    fuzz::require(rule.next(after).value_or(kInstantMax) >= Instant{Seconds{window.to_s}},
                  "next adds nothing to brute force", about);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = fuzz::text_of(data, size);
    const auto line_feed = std::min(input.find('\n'), input.size());
    const auto text = input.substr(0, line_feed);
    const auto question = read_question(input.substr(std::min(line_feed + 1, input.size())));
    const auto about = std::string(text) + " in " + question.zone + " at " + format_instant(question.moment) + " gap " +
                       std::string(name_of(question.rules.gap)) + " repeat " +
                       std::string(name_of(question.rules.repeat));

    const auto parsed = spec::parse_cron(text);
    const auto brute = both_know(text) ? test::BruteCron::parse(text) : std::nullopt;
    if (!parsed) {
        fuzz::require(!parsed.error().message.empty(), "a refusal has a reason", about);
        const auto place = parsed.error().place;
        fuzz::require(place.column == 0 || place.column + place.length <= text.size() + 2,
                      "a refusal points into the text", about);
        fuzz::require(!brute || !brute->ever_matches(), "what follows the grammar and matches some day is accepted",
                      about + ": " + parsed.error().message);
        return 0;
    }
    if (both_know(text)) fuzz::require(brute.has_value(), "what is accepted follows the grammar", about);
    if (parsed->every) return 0;
    const spec::CronRule rule(*parsed, test::zone(question.zone), question.rules);
    check_laws(rule, question.moment, about);
    if (brute) {
        fuzz::require(brute->wildcard() == parsed->wildcard(), "both call it wildcard or fixed", about);
        check_brute(rule, *brute, question, about);
    }
    return 0;
}
