#include <algorithm>

#include "base/time/duration.hpp"
#include "spec/explain/english.hpp"
#include "spec/explain/explain.hpp"
#include "spec/explain/explain_clock.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr Seconds kDay = chrono::hours{24};

// One member of the union in words, with the zone of its wall clock; no zone for an interval, which follows real time.
struct Member {
    std::string text;
    std::optional<std::string> zone = {};
    bool has_gaps = false;     // a local time may not exist: a fixed expression in a zone with clock changes
    bool has_repeats = false;  // a local time may happen twice: any cron fields in such a zone
};

Seconds time_of_day(LocalSeconds local) { return local - chrono::floor<chrono::days>(local); }

// "… at 9:00 AM", "… at 09:00": "UTC" follows these without a preposition.
bool ends_in_time(const std::string& text) {
    return text.ends_with(" AM") || text.ends_with(" PM") || (text.size() >= 3 && text[text.size() - 3] == ':');
}

// No schedule runs before this time, so earlier clock changes of a zone do not matter.
constexpr Instant kClockChangesFrom = std::chrono::sys_days{chrono::year{2026} / 1 / 1};

bool clocks_change(const std::string& zone_name, const ZoneDatabase& zones) {
    const auto zone = zones.find(zone_name);
    return !zone || (*zone)->next_transition(kClockChangesFrom).has_value();
}

Member cron_member(const std::string& text, const SpecText& spec, const ZoneDatabase& zones, ClockStyle style) {
    auto expression = parse_cron(text);
    if (!expression) return {text, spec.timezone, true, true};
    Member member{.text = explain(*expression, {.clock = style, .with_zone = false})};
    if (expression->every) return member;
    member.zone = expression->zone.value_or(spec.timezone);
    member.has_repeats = clocks_change(*member.zone, zones);
    member.has_gaps = member.has_repeats && !expression->wildcard();
    return member;
}

Member interval_member(const IntervalText& text, ClockStyle style) {
    const auto interval = Interval::parse(text.every, text.offset);
    if (!interval) return {.text = "Every " + text.every};
    return {.text = interval_words(*interval, style)};
}

// Builds the sentence from left to right; each step appends one aspect of the spec.
class SpecWriter {
public:
    SpecWriter(const SpecText& text, const ZoneDatabase& zones, ExplainOptions options)
        : text_(text), zones_(zones), options_(options), zone_(Zone::utc()) {
        if (auto zone = zones.find(text.timezone)) zone_ = *zone;
    }

    [[nodiscard]] std::string write() const {
        const auto members = all_members();
        return capitalized(union_of(members) + dst_rules(members) + window(members) + jitter());
    }

private:
    // Members on a wall clock come first, so that a shared zone is named once.
    [[nodiscard]] std::vector<Member> all_members() const {
        std::vector<Member> members;
        for (const auto& cron : text_.cron) members.push_back(cron_member(cron, text_, zones_, options_.clock));
        if (!text_.at.empty()) members.push_back({.text = instants(), .zone = text_.timezone});
        for (const auto& interval : text_.intervals) members.push_back(interval_member(interval, options_.clock));
        for (const auto& event : text_.events) {
            members.push_back({.text = "When " + event.name + " happens" +
                                       (event.filter.is_null() ? "" : " and its payload passes the filter")});
        }
        std::stable_partition(members.begin(), members.end(),
                              [](const Member& member) { return member.zone.has_value(); });
        return members;
    }

