// Random cron expressions, biased to the shapes and hours at which schedulers go wrong.
#pragma once

#include <chrono>
#include <string>

#include "support/worlds/seed.hpp"

namespace belfry::test {

// A local time that the expression should often come near to.
struct CronAim {
    std::chrono::year_month_day date;
    int hour;
    int minute;
};

// How the expression may look.
struct CronShape {
    bool seconds = false;  // the seconds field may be anything; else it is 0 when it is written
    bool years = true;     // a year field may be written
};

// Always follows the grammar; it may be one that never matches.
[[nodiscard]] std::string random_cron(Random& random, const CronAim& aim, CronShape shape = {});

// The fields day-of-month, month and day-of-week, and often a year: every feature of them, and many that never match.
[[nodiscard]] std::string random_dates_cron(Random& random);

}  // namespace belfry::test
