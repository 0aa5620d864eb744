#include "spec/explain/explain_season.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "spec/explain/english.hpp"

namespace belfry::spec {

namespace {

constexpr int kSeasonRangeLeast = 3;
constexpr int kFebruary = 2;

// Lengths in a leap year.
constexpr std::array<int, 12> kMonthLengths{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
int longest(int month) { return kMonthLengths.at(static_cast<std::size_t>(month - 1)); }

std::string names_of(const Values& months) {
    std::vector<std::string> names;
    for (const int month : months) names.push_back(month_name(month));
    return join(names);
}

// "January and July", "every month except June"
std::string listed(const Values& months) {
    if (months.size() <= kListMax) return names_of(months);
    Values others;
    for (int month = 1; month <= 12; ++month) {
        if (std::ranges::find(months, month) == months.end()) others.push_back(month);
    }
    return "every month except " + names_of(others);
}

// "from March to October", or empty if the months are not consecutive. November to February is a range only if the
// years do not cut it; a range that wraps around and covers most of the year reads better as "every month except".
std::string as_range(const Values& months, bool across_years) {
    Rhythm rhythm{1, stretches_of(months, 1)};
    if (across_years && months.size() <= kListMax) rhythm = joined_around(std::move(rhythm), 12);
    if (rhythm.stretches.size() != 1 || rhythm.stretches.front().count < kSeasonRangeLeast) return "";
    return "from " + month_name(rhythm.stretches.front().first) + " to " + month_name(rhythm.stretches.front().last);
}

}  // namespace

Season::Season(const CronExpression& expression)
    : months_(values_of(expression, CronUnit::month)),
      years_(values_of(expression, CronUnit::year)),
      // Only a star means every year; a range ends, even the longest one.
      every_year_(expression.field(CronUnit::year).items == std::vector{CronItem{.kind = CronItem::Kind::all}}) {}

int Season::days_in(int month) const {
    const bool leaps = std::ranges::any_of(years_, [](int year) { return std::chrono::year{year}.is_leap(); });
    return month == kFebruary && !leaps ? 28 : longest(month);
}

int Season::longest_month() const {
    int days = 0;
    for (const int month : months_) days = std::max(days, days_in(month));
    return days;
}

void Season::drop_months_without(int day) {
    std::erase_if(months_, [this, day](int month) { return days_in(month) < day; });
}

bool Season::every_month_has(int day) const {
    return std::ranges::all_of(months_, [day](int month) { return day <= (month == kFebruary ? 28 : longest(month)); });
}

std::string Season::of_months() const {
    if (every_month()) return " of every month";
    if (const auto range = as_range(months_, every_year_); !range.empty()) return " of every month " + range;
    return " of " + listed(months_);
}

std::string Season::in_years() const {
    if (every_year_) return "";
    const auto ends = [this](const std::string& between) {
        return std::to_string(years_.front()) + between + std::to_string(years_.back());
    };
    const auto rhythm = rhythm_of(years_);
    if (rhythm.stretches.size() == 1 && years_.size() >= kSeasonRangeLeast) {
        return (rhythm.step == 1 ? " from " : " in every " + ordinal(rhythm.step) + " year from ") + ends(" to ");
    }
    const auto texts = texts_of(stretches_of(years_, 1), [](int year) { return std::to_string(year); });
    if (texts.size() <= kListMax) return " in " + join(texts);
    return " in " + std::to_string(years_.size()) + " years between " + ends(" and ");
}

std::string Season::in_months_and_years() const {
    if (every_month()) return in_years();
    const auto range = as_range(months_, every_year_);
    return " " + (range.empty() ? "in " + listed(months_) : range) + (every_year_ ? "" : "," + in_years());
}

}  // namespace belfry::spec
