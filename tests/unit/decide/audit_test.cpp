// The audit stream that decisions write: one registry of payload keys, sequences without gaps.
#include "decide/schedule/tick.hpp"
#include "model/run/event.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using enum model::EventType;
using model::EventType;
using test::Life;
using test::Lines;

constexpr std::array kEveryType{schedule_created,          schedule_paused,         schedule_resumed,
                                schedule_updated,          schedule_triggered,      schedule_trigger_skipped,
                                schedule_trigger_buffered, schedule_completed,      schedule_deleted,
                                approval_bypass_attempt,   schedule_breaker_opened, schedule_breaker_closed};

Lines keys(std::span<const std::string_view> from) { return {from.begin(), from.end()}; }

// A key more or less is a change of the wire format: it belongs into the compatibility notes before it belongs here.
TEST(Audit, TheRequiredKeysOfEveryEventArePinned) {
    const std::vector<std::pair<std::string, Lines>> rows{
        {"ScheduleCreated", {"spec", "action", "overlap_policy", "next_fire_at"}},
        {"SchedulePaused", {"reason", "paused_at"}},
        {"ScheduleResumed", {"next_fire_at"}},
        {"ScheduleUpdated", {"changed_fields", "spec", "action", "overlap_policy", "next_fire_at"}},
        {"ScheduleTriggered",
         {"workflow_instance_id", "workflow_run_id", "outcome", "effective_overlap_policy", "trigger_number",
          "occurrence_time"}},
        {"ScheduleTriggerSkipped", {"reason", "skipped_trigger_count", "last_skipped_at"}},
        {"ScheduleTriggerBuffered", {"occurrence_time", "effective_overlap_policy", "buffered_count"}},
        {"ScheduleCompleted", {"reason"}},
        {"ScheduleDeleted", {"reason", "deleted_at"}},
        {"approval_bypass_attempt", {"principal", "run", "node", "how"}},
        {"ScheduleBreakerOpened", {"consecutive_failures", "opened_at"}},
        {"ScheduleBreakerClosed", {"reason"}},
    };
    ASSERT_EQ(rows.size(), kEveryType.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(name_of(kEveryType[i]), rows[i].first);
        EXPECT_EQ(model::parse_event_type(rows[i].first).value(), kEveryType[i]);
        EXPECT_EQ(keys(model::payload_keys(kEveryType[i]).required), rows[i].second) << rows[i].first;
    }
}

TEST(Audit, EveryEventMaySayWhoAskedForIt) {
    for (const auto type : kEveryType) {
        const auto optional = keys(model::payload_keys(type).optional);
        EXPECT_NE(std::ranges::find(optional, "command_context"), optional.end()) << name_of(type);
    }
}

TEST(Audit, TheEventsOfRunsAreInTheSameRegistry) {
    const std::vector<std::pair<std::string, Lines>> rows{
        {"run.started", {}},
        {"run.succeeded", {}},
        {"run.failed", {}},
        {"run.cancelled", {}},
        {"run.terminated", {}},
        {"run.timed_out", {}},
        {"node.ready", {}},
        {"node.started", {"attempt", "worker"}},
        {"node.handed_over", {"attempt"}},
        {"node.succeeded", {"attempt"}},
        {"node.failed", {"attempt", "cause", "error", "retryAt"}},
        {"node.put_back", {"attempt", "reason"}},
        {"node.redelivered", {"attempt", "reason", "redeliveries"}},
        {"node.reassigned", {"assignee"}},
        {"node.skipped", {"because"}},
        {"approval.requested", {"why", "action", "expiresAt"}},
        {"approval.decided", {"outcome", "by", "comment"}},
    };
    for (const auto& [name, required] : rows) {
        const auto type = model::parse_event_type(name);
        ASSERT_TRUE(type) << name;
        EXPECT_EQ(name_of(*type), name);
        EXPECT_EQ(keys(model::payload_keys(*type).required), required) << name;
    }
}

