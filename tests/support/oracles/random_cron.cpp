#include "support/oracles/random_cron.hpp"

#include <algorithm>

namespace belfry::test {
namespace {

struct Field {
    int first;
    int last;
};
constexpr Field kSixty{0, 59};
constexpr Field kHours{0, 23};
constexpr Field kMonthDays{1, 31};
constexpr Field kMonths{1, 12};
constexpr Field kWeekDays{0, 7};

std::string in_some_case(Random& random, std::string text) {
    const int way = random.number(0, 2);
    for (char& c : text) {
        const bool letter = (c >= 'A' && c <= 'Z');
        if (letter && (way == 1 || (way == 2 && random.percent(50)))) c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

std::string month_text(Random& random, int month) {
    static const std::vector<std::string> names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
    if (random.percent(60)) return std::to_string(month);
    return in_some_case(random, names[static_cast<std::size_t>(month - 1)]);
}

std::string weekday_text(Random& random, int weekday) {
    static const std::vector<std::string> names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
    if (random.percent(60)) return std::to_string(weekday);
    return in_some_case(random, names[static_cast<std::size_t>(weekday % 7)]);
}

// Mostly the value aimed at or a neighbour of it, else anything.
int near_value(Random& random, Field field, int aim) {
    if (random.percent(30)) return random.number(field.first, field.last);
    return std::clamp(aim + random.number(-1, 1), field.first, field.last);
}

template <typename Spell>
std::string plain_item(Random& random, Field field, int aim, const Spell& spell) {
    const int step = random.percent(80) ? random.number(1, 7) : random.number(1, field.last - field.first + 1);
    const auto with_step = [&](std::string text) {
        return random.percent(40) ? text + "/" + std::to_string(std::min(step, field.last)) : text;
    };
    switch (random.number(0, 7)) {
        case 0: return "*/" + std::to_string(std::min(step, field.last));
        case 1: return spell(near_value(random, field, aim)) + "/" + std::to_string(std::min(step, field.last));
        case 2:
        case 3: return with_step(spell(near_value(random, field, aim)) + "-" + spell(near_value(random, field, aim)));
        default: return spell(near_value(random, field, aim));
    }
}

template <typename Item>
std::string list_of(Random& random, const Item& item) {
    std::string text = item();
    while (random.percent(25)) text += "," + item();
    return text;
}

std::string number_field(Random& random, Field field, int aim, int star_percent) {
    if (random.percent(star_percent)) return "*";
    return list_of(random,
                   [&] { return plain_item(random, field, aim, [](int value) { return std::to_string(value); }); });
}

std::string day_of_month_item(Random& random, int aim) {
    const auto day = [&] { return std::to_string(near_value(random, kMonthDays, aim)); };
    switch (random.number(0, 9)) {
        case 0: return in_some_case(random, "L");
        case 1:
            return in_some_case(random, "L-") +
                   std::to_string(random.percent(70) ? random.number(1, 3) : random.number(1, 30));
        case 2: return in_some_case(random, "LW");
        case 3: return in_some_case(random, "L-" + std::to_string(random.number(1, 30)) + "W");
        case 4: return in_some_case(random, day() + "W");
        default: return plain_item(random, kMonthDays, aim, [](int value) { return std::to_string(value); });
    }
}

std::string day_of_week_item(Random& random, int aim) {
    const auto weekday = [&] { return weekday_text(random, near_value(random, kWeekDays, aim)); };
    switch (random.number(0, 6)) {
        case 0: return weekday() + "#" + std::to_string(random.number(1, 5));
        case 1: return weekday() + in_some_case(random, "L");
        default: return plain_item(random, kWeekDays, aim, [&](int value) { return weekday_text(random, value); });
    }
}

std::string year_item(Random& random, int aim) {
    const int year = std::clamp(aim + random.number(-2, 2), 1970, 2199);
    switch (random.number(0, 4)) {
        case 0: return std::to_string(year) + "-" + std::to_string(std::min(2199, year + random.number(0, 9)));
        case 1: return std::to_string(year) + "/" + std::to_string(random.number(1, 9));
        case 2: return "*/" + std::to_string(random.number(1, 9));
        default: return std::to_string(year);
    }
}

int weekday_of(std::chrono::year_month_day date) {
    return static_cast<int>(std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding());
}

struct DateStars {
    int day_percent;
    int month_percent;
};

std::string date_fields(Random& random, std::chrono::year_month_day aim, DateStars stars) {
    const auto star = [&random] { return std::string(random.percent(85) ? "*" : "?"); };
    const auto days = random.percent(stars.day_percent) ? star() : list_of(random, [&] {
        return day_of_month_item(random, static_cast<int>(static_cast<unsigned>(aim.day())));
    });
    const auto months = random.percent(stars.month_percent) ? std::string("*") : list_of(random, [&] {
        return plain_item(random, kMonths, static_cast<int>(static_cast<unsigned>(aim.month())),
                          [&](int value) { return month_text(random, value); });
    });
    auto weekdays = random.percent(stars.day_percent)
                        ? star()
                        : list_of(random, [&] { return day_of_week_item(random, weekday_of(aim)); });
    if (random.percent(15) && weekdays != "?") weekdays = "+" + weekdays;
    return days + " " + months + " " + weekdays;
}

// One moment of one date: nothing comes after it but, where the clock goes back, itself.
std::string single_moment(Random& random, const CronAim& aim) {
    const auto minutes = std::to_string(aim.minute) + random.pick({"", "-59/20", ",0"});
    return random.pick({"0 ", "30 ", "* "}) + minutes + " " + std::to_string(aim.hour) + " " +
           std::to_string(static_cast<unsigned>(aim.date.day())) + " " +
           std::to_string(static_cast<unsigned>(aim.date.month())) + " ? " +
           std::to_string(static_cast<int>(aim.date.year()));
}

}  // namespace

std::string random_cron(Random& random, const CronAim& aim, CronShape shape) {
    if (random.percent(2))
        return random.pick({"@daily", "@hourly", "@midnight", "@weekly", "@Monthly", "@yearly", "@ANNUALLY"});
    const bool year_can_be_written =
        aim.date.year() >= std::chrono::year{1970} && aim.date.year() <= std::chrono::year{2199};
    if (shape.seconds && shape.years && year_can_be_written && random.percent(15)) return single_moment(random, aim);
    const int hour = random.percent(85) ? aim.hour : random.pick(std::vector<int>{0, 1, 2, 3, 22, 23});
    const bool with_seconds = shape.seconds || random.percent(20);
    const bool with_year = with_seconds && shape.years && random.percent(30);
    std::string text;
    if (with_seconds)
        text =
            (shape.seconds ? number_field(random, kSixty, random.number(0, 59), 15) : random.pick({"0", "00"})) + " ";
    text += number_field(random, kSixty, random.percent(50) ? aim.minute : random.number(0, 59), 12) + " ";
    text += number_field(random, kHours, hour, 20) + " ";
    text += date_fields(random, aim.date, {.day_percent = 75, .month_percent = 85});
    if (with_year) {
        const int year = static_cast<int>(aim.date.year());
        text +=
            " " + (random.percent(30) ? std::string("*") : list_of(random, [&] { return year_item(random, year); }));
    }
    return text;
}

std::string random_dates_cron(Random& random) {
    const auto year = std::chrono::year{random.number(1970, 2199)};
    // The dates that not every month or year has are where "never" is decided.
    const auto month =
        std::chrono::month{static_cast<unsigned>(random.pick(std::vector<int>{2, 2, 2, 4, 6, 9, 11, 12, 1}))};
    const auto day = std::chrono::day{static_cast<unsigned>(random.number(28, 31))};
    const auto aim = year / month / std::min(day, (year / month / std::chrono::last).day());
    const bool with_year = random.percent(50);
    auto text = std::string(with_year ? "0 " : "") + "30 2 " +
                date_fields(random, aim, {.day_percent = 35, .month_percent = 10});
    if (with_year) text += " " + list_of(random, [&] { return year_item(random, static_cast<int>(year)); });
    return text;
}

}  // namespace belfry::test
