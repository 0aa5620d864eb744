#include "spec/explain/explain_days.hpp"

#include <algorithm>

#include "spec/cron/value_set.hpp"
#include "spec/explain/english.hpp"
#include "spec/explain/explain_season.hpp"

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

    [[nodiscard]] bool empty() const { return values.empty() && special.empty(); }

    DayField(const CronExpression& expression, CronUnit unit)
        : values(values_of(expression, unit)), every(is_every(values, unit)) {
        for (const auto& item : expression.field(unit).items) {
            const bool plain = item.kind == Kind::all || item.kind == Kind::range;
            if (!plain && std::ranges::find(special, item) == special.end()) special.push_back(item);
        }
    }
};

// Five or more days in equal steps become "every 2nd day from the 1st to the 31st".
bool is_stepped(const Values& days) {
    const auto rhythm = rhythm_of(days);
    return rhythm.stretches.size() == 1 && rhythm.step > 1 && days.size() >= kSteppedDaysLeast;
}

// "the 1st, 5th and 20th to 25th"
std::string days_of_month(const Values& days) {
    const auto ends = [&days](const std::string& between) {
        return "the " + ordinal(days.front()) + between + "the " + ordinal(days.back());
    };
    if (is_stepped(days)) return "every " + ordinal(days[1] - days[0]) + " day from " + ends(" to ");
    const auto texts = texts_of(stretches_of(days, 1), ordinal);
    if (texts.size() <= kListMax) return "the " + join(texts);
    return counted(static_cast<int>(days.size()), "day") + " between " + ends(" and ");
}

std::string days_before_last(int days) { return counted(days, "day") + " before the last day"; }

// An item that depends on the month, with its preposition: "on the last day", "on the 2nd Monday".
std::string special_day(const CronItem& item) {
    switch (item.kind) {
        case Kind::last_day: return item.first == 0 ? "on the last day" : "on the day " + days_before_last(item.first);
        case Kind::last_weekday:
            return item.first == 0 ? "on the last weekday"
                                   : "on the weekday nearest to " + days_before_last(item.first);
        case Kind::nearest_weekday: return "on the weekday nearest the " + ordinal(item.first);
        case Kind::nth_in_month: return "on the " + ordinal(item.nth) + " " + weekday_name(item.first);
        default: return "on the last " + weekday_name(item.first);
    }
}

// Weeks start on Monday.
Values from_monday(Values weekdays) {
    std::ranges::sort(weekdays, {}, [](int day) { return (day + 6) % 7; });
    return weekdays;
}

int missing_weekday(const Values& weekdays) {
    int day = 0;
    while (std::ranges::find(weekdays, day) != weekdays.end()) ++day;
    return day;
}

// "on weekdays", "on Mondays and Fridays"
std::string each_weekday(const Values& weekdays) {
    if (is_monday_to_friday(weekdays)) return "on weekdays";
    Texts names;
    for (const int day : from_monday(weekdays)) names.push_back(weekday_name(day) + "s");
    return "on " + join(names);
}

// Also "from Monday to Thursday" and "on every day except Sunday".
std::string on_weekdays(const Values& weekdays) {
    if (is_monday_to_friday(weekdays)) return "on weekdays";
    if (weekdays.size() == 6) return "on every day except " + weekday_name(missing_weekday(weekdays));
    const auto week = joined_around(Rhythm{1, stretches_of(weekdays, 1)}, 7).stretches;
    if (week.size() == 1 && week.front().count >= kWeekdayRangeLeast) {
        return "from " + weekday_name(week.front().first) + " to " + weekday_name(week.front().last);
    }
    return each_weekday(weekdays);
}

// The text after "when it is": "a weekday", "a Monday or Friday", "the 2nd Monday of the month".
std::string one_of_weekdays(const DayField& field) {
    Texts texts;
    if (is_monday_to_friday(field.values)) {
        texts.emplace_back("a weekday");
    } else if (!field.values.empty()) {
        Texts names;
        for (const int day : from_monday(field.values)) names.push_back(weekday_name(day));
        texts.push_back("a " + join(names, "or"));
    }
    for (const auto& item : field.special)
        texts.push_back(special_day(item).substr(std::string_view("on ").size()) + " of the month");
    return join(texts, "or");
}

// All parts of a field, each with its preposition; `of_month` follows the parts that depend on the month.
Texts parts_of(const DayField& field, std::string (*plain)(const Values&), const std::string& of_month) {
    Texts parts;
    if (!field.values.empty()) parts.push_back(plain(field.values));
    for (const auto& item : field.special) parts.push_back(special_day(item) + of_month);
    return parts;
}

std::string on_days_of_month(const Values& days) { return "on " + days_of_month(days); }

// The day that a month must have for the item to match: 31 for `31W` and `L-30`.
int needed_day(const CronItem& item) {
    switch (item.kind) {
        case Kind::last_day:
        case Kind::last_weekday: return item.first + 1;
        case Kind::nearest_weekday: return item.first;
        // A month with 29 or more days has a fifth of some weekdays, but never of all.
        case Kind::nth_in_month: return item.nth == 5 ? kNoMonthHas : 1;
        default: return 1;
    }
}

// A month without this day has none of the field's days.
// REQUIRES: the field is not empty.
int least_needed_day(const DayField& days) {
    int least = days.values.empty() ? kNoMonthHas : days.values.front();
    for (const auto& item : days.special) least = std::min(least, needed_day(item));
    return least;
}

