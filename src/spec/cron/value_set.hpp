// The values of a cron field, and their regular steps. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec/cron/cron_expression.hpp"

namespace belfry::spec {

using Values = std::vector<int>;  // ascending, distinct

// The values of one star or range, in counting order: `22-2` gives 22, 23, 0, 1, 2. Empty for L, W and #.
[[nodiscard]] Values values_of(const CronItem& item, CronUnit unit);

// The values of all stars and ranges of a field. Sunday is 0.
[[nodiscard]] Values values_of(const CronExpression& expression, CronUnit unit);

// The number of values of a unit: 7 for the days of a week.
[[nodiscard]] int count_of(CronUnit unit);
[[nodiscard]] bool is_every(const Values& values, CronUnit unit);

// Consecutive values in equal steps.
struct Stretch {
    int first;
    int last;
    int count;
    friend bool operator==(const Stretch&, const Stretch&) = default;
};

[[nodiscard]] std::vector<Stretch> stretches_of(const Values& values, int step);

// The smallest step between two values, and the stretches with that step; a single value has step 0.
struct Rhythm {
    int step;
    std::vector<Stretch> stretches;
};
[[nodiscard]] Rhythm rhythm_of(const Values& values);

// Joins the last and the first stretch if they are consecutive across the end of the cycle (24 hours, 12 months).
[[nodiscard]] Rhythm joined_around(Rhythm rhythm, int cycle);

// The step if the values are evenly spaced around the whole cycle, otherwise 0.
[[nodiscard]] int even_step(const Values& values, int cycle);

// "a to b" for each stretch of three or more values, otherwise the single values.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Stretch>& stretches,
                                                const std::function<std::string(int)>& text_of);

}  // namespace belfry::spec
