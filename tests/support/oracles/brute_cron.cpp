#include "support/oracles/brute_cron.hpp"

#include <algorithm>

namespace belfry::test {
namespace {

using std::chrono::day;
using std::chrono::last;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;
using std::chrono::year_month_day_last;

constexpr std::int64_t kDaySeconds = 86400;
constexpr std::size_t kDigitsMax = 6;  // of any number, also with leading zeros
constexpr int kStepMax = 9999;
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2199;

std::string upper_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return result;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text) {
        if (c != ' ' && c != '\t') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::optional<int> number_of(const std::string& text) {
    if (text.empty() || text.size() > kDigitsMax) return std::nullopt;
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

// One kind of field: what its values are called and where they end.
struct Unit {
    int first;
    int last;           // the greatest value that `*` means
    int greatest;       // the greatest value that can be written
    const char* names;  // three letters each, from `first` on
};
constexpr Unit kSecond{0, 59, 59, ""};
constexpr Unit kMinute{0, 59, 59, ""};
constexpr Unit kHour{0, 23, 23, ""};
constexpr Unit kDayOfMonth{1, 31, 31, ""};
constexpr Unit kMonth{1, 12, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"};
constexpr Unit kDayOfWeek{0, 6, 7, "SUNMONTUEWEDTHUFRISAT"};
constexpr Unit kYear{kFirstYear, kLastYear, kLastYear, ""};

std::optional<int> value_of(const std::string& text, const Unit& unit) {
    if (const auto number = number_of(text)) {
        return *number >= unit.first && *number <= unit.greatest ? number : std::nullopt;
    }
    const auto at = text.size() == 3 ? std::string_view(unit.names).find(text) : std::string_view::npos;
    if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
    return unit.first + static_cast<int>(at / 3);
}

// `*`, `a`, `a-b` and any of them with `/n`: the values, 7 written for Sunday still being 7.
std::optional<std::vector<int>> values_of(const std::string& item, const Unit& unit) {
    const auto slash = split_at(item, '/');
    if (slash.size() > 2) return std::nullopt;
    int step = 1;
    if (slash.size() == 2) {
        const auto number = number_of(slash[1]);
        if (!number || *number < 1 || *number > kStepMax) return std::nullopt;
        step = *number;
    }
    int from = unit.first;
    int to = unit.last;
    if (slash[0] != "*") {
        const auto ends = split_at(slash[0], '-');
        if (ends.size() > 2) return std::nullopt;
        const auto low = value_of(ends[0], unit);
        const auto high = ends.size() == 2 ? value_of(ends[1], unit) : low;
        if (!low || !high) return std::nullopt;
        from = *low;
        to = ends.size() == 1 && slash.size() == 2 ? std::max(unit.last, from) : *high;
        if (from > to && &unit == &kYear) return std::nullopt;
    }
    // A range that ends before it starts goes round once.
    const int count = unit.last - unit.first + 1;
    if (from > to) to += count;
    std::vector<int> values;
    for (std::int64_t value = from; value <= to; value += step) {
        values.push_back(static_cast<int>(value) > unit.greatest ? static_cast<int>(value) - count
                                                                 : static_cast<int>(value));
    }
    return values;
}

bool starts_with_star(const std::string& field) { return field[0] == '*' || field[0] == '?'; }

unsigned days_in_month(year_month_day date) {
    return static_cast<unsigned>(year_month_day_last{date.year(), date.month() / last}.day());
}

unsigned weekday_of(year_month_day date) { return weekday{sys_days{date}}.c_encoding(); }

// The weekday (Monday to Friday) nearest to `n` in the month of `date`, without leaving the month.
unsigned nearest_weekday(year_month_day date, unsigned n) {
    const auto wanted = weekday_of(date.year() / date.month() / day{n});
    if (wanted == 6) return n == 1 ? 3 : n - 1;
    if (wanted == 0) return n == days_in_month(date) ? n - 2 : n + 1;
    return n;
}

}  // namespace

// Reads one field after the other into a BruteCron; each function answers whether the field follows the grammar.
class BruteCron::Reader {
public:
    explicit Reader(BruteCron& cron) : cron_(cron) {}

    template <std::size_t Size>
    [[nodiscard]] static bool read_set(const std::string& field, const Unit& unit, std::array<bool, Size>& set) {
        for (const auto& item : split_at(field, ',')) {
            const auto values = values_of(item, unit);
            if (!values) return false;
            for (const int value : *values) set[static_cast<std::size_t>(value)] = true;
        }
        return true;
    }

    [[nodiscard]] bool read_years(const std::string& field) {
        std::vector<int> years;
        for (const auto& item : split_at(field, ',')) {
            const auto values = values_of(item, kYear);
            if (!values) return false;
            years.insert(years.end(), values->begin(), values->end());
        }
        // A star is every year there is, also those that cannot be written.
        const auto items = split_at(field, ',');
        if (std::ranges::find(items, "*") == items.end()) cron_.years_ = years;
        return true;
    }

    [[nodiscard]] bool read_day_of_month(const std::string& field) {
        if (field == "?") return read_day_of_month("*");
        const auto items = split_at(field, ',');
        return std::ranges::all_of(items, [this](const std::string& item) { return read_day_of_month_item(item); });
    }

    [[nodiscard]] bool read_day_of_week(const std::string& field) {
        if (field == "?") return read_day_of_week("*");
        const auto items = split_at(field, ',');
        return std::ranges::all_of(items, [this](const std::string& item) { return read_day_of_week_item(item); });
    }

private:
    [[nodiscard]] bool read_day_of_month_item(const std::string& item) {
        using Kind = DayOfMonthItem::Kind;
        if (item.empty()) return false;
        const bool weekday = item.back() == 'W';
        const auto rest = item.substr(0, item.size() - (weekday ? 1 : 0));
        if (rest.starts_with('L')) {
            const auto before = rest == "L"      ? std::optional<int>(0)
                                : rest[1] == '-' ? number_of(rest.substr(2))
                                                 : std::nullopt;
            if (!before || *before > 30) return false;
            cron_.days_of_month_.push_back({weekday ? Kind::last_weekday : Kind::last, static_cast<unsigned>(*before)});
            return true;
        }
        if (weekday) {
            const auto n = value_of(rest, kDayOfMonth);
            if (n) cron_.days_of_month_.push_back({Kind::nearest_weekday, static_cast<unsigned>(*n)});
            return n.has_value();
        }
        const auto values = values_of(item, kDayOfMonth);
        if (!values) return false;
        for (const int value : *values) cron_.days_of_month_.push_back({Kind::day, static_cast<unsigned>(value)});
        return true;
    }

    [[nodiscard]] bool read_day_of_week_item(const std::string& item) {
        using Kind = DayOfWeekItem::Kind;
        const auto sharp = split_at(item, '#');
        if (sharp.size() == 2) {
            const auto weekday = value_of(sharp[0], kDayOfWeek);
            const auto n = number_of(sharp[1]);
            if (!weekday || !n || *n < 1 || *n > 5) return false;
            cron_.days_of_week_.push_back({Kind::nth, static_cast<unsigned>(*weekday % 7), static_cast<unsigned>(*n)});
            return true;
        }
        if (item.size() > 1 && item.back() == 'L') {
            const auto weekday = value_of(item.substr(0, item.size() - 1), kDayOfWeek);
            if (weekday) cron_.days_of_week_.push_back({Kind::last, static_cast<unsigned>(*weekday % 7), 0});
            return weekday.has_value();
        }
        const auto values = values_of(item, kDayOfWeek);
        if (!values) return false;
        for (const int value : *values)
            cron_.days_of_week_.push_back({Kind::weekday, static_cast<unsigned>(value % 7), 0});
        return true;
    }

    BruteCron& cron_;
};

std::optional<BruteCron> BruteCron::parse(std::string_view text) {
    auto fields = words_of(upper_case(text));
    if (fields.size() == 1) {
        const auto& macro = fields[0];
        if (macro == "@YEARLY" || macro == "@ANNUALLY") return parse("0 0 1 1 *");
        if (macro == "@MONTHLY") return parse("0 0 1 * *");
        if (macro == "@WEEKLY") return parse("0 0 * * 0");
        if (macro == "@DAILY" || macro == "@MIDNIGHT") return parse("0 0 * * *");
        if (macro == "@HOURLY") return parse("0 * * * *");
    }
    if (fields.size() < 5 || fields.size() > 7) return std::nullopt;
    if (fields.size() == 5) fields.insert(fields.begin(), "0");
    if (fields.size() == 6) fields.emplace_back("*");

    BruteCron cron;
    Reader reader(cron);
    auto& weekdays = fields[5];
    const bool plus = weekdays.starts_with('+');
    if (plus) weekdays.erase(0, 1);
    if (weekdays.empty()) return std::nullopt;
    if (!Reader::read_set(fields[0], kSecond, cron.seconds_) || !Reader::read_set(fields[1], kMinute, cron.minutes_) ||
        !Reader::read_set(fields[2], kHour, cron.hours_) || !reader.read_day_of_month(fields[3]) ||
        !Reader::read_set(fields[4], kMonth, cron.months_) || !reader.read_day_of_week(weekdays) ||
        !reader.read_years(fields[6])) {
        return std::nullopt;
    }
    cron.days_must_both_match_ = plus || starts_with_star(fields[3]) || starts_with_star(weekdays);
    cron.wildcard_ = fields[0][0] == '*' || fields[1][0] == '*' || fields[2][0] == '*';
    cron.whole_minutes_ = cron.seconds_[0] && std::ranges::count(cron.seconds_, true) == 1;
    return cron;
}

bool BruteCron::matches(LocalSecond local) const {
    const auto date = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{local}});
    const auto second_of_day = local - date.time_since_epoch().count() * kDaySeconds;
    return matches_time(second_of_day) && matches_date(date);
}

bool BruteCron::matches_time(std::int64_t second_of_day) const {
    const auto second = static_cast<std::size_t>(second_of_day);
    return seconds_[second % 60] && minutes_[second / 60 % 60] && hours_[second / 3600];
}

bool BruteCron::matches_date(year_month_day date) const {
    if (years_ && std::ranges::find(*years_, static_cast<int>(date.year())) == years_->end()) return false;
    if (!months_[static_cast<unsigned>(date.month())]) return false;
    const bool by_month = matches_day_of_month(date);
    const bool by_week = matches_day_of_week(date);
    return days_must_both_match_ ? by_month && by_week : by_month || by_week;
}

bool BruteCron::matches_day_of_month(year_month_day date) const {
    const auto today = static_cast<unsigned>(date.day());
    const auto length = days_in_month(date);
    return std::ranges::any_of(days_of_month_, [&](const DayOfMonthItem& item) {
        switch (item.kind) {
            case DayOfMonthItem::Kind::day: return today == item.n;
            case DayOfMonthItem::Kind::last: return today + item.n == length;
            case DayOfMonthItem::Kind::last_weekday:
                return item.n < length && today == nearest_weekday(date, length - item.n);
            case DayOfMonthItem::Kind::nearest_weekday:
                return item.n <= length && today == nearest_weekday(date, item.n);
        }
        return false;
    });
}

bool BruteCron::matches_day_of_week(year_month_day date) const {
    const auto today = static_cast<unsigned>(date.day());
    return std::ranges::any_of(days_of_week_, [&](const DayOfWeekItem& item) {
        if (weekday_of(date) != item.weekday) return false;
        switch (item.kind) {
            case DayOfWeekItem::Kind::weekday: return true;
            case DayOfWeekItem::Kind::nth: return (today - 1) / 7 + 1 == item.n;
            case DayOfWeekItem::Kind::last: return today + 7 > days_in_month(date);
        }
        return false;
    });
}

bool BruteCron::ever_matches() const {
    const int first = years_ ? kFirstYear : 2000;
    const int end = years_ ? kLastYear + 1 : 2400;
    for (int y = first; y < end; ++y) {
        if (years_ && std::ranges::find(*years_, y) == years_->end()) continue;
        for (auto date = sys_days{year{y} / 1 / 1}; date < sys_days{year{y + 1} / 1 / 1};
             date += std::chrono::days{1}) {
            if (matches_date(date)) return true;
        }
    }
    return false;
}

}  // namespace belfry::test
