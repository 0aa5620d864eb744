// Schedules, their events and their runs as the durable dialect answers them.
#pragma once

#include "api/dialects/durable.hpp"

namespace belfry::api::durable {

// In a list. Pure.
[[nodiscard]] boost::json::object list_item(const store::ScheduleRecord& record);
// On its own: with what it did last and what waits.
[[nodiscard]] Result<boost::json::object> described(engine::Engine& engine, const store::ScheduleRecord& record);

[[nodiscard]] boost::json::object event_item(const std::string& schedule_id, const store::EventRecord& record);

// What a trigger came to.
[[nodiscard]] boost::json::object trigger_outcome(const store::ScheduleRecord& record, const model::Run& run);
// One occurrence of a backfill.
[[nodiscard]] boost::json::object backfill_row(const model::Schedule& schedule, const engine::Backfills::Occurrence& occurrence);

}  // namespace belfry::api::durable
