#include "spec/explain/explain.hpp"

#include "spec/explain/english.hpp"
#include "spec/explain/explain_clock.hpp"
#include "spec/explain/explain_days.hpp"

namespace belfry::spec {

namespace {

std::string sentence(const DayWords& days, const ClockWords& clock) {
    using Kind = ClockWords::Kind;
    if (clock.kind == Kind::times) {
        return (days.every_day ? "At " + clock.text + " every day" : days.lead + " at " + clock.text) + days.season;
    }
    const std::string every_day = clock.kind == Kind::part_of_day ? " every day" : "";
    return clock.text + (days.every_day ? every_day : " " + days.tail) + days.season;
}

}  // namespace

std::string explain(const CronExpression& expression, ExplainOptions options) {
    // An interval is the same in every zone, so the sentence names none.
    if (expression.every) return interval_words(Interval(*expression.every, Seconds{0}), options.clock);
    const auto days = day_words(expression);
    const bool all_dates = days.every_day && days.season.empty();
    const auto clock =
        clock_words(expression, options.clock, all_dates ? Midnight::may_be_crossed : Midnight::ends_the_day);
    const auto zone = expression.zone && options.with_zone ? ", in " + *expression.zone : "";
    return sentence(days, clock) + zone;
}

}  // namespace belfry::spec
