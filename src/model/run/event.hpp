// Audit events: the append-only history of a schedule and of its runs. Plain data and the registry of payload keys.
//
// The payload keys are a wire format. The store validates every write against this registry, and tests pin it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"
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

    // Events of a run (model/run/run_event.hpp).
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

// `ScheduleCreated`, `SchedulePaused`, …; for runs `run.started`, `node.failed`, …
[[nodiscard]] std::string_view name_of(EventType type);
[[nodiscard]] Result<EventType> parse_event_type(std::string_view text);
// Whether a number that was read from somewhere is a type. REQUIRED of every other argument of name_of.
[[nodiscard]] bool is_event_type(EventType type);

struct PayloadKeys {
    std::span<const std::string_view> required;
    std::span<const std::string_view> optional;
};
[[nodiscard]] PayloadKeys payload_keys(EventType type);

// Returns an error if the payload lacks a required key or has an unknown one.
[[nodiscard]] std::optional<Error> check_payload(EventType type, const Json& payload);

// One entry of a schedule's audit stream. The sequence starts at 1 and has no gaps.
struct Event {
    std::int64_t sequence = 0;
    EventType type = EventType::schedule_created;
    Instant recorded_at = {};
    Json payload = Json(boost::json::object_kind);
    friend bool operator==(const Event&, const Event&) = default;
};

// Who requested a change and why; stored with the event. The payload omits empty parts. The request key is not part
// of the payload: the store writes it together with the result of the request.
struct CommandContext {
    std::string principal = {};
    std::string request_id = {};
    std::string source = {};
    std::string reason = {};
    std::optional<RequestKey> request = {};
    bool may_loosen = false;  // the principal has `approve`, so it may write policies that need fewer approvals
    friend bool operator==(const CommandContext&, const CommandContext&) = default;
};
// Null if the context is empty.
[[nodiscard]] Json to_json(const CommandContext& context);

}  // namespace belfry::model
