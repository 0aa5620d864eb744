// The months and years of a cron expression in words. Pure.
//
// Every text is empty or starts with a blank, so that it can follow any other text.
#pragma once

#include <string>

#include "spec/cron/value_set.hpp"

namespace belfry::spec {

class Season {
public:
    // REQUIRES: not an `@every` expression.
    explicit Season(const CronExpression& expression);

    [[nodiscard]] const Values& months() const { return months_; }
    [[nodiscard]] bool every_month() const { return is_every(months_, CronUnit::month); }
    [[nodiscard]] bool every_year() const { return every_year_; }

    // The highest day that any month of the season can have.
    [[nodiscard]] int longest_month() const;

    // REQUIRES: some month has the day.
    void drop_months_without(int day);

    // Whether each of the months has the day in every year.
    [[nodiscard]] bool every_month_has(int day) const;

    [[nodiscard]] std::string of_months() const;            // " of every month", " of January and July"
    [[nodiscard]] std::string in_years() const;             // " in 2027", " from 2027 to 2030"
    [[nodiscard]] std::string in_months_and_years() const;  // " in January and July, in 2027"

private:
    [[nodiscard]] int days_in(int month) const;  // in the longest year

    Values months_;
    Values years_;
    bool every_year_;
};

}  // namespace belfry::spec
