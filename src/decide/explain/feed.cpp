#include "decide/explain/feed.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"
#include "decide/run/workflow_run.hpp"
#include "model/schedule/cause.hpp"

namespace belfry::decide {

using boost::json::object;
using model::DispatchStatus;
using model::EventType;
using model::ExecutionStatus;
using model::FeedItem;

namespace {

// The audit events of a schedule. Some come before the plan's runs, some after: the last run ends a schedule, and a
// resumption lets runs start.
struct ScheduleItem {
    EventType event;
    std::string_view type;
    bool after_runs;
};
constexpr std::array kScheduleItems{
    ScheduleItem{EventType::schedule_created, "schedule.created", false},
    ScheduleItem{EventType::schedule_updated, "schedule.updated", false},
    ScheduleItem{EventType::schedule_paused, "schedule.paused", false},
    ScheduleItem{EventType::schedule_resumed, "schedule.resumed", false},
    ScheduleItem{EventType::schedule_completed, "schedule.completed", true},
    ScheduleItem{EventType::schedule_deleted, "schedule.deleted", true},
    ScheduleItem{EventType::schedule_breaker_opened, "schedule.breaker_opened", true},
    ScheduleItem{EventType::schedule_breaker_closed, "schedule.breaker_closed", true},
};

object range_json(const SkippedRange& range) {
    return {{"last", format_instant(range.last)}, {"count", range.count}, {"atLeast", range.at_least}};
}

class FeedWriter {
public:
    FeedWriter(const Plan& plan, const model::Schedule& schedule) : plan_(plan), schedule_(schedule) {}

    [[nodiscard]] std::vector<FeedItem> write() {
        schedule_items(false);
        for (const auto& verdict : plan_.verdicts) approval("approval.decided", verdict);
        for (const auto& note : plan_.notes) tried_again(note);
        for (const auto& end : plan_.ends) ended(end);
        for (const auto& start : plan_.starts) {
            if (const auto key = model::parse_run_id(start.run_id))
                add_run("run.dispatched", start.run_id, model::slot_from_number(key->slot), "queued");
        }
        for (const auto& run : plan_.releases) decided(run);
        for (const auto& run : plan_.runs) decided(run);
        for (const auto& asked : plan_.asks) approval("approval.requested", asked);
        schedule_items(true);
        return std::move(items_);
    }

    // Returns the item's body, for more members.
    object& add_run(std::string type, const std::string& run_id, const model::RunSlot& slot, std::string_view status) {
        auto& body = add(std::move(type), run_id);
        body["runId"] = run_id;
        body["scheduledAt"] = format_instant(slot.occurrence);
        body["cause"] = cause_name(slot, schedule_);
        body["status"] = status;
        return body;
    }

    static void add_error(object& body, const std::string& error) {
        if (!error.empty()) body["error"] = whole_characters(error, kFeedErrorBytesMax);
    }

    [[nodiscard]] FeedItem take_last() { return std::move(items_.back()); }

private:
    object& add(std::string type, std::string run_id = {}) {
        assert(std::ranges::count(feed_types(), type) == 1);
        auto& item = items_.emplace_back();
        item.type = std::move(type);
        item.at = plan_.decided_at;
        item.schedule_id = schedule_.id;
        item.run_id = std::move(run_id);
        auto& body = item.body.emplace_object();
        body["tenant"] = schedule_.tenant;
        body["scheduleId"] = schedule_.id;
        body["scheduleName"] = schedule_.name;
        return body;
    }

    void schedule_items(bool after_runs) {
        for (const auto& event : plan_.events) {
            for (const auto& item : kScheduleItems) {
                if (item.event == event.type && item.after_runs == after_runs)
                    schedule_item(std::string(item.type), event);
            }
        }
    }

    void schedule_item(std::string type, const model::Event& event) {
        auto& body = add(std::move(type));
        body["status"] = name_of(plan_.state.status);
        body["version"] = schedule_.version;
        const auto& state = plan_.state;
        if (state.next_occurrence && state.next_fire) body["nextFireAt"] = format_instant(*state.next_fire);
        if (state.paused_until) body["pausedUntil"] = format_instant(*state.paused_until);
        const auto& payload = event.payload.get_object();
        if (const auto* const reason = payload.if_contains("reason"); reason != nullptr && *reason != "")
            body["reason"] = *reason;
        if (const auto* const fields = payload.if_contains("changed_fields")) body["changedFields"] = *fields;
        if (const auto* const failures = payload.if_contains("consecutive_failures"))
            body["consecutiveFailures"] = *failures;
        if (const auto* const context = payload.if_contains("command_context")) {
            if (const auto* const by = context->as_object().if_contains("principal")) body["by"] = *by;
        }
    }

