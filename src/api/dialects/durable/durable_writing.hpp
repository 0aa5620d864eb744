// Writes schedules, their events and their runs in the format of the durable dialect.
#pragma once

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

// An item of a list. Pure.
[[nodiscard]] boost::json::object list_item(const store::ScheduleRecord& record);
// A complete description, with recent and buffered actions.
[[nodiscard]] Result<boost::json::object> described(store::StoreReader& reader, const store::ScheduleRecord& record);

// The response to a change: the outcome, and what the change may have moved.
[[nodiscard]] boost::json::object outcome_json(const store::ScheduleRecord& record, const char* outcome);
[[nodiscard]] boost::json::object resumed_json(store::StoreReader& reader, const store::ScheduleRecord& record);

[[nodiscard]] Json spec_json(const spec::SpecText& spec);

// The outcome of a trigger.
[[nodiscard]] boost::json::object trigger_outcome(const store::ScheduleRecord& record, const model::Run& run);
// One occurrence of a backfill.
[[nodiscard]] boost::json::object backfill_row(const model::Schedule& schedule,
                                               const engine::Backfills::Occurrence& occurrence);

}  // namespace belfry::api::durable
