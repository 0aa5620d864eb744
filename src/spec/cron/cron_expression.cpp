#include "spec/cron/cron_expression.hpp"

#include <algorithm>
#include <cassert>

#include "base/text/ascii.hpp"
#include "base/text/scanner.hpp"
#include "base/time/duration.hpp"
#include "spec/cron/cron_pattern.hpp"

namespace belfry::spec {

namespace {

constexpr std::size_t kNumberDigitsMax = 6;  // more digits than any value or sensible step needs
constexpr int kStepMax = 9999;
constexpr const char* kNoRandomValues = "\"~\" is a random value elsewhere; give a value here and set a jitter instead";

constexpr std::array<std::string_view, kCronUnits> kUnitNames{"second", "minute",      "hour", "day-of-month",
                                                              "month",  "day-of-week", "year"};
constexpr std::array<std::string_view, 12> kMonthNames{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kDayNames{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct Macro {
    std::string_view name;
    std::string_view fields;
};
constexpr std::array kMacros{
    Macro{"@yearly", "0 0 1 1 *"}, Macro{"@annually", "0 0 1 1 *"}, Macro{"@monthly", "0 0 1 * *"},
    Macro{"@weekly", "0 0 * * 0"}, Macro{"@daily", "0 0 * * *"},    Macro{"@midnight", "0 0 * * *"},
    Macro{"@hourly", "0 * * * *"},
};

// The allowed values of a unit, for the end of an error message.
std::string usage(CronUnit unit) {
    switch (unit) {
        case CronUnit::month: return "use 1-12 or JAN-DEC";
        case CronUnit::day_of_week: return "use 0-7 (0 and 7 are Sunday) or SUN-SAT";
        default: return "use " + std::to_string(range_of(unit).first) + "-" + std::to_string(range_of(unit).last);
    }
}

// A word of the expression and its column.
struct Word {
    std::string_view text;
    std::size_t column;
    [[nodiscard]] Place place() const { return {column, text.size()}; }
};

std::vector<Word> split_words(std::string_view text, std::size_t first_column) {
    std::vector<Word> words;
    for (std::size_t i = 0; i < text.size();) {
        if (is_blank(text[i])) {
            ++i;
            continue;
        }
        const auto start = i;
        while (i < text.size() && !is_blank(text[i])) ++i;
        words.push_back({text.substr(start, i - start), first_column + start});
    }
    return words;
}

// Parses one field. Every function leaves the scanner after the text that it read, or returns the error to report.
class FieldParser {
public:
    FieldParser(CronUnit unit, Word word) : unit_(unit), word_(word), in_(word.text, word.column) {}

    Result<CronField> parse() {
        CronField field{std::string(word_.text), {}};
        if (unit_ == CronUnit::day_of_week) in_.accept('+');
        do {
            const auto start = in_.position();
            auto item = parse_item();
            if (!item) return item.error();
            if (in_.at_end() || in_.peek() == ',') {
                field.items.push_back(*item);
            } else {
                return unexpected(start);
            }
        } while (in_.accept(','));
        return field;
    }

private:
    using Kind = CronItem::Kind;

    // `minute "60" at column 1: use 0-59`
    [[nodiscard]] Error fault(Place place, std::string_view value, const std::string& reason) const {
        return invalid(std::string(unit_name(unit_)) + " " + in_quotes(value) + " at column " +
                           std::to_string(place.column) + ": " + reason,
                       place);
    }

    [[nodiscard]] Error fault_since(std::size_t start, const std::string& reason) const {
        return fault(in_.place(start), in_.since(start), reason);
    }

    // The item has unexpected text at its end: the error covers the whole item.
    Error unexpected(std::size_t start) {
        const auto extra = in_.position();
        while (!in_.at_end() && in_.peek() != ',') in_.skip();
        const auto tail = in_.since(extra);
        const auto mark = to_lower(tail.front());
        if (mark == '#' || mark == 'l')
            return fault_since(start, std::string(1, tail.front()) + " follows a single day of the week, as in 5" +
                                          (mark == '#' ? "#2" : "L"));
        if (mark == '~') return fault_since(start, kNoRandomValues);
        if (mark == 'w') return fault_since(start, "W follows a single day of the month, as in 15W");
        return fault_since(start, "unexpected " + in_quotes(tail) + "; " + usage(unit_));
    }

    Result<CronItem> parse_item() {
        const auto start = in_.position();
        if (in_.accept('*')) return parse_step(CronItem{.kind = Kind::all}, start);
        if (in_.accept('?')) {
            if (unit_ != CronUnit::day_of_month && unit_ != CronUnit::day_of_week)
                return fault_since(start, "\"?\" is for the day fields; use *");
            if (word_.text.size() > 1)
                return fault({word_.column, word_.text.size()}, word_.text,
                             "\"?\" stands alone; use * with steps and lists");
            return CronItem{.kind = Kind::all};
        }
        if (unit_ == CronUnit::day_of_month && in_.accept('L')) return parse_last_day(start);
        const auto first = parse_value();
        if (!first) return first.error();
        if (unit_ == CronUnit::day_of_month && in_.accept('W'))
            return CronItem{.kind = Kind::nearest_weekday, .first = *first, .last = *first};
        if (unit_ == CronUnit::day_of_week && in_.accept('#')) return parse_nth(*first, start);
        if (unit_ == CronUnit::day_of_week && in_.accept('L'))
            return CronItem{.kind = Kind::last_in_month, .first = *first % 7, .last = *first % 7};
        CronItem item{.kind = Kind::range, .first = *first, .last = *first};
        if (in_.accept('-')) {
            const auto last = parse_value();
            if (!last) return last.error();
            item.last = *last;
            if (unit_ == CronUnit::year && item.last < item.first)
                return fault_since(start, "years do not wrap around; put the earlier one first");
        } else if (in_.peek() == '/') {
            item.open_end = true;
            // Seven is an alias of Sunday, so a stepped week ends on Saturday.
            item.last = unit_ == CronUnit::day_of_week ? std::max(item.first, 6) : range_of(unit_).last;
        }
        return parse_step(item, start);
    }

    // [ "/" step ]
    Result<CronItem> parse_step(CronItem item, std::size_t start) {
        if (!in_.accept('/')) return item;
        const auto number = in_.digits(kNumberDigitsMax);
        if (!number) return unfinished(start, "the step after \"/\" is a number from 1");
        if (is_digit(in_.peek())) return unfinished(start, "the step is larger than " + std::to_string(kStepMax));
        if (*number == 0) return fault_since(start, "a step of 0 never advances; use 1 or more");
        if (*number > kStepMax) return fault_since(start, "the step is larger than " + std::to_string(kStepMax));
        item.step = static_cast<int>(*number);
        item.has_step = true;
        return item;
    }

    // "L" [ "-" n ] [ "W" ]
    Result<CronItem> parse_last_day(std::size_t start) {
        CronItem item{.kind = Kind::last_day};
        if (in_.accept('-')) {
            const auto offset = in_.digits(kNumberDigitsMax);
            if (!offset || *offset > 30) return unfinished(start, "use L-0 to L-30");
            item.first = static_cast<int>(*offset);
        }
        if (in_.accept('W')) item.kind = Kind::last_weekday;
        return item;
    }

    // d "#" k
    Result<CronItem> parse_nth(int day, std::size_t start) {
        const auto nth = in_.digits(kNumberDigitsMax);
        if (!nth || *nth < 1 || *nth > 5)
            return unfinished(start, "after \"#\" use 1-5: a month has at most five of each weekday");
        return CronItem{.kind = Kind::nth_in_month, .first = day % 7, .last = day % 7, .nth = static_cast<int>(*nth)};
    }

    Result<int> parse_value() {
        const auto start = in_.position();
        if (const auto number = in_.digits(kNumberDigitsMax)) {
            while (is_digit(in_.peek())) in_.skip();
            const auto [first, last] = range_of(unit_);
            if (in_.position() - start > kNumberDigitsMax || *number < first || *number > last)
                return fault_since(start, usage(unit_));
            return static_cast<int>(*number);
        }
        // Names have three letters; a fourth may be the L of "FRIL".
        const auto head = in_.rest().substr(0, 3);
        if (const auto value = named_value(head)) {
            in_.skip(3);
            if (is_alpha(in_.peek()) &&
                !(unit_ == CronUnit::day_of_week && to_lower(in_.peek()) == 'l' && !longer_word())) {
                return unfinished(start, "write the name with three letters: " + std::string(head));
            }
            return *value;
        }
        return not_a_value(start);
    }

    [[nodiscard]] bool longer_word() const { return in_.rest().size() > 1 && is_alpha(in_.rest()[1]); }

    [[nodiscard]] std::optional<int> named_value(std::string_view name) const {
        const auto find = [name](const auto& names, int first) -> std::optional<int> {
            const auto found =
                std::ranges::find_if(names, [name](auto known) { return same_ignoring_case(known, name); });
            if (found == names.end()) return std::nullopt;
            return static_cast<int>(found - names.begin()) + first;
        };
        if (unit_ == CronUnit::month) return find(kMonthNames, 1);
        if (unit_ == CronUnit::day_of_week) return find(kDayNames, 0);
        return std::nullopt;
    }

    Error not_a_value(std::size_t start) {
        if (in_.at_end() || in_.peek() == ',') return unfinished(start, "a value is missing; " + usage(unit_));
        if (unit_ == CronUnit::day_of_month && to_lower(in_.peek()) == 'w')
            return unfinished(start, "W follows a day of the month, as in 15W or LW");
        if (unit_ == CronUnit::day_of_week && to_lower(in_.peek()) == 'l')
            return unfinished(start, "add the weekday: 5L is the last Friday of the month");
        if (to_lower(in_.peek()) == 'h' && in_.letters().size() == 1)
            return unfinished(start, "\"H\" is Jenkins' spread; give a value here and set a jitter instead");
        if (in_.rest().starts_with('~')) return unfinished(start, kNoRandomValues);
        return unfinished(start, usage(unit_));
    }

    // Extends the error to the rest of the item, so that the message shows it whole.
    Error unfinished(std::size_t start, const std::string& reason) {
        while (!in_.at_end() && in_.peek() != ',') in_.skip();
        return in_.position() == start ? fault({word_.column, word_.text.size()}, word_.text, reason)
                                       : fault_since(start, reason);
    }

    CronUnit unit_;
    Word word_;
    Scanner in_;
};

// A hint about a probable mistake, such as a whole crontab line or shell expansion; empty if none fits.
std::string hint(const std::vector<Word>& words) {
    const auto any = [&words](const auto& test) {
        return std::ranges::any_of(words, [&](const Word& word) { return test(word.text); });
    };
    if (any([](std::string_view word) {
            return word.find_first_of("\"'`") != std::string_view::npos ||
                   word.find("\xE2\x80\x9C") != std::string_view::npos;
        })) {
        return "; remove the quotes inside the expression";
    }
    if (any([](std::string_view word) { return word.starts_with('/') || word.starts_with('#'); }))
        return "; give the time fields only, not a whole crontab line";
    if (any([](std::string_view word) { return word.find('.') != std::string_view::npos; }))
        return "; if the shell expanded *, put the expression in quotes";
    const auto last = words.back().text;
    const bool ends_with_a_year = last.size() >= 4 && std::ranges::all_of(last.substr(0, 4), is_digit);
    if (words.size() == 6 && ends_with_a_year) return "; six fields start with seconds: put 0 first to end with a year";
    return "";
}

Error with_hint(Error error, const std::vector<Word>& words) {
    error.message += hint(words);
    return error;
}

Error wrong_count(const std::vector<Word>& words, std::string_view text) {
    std::string message =
        "cron " + in_quotes(text) + " has " + std::to_string(words.size()) +
        (words.size() == 1 ? " field" : " fields") +
        ": use 5 (minute hour day-of-month month day-of-week), 6 with seconds first, or 7 with a year last";
    const Place place = words.size() > 7 ? words[7].place() : words.back().place();
    return with_hint(invalid(std::move(message), place), words);
}

constexpr CronItem kAll{.kind = CronItem::Kind::all};
constexpr CronItem kZero{.kind = CronItem::Kind::range};

Result<CronExpression> parse_fields(const std::vector<Word>& words, std::string_view text) {
    if (words.size() < 5 || words.size() > 7) return wrong_count(words, text);
    CronExpression result;
    result.has_seconds = words.size() > 5;
    result.has_year = words.size() == 7;
    result.fields.front() = {"0", {kZero}};
    result.fields.back() = {"*", {kAll}};
    const std::size_t first_unit = result.has_seconds ? 0 : 1;
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto field = FieldParser(static_cast<CronUnit>(first_unit + i), words[i]).parse();
        if (!field) return with_hint(field.error(), words);
        result.fields[first_unit + i] = std::move(*field);
    }
    const auto& days = result.field(CronUnit::day_of_month);
    const auto& weekdays = result.field(CronUnit::day_of_week);
    result.days_must_both_match =
        days.starts_with_star() || weekdays.starts_with_star() || weekdays.text.front() == '+';
    return result;
}

// Gives the reason, as far as it is simple.
Error never(const CronExpression& expression, std::string_view text, const std::vector<Word>& words) {
    const std::size_t first_unit = expression.has_seconds ? 0 : 1;
    const auto& days = words[static_cast<std::size_t>(CronUnit::day_of_month) - first_unit];
    const auto& months = words[static_cast<std::size_t>(CronUnit::month) - first_unit];
    std::string reason = "no date has day-of-month " + in_quotes(days.text) + " in month " + in_quotes(months.text);
    const auto& weekdays = expression.field(CronUnit::day_of_week);
    if (!weekdays.starts_with_star() || weekdays.text.size() > 1)
        reason += " with day-of-week " + in_quotes(weekdays.text);
    if (expression.has_year) reason += " in year " + in_quotes(expression.field(CronUnit::year).text);
    return invalid("cron " + in_quotes(text) + " never matches: " + reason,
                   {days.column, months.column + months.text.size() - days.column});
}

Result<CronExpression> parse_every(const std::vector<Word>& words) {
    if (words.size() != 2) return invalid("@every takes one duration, for example @every 1h30m", words.front().place());
    auto duration = parse_duration(words[1].text);
    if (!duration) {
        Error error = duration.error();
        error.place.column += words[1].column - 1;
        return error;
    }
    if (*duration < Seconds{1} || *duration % Seconds{1} != Micros{0}) {
        return invalid("@every " + in_quotes(words[1].text) + ": use whole seconds, at least 1s", words[1].place());
    }
    CronExpression result;
    result.every = std::chrono::duration_cast<Seconds>(*duration);
    return result;
}

Result<CronExpression> parse_macro(const std::vector<Word>& words) {
    const auto name = words.front();
    if (same_ignoring_case(name.text, "@every")) return parse_every(words);
    if (same_ignoring_case(name.text, "@reboot")) {
        return invalid("@reboot is not a time: start such a job with the machine, or use a single instant",
                       name.place());
    }
    for (const auto& macro : kMacros) {
        if (!same_ignoring_case(macro.name, name.text)) continue;
        if (words.size() > 1)
            return invalid(in_quotes(name.text) + " must be alone, without fields after it", words[1].place());
        auto result = parse_fields(split_words(macro.fields, 1), macro.fields);
        result->macro = macro.name;
        return result;
    }
    return invalid(
        "unknown macro " + in_quotes(name.text) + ": use @yearly, @monthly, @weekly, @daily, @hourly or @every 1h30m",
        name.place());
}

// Removes "CRON_TZ=Zone" or "TZ=Zone" from the front. The caller validates the zone's name.
Result<std::optional<std::string>> take_zone(std::vector<Word>& words) {
    for (const std::string_view prefix : {"CRON_TZ=", "TZ="}) {
        const auto word = words.front();
        if (word.text.size() < prefix.size() || !same_ignoring_case(word.text.substr(0, prefix.size()), prefix))
            continue;
        const auto name = word.text.substr(prefix.size());
        if (name.empty())
            return invalid(std::string(prefix) + " needs a zone, for example " + std::string(prefix) + "Europe/Berlin",
                           word.place());
        if (words.size() == 1)
            return invalid("only a zone: the cron fields are missing after " + in_quotes(word.text), word.place());
        words.erase(words.begin());
        return std::optional{std::string(name)};
    }
    return std::optional<std::string>{};
}

}  // namespace

std::string_view unit_name(CronUnit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

bool CronExpression::wildcard() const {
    return field(CronUnit::second).starts_with_star() || field(CronUnit::minute).starts_with_star() ||
           field(CronUnit::hour).starts_with_star();
}

Result<CronExpression> parse_cron(std::string_view text) {
    if (text.size() > kCronTextMax)
        return invalid("cron expression is longer than " + std::to_string(kCronTextMax) + " characters",
                       {kCronTextMax + 1, 1});
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (static_cast<unsigned char>(text[i]) < ' ' && text[i] != '\t')
            return invalid(
                "control character at column " + std::to_string(i + 1) + ": a cron expression is one line of text",
                {i + 1, 1});
    }
    auto words = split_words(text, 1);
    if (words.empty()) return invalid("the cron expression is empty: use five fields, for example 0 9 * * 1-5", {1, 0});
    auto zone = take_zone(words);
    if (!zone) return zone.error();
    auto result = words.front().text.front() == '@' ? parse_macro(words) : parse_fields(words, text);
    if (!result) return result;
    result->zone = std::move(*zone);
    if (!result->every && !CronPattern(*result).can_match()) return never(*result, text, words);
    return result;
}

}  // namespace belfry::spec