// The highest value that the words name. A range ends with the month, so only its start counts.
int highest_named(const Values& days) {
    if (days.empty()) return 1;
    if (is_stepped(days)) return days.front();
    const auto stretches = stretches_of(days, 1);
    if (texts_of(stretches, ordinal).size() > kListMax) return days.back();
    const auto last = stretches.back();
    return last.count > 2 ? last.first : last.last;
}

// The qualifier for named days that some months do not have.
std::string where_it_exists(const DayField& field, const Season& season, CronUnit unit) {
    const bool by_date = unit == CronUnit::day_of_month;
    if (by_date && field.special.empty() && season.months() == Values{2} &&
        !season.every_month_has(field.values.back())) {
        return " (the 29th in leap years)";
    }
    int needed = by_date ? highest_named(field.values) : 1;
    for (const auto& item : field.special) needed = std::max(needed, needed_day(item));
    if (season.every_month_has(needed)) return "";
    const bool single = field.values.size() + field.special.size() == 1;
    if (!season.every_month()) return single ? " when there is one" : " where the day exists";
    const bool named = field.special.empty() || field.special.front().kind == Kind::nth_in_month;
    return single && named ? " that has one" : " that has that day";
}

DayWords same_words(const std::string& tail, std::string season) {
    return {.lead = capitalized(tail), .tail = tail, .season = std::move(season)};
}

// "Every year on January 1st"
DayWords one_date(int month, int day, const Season& season) {
    const auto date = "on " + month_name(month) + " " + ordinal(day);
    if (!season.every_year()) return same_words(date, season.in_years());
    if (month == 2 && day == 29) return same_words(date + " of every leap year", "");
    return {.lead = "Every year " + date, .tail = date + " of every year"};
}

// Removes days that no month of the season can have.
DayField without_impossible(DayField days, const Season& season) {
    const int longest = season.longest_month();
    std::erase_if(days.values, [longest](int day) { return day > longest; });
    std::erase_if(days.special, [longest](const CronItem& item) { return needed_day(item) > longest; });
    days.every = static_cast<int>(days.values.size()) == longest;
    // The 31st is always a last day, so L covers it.
    const bool has_last = std::ranges::find(days.special, CronItem{.kind = Kind::last_day}) != days.special.end();
    if (has_last && !days.every) std::erase(days.values, 31);
    return days;
}

// Removes months that never have the days: the 31st of March to June is the 31st of March and May.
Season season_with(const DayField& days, Season season) {
    if (!season.every_month()) season.drop_months_without(least_needed_day(days));
    return season;
}

DayWords by_date(const DayField& days, const Season& all) {
    const auto season = season_with(days, all);
    const bool single = days.special.empty() && days.values.size() == 1;
    if (single && season.months().size() == 1) return one_date(season.months().front(), days.values.front(), season);
    const auto dates = join(parts_of(days, on_days_of_month, "")) + season.of_months();
    return same_words(dates + where_it_exists(days, season, CronUnit::day_of_month), season.in_years());
}

DayWords by_weekday(const DayField& weekdays, const Season& season) {
    if (weekdays.values.empty()) {
        const auto dates = join(parts_of(weekdays, on_weekdays, "")) + season.of_months();
        return same_words(dates + where_it_exists(weekdays, season, CronUnit::day_of_week), season.in_years());
    }
    auto words = same_words(join(parts_of(weekdays, on_weekdays, " of the month")), season.in_months_and_years());
    if (!weekdays.special.empty()) return words;
    if (is_monday_to_friday(weekdays.values)) words.lead = "Every weekday";
    if (weekdays.values.size() == 1) words.lead = "Every " + weekday_name(weekdays.values.front());
    if (weekdays.values.size() == 6) words.lead = "Every day except " + weekday_name(missing_weekday(weekdays.values));
    return words;
}

DayWords by_either_field(const DayField& days, const DayField& weekdays, const Season& season) {
    auto parts = parts_of(days, on_days_of_month, " of the month");
    const auto more = parts_of(weekdays, on_weekdays, " of the month");
    parts.insert(parts.end(), more.begin(), more.end());
    return same_words(join(parts), season.in_months_and_years());
}

DayWords by_both_fields(const DayField& days, const DayField& weekdays, const Season& all) {
    const auto in_season = season_with(days, all).in_months_and_years();
    const auto parts = parts_of(days, on_days_of_month, " of the month");
    if (parts.size() == 1 || !weekdays.special.empty())
        return same_words(join(parts, "or") + " when it is " + one_of_weekdays(weekdays), in_season);
    // After several dates "when it is a Sunday" would seem to apply only to the last.
    return same_words(each_weekday(weekdays.values) + " that fall " + join(parts, "or"), in_season);
}

}  // namespace

DayWords day_words(const CronExpression& expression) {
    const Season season(expression);
    const auto days = without_impossible(DayField(expression, CronUnit::day_of_month), season);
    const DayField weekdays(expression, CronUnit::day_of_week);
    // If either field is enough, one that matches every day decides alone; if both must match, it has no effect.
    const bool every_day =
        expression.days_must_both_match ? days.every && weekdays.every : days.every || weekdays.every;
    if (every_day) return {.every_day = true, .season = season.in_months_and_years()};
    if (days.every || days.empty()) return by_weekday(weekdays, season);
    if (weekdays.every) return by_date(days, season);
    return expression.days_must_both_match ? by_both_fields(days, weekdays, season)
                                           : by_either_field(days, weekdays, season);
}

}  // namespace belfry::spec
