// The dates of a cron expression in words: both day fields, months and years. Pure.
#pragma once

#include <string>

#include "spec/cron/cron_expression.hpp"

namespace belfry::spec {

struct DayWords {
    bool every_day = false;   // no day field restricts the dates; then lead and tail are empty
    std::string lead = {};    // "Every weekday": starts a sentence, before "at 9:00 AM"
    std::string tail = {};    // "on weekdays": follows "Every 15 minutes"
    std::string season = {};  // " in January and July, from 2027 to 2030": at the end; empty, or starts with a blank
};

// REQUIRES: not an `@every` expression.
[[nodiscard]] DayWords day_words(const CronExpression& expression);

}  // namespace belfry::spec