    void decided(const PlannedRun& run) {
        if (run.dispatch == DispatchStatus::skipped) {
            auto& body = add_run("run.skipped", run.id, run.slot, "skipped");
            if (run.reason) body["reason"] = name_of(*run.reason);
            if (!run.detail.empty()) body["detail"] = run.detail;
            if (run.range) body["range"] = range_json(*run.range);
            return;
        }
        if (run.dispatch == DispatchStatus::buffered) {
            add_run("run.buffered", run.id, run.slot, "buffered");
            return;
        }
        const bool waits = run.execution == ExecutionStatus::awaiting_approval;
        auto& body = add_run(waits ? "run.awaiting_approval" : "run.dispatched", run.id, run.slot,
                             waits ? "awaiting_approval" : "queued");
        body["triggerNumber"] = run.trigger_number;
        // A newer run of the same plan has already replaced it.
        if (is_terminal(run.execution)) add_run(end_type(run.execution), run.id, run.slot, name_of(run.execution));
    }

    // A task whose worker was lost, or a run's only task whose attempt failed and is retried.
    void tried_again(const RunNote& note) {
        const auto key = model::parse_run_id(note.run_id);
        const auto* const payload = note.event.payload.if_object();
        if (!key || payload == nullptr) return;
        const auto* const retry = payload->if_contains("retryAt");
        const bool retried =
            note.event.type == "node.failed" && note.event.node.empty() && retry != nullptr && retry->is_string();
        const bool redelivered = note.event.type == kRedelivered;
        if (!retried && !redelivered) return;
        auto& body = add_run(redelivered ? "run.redelivered" : "run.retrying", note.run_id,
                             model::slot_from_number(key->slot), note.event.node.empty() ? "queued" : "running");
        if (!note.event.node.empty()) body["node"] = note.event.node;
        body["attempt"] = payload->at("attempt");
        if (retried) body["retryAt"] = *retry;
        if (redelivered) body["redeliveries"] = payload->at("redeliveries");
        if (const auto* const error = payload->if_contains(redelivered ? "reason" : "error"))
            add_error(body, std::string(error->get_string()));
    }

    void ended(const RunEnd& end) {
        const auto key = model::parse_run_id(end.run_id);
        if (!key) return;
        auto& body = add_run(end_type(end.status), end.run_id, model::slot_from_number(key->slot), name_of(end.status));
        add_error(body, end.error);
        if (end.result.is_null()) return;
        if (to_text(end.result).size() > kFeedResultBytesMax) {
            body["resultOmitted"] = true;
        } else {
            body["result"] = end.result;
        }
    }

    void approval(const char* type, const model::Approval& approval) {
        const auto key = model::parse_run_id(approval.run_id);
        if (!key) return;
        auto& body = add_run(type, approval.run_id, model::slot_from_number(key->slot), name_of(approval.status));
        if (!approval.node.empty()) body["node"] = approval.node;
        if (!approval.action.empty()) body["action"] = approval.action;
        body["why"] = name_of(approval.why);
        body["expiresAt"] = format_instant(approval.expires_at);
        if (!approval.decided_at) return;
        if (!approval.decided_by.empty()) body["by"] = approval.decided_by;
        if (!approval.comment.empty()) body["comment"] = whole_characters(approval.comment, kFeedErrorBytesMax);
    }

    static std::string end_type(ExecutionStatus status) { return "run." + std::string(name_of(status)); }

    const Plan& plan_;
    const model::Schedule& schedule_;
    std::vector<FeedItem> items_ = {};
};

}  // namespace

const std::vector<std::string>& feed_types() {
    static const auto all = [] {
        std::vector<std::string> types;
        for (const auto& item : kScheduleItems) types.emplace_back(item.type);
        for (const auto* const type :
             {"run.dispatched", "run.awaiting_approval", "run.skipped", "run.buffered", "run.retrying",
              "run.redelivered", "run.succeeded", "run.failed", "run.cancelled", "run.terminated", "run.timed_out",
              "approval.requested", "approval.decided"}) {
            types.emplace_back(type);
        }
        return types;
    }();
    return all;
}

std::optional<Error> check_feed_type(std::string_view type) {
    auto known = feed_types();
    for (const auto* const family : {"schedule.*", "run.*", "approval.*"}) known.emplace_back(family);
    if (std::ranges::find(known, type) != known.end()) return std::nullopt;
    const auto meant = nearest(type, known);
    if (meant) return invalid("there is no event " + in_quotes(type) + "; did you mean " + in_quotes(*meant) + "?");
    std::string all;
    for (const auto& each : known) all += (all.empty() ? "" : ", ") + each;
    return invalid("there is no event " + in_quotes(type) + "; there are " + all);
}

std::vector<FeedItem> feed_items(const Plan& plan, const model::Schedule& schedule) {
    return FeedWriter(plan, schedule).write();
}

FeedItem retrying_item(const model::Run& run, const model::Schedule& schedule, const AttemptEnd& end,
                       const Retry& retry, Instant now) {
    Plan nothing;
    nothing.decided_at = now;
    FeedWriter writer(nothing, schedule);
    auto& body = writer.add_run("run.retrying", run.id, run.slot, "queued");
    body["attempt"] = run.attempts;
    body["retryAt"] = format_instant(retry.ready_at);
    FeedWriter::add_error(body, end.error);
    return writer.take_last();
}

}  // namespace belfry::decide
