// Runs, tasks, backfills, events and preview rows as the API answers them, and the ends of attempts as it reads them. Pure.
#pragma once

#include "api/values.hpp"
#include "decide/attempt.hpp"
#include "decide/plan.hpp"
#include "decide/preview.hpp"
#include "decide/simulate.hpp"
#include "model/task.hpp"
#include "store/store.hpp"

namespace belfry::api {

// REQUIRES: it is a run of that schedule. Of the approvals, those of other runs are not looked at.
[[nodiscard]] Json to_json(const model::Run& run, const model::Schedule& schedule, std::span<const model::Approval> approvals);
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

// The state of a run on one axis, as `status` shows it and as lists are asked for it.
[[nodiscard]] std::string_view name_of(store::RunState state);
[[nodiscard]] Result<store::RunState> parse_run_state(std::string_view text);

// {"items": […], "nextCursor": …}
[[nodiscard]] Json list_json(boost::json::array items, const std::string& next);

// REQUIRES: they have the members of attempt_end_members().
[[nodiscard]] decide::AttemptEnd read_attempt_end(const Values& values);

}  // namespace belfry::api