    [[nodiscard]] std::string union_of(const std::vector<Member>& members) const {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < members.size() && i < kListMax; ++i) {
            const bool said_by_next =
                i + 1 < std::min(members.size(), kListMax) && members[i].zone == members[i + 1].zone;
            const auto zone = said_by_next ? "" : in_zone(members[i]);
            texts.push_back((i == 0 ? members[i].text : uncapitalized(members[i].text)) + zone);
        }
        if (members.size() > kListMax)
            texts.push_back(counted(static_cast<std::int64_t>(members.size() - kListMax), "more rule"));
        std::string sentence;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (i > 0) sentence += i + 1 == texts.size() ? "; and " : "; ";
            sentence += texts[i];
        }
        return sentence;
    }

    [[nodiscard]] std::string in_zone(const Member& member) const {
        if (!options_.with_zone || !member.zone) return "";
        return (*member.zone == "UTC" && ends_in_time(member.text) ? " " : ", in ") + *member.zone;
    }

    // "Once on 31 December 2026 at 11:59 PM"
    [[nodiscard]] std::string instants() const {
        std::vector<Instant> moments;
        std::vector<std::string> texts;
        for (const auto& text : text_.at) {
            // As in the compiled spec, an occurrence is a whole second and never early.
            if (const auto instant = parse_instant(text)) {
                moments.emplace_back(chrono::ceil<Seconds>(*instant));
            } else {
                texts.push_back("on " + text);
            }
        }
        std::ranges::sort(moments);
        moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
        if (const auto count = moments.size(); count > kListMax) {
            texts.push_back(std::to_string(count) + " times between " + date_and_time(moments.front()) + " and " +
                            date_and_time(moments.back()));
            return capitalized(join(texts));
        }
        for (const auto moment : moments) texts.push_back("on " + date_and_time(moment));
        return (texts.size() == 1 ? "Once " : "Once each ") + join(texts);
    }

    [[nodiscard]] std::string date_and_time(Instant instant) const {
        const auto local = zone_->to_local(instant);
        return date_in_words(local) + " at " + time_in_words(local, options_.clock);
    }

    [[nodiscard]] std::string dst_rules(const std::vector<Member>& members) const {
        const bool skips = text_.dst.gap == GapRule::skip && std::ranges::any_of(members, &Member::has_gaps);
        std::string words = skips ? ", skipping local times that do not exist" : "";
        if (std::ranges::none_of(members, &Member::has_repeats)) return words;
        switch (text_.dst.repeat) {
            case RepeatRule::automatic: return words;
            case RepeatRule::first: return words + ", only the first time when a local time happens twice";
            case RepeatRule::last: return words + ", only the second time when a local time happens twice";
            case RepeatRule::both: return words + ", both times when a local time happens twice";
        }
        return words;
    }

    // Both ends are part of the window, and occurrences are whole seconds. A date alone means the whole day, so only
    // midnight can start and only the last second can end one.
    [[nodiscard]] std::string window(const std::vector<Member>& members) const {
        std::string words;
        if (text_.start_at) words += (text_.end_at ? " from " : " starting ") + window_end(*text_.start_at, Seconds{0});
        if (text_.end_at) words += " until " + window_end(*text_.end_at, kDay - Seconds{1});
        if (words.empty()) return "";
        const bool zone_was_said = says_only_own_zone(members);
        return "," + words + (options_.with_zone && !zone_was_said ? " (" + zone_->name() + ")" : "");
    }

    [[nodiscard]] bool says_only_own_zone(const std::vector<Member>& members) const {
        return !members.empty() &&
               std::ranges::all_of(members, [this](const Member& member) { return member.zone == text_.timezone; });
    }

    [[nodiscard]] std::string window_end(const std::string& text, Seconds whole_date) const {
        const auto instant = parse_instant(text);
        if (!instant) return text;
        const bool opens = whole_date == Seconds{0};
        const auto local = zone_->to_local(opens ? chrono::ceil<Seconds>(*instant) : chrono::floor<Seconds>(*instant));
        if (time_of_day(local) == whole_date) return date_in_words(local);
        return time_in_words(local, options_.clock) + " on " + date_in_words(local);
    }

    [[nodiscard]] std::string jitter() const {
        const auto before = part_of_jitter(text_.jitter.before);
        const auto after = part_of_jitter(text_.jitter.after);
        if (before.empty() && after.empty()) return "";
        if (before == after) return ", spread over up to " + before + " before or after";
        if (before.empty()) return ", spread over up to " + after + " after";
        if (after.empty()) return ", spread over up to " + before + " before";
        return ", spread over up to " + before + " before and up to " + after + " after";
    }

    [[nodiscard]] static std::string part_of_jitter(const std::string& text) {
        const auto duration = parse_duration(text);
        if (!duration) return text;
        return *duration == Micros{0} ? "" : in_words(*duration);
    }

    const SpecText& text_;
    const ZoneDatabase& zones_;
    ExplainOptions options_;
    ZonePtr zone_;
};

}  // namespace

std::string explain(const SpecText& text, const ZoneDatabase& zones, ExplainOptions options) {
    return SpecWriter(text, zones, options).write();
}

}  // namespace belfry::spec
