#include "decide/explain/forecast_warnings.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::decide {

namespace {

using Sentences = std::vector<std::string>;

void warn_of_expressions(const spec::SpecText& text, Sentences& sentences) {
    for (const auto& cron : text.cron) {
        const auto expression = spec::parse_cron(cron);
        if (!expression) continue;
        for (const auto& warning : spec::warnings(*expression)) sentences.push_back(in_quotes(cron) + ": " + warning);
    }
}

void warn_of_calendars(const CompiledSchedule& schedule, std::span<const PreviewRow> rows, Sentences& sentences) {
    if (!schedule.missing_calendar.empty()) {
        sentences.push_back("there is no calendar " + in_quotes(schedule.missing_calendar) +
                            ": every occurrence is skipped until it exists");
    }
    if (rows.empty()) return;
    for (const auto& calendar : schedule.calendars) {
        const auto last = calendar.last_date();
        if (!last) {
            sentences.push_back("the calendar " + in_quotes(calendar.name()) + " has no dates");
            continue;
        }
        const auto shown = std::chrono::floor<std::chrono::days>(calendar.zone().to_local(rows.back().occurrence));
        if (shown <= std::chrono::local_days{*last}) continue;
        const auto* const effect = calendar.kind() == spec::CalendarKind::only_dates ? ": nothing fires after it; "
                                                                                     : ": it blocks no later date; ";
        sentences.push_back("the calendar " + in_quotes(calendar.name()) + " has no date after " + format_date(*last) +
                            effect + "add later dates, to a clone if it is built in");
    }
}

void warn_of_clocks(const spec::Spec& spec, std::span<const PreviewRow> rows, Sentences& sentences) {
    std::size_t touched = 0;
    for (const auto& row : rows) {
        if (!row.dst || ++touched > kDstWarningsMax) continue;
        sentences.push_back(spec::describe(*row.dst, row.occurrence, spec.zone_of(row.occurrence)));
    }
    if (touched > kDstWarningsMax)
        sentences.push_back("clock changes affect " + std::to_string(touched) + " rows in all");
}

}  // namespace

std::vector<std::string> forecast_warnings(const Facts& facts, std::span<const PreviewRow> rows) {
    const auto& schedule = *facts.schedule;
    Sentences sentences;
    const auto status = facts.state.status;
    if (status != model::ScheduleStatus::active)
        sentences.push_back("the schedule is " + std::string(name_of(status)) + ": it does not fire");
    warn_of_expressions(schedule.definition.spec, sentences);
    warn_of_calendars(schedule, rows, sentences);
    if (!schedule.broken_condition.empty())
        sentences.push_back("preDispatchCondition cannot be judged: " + schedule.broken_condition);
    warn_of_clocks(schedule.spec, rows, sentences);
    const auto skipped = std::ranges::count(rows, model::DispatchStatus::skipped, &PreviewRow::decision);
    if (rows.empty()) {
        sentences.emplace_back("there is no occurrence in this window");
    } else if (skipped == std::ssize(rows)) {
        sentences.emplace_back("every occurrence in this window would be skipped");
    }
    return sentences;
}

}  // namespace belfry::decide
