#include "spec/explain_days.hpp"

#include <algorithm>

#include "spec/english.hpp"
#include "spec/explain_season.hpp"
#include "spec/value_set.hpp"

namespace belfry::spec {

namespace {

using Kind = CronItem::Kind;
using Texts = std::vector<std::string>;

constexpr int kSteppedDaysLeast = 5;   // up to four days are clearer as a list
constexpr int kWeekdayRangeLeast = 4;  // "from Monday to Thursday"
constexpr int kNoMonthHas = 32;

bool is_monday_to_friday(const Values& weekdays) { return weekdays == Values{1, 2, 3, 4, 5}; }

// One of the two day fields: the plain values, and the items that depend on the month.
struct DayField {
    Values values;
    std::vector<CronItem> special;
    bool every;

    DayField(const CronExpression& expression, CronUnit unit) : values(values_of(expression, unit)), every(is_every(values, unit)) {
        for (const auto& item : expression.field(unit).items) {
            const bool plain = item.kind == Kind::all || item.kind == Kind::range;
            if (!plain && std::ranges::find(special, item) == special.end()) special.push_back(item);
        }
    }
};

// "the 1st, 5th and 20th to 25th"
std::string days_of_month(const Values& days) {
    const auto ends = [&days](const std::string& between) { return "the " + ordinal(days.front()) + between + "the " + ordinal(days.back()); };
    const auto rhythm = rhythm_of(days);
    if (rhythm.stretches.size() == 1 && rhythm.step > 1 && days.size() >= kSteppedDaysLeast) {
        return "every " + ordinal(rhythm.step) + " day from " + ends(" to ");
    }
    const auto texts = texts_of(stretches_of(days, 1), ordinal);
    if (texts.size() <= kListMax) return "the " + join(texts);
    return counted(static_cast<int>(days.size()), "day") + " between " + ends(" and ");
}

std::string days_before_last(int days) { return counted(days, "day") + " before the last day"; }

// An item that depends on the month, with its preposition: "on the last day", "3 days before the last day".
std::string special_day(const CronItem& item) {
    switch (item.kind) {
        case Kind::last_day: return item.first == 0 ? "on the last day" : days_before_last(item.first);
        case Kind::last_weekday: return item.first == 0 ? "on the last weekday" : "on the weekday nearest to " + days_before_last(item.first);
        case Kind::nearest_weekday: return "on the weekday nearest the " + ordinal(item.first);
        case Kind::nth_in_month: return "on the " + ordinal(item.nth) + " " + weekday_name(item.first);
        default: return "on the last " + weekday_name(item.first);
    }
}

// Weeks are read from Monday on.
Values from_monday(Values weekdays) {
    std::ranges::sort(weekdays, {}, [](int day) { return (day + 6) % 7; });
    return weekdays;
}

int missing_weekday(const Values& weekdays) {
    int day = 0;
    while (std::ranges::find(weekdays, day) != weekdays.end()) ++day;
    return day;
}

// "on weekdays", "on Mondays and Fridays", "from Monday to Thursday"
std::string on_weekdays(const Values& weekdays) {
    if (is_monday_to_friday(weekdays)) return "on weekdays";
    if (weekdays.size() == 6) return "on every day except " + weekday_name(missing_weekday(weekdays));
    const auto week = joined_around(Rhythm{1, stretches_of(weekdays, 1)}, 7).stretches;
    if (week.size() == 1 && week.front().count >= kWeekdayRangeLeast) {
        return "from " + weekday_name(week.front().first) + " to " + weekday_name(week.front().last);
    }
    Texts names;
    for (const int day : from_monday(weekdays)) names.push_back(weekday_name(day) + "s");
    return "on " + join(names);
}

// What stands after "when it is": "a weekday", "a Monday or Friday", "the 2nd Monday of the month".
std::string one_of_weekdays(const DayField& field) {
    Texts texts;
    if (is_monday_to_friday(field.values)) {
        texts.emplace_back("a weekday");
    } else if (!field.values.empty()) {
        Texts names;
        for (const int day : from_monday(field.values)) names.push_back(weekday_name(day));
        texts.push_back("a " + join(names, "or"));
    }
    for (const auto& item : field.special) texts.push_back(special_day(item).substr(std::string_view("on ").size()) + " of the month");
    return join(texts, "or");
}

// All parts of a field, each with its preposition; `of_month` follows those that depend on the month.
Texts parts_of(const DayField& field, std::string (*plain)(const Values&), const std::string& of_month) {
    Texts parts;
    if (!field.values.empty()) parts.push_back(plain(field.values));
    for (const auto& item : field.special) parts.push_back(special_day(item) + of_month);
    return parts;
}

std::string on_days_of_month(const Values& days) { return "on " + days_of_month(days); }

// The day of the month that a month must have, when the field means a single one: 31 for `31`, `31W` and `L-30`.
int needed_day(const DayField& field) {
    if (field.values.size() + field.special.size() != 1) return 1;
    if (field.special.empty()) return field.values.front();
    const auto& item = field.special.front();
    switch (item.kind) {
        case Kind::last_day:
        case Kind::last_weekday: return item.first + 1;
        case Kind::nearest_weekday: return item.first;
        // A month has a fifth of some weekdays from 29 days on, but never of all.
        case Kind::nth_in_month: return item.nth == 5 ? kNoMonthHas : 1;
        default: return 1;
    }
}

// Some months are too short for the one day that is meant.
std::string where_it_exists(const DayField& field, const Season& season) {
    if (season.every_month_has(needed_day(field))) return "";
    if (!season.every_month()) return " when there is one";
    const bool named = field.special.empty() || field.special.front().kind == Kind::nth_in_month;
    return named ? " that has one" : " that has that day";
}

DayWords same_words(const std::string& tail, std::string season) { return {.lead = capitalized(tail), .tail = tail, .season = std::move(season)}; }

// "Every year on January 1st"
DayWords one_date(int month, int day, const Season& season) {
    const auto date = "on " + month_name(month) + " " + ordinal(day);
    if (!season.every_year()) return same_words(date, season.in_years());
    if (month == 2 && day == 29) return same_words(date + " of every leap year", "");
    return {.lead = "Every year " + date, .tail = date + " of every year"};
}

// Months that never have the day are not worth a word: the 31st of March to June is the 31st of March and May.
Season season_with(const DayField& days, Season season) {
    if (days.special.empty() && !season.every_month()) season.drop_months_without(days.values.front());
    return season;
}

DayWords by_date(const DayField& days, const Season& all) {
    const auto season = season_with(days, all);
    const bool single = days.special.empty() && days.values.size() == 1;
    if (single && season.months().size() == 1) return one_date(season.months().front(), days.values.front(), season);
    return same_words(join(parts_of(days, on_days_of_month, "")) + season.of_months() + where_it_exists(days, season), season.in_years());
}

DayWords by_weekday(const DayField& weekdays, const Season& season) {
    if (weekdays.values.empty()) {
        return same_words(join(parts_of(weekdays, on_weekdays, "")) + season.of_months() + where_it_exists(weekdays, season), season.in_years());
    }
    auto words = same_words(join(parts_of(weekdays, on_weekdays, " of the month")), season.in_months_and_years());
    if (!weekdays.special.empty()) return words;
    if (is_monday_to_friday(weekdays.values)) words.lead = "Every weekday";
    if (weekdays.values.size() == 1) words.lead = "Every " + weekday_name(weekdays.values.front());
    if (weekdays.values.size() == 6) words.lead = "Every day except " + weekday_name(missing_weekday(weekdays.values));
    return words;
}

DayWords by_both_fields(const DayField& days, const DayField& weekdays, bool must_both_match, const Season& season) {
    auto parts = parts_of(days, on_days_of_month, " of the month");
    if (must_both_match) return same_words(join(parts) + " when it is " + one_of_weekdays(weekdays), season.in_months_and_years());
    const auto more = parts_of(weekdays, on_weekdays, " of the month");
    parts.insert(parts.end(), more.begin(), more.end());
    return same_words(join(parts), season.in_months_and_years());
}

}  // namespace

DayWords day_words(const CronExpression& expression) {
    const DayField days(expression, CronUnit::day_of_month);
    const DayField weekdays(expression, CronUnit::day_of_week);
    const Season season(expression);
    // Where either field is enough, one that takes every day decides alone; where both must match, it does not count.
    const bool every_day = expression.days_must_both_match ? days.every && weekdays.every : days.every || weekdays.every;
    if (every_day) return {.every_day = true, .season = season.in_months_and_years()};
    if (days.every) return by_weekday(weekdays, season);
    if (weekdays.every) return by_date(days, season);
    return by_both_fields(days, weekdays, expression.days_must_both_match, season);
}

}  // namespace belfry::spec
