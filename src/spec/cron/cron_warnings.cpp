#include <algorithm>
#include <optional>

#include "base/text/ascii.hpp"
#include "spec/cron/value_set.hpp"
#include "spec/explain/english.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::spec {

namespace {

using Kind = CronItem::Kind;
using Texts = std::vector<std::string>;

// A part of a field: its text and its meaning.
struct WrittenItem {
    std::string text;
    CronItem item;
};

std::vector<WrittenItem> written_items(const CronField& field) {
    std::vector<WrittenItem> result;
    std::size_t start = field.text.starts_with('+') ? 1 : 0;
    for (const auto& item : field.items) {
        const auto end = std::min(field.text.find(',', start), field.text.size());
        result.push_back({field.text.substr(start, end - start), item});
        start = std::min(end + 1, field.text.size());
    }
    return result;
}

std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// The words for a unit's values, and for the larger unit in which they start again.
struct UnitWords {
    std::string_view noun;
    std::string_view at;      // before one value
    std::string_view at_all;  // before a list of values
    std::string_view cycle;   // after it
    std::string_view one;     // before one value without a preposition
};

UnitWords words_of(CronUnit unit) {
    switch (unit) {
        case CronUnit::second: return {"second", "at second ", "at seconds ", " of each minute", "second "};
        case CronUnit::minute: return {"minute", "at ", "at ", " of each hour", ""};
        case CronUnit::hour: return {"hour", "in the hour ", "in the hours ", " of each day", "hour "};
        case CronUnit::day_of_month: return {"day", "on the ", "on the ", " of each month", "the "};
        case CronUnit::month: return {"month", "in ", "in ", " of each year", ""};
        default: return {"day", "on ", "on ", " of each week", ""};
    }
}

std::string value_text(int value, CronUnit unit) {
    switch (unit) {
        case CronUnit::minute: return ":" + two_digits(value);
        case CronUnit::day_of_month: return ordinal(value);
        case CronUnit::month: return month_name(value);
        case CronUnit::day_of_week: return weekday_name(value);
        default: return std::to_string(value);
    }
}

std::string value_list(const Values& values, CronUnit unit) {
    Texts texts;
    for (const int value : values) texts.push_back(value_text(value, unit));
    if (values.size() > kListMax) return texts[0] + ", " + texts[1] + ", " + texts[2] + " … " + texts.back();
    return join(texts);
}

// `*/n`, `a/n`, and a range over the whole unit read like "every n".
bool reads_like_every(const CronItem& item, CronUnit unit) {
    if (!item.has_step || item.step == 1) return false;
    const bool whole =
        item.kind == Kind::range && item.first == range_of(unit).first && item.last == item.first + count_of(unit) - 1;
    return item.kind == Kind::all || item.open_end || whole;
}

// Whether the first value of the next cycle ever follows the last: the minutes of 9 and 11 o'clock never meet.
bool cycles_meet(const CronExpression& expression, CronUnit unit) {
    if (unit != CronUnit::second && unit != CronUnit::minute) return true;
    const auto larger = unit == CronUnit::second ? CronUnit::minute : CronUnit::hour;
    const auto values = values_of(expression, larger);
    return std::ranges::any_of(
        values, [&](int value) { return std::ranges::binary_search(values, (value + 1) % count_of(larger)); });
}

// Whether the sentence already starts with the step's apparent rate: "Every 7 minutes from :00 to :56 of every hour".
bool sentence_says_rate(const CronExpression& expression, const CronItem& item, CronUnit unit) {
    const auto rate = "Every " + counted(item.step, words_of(unit).noun) + " ";
    const bool of_the_clock = unit == CronUnit::second || unit == CronUnit::minute || unit == CronUnit::hour;
    return of_the_clock && explain(expression, {.with_zone = false}).starts_with(rate);
}

// At the end of the cycle the gap shows that a step is not a period.
void warn_of_uneven_step(const CronExpression& expression, const WrittenItem& written, CronUnit unit, Texts& warnings) {
    if (!reads_like_every(written.item, unit)) return;
    const auto values = values_of(written.item, unit);
    const int gap = values.front() + count_of(unit) - values.back();
    const bool months_differ = unit == CronUnit::day_of_month;
    if (gap == written.item.step && !months_differ) return;
    const auto words = words_of(unit);
    const auto field = written.text + " in the " + std::string(unit_name(unit)) + " field ";
    if (sentence_says_rate(expression, written.item, unit)) {
        if (!cycles_meet(expression, unit)) return;
        const auto one = [&](int value) { return std::string(words.one) + value_text(value, unit); };
        warnings.push_back(field + "breaks its rhythm at the end" + std::string(words.cycle) + ": after " +
                           one(values.back()) + " comes " + one(values.front()) + ", " + counted(gap, words.noun) +
                           " later");
        return;
    }
    const auto at = values.size() == 1 ? "only " + std::string(words.at) : std::string(words.at_all);
    std::string text = field + "does not mean every " + counted(written.item.step, words.noun) + ": it runs " + at +
                       value_list(values, unit) + std::string(words.cycle);
    if (values.size() > 1 && months_differ) {
        text += " and starts again on the " + ordinal(values.front());
    } else if (values.size() > 1 && cycles_meet(expression, unit)) {
        text += ", " + counted(gap, words.noun) + " apart at the end";
    }
    warnings.push_back(text);
}

bool restricts(const CronExpression& expression, CronUnit unit) { return !is_every(values_of(expression, unit), unit); }

int days_in(int month, bool leap) {
    const bool thirty = month == 4 || month == 6 || month == 9 || month == 11;
    return month == 2 ? (leap ? 29 : 28) : thirty ? 30 : 31;
}

bool exists_in_all(int day, const Values& months) {
    return std::ranges::all_of(months, [day](int month) { return day <= days_in(month, false); });
}

bool exists_in_none(int day, const Values& months) {
    return std::ranges::all_of(months, [day](int month) { return day > days_in(month, true); });
}

// A part of the day-of-month field that names one day, and the shortest month that has it.
struct NamedDay {
    std::string name;  // "the 31st"; as written if it depends on the month
    Kind kind;
    int day;
    friend bool operator==(const NamedDay&, const NamedDay&) = default;
};

void add_once(std::vector<NamedDay>& days, const NamedDay& day) {
    if (std::ranges::find(days, day) == days.end()) days.push_back(day);
}

std::optional<NamedDay> named_day(const WrittenItem& written) {
    const auto& item = written.item;
    switch (item.kind) {
        case Kind::last_day:
        case Kind::last_weekday: return NamedDay{written.text, item.kind, item.first + 1};
        case Kind::nearest_weekday: return NamedDay{written.text, item.kind, item.first};
        case Kind::range:
            if (item.first == item.last) return NamedDay{"the " + ordinal(item.first), item.kind, item.first};
            return std::nullopt;
        default: return std::nullopt;
    }
}

// Whether none of the given months has any of the named days.
bool no_day_exists(const CronExpression& expression) {
    const auto months = values_of(expression, CronUnit::month);
    return std::ranges::all_of(written_items(expression.field(CronUnit::day_of_month)),
                               [&months](const WrittenItem& written) {
                                   const auto named = named_day(written);
                                   return named && exists_in_none(named->day, months);
                               });
}

// If either day field is enough, a field that matches every day decides alone, and the other has no effect.
std::optional<CronUnit> day_field_without_effect(const CronExpression& expression) {
    const bool by_day = restricts(expression, CronUnit::day_of_month);
    const bool by_weekday = restricts(expression, CronUnit::day_of_week);
    if (expression.days_must_both_match || by_day == by_weekday) return std::nullopt;
    return by_day ? CronUnit::day_of_month : CronUnit::day_of_week;
}

std::string quoted_field(const CronExpression& expression, CronUnit unit) {
    return std::string(unit_name(unit)) + " " + in_quotes(expression.field(unit).text);
}

void warn_of_field_without_effect(const CronExpression& expression, CronUnit idle, Texts& warnings) {
    const auto decides = idle == CronUnit::day_of_month ? CronUnit::day_of_week : CronUnit::day_of_month;
    warnings.push_back(quoted_field(expression, decides) +
                       " matches every day, and either day field is enough: " + quoted_field(expression, idle) +
                       " has no effect. Write * as the " + std::string(unit_name(decides)) + " to let it decide");
}

void warn_of_two_day_fields(const CronExpression& expression, Texts& warnings) {
    if (!restricts(expression, CronUnit::day_of_month) || !restricts(expression, CronUnit::day_of_week)) return;
    if (no_day_exists(expression)) return;
    if (!expression.days_must_both_match) {
        warnings.push_back(quoted_field(expression, CronUnit::day_of_month) + " and " +
                           quoted_field(expression, CronUnit::day_of_week) +
                           " are both given: either is enough. Write +" + expression.field(CronUnit::day_of_week).text +
                           " as the day-of-week to require both");
        return;
    }
    for (const auto unit : {CronUnit::day_of_month, CronUnit::day_of_week}) {
        if (!expression.field(unit).starts_with_star()) continue;
        warnings.push_back(
            quoted_field(expression, unit) +
            " starts with a star, so a date must match both day fields; without a star either would be enough");
    }
}

// The expression with one field replaced.
std::string rewritten(const CronExpression& expression, CronUnit unit, const std::string& text) {
    std::string result;
    const std::size_t first = expression.has_seconds ? 0 : 1;
    const std::size_t end = expression.has_year ? kCronUnits : kCronUnits - 1;
    for (std::size_t i = first; i < end; ++i) {
        result += (i == first ? "" : " ") + (i == static_cast<std::size_t>(unit) ? text : expression.fields[i].text);
    }
    return result;
}

// `* 9 * * *`: the author probably wanted nine o'clock and gets sixty runs.
void warn_of_every_minute(const CronExpression& expression, Texts& warnings) {
    const auto hours = values_of(expression, CronUnit::hour);
    const bool once_a_minute = values_of(expression, CronUnit::second).size() == 1;
    if (!once_a_minute || restricts(expression, CronUnit::minute) || is_every(hours, CronUnit::hour)) return;
    const auto which = hours.size() == 1 ? "the hour " + std::to_string(hours.front())
                                         : counted(static_cast<std::int64_t>(hours.size()), "hour");
    warnings.push_back("runs every minute of " + which + ", " + std::to_string(60 * hours.size()) +
                       " runs a day; did you mean " + rewritten(expression, CronUnit::minute, "0") + "?");
}

// `* 0 9 * * *`: the same, one field to the left.
void warn_of_every_second(const CronExpression& expression, Texts& warnings) {
    const auto minutes = values_of(expression, CronUnit::minute);
    if (restricts(expression, CronUnit::second) || is_every(minutes, CronUnit::minute)) return;
    warnings.push_back("runs every second of " + counted(static_cast<std::int64_t>(minutes.size()), "minute") +
                       " in each hour that matches, " + std::to_string(60 * minutes.size()) +
                       " runs an hour; did you mean " + rewritten(expression, CronUnit::second, "0") + "?");
}

// `0-23` reads like `*`, but it is a list of wall-clock times, and each counts once a day.
void warn_of_fixed_hours(const CronExpression& expression, Texts& warnings) {
    if (expression.wildcard() || restricts(expression, CronUnit::hour)) return;
    warnings.push_back(expression.field(CronUnit::hour).text +
                       " follows the wall clock: when the clocks go back, the repeated hour runs once; write * to run "
                       "every real hour");
}

std::string name_list(const std::vector<NamedDay>& days) {
    Texts names;
    for (const auto& day : days) {
        // "the 29th, 30th and 31st"
        const bool repeats_article =
            !names.empty() && day.kind == Kind::range && days[names.size() - 1].kind == Kind::range;
        names.push_back(repeats_article ? day.name.substr(std::string_view("the ").size()) : day.name);
    }
    return join(names);
}

bool has_item(const CronField& field, Kind kind, int first) {
    return std::ranges::any_of(field.items,
                               [&](const CronItem& item) { return item.kind == kind && item.first == first; });
}

// Whether this part of a day field alone decides on which days it runs.
bool decides_alone(const CronExpression& expression, CronUnit unit) {
    const auto other = unit == CronUnit::day_of_month ? CronUnit::day_of_week : CronUnit::day_of_month;
    return expression.field(unit).items.size() == 1 &&
           (expression.days_must_both_match || !restricts(expression, other));
}

// A suggestion if the author probably meant the end of the month.
std::string end_of_month_advice(const std::vector<NamedDay>& days) {
    const auto all_are = [&days](auto... kinds) {
        return std::ranges::all_of(days, [=](const NamedDay& day) { return ((day.kind == kinds) || ...); });
    };
    if (all_are(Kind::last_day, Kind::last_weekday)) return "";
    return all_are(Kind::nearest_weekday) ? " (LW is the last weekday of every month)"
                                          : " (L is the last day of every month)";
}

void warn_of_impossible_days(const std::vector<NamedDay>& days, const Values& months, Texts& warnings) {
    if (days.empty()) return;
    Texts names;
    for (const int month : months) names.push_back(month_name(month));
    warnings.push_back(name_list(days) + (days.size() == 1 ? " never occurs in " : " never occur in ") + join(names));
}

void warn_of_missing_days(const CronExpression& expression, const std::vector<NamedDay>& days, Texts& warnings) {
    if (days.empty()) return;
    const auto advice = end_of_month_advice(days);
    if (days.size() > 1) {
        warnings.push_back(name_list(days) + " do not exist in every month; a missing day is not replaced" + advice);
        return;
    }
    const bool alone = decides_alone(expression, CronUnit::day_of_month);
    warnings.push_back(days.front().name + " does not exist in months with fewer than " +
                       std::to_string(days.front().day) + " days; " +
                       (alone ? "there it does not run" : "a missing day is not replaced") + advice);
}

void warn_of_short_months(const CronExpression& expression, Texts& warnings) {
    const auto months = values_of(expression, CronUnit::month);
    const auto& field = expression.field(CronUnit::day_of_month);
    std::vector<NamedDay> impossible;
    std::vector<NamedDay> missing;
    for (const auto& written : written_items(field)) {
        const auto named = named_day(written);
        if (!named || exists_in_all(named->day, months)) continue;
        const bool end_is_given = (named->kind == Kind::range && has_item(field, Kind::last_day, 0)) ||
                                  (named->kind == Kind::nearest_weekday && has_item(field, Kind::last_weekday, 0));
        if (exists_in_none(named->day, months)) {
            add_once(impossible, *named);
        } else if (months == Values{2}) {
            warnings.push_back("day-of-month " + written.text + ": February has 29 days only in leap years");
        } else if (!end_is_given) {
            add_once(missing, *named);
        }
    }
    warn_of_impossible_days(impossible, months, warnings);
    warn_of_missing_days(expression, missing, warnings);
}

// The weekday nearest to the 1st may be the last Friday of the previous month, but W stays in its month.
void warn_of_moved_days(const CronExpression& expression, Texts& warnings) {
    for (const auto& [text, item] : written_items(expression.field(CronUnit::day_of_month))) {
        const bool from_end = item.kind == Kind::last_weekday && item.first > 0;
        if (item.kind != Kind::nearest_weekday && !from_end) continue;
        const bool first = !from_end && item.first == 1;
        const auto reach =
            first ? "when the 1st is a Saturday it runs on Monday the 3rd" : "it never moves into another month";
        warnings.push_back("day-of-month " + text +
                           " moves from a Saturday or Sunday to the nearest weekday, holidays aside; " + reach);
    }
}

void warn_of_fifth_weekdays(const CronExpression& expression, Texts& warnings) {
    const auto& field = expression.field(CronUnit::day_of_week);
    for (const auto& [text, item] : written_items(field)) {
        if (item.kind != Kind::nth_in_month || item.nth != 5 || has_item(field, Kind::last_in_month, item.first))
            continue;
        const auto names = weekday_name(item.first) + "s";
        const auto effect = decides_alone(expression, CronUnit::day_of_week) ? " are skipped" : " have no fifth";
        warnings.push_back("day-of-week " + text + ": months with four " + names + effect + "; use " +
                           text.substr(0, text.find('#')) + "L for the last " + weekday_name(item.first));
    }
}

}  // namespace

std::vector<std::string> warnings(const CronExpression& expression) {
    Texts result;
    if (expression.every) return result;
    for (const auto unit : {CronUnit::second, CronUnit::minute, CronUnit::hour, CronUnit::day_of_month, CronUnit::month,
                            CronUnit::day_of_week}) {
        for (const auto& written : written_items(expression.field(unit)))
            warn_of_uneven_step(expression, written, unit, result);
    }
    warn_of_every_minute(expression, result);
    warn_of_every_second(expression, result);
    warn_of_fixed_hours(expression, result);
    if (const auto idle = day_field_without_effect(expression)) {
        warn_of_field_without_effect(expression, *idle, result);
    } else {
        warn_of_two_day_fields(expression, result);
        warn_of_short_months(expression, result);
        warn_of_moved_days(expression, result);
        warn_of_fifth_weekdays(expression, result);
    }
    std::ranges::transform(result, result.begin(), capitalized);
    return result;
}

}  // namespace belfry::spec
