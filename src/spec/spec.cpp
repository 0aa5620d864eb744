#include "spec/spec.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "base/text/name.hpp"
#include "base/time/duration.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

std::string element(const char* list, std::size_t index) { return std::string(list) + std::to_string(index); }

std::optional<Error> too_many(const char* field, std::size_t count, std::size_t most) {
    if (count <= most) return std::nullopt;
    return in_field(invalid("has " + std::to_string(count) + " elements; send at most " + std::to_string(most)), field);
}

Result<Micros> parse_optional_duration(const std::string& text) {
    return text.empty() ? Result<Micros>(Micros{0}) : parse_duration(text);
}

// Where to sample the spacing of a union without a start: a recent leap year.
constexpr Instant kSpacingFrom = chrono::sys_days{chrono::year{2024} / 1 / 1};

// Rounds up, because an occurrence is a whole second and an instant must not fire early.
Instant whole_second(Instant instant) { return chrono::ceil<Seconds>(instant); }

}  // namespace

Result<Spec> Spec::compile(const SpecText& text, const ZoneDatabase& zones) {
    Spec spec;
    Errors errors;
    auto zone = zones.find(text.timezone);
    if (!zone) errors.push_back(in_field(zone.error(), "/timezone"));
    spec.zone_ = zone ? *zone : Zone::utc();  // so that the other parts are validated, too
    if (auto error = spec.add_cron(text, zones)) errors.push_back(std::move(*error));
    if (auto error = spec.add_intervals(text)) errors.push_back(std::move(*error));
    if (auto error = spec.add_instants(text)) errors.push_back(std::move(*error));
    if (auto error = spec.add_events(text)) errors.push_back(std::move(*error));
    if (text.cron.empty() && text.intervals.empty() && text.at.empty() && text.events.empty()) {
        errors.push_back(invalid("no timing: set at least one of cron, intervals, at or events"));
    }
    if (auto error = spec.add_window(text)) errors.push_back(std::move(*error));
    if (!errors.empty()) return combine_errors(std::move(errors));
    return spec;
}

std::optional<Error> Spec::add_cron(const SpecText& text, const ZoneDatabase& zones) {
    Errors errors;
    if (auto error = too_many("/cron", text.cron.size(), kCronPerSpecMax)) return error;
    for (std::size_t i = 0; i < text.cron.size(); ++i) {
        const auto field = element("/cron/", i);
        const auto expression = parse_cron(text.cron[i]);
        if (!expression) {
            errors.push_back(in_field(expression.error(), field));
            continue;
        }
        auto zone = zone_;
        if (expression->zone) {
            auto own = zones.find(*expression->zone);
            if (!own) {
                errors.push_back(in_field(own.error(), field));
                errors.back().place.column = text.cron[i].find('=') + 2;
                continue;
            }
            zone = *own;
        }
        if (expression->every) {
            intervals_.emplace_back(*expression->every, Seconds{0});
            continue;
        }
        rules_.emplace_back(*expression, std::move(zone), text.dst);
    }
    return together_if_any(std::move(errors));
}

std::optional<Error> Spec::add_intervals(const SpecText& text) {
    Errors errors;
    if (auto error = too_many("/intervals", text.intervals.size(), kIntervalsPerSpecMax)) return error;
    for (std::size_t i = 0; i < text.intervals.size(); ++i) {
        const auto interval = Interval::parse(text.intervals[i].every, text.intervals[i].offset);
        if (interval) {
            intervals_.push_back(*interval);
        } else {
            errors.push_back(in_field(interval.error(), element("/intervals/", i)));
        }
    }
    return together_if_any(std::move(errors));
}

std::optional<Error> Spec::add_instants(const SpecText& text) {
    Errors errors;
    if (auto error = too_many("/at", text.at.size(), kInstantsPerSpecMax)) return error;
    for (std::size_t i = 0; i < text.at.size(); ++i) {
        const auto instant = parse_instant(text.at[i]);
        if (!instant) {
            errors.push_back(in_field(instant.error(), element("/at/", i)));
        } else if (whole_second(*instant) > kInstantMax) {
            errors.push_back(in_field(
                invalid("time " + in_quotes(text.at[i]) + ": rounded up to a whole second, it is after the year 9999"),
                element("/at/", i)));
        } else {
            instants_.push_back(whole_second(*instant));
        }
    }
    std::ranges::sort(instants_);
    instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
    return together_if_any(std::move(errors));
}

