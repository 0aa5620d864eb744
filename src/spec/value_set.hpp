// The values that a cron field stands for, and the rhythm in them. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec/cron_expression.hpp"

namespace belfry::spec {

using Values = std::vector<int>;  // ascending, distinct

// What one star or range stands for, in the order in which it counts: `22-2` gives 22, 23, 0, 1, 2. Nothing for L, W and #.
[[nodiscard]] Values values_of(const CronItem& item, CronUnit unit);

// All of a field's stars and ranges. Sunday is 0.
[[nodiscard]] Values values_of(const CronExpression& expression, CronUnit unit);

// How many values a unit has: 7 for the days of a week.
[[nodiscard]] int count_of(CronUnit unit);
[[nodiscard]] bool is_every(const Values& values, CronUnit unit);

// Values that follow each other in equal steps.
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

// Makes one stretch of the last and the first where the cycle (24 hours, 12 months) goes on from one to the other.
[[nodiscard]] Rhythm joined_around(Rhythm rhythm, int cycle);

// The step when the values are equally far apart all around the cycle, else 0.
[[nodiscard]] int even_step(const Values& values, int cycle);

// "a to b" for each stretch of three or more, else its values one by one.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Stretch>& stretches, const std::function<std::string(int)>& text_of);

}  // namespace belfry::spec
