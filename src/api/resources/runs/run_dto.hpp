// Writes runs, tasks, backfills, events and preview rows as JSON, and reads the ends of attempts. Pure.
#pragma once

#include "api/contract/values.hpp"
#include "decide/explain/preview.hpp"
#include "decide/explain/simulate.hpp"
#include "decide/plan.hpp"
#include "decide/run/attempt.hpp"
#include "model/run/task.hpp"
#include "store/store_reader.hpp"

namespace belfry::api {

// REQUIRES: `run` belongs to `schedule`. Approvals of other runs are ignored.
[[nodiscard]] Json to_json(const model::Run& run, const model::Schedule& schedule,
                           std::span<const model::Approval> approvals);
[[nodiscard]] Json to_json(const model::Task& task);
[[nodiscard]] Json to_json(const model::LeaseRef& lease);
[[nodiscard]] Json to_json(const model::NodeRun& node, std::span<const model::Approval> approvals);  // of its run
[[nodiscard]] Json to_json(const model::Approval& approval);
[[nodiscard]] Json to_json(const model::RunEvent& event);
[[nodiscard]] Json to_json(const model::Backfill& backfill);
[[nodiscard]] Json to_json(const store::EventRecord& record);
[[nodiscard]] Json to_json(const decide::PreviewRow& row);
[[nodiscard]] Json to_json(const decide::PlannedRun& run);  // a row of a dry run
[[nodiscard]] Json to_json(const decide::SimulatedRun& run);

// The state of a run as one value, as in `status` and in the filters of lists.
[[nodiscard]] std::string_view name_of(store::RunState state);
[[nodiscard]] Result<store::RunState> parse_run_state(std::string_view text);

// {"items": […], "nextCursor": …}
[[nodiscard]] Json list_json(boost::json::array items, const std::string& next);

// Returns the error message of an attempt, cut to the length that the store keeps.
[[nodiscard]] std::string cut_error(const std::optional<std::string>& error);
// REQUIRES: the values have the members of attempt_end_members().
[[nodiscard]] decide::AttemptEnd read_attempt_end(const Values& values);

}  // namespace belfry::api