std::optional<Error> Spec::add_events(const SpecText& text) {
    Errors errors;
    if (auto error = too_many("/events", text.events.size(), kEventsPerSpecMax)) return error;
    for (std::size_t i = 0; i < text.events.size(); ++i) {
        if (auto error = name_error(text.events[i].name))
            errors.push_back(in_field(std::move(*error), element("/events/", i) + "/name"));
    }
    listens_ = !text.events.empty();
    return together_if_any(std::move(errors));
}

std::optional<Error> Spec::add_window(const SpecText& text) {
    Errors errors;
    const auto read = [&errors](const std::optional<std::string>& from, const char* field, std::optional<Instant>& to) {
        if (!from) return;
        const auto instant = parse_instant(*from);
        if (instant) {
            to = *instant;
        } else {
            errors.push_back(in_field(instant.error(), field));
        }
    };
    read(text.start_at, "/startAt", start_at_);
    read(text.end_at, "/endAt", end_at_);
    if (start_at_ && end_at_ && *end_at_ < *start_at_) {
        errors.push_back(in_field(
            invalid("endAt " + in_quotes(*text.end_at) + " is before startAt " + in_quotes(*text.start_at)), "/endAt"));
    }
    const auto length = [&errors](const std::string& from, const char* field) {
        const auto duration = parse_optional_duration(from);
        if (!duration) errors.push_back(in_field(duration.error(), field));
        return duration ? *duration : Micros{0};
    };
    const auto before = length(text.jitter.before, "/jitter/before");
    jitter_ = {before, length(text.jitter.after, "/jitter/after")};
    return together_if_any(std::move(errors));
}

std::optional<Instant> Spec::next_recurrence(Instant after) const {
    std::optional<Instant> earliest;
    const auto consider = [&earliest](std::optional<Instant> candidate) {
        if (candidate && (!earliest || *candidate < *earliest)) earliest = candidate;
    };
    for (const auto& rule : rules_) consider(rule.next(after));
    for (const auto& interval : intervals_) consider(interval.next(after));
    return earliest;
}

std::optional<Instant> Spec::next(Instant after) const {
    if (start_at_ && after < *start_at_) after = *start_at_ - Micros{1};
    auto earliest = next_recurrence(after);
    if (const auto instant = std::ranges::upper_bound(instants_, after);
        instant != instants_.end() && (!earliest || *instant < *earliest)) {
        earliest = *instant;
    }
    if (earliest && end_at_ && *earliest > *end_at_) return std::nullopt;
    return earliest;
}

std::optional<Instant> Spec::previous(Instant before) const {
    if (end_at_ && before > *end_at_) before = *end_at_ + Micros{1};
    std::optional<Instant> latest;
    const auto consider = [&latest](std::optional<Instant> candidate) {
        if (candidate && (!latest || *candidate > *latest)) latest = candidate;
    };
    for (const auto& rule : rules_) consider(rule.previous(before));
    for (const auto& interval : intervals_) consider(interval.previous(before));
    if (const auto instant = std::ranges::lower_bound(instants_, before); instant != instants_.begin())
        consider(*std::prev(instant));
    if (latest && start_at_ && *latest < *start_at_) return std::nullopt;
    return latest;
}

Spec Spec::never() {
    Spec spec;
    spec.zone_ = Zone::utc();
    return spec;
}

std::optional<Instant> Spec::next_of(std::size_t member, Instant after) const {
    if (member < rules_.size()) return rules_[member].next(after);
    if (member < rules_.size() + intervals_.size()) return intervals_[member - rules_.size()].next(after);
    const auto instant = std::ranges::upper_bound(instants_, after);
    return instant == instants_.end() ? std::nullopt : std::optional(*instant);
}