TEST(Audit, APayloadWithAMissingOrAnUnknownKeyIsRefusedByName) {
    const auto refusal = [](const char* payload) {
        const auto error = model::check_payload(schedule_deleted, test::json(payload));
        return error ? error->message : "accepted";
    };
    EXPECT_EQ(refusal(R"({"reason":"r","deleted_at":"d"})"), "accepted");
    EXPECT_EQ(refusal(R"({"reason":"r","deleted_at":"d","command_context":{}})"), "accepted");
    EXPECT_EQ(refusal(R"({"reason":"r"})"), "ScheduleDeleted payload: missing key \"deleted_at\"");
    EXPECT_EQ(refusal(R"({"reason":"r","deleted_at":"d","why":"w"})"), "ScheduleDeleted payload: unknown key \"why\"");
    EXPECT_EQ(refusal("[]"), "ScheduleDeleted payload: not an object");
}

// Every verb and every kind of outcome in one life. Each plan is checked against the registry on its way.
TEST(Audit, AWholeLifeIsNumberedFromOneWithoutGaps) {
    std::vector<std::pair<std::int64_t, std::string>> stream;
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.overlap.policy = model::OverlapPolicy::buffer_one;
        schedule.calendars = {"june-2nd"};
    });
    const auto note = [&] {
        for (const auto& event : life.plan.events) stream.emplace_back(event.sequence, name_of(event.type));
    };
    note();
    life.tick("2026-06-01T10:00:00Z"), note();
    life.tick("2026-06-01T11:00:00Z"), note();
    life.tick("2026-06-01T12:00:00Z"), note();
    life.finish("2026-06-01T12:10:00Z"), note();
    life.trigger("2026-06-01T12:20:00Z"), note();
    life.finish("2026-06-01T12:30:00Z"), note();
    life.backfill("2026-06-01T12:40:00Z", "2026-06-01T09:00:00Z", "2026-06-01T09:00:00Z"), note();
    life.pause("2026-06-01T12:50:00Z"), note();
    life.resume("2026-06-01T23:30:00Z"), note();
    life.tick("2026-06-02T05:30:00Z"), note();
    life.update("2026-06-02T05:40:00Z", [](auto& schedule) { schedule.spec = {.at = {"2026-06-03T00:00:00Z"}}; }),
        note();
    life.tick("2026-06-03T00:00:00Z"), note();
    life.remove("2026-06-03T01:00:00Z"), note();

    const Lines expected{
        "ScheduleCreated",         "ScheduleTriggered",       "ScheduleTriggerBuffered", "ScheduleTriggerSkipped",
        "ScheduleTriggered",       "ScheduleTriggerBuffered", "ScheduleTriggered",       "ScheduleTriggered",
        "SchedulePaused",          "ScheduleResumed",         "ScheduleTriggerSkipped",  "ScheduleUpdated",
        "ScheduleTriggerBuffered", "ScheduleCompleted",       "ScheduleTriggerSkipped",  "ScheduleDeleted"};
    ASSERT_EQ(stream.size(), expected.size());
    for (std::size_t i = 0; i < stream.size(); ++i) {
        EXPECT_EQ(stream[i].first, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(stream[i].second, expected[i]) << "event " << stream[i].first;
    }
}

TEST(Audit, AContextLeavesOutWhatIsBlankAndIsNothingWhenAllOfItIs) {
    EXPECT_EQ(to_json(model::CommandContext{}), Json(nullptr));
    EXPECT_EQ(to_json(model::CommandContext{.principal = "ada", .request_id = "r1", .source = "cli", .reason = "why"}),
              test::json(R"({"principal":"ada","request_id":"r1","source":"cli","reason":"why"})"));
    EXPECT_EQ(to_json(model::CommandContext{.source = "cli"}), test::json(R"({"source":"cli"})"));
}

}  // namespace
}  // namespace belfry::decide
