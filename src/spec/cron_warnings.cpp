#include <algorithm>

#include "base/ascii.hpp"
#include "spec/english.hpp"
#include "spec/explain.hpp"
#include "spec/value_set.hpp"

namespace belfry::spec {

namespace {

using Kind = CronItem::Kind;
using Texts = std::vector<std::string>;

// A part of a field as it was written, beside what it means.
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

// How a unit speaks about its values and the larger unit in which they start again.
struct UnitWords {
    std::string_view noun;
    std::string_view at;      // before one value
    std::string_view at_all;  // before a list of values
    std::string_view cycle;   // after it
};

UnitWords words_of(CronUnit unit) {
    switch (unit) {
        case CronUnit::second: return {"second", "at second ", "at seconds ", " of each minute"};
        case CronUnit::minute: return {"minute", "at ", "at ", " of each hour"};
        case CronUnit::hour: return {"hour", "in the hour ", "in the hours ", " of each day"};
        case CronUnit::day_of_month: return {"day", "on the ", "on the ", " of each month"};
        case CronUnit::month: return {"month", "in ", "in ", " of each year"};
        default: return {"day", "on ", "on ", " of each week"};
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

// `*/n`, `a/n`, and a range over the whole unit: what reads like "every n".
bool reads_like_every(const CronItem& item, CronUnit unit) {
    if (!item.has_step || item.step == 1) return false;
    const bool whole = item.kind == Kind::range && item.first == range_of(unit).first && item.last == item.first + count_of(unit) - 1;
    return item.kind == Kind::all || item.open_end || whole;
}

// The gap over the end of the cycle is where a step shows that it is not a period.
void warn_of_uneven_step(const WrittenItem& written, CronUnit unit, Texts& warnings) {
    if (!reads_like_every(written.item, unit)) return;
    const auto values = values_of(written.item, unit);
    const int gap = values.front() + count_of(unit) - values.back();
    const bool months_differ = unit == CronUnit::day_of_month;
    if (gap == written.item.step && !months_differ) return;
    const auto words = words_of(unit);
    const auto at = values.size() == 1 ? "only " + std::string(words.at) : std::string(words.at_all);
    std::string text = written.text + " in the " + std::string(unit_name(unit)) + " field does not mean every " +
                       counted(written.item.step, words.noun) + ": it runs " + at + value_list(values, unit) + std::string(words.cycle);
    if (months_differ) {
        text += " and starts again on the " + ordinal(values.front());
    } else if (values.size() > 1) {
        text += ", and " + counted(gap, words.noun) + " after the last it starts again";
    }
    warnings.push_back(text);
}

bool restricts(const CronExpression& expression, CronUnit unit) { return !is_every(values_of(expression, unit), unit); }

void warn_of_two_day_fields(const CronExpression& expression, Texts& warnings) {
    if (!restricts(expression, CronUnit::day_of_month) || !restricts(expression, CronUnit::day_of_week)) return;
    const auto& days = expression.field(CronUnit::day_of_month);
    const auto& weekdays = expression.field(CronUnit::day_of_week);
    if (!expression.days_must_both_match) {
        warnings.push_back("day-of-month " + in_quotes(days.text) + " and day-of-week " + in_quotes(weekdays.text) +
                           " are both given: either is enough. Write +" + weekdays.text + " as the day-of-week to require both");
        return;
    }
    for (const auto unit : {CronUnit::day_of_month, CronUnit::day_of_week}) {
        if (!expression.field(unit).starts_with_star()) continue;
        warnings.push_back(std::string(unit_name(unit)) + " " + in_quotes(expression.field(unit).text) +
                           " starts with a star, so a date must match both day fields; without a star either would be enough");
    }
}

// The expression with one field written differently.
std::string rewritten(const CronExpression& expression, CronUnit unit, const std::string& text) {
    std::string result;
    const std::size_t first = expression.has_seconds ? 0 : 1;
    const std::size_t end = expression.has_year ? kCronUnits : kCronUnits - 1;
    for (std::size_t i = first; i < end; ++i) {
        result += (i == first ? "" : " ") + (i == static_cast<std::size_t>(unit) ? text : expression.fields[i].text);
    }
    return result;
}

// `* 9 * * *`: someone wanted nine o'clock and got sixty runs.
void warn_of_every_minute(const CronExpression& expression, Texts& warnings) {
    const auto hours = values_of(expression, CronUnit::hour);
    const bool once_a_minute = values_of(expression, CronUnit::second).size() == 1;
    if (!once_a_minute || restricts(expression, CronUnit::minute) || is_every(hours, CronUnit::hour)) return;
    const auto which = hours.size() == 1 ? "the hour " + std::to_string(hours.front()) : counted(static_cast<std::int64_t>(hours.size()), "hour");
    warnings.push_back("runs every minute of " + which + ", " + std::to_string(60 * hours.size()) + " runs a day; did you mean " +
                       rewritten(expression, CronUnit::minute, "0") + "?");
}

// `* 0 9 * * *`: the same one field to the left.
void warn_of_every_second(const CronExpression& expression, Texts& warnings) {
    const auto minutes = values_of(expression, CronUnit::minute);
    if (restricts(expression, CronUnit::second) || is_every(minutes, CronUnit::minute)) return;
    warnings.push_back("runs every second of " + counted(static_cast<std::int64_t>(minutes.size()), "minute") + " in each hour that matches, " +
                       std::to_string(60 * minutes.size()) + " runs an hour; did you mean " + rewritten(expression, CronUnit::second, "0") + "?");
}

bool exists_in_all(int day, const Values& months) {
    return std::ranges::all_of(months, [day](int month) {
        const bool thirty = month == 4 || month == 6 || month == 9 || month == 11;
        return day <= (month == 2 ? 28 : thirty ? 30 : 31);
    });
}

void warn_of_short_months(const CronExpression& expression, Texts& warnings) {
    const auto months = values_of(expression, CronUnit::month);
    for (const auto& [text, item] : written_items(expression.field(CronUnit::day_of_month))) {
        const bool from_end = item.kind == Kind::last_day || item.kind == Kind::last_weekday;
        const bool single = (item.kind == Kind::range && item.first == item.last) || item.kind == Kind::nearest_weekday || from_end;
        const int day = from_end ? item.first + 1 : item.first;
        if (!single || exists_in_all(day, months)) continue;
        if (months == Values{2} && day == 29) {
            warnings.push_back("day-of-month " + text + ": February has 29 days only in leap years");
            continue;
        }
        const std::string advice = from_end ? "" : item.kind == Kind::nearest_weekday ? "; use LW for the last weekday" : "; use L for the last day";
        warnings.push_back("day-of-month " + text + ": months with fewer than " + std::to_string(day) + " days are skipped" + advice);
    }
}

// The nearest weekday of the 1st may be the last Friday of the month before, but it is not taken.
void warn_of_moved_days(const CronExpression& expression, Texts& warnings) {
    for (const auto& [text, item] : written_items(expression.field(CronUnit::day_of_month))) {
        if (item.kind != Kind::nearest_weekday) continue;
        const auto reach = item.first == 1 ? "when the 1st is a Saturday it runs on Monday the 3rd" : "it never moves into another month";
        warnings.push_back("day-of-month " + text + " moves from a Saturday or Sunday to the nearest weekday, holidays aside; " + reach);
    }
}

void warn_of_fifth_weekdays(const CronExpression& expression, Texts& warnings) {
    for (const auto& [text, item] : written_items(expression.field(CronUnit::day_of_week))) {
        if (item.kind != Kind::nth_in_month || item.nth != 5) continue;
        const auto name = weekday_name(item.first);
        warnings.push_back("day-of-week " + text + ": months with four " + name + "s are skipped; use " + std::to_string(item.first) +
                           "L for the last " + name);
    }
}

}  // namespace

std::vector<std::string> warnings(const CronExpression& expression) {
    Texts result;
    if (expression.every) return result;
    for (const auto unit : {CronUnit::second, CronUnit::minute, CronUnit::hour, CronUnit::day_of_month, CronUnit::month, CronUnit::day_of_week}) {
        for (const auto& written : written_items(expression.field(unit))) warn_of_uneven_step(written, unit, result);
    }
    warn_of_two_day_fields(expression, result);
    warn_of_every_minute(expression, result);
    warn_of_every_second(expression, result);
    warn_of_short_months(expression, result);
    warn_of_moved_days(expression, result);
    warn_of_fifth_weekdays(expression, result);
    std::ranges::transform(result, result.begin(), capitalized);
    return result;
}

}  // namespace belfry::spec
