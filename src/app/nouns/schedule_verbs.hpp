// The functions of the verbs of `belfry schedule` that are more than one request, and what they share.
#pragma once

#include "app/client/session.hpp"

namespace belfry::app {

// The flags for every member of a schedule.
[[nodiscard]] const std::vector<Flag>& definition_flags();

[[nodiscard]] Result<ExitCode> create_schedule(Session& session);
[[nodiscard]] Result<ExitCode> update_schedule(Session& session);
[[nodiscard]] Result<ExitCode> describe_schedule(Session& session);
[[nodiscard]] Result<ExitCode> list_schedules(Session& session);
[[nodiscard]] Result<ExitCode> pause_schedules(Session& session);
[[nodiscard]] Result<ExitCode> resume_schedules(Session& session);
[[nodiscard]] Result<ExitCode> delete_schedules(Session& session);
[[nodiscard]] Result<ExitCode> trigger_schedules(Session& session);
[[nodiscard]] Result<ExitCode> preview_schedule(Session& session);
[[nodiscard]] Result<ExitCode> simulate_schedule(Session& session);
[[nodiscard]] Result<ExitCode> explain_occurrence(Session& session);
[[nodiscard]] Result<ExitCode> show_history(Session& session);
[[nodiscard]] Result<ExitCode> check_health(Session& session);
[[nodiscard]] Result<ExitCode> draw_load(Session& session);
[[nodiscard]] Result<ExitCode> set_condition(Session& session);
[[nodiscard]] Result<ExitCode> set_rotation(Session& session);

// Rows of a forecast: local time, distance, and what a clock change or a calendar does to it.
void print_forecast(const Session& session, const Json& forecast);

// The zone of a schedule.
[[nodiscard]] spec::ZonePtr zone_of_schedule(const Session& session, const Json& schedule);
// `every 6h`, `0 2 * * *`: the times of a schedule in a few words.
[[nodiscard]] std::string timing_text(const Json& schedule);
// `POST https://…`, `workflow invoice-sync`, `task mail in queue slow`.
[[nodiscard]] std::string target_text(const Json& schedule);

// Columns of runs, for `schedule runs` and `run list`.
[[nodiscard]] const Columns& run_columns();
// Filters of lists of runs.
[[nodiscard]] const std::vector<Flag>& run_filter_flags();

}  // namespace belfry::app
