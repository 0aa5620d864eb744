// Writes audit events of schedules, and events of runs, in the words of the durable dialect. Pure.
#pragma once

#include "api/dialects/durable/durable.hpp"
#include "model/run/run_event.hpp"

namespace belfry::api::durable {

// An event of a schedule. The id of the schedule is a part of the event's id.
[[nodiscard]] boost::json::object event_item(const std::string& schedule_id, const store::EventRecord& record);

// An event of a run. The last one has the output or the error of the run.
[[nodiscard]] boost::json::object run_event_item(const model::RunEvent& event, const model::Run& run);

// A member of a payload, or null. REQUIRES: the payload is an object.
[[nodiscard]] Json member_or_null(const Json& payload, std::string_view name);

// A stored payload as it is shown: an envelope {"codec", "blob"} is decoded if its codec is JSON, and stays as it is
// otherwise.
[[nodiscard]] bool is_envelope(const Json& json);
[[nodiscard]] Json shown_payload(const Json& json);

}  // namespace belfry::api::durable