std::optional<Instant> Spec::previous_of(std::size_t member, Instant before) const {
    if (member < rules_.size()) return rules_[member].previous(before);
    if (member < rules_.size() + intervals_.size()) return intervals_[member - rules_.size()].previous(before);
    const auto instant = std::ranges::lower_bound(instants_, before);
    return instant == instants_.begin() ? std::nullopt : std::optional(*std::prev(instant));
}

std::int64_t Spec::count(Instant after, Instant last, std::int64_t most) const {
    if (start_at_ && after < *start_at_) after = *start_at_ - Micros{1};
    if (end_at_) last = std::min(last, *end_at_);
    std::vector<Instant> places(members());
    const auto move = [&](std::size_t member, Instant from) {
        places[member] = next_of(member, from).value_or(kInstantMax);
    };
    for (std::size_t i = 0; i < places.size(); ++i) move(i, after);
    for (std::int64_t count = 0; count < most; ++count) {
        const auto at = *std::ranges::min_element(places);
        if (at > last || at == kInstantMax) return count;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] == at) move(i, at);
        }
    }
    return most;
}

Instant Spec::back(Instant from, std::int64_t count, Instant first) const {
    std::vector<Instant> places(members());
    const auto move = [&](std::size_t member, Instant before) {
        places[member] = previous_of(member, before).value_or(kInstantMin);
    };
    for (std::size_t i = 0; i < places.size(); ++i) move(i, from);
    for (; count > 0 && from > first; --count) {
        from = std::max(first, *std::ranges::max_element(places));
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= from) move(i, from);
        }
    }
    return std::max(from, first);
}

std::vector<Instant> Spec::between(Instant from, Instant to, std::size_t limit) const {
    std::vector<Instant> result;
    for (auto moment = next(from - Micros{1}); moment && *moment <= to && result.size() < limit;
         moment = next(*moment)) {
        result.push_back(*moment);
    }
    return result;
}

Instant Spec::fire_time(std::string_view schedule_id, Instant occurrence) const {
    if (jitter_ == Jitter{}) return occurrence;
    const auto fire =
        occurrence + jitter_offset(jitter_, schedule_id, occurrence, previous(occurrence), next(occurrence));
    // Jitter never moves a fire time out of the window.
    if (start_at_ && fire < *start_at_) return *start_at_;
    if (end_at_ && fire > *end_at_) return *end_at_;
    return std::clamp<Instant>(fire, kInstantMin, kInstantMax);  // the range that RFC 3339 can express
}

const CronRule* Spec::rule_of(Instant occurrence) const {
    const auto rule = std::ranges::find_if(
        rules_, [occurrence](const auto& each) { return each.next(occurrence - Micros{1}) == occurrence; });
    return rule == rules_.end() ? nullptr : &*rule;
}

std::optional<DstMark> Spec::mark(Instant occurrence) const {
    const auto* const rule = rule_of(occurrence);
    return rule == nullptr ? std::nullopt : rule->mark(occurrence);
}

const Zone& Spec::zone_of(Instant occurrence) const {
    const auto* const rule = rule_of(occurrence);
    return rule == nullptr ? *zone_ : rule->zone();
}

std::optional<Error> Spec::closer_than(Seconds least) const {
    const auto refuse = [least](Seconds spacing) {
        return invalid("fires " + std::to_string(spacing.count()) + " s apart: the minimum interval is " +
                       std::to_string(least.count()) + " s");
    };
    for (const auto& rule : rules_) {
        if (const auto spacing = rule.pattern().shortest_spacing(); spacing < least) return refuse(spacing);
    }
    for (const auto& interval : intervals_) {
        if (interval.every() < least) return refuse(interval.every());
    }
    if (rules_.size() + intervals_.size() < 2) return std::nullopt;
    auto earlier = next_recurrence(start_at_.value_or(kSpacingFrom));
    for (std::size_t i = 0; earlier && i < kSpacingSamples; ++i) {
        const auto later = next_recurrence(*earlier);
        if (later && *later - *earlier < least) return refuse(chrono::duration_cast<Seconds>(*later - *earlier));
        earlier = later;
    }
    return std::nullopt;
}

}  // namespace belfry::spec
