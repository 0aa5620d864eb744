// Audit events: what happened to a schedule and to a run, append-only. Plain data and the registry of payload keys.
//
// The keys of a payload are a wire format: every write is checked against the registry here, and tests pin it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"
#include "base/json.hpp"
#include "model/request_key.hpp"

namespace belfry::model {

enum class EventType : std::uint8_t {
    schedule_created,
    schedule_paused,
    schedule_resumed,
    schedule_updated,
    schedule_triggered,
    schedule_trigger_skipped,
    schedule_trigger_buffered,
    schedule_completed,
    schedule_deleted,
    approval_bypass_attempt,
    schedule_breaker_opened,
    schedule_breaker_closed,

    // What happens in a run (model/run_event.hpp).
    run_started = 64,
    run_succeeded,
    run_failed,
    run_cancelled,
    run_terminated,
    run_timed_out,
    node_ready,
    node_started,
    node_handed_over,
    node_succeeded,
    node_failed,
    node_put_back,
    node_redelivered,
    node_reassigned,
    node_skipped,
    approval_requested,
    approval_decided,
};

// `ScheduleCreated`, `SchedulePaused`, …; in a run `run.started`, `node.failed`, …
[[nodiscard]] std::string_view name_of(EventType type);
[[nodiscard]] Result<EventType> parse_event_type(std::string_view text);

struct PayloadKeys {
    std::span<const std::string_view> required;
    std::span<const std::string_view> optional;
};
[[nodiscard]] PayloadKeys payload_keys(EventType type);
// Of the ScheduleTriggered with which the history of a run begins.
[[nodiscard]] PayloadKeys lineage_keys();

// The error when a payload lacks a required key or has one that the registry does not know.
[[nodiscard]] std::optional<Error> check_payload(EventType type, const Json& payload);

// One entry of a schedule's audit stream. The sequence starts at 1 and has no gaps.
struct Event {
    std::int64_t sequence = 0;
    EventType type = EventType::schedule_created;
    Instant recorded_at = {};
    Json payload = Json(boost::json::object_kind);
    friend bool operator==(const Event&, const Event&) = default;
};

// Who asked for a change and why; kept with the event. Empty parts are left out of the payload. The request key is not part
// of it: whatever is made under the key is written together with it.
struct CommandContext {
    std::string principal = {};
    std::string request_id = {};
    std::string source = {};
    std::string reason = {};
    std::optional<RequestKey> request = {};
    friend bool operator==(const CommandContext&, const CommandContext&) = default;
};
// Null when there is nothing to say.
[[nodiscard]] Json to_json(const CommandContext& context);

}  // namespace belfry::model
