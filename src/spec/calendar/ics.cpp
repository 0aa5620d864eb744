#include "spec/calendar/ics.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"
#include "base/time/duration.hpp"
#include "spec/calendar/ics_lines.hpp"
#include "spec/calendar/recurrence.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

using chrono::sys_days;

constexpr Date kLastDate{chrono::year{9999}, chrono::December, chrono::day{31}};
constexpr Date kFirstRepeating{chrono::year{1900}, chrono::January, chrono::day{1}};  // an earlier DTSTART is a mistake

// A date, or a date with a time of day.
struct Moment {
    LocalSeconds local = {};
    bool is_date = false;
    bool is_utc = false;
    std::string tzid = {};
};

sys_days day_of(const Moment& moment) { return sys_days{chrono::floor<chrono::days>(moment.local).time_since_epoch()}; }

std::optional<int> digits(std::string_view text) {
    if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    return static_cast<int>(parse_integer(text).value_or(0));
}

// Parses `20261225`, `20261225T090000` or the latter with a Z.
std::optional<Moment> parse_moment(std::string_view text) {
    Moment moment;
    const auto year = digits(text.substr(0, std::min<std::size_t>(4, text.size())));
    if (text.size() < 8 || !year) return std::nullopt;
    const auto month = digits(text.substr(4, 2));
    const auto day = digits(text.substr(6, 2));
    if (!month || !day || *year < 1) return std::nullopt;
    const Date date{chrono::year{*year}, chrono::month{static_cast<unsigned>(*month)},
                    chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    moment.local = chrono::local_days{date};
    moment.is_date = text.size() == 8;
    if (moment.is_date) return moment;
    moment.is_utc = text.back() == 'Z';
    if (moment.is_utc) text.remove_suffix(1);
    if (text.size() != 15 || text[8] != 'T') return std::nullopt;
    const auto hour = digits(text.substr(9, 2));
    const auto minute = digits(text.substr(11, 2));
    const auto second = digits(text.substr(13, 2));
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    moment.local += chrono::hours{*hour} + chrono::minutes{*minute} + chrono::seconds{std::min(*second, 59)};
    return moment;
}

// Converts the events of a file to dates.
class Reader {
public:
    Reader(const ZoneDatabase& zones, ZonePtr zone, Date today)
        : zones_(zones), zone_(std::move(zone)), today_(today) {}

    // The zone of the whole file, which the calendar cannot have.
    void ignore_zone(const std::string& name) {
        reading_.ignored_count += 1;
        reading_.ignored.push_back(
            {"X-WR-TIMEZONE", in_quotes(name) + " is not a known time zone; the calendar has " + zone_->name()});
    }

    Result<IcsReading> read(const std::vector<IcsComponent>& events) {
        for (const auto& event : events) note_override(event);
        for (const auto& event : events) {
            if (auto problem = add(event)) {
                ignore(event, *problem);
            } else {
                reading_.events += 1;
                note_zones(event);
            }
            if (days_.size() > kCalendarDatesMax) {
                return invalid("the file has more than " + std::to_string(kCalendarDatesMax) +
                               " dates; split it, or shorten its rules");
            }
        }
        for (const auto day : days_) reading_.dates.emplace_back(day);
        reading_.timezone = zone_->name();
        return std::move(reading_);
    }

private:
    using Problem = std::optional<std::string>;

    void ignore(const IcsComponent& event, const std::string& reason) {
        reading_.ignored_count += 1;
        if (reading_.ignored.size() == kIcsIgnoredMax) return;
        const auto* name = event.find("SUMMARY");
        if (name == nullptr) name = event.find("UID");
        reading_.ignored.push_back({name == nullptr ? "an event without a name" : in_quotes(name->value), reason});
    }

    // Lists every TZID once that is not a zone here. The dates of its events need no zone and are kept.
    void note_zones(const IcsComponent& event) {
        for (const auto& property : event.properties) {
            const auto tzid = property.parameter("TZID");
            if (tzid.empty() || zones_.find(tzid) || !unknown_zones_.insert(tzid).second) continue;
            ignore(event, "its TZID " + in_quotes(tzid) +
                              " is not a known time zone; its dates are kept as they are in the file");
        }
    }

    // The local time of the event; for a time in UTC, in the calendar's zone.
    Moment on_wall(Moment moment) const {
        if (moment.is_utc) moment.local = zone_->to_local(Instant{moment.local.time_since_epoch()});
        return moment;
    }

    std::optional<Moment> moment_of(const IcsProperty& property, std::string_view value) const {
        auto moment = parse_moment(value);
        if (!moment) return std::nullopt;
        moment->tzid = property.parameter("TZID");
        return on_wall(std::move(*moment));
    }

    ZonePtr zone_of(const Moment& moment) const {
        if (moment.is_utc || moment.tzid.empty()) return zone_;
        const auto found = zones_.find(moment.tzid);
        return found ? *found : zone_;
    }

    static std::string uid_of(const IcsComponent& event) {
        const auto* const uid = event.find("UID");
        return uid == nullptr ? std::string() : uid->value;
    }

    // An event with RECURRENCE-ID replaces one occurrence of another event, so that occurrence is removed.
    void note_override(const IcsComponent& event) {
        const auto* const id = event.find("RECURRENCE-ID");
        if (id == nullptr || uid_of(event).empty()) return;
        if (const auto moment = moment_of(*id, id->value)) overridden_[uid_of(event)].insert(day_of(*moment));
    }

    // The number of further days that the event covers; empty if its end cannot be read.
    std::optional<std::int64_t> more_days(const IcsComponent& event, const Moment& start) const {
        auto end = start.local;
        if (const auto* const property = event.find("DTEND")) {
            const auto moment = moment_of(*property, property->value);
            if (!moment) return std::nullopt;
            end = moment->local;
        } else if (const auto* const length = event.find("DURATION")) {
            const auto duration = parse_iso_duration(length->value);
            if (!duration) return std::nullopt;
            if (*duration > chrono::days{kIcsEventDaysMax + 1}) return kIcsEventDaysMax;
            end += chrono::floor<Seconds>(*duration);
        }
        if (end <= start.local) return 0;
        return (chrono::floor<chrono::days>(end - Seconds{1}) - chrono::floor<chrono::days>(start.local)).count();
    }

    Problem add(const IcsComponent& event) {
        if (const auto* const status = event.find("STATUS");
            status != nullptr && same_ignoring_case(status->value, "CANCELLED")) {
            return "it is cancelled";
        }
        const auto* const property = event.find("DTSTART");
        if (property == nullptr) return "it has no DTSTART";
        const auto start = moment_of(*property, property->value);
        if (!start) return "its DTSTART " + in_quotes(property->value) + " is not a date";
        const auto more = more_days(event, *start);
        if (!more) return "its end cannot be read";
        if (*more >= kIcsEventDaysMax) return "it covers more than " + std::to_string(kIcsEventDaysMax) + " days";
        std::set<sys_days> firsts;
        if (auto problem = collect(event, *start, firsts)) return problem;
        days_left_ -= static_cast<std::int64_t>(firsts.size()) * (*more + 1);
        if (days_left_ < 0) return "the rules of the file are too expensive to evaluate";
        for (const auto first : firsts) {
            for (auto day = first; day <= first + chrono::days{*more} && day <= sys_days{kLastDate};
                 day += chrono::days{1})
                days_.insert(day);
            if (days_.size() > kCalendarDatesMax) break;
        }
        return std::nullopt;
    }

    // Collects the first day of each occurrence.
    Problem collect(const IcsComponent& event, const Moment& start, std::set<sys_days>& firsts) {
        const bool repeats = event.find("RRULE") != nullptr;
        if (!repeats) firsts.insert(day_of(start));
        for (const auto& property : event.properties) {
            if (property.name == "RRULE") {
                if (auto problem = repeat(property.value, start, firsts)) return problem;
            }
            if (property.name == "RDATE" || property.name == "EXDATE") {
                for (const auto& value : split_values(property.value)) {
                    // A period starts before its slash.
                    const auto moment = moment_of(property, value.substr(0, std::min(value.find('/'), value.size())));
                    if (!moment) return "its " + property.name + " " + in_quotes(value) + " is not a date";
                    if (property.name == "RDATE") firsts.insert(day_of(*moment));
                }
            }
        }
        // Exceptions apply in any order.
        for (const auto& property : event.properties) {
            if (property.name != "EXDATE") continue;
            for (const auto& value : split_values(property.value)) {
                if (const auto moment = moment_of(property, value)) firsts.erase(day_of(*moment));
            }
        }
        if (event.find("RECURRENCE-ID") == nullptr) {
            for (const auto day : overridden_[uid_of(event)]) firsts.erase(day);
        }
        return std::nullopt;
    }

    Problem repeat(const std::string& text, const Moment& start, std::set<sys_days>& firsts) {
        const auto rule = parse_recurrence(text);
        if (!rule) return rule.error().message;
        const auto first = day_of(start);
        if (first < sys_days{kFirstRepeating}) return "it repeats since before " + format_date(kFirstRepeating);
        RecurrenceRange range{first, sys_days{today_} - chrono::days{366 * kIcsPastYears},
                              sys_days{today_} + chrono::days{366 * kIcsHorizonYears}};
        if (rule->until) range.to = std::min(range.to, last_day(*rule, start));
        for (const auto day : days_of(*rule, range, days_left_)) firsts.insert(day);
        if (days_left_ < 0) return "the rules of the file are too expensive to evaluate";
        return std::nullopt;
    }

    // The last day on which an occurrence may start.
    sys_days last_day(const Recurrence& rule, const Moment& start) const {
        auto until = *rule.until;
        if (rule.until_is_utc && !start.is_date) until = zone_of(start)->to_local(Instant{until.time_since_epoch()});
        const auto day = chrono::floor<chrono::days>(until);
        const auto time_of_day = start.local - chrono::floor<chrono::days>(start.local);
        const bool too_late = !rule.until_is_date && !start.is_date && day + time_of_day > until;
        return sys_days{day.time_since_epoch()} - chrono::days{too_late ? 1 : 0};
    }

    const ZoneDatabase& zones_;
    ZonePtr zone_;
    Date today_;
    std::int64_t days_left_ = kIcsDaysLookedAtMax;
    std::map<std::string, std::set<sys_days>> overridden_;
    std::set<sys_days> days_;
    std::set<std::string> unknown_zones_;
    IcsReading reading_ = {};
};

// The requested zone, otherwise the file's own, otherwise UTC.
Result<ZonePtr> zone_for(const IcsComponent& calendar, const ZoneDatabase& zones, const std::string& asked) {
    if (!asked.empty()) return zones.find(asked);
    if (const auto* const own = calendar.find("X-WR-TIMEZONE")) {
        if (auto found = zones.find(own->value)) return found;
    }
    return zones.find("UTC");
}

}  // namespace

Result<IcsReading> read_ics(std::string_view text, const ZoneDatabase& zones, const IcsOptions& options) {
    auto file = read_ics_lines(text);
    if (!file) return file.error();
    auto zone = zone_for(file->calendar, zones, options.timezone);
    if (!zone) return in_field(zone.error(), "/timezone");
    Reader reader(zones, std::move(*zone), options.today);
    const auto* const own = file->calendar.find("X-WR-TIMEZONE");
    if (options.timezone.empty() && own != nullptr && !zones.find(own->value)) reader.ignore_zone(own->value);
    return reader.read(file->events);
}

}  // namespace belfry::spec
