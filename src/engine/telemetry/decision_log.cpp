#include "engine/telemetry/decision_log.hpp"

#include <boost/json/object.hpp>

#include "model/schedule/cause.hpp"

namespace belfry::engine {

namespace {

using model::DispatchStatus;
using model::ExecutionStatus;

std::int64_t milliseconds(Micros duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::string_view message_of(DispatchStatus status) {
    switch (status) {
        case DispatchStatus::dispatched: return "Executing scheduled run";
        case DispatchStatus::skipped: return "Skipping scheduled run";
        case DispatchStatus::buffered: return "Buffering scheduled run";
        case DispatchStatus::failed: return "Scheduled run could not be dispatched";
        case DispatchStatus::pending: break;
    }
    return "Scheduled run is pending";
}

// The rows of the plan already have what these events say.
bool is_about_a_run(model::EventType type) {
    using enum model::EventType;
    return type == schedule_triggered || type == schedule_trigger_skipped || type == schedule_trigger_buffered;
}

bool went_wrong(ExecutionStatus status) {
    return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out;
}

}  // namespace

// The caller, from the audit: the same in every event of a plan. A log line omits empty parts.
struct DecisionLog::Asked {
    std::string_view principal = {};
    std::string_view request_id = {};
    std::string_view source = {};
    std::string_view why = {};

    explicit Asked(const model::Event& event);
    Asked() = default;
};

DecisionLog::Asked::Asked(const model::Event& event) {
    const auto* const payload = event.payload.if_object();
    const auto* const found = payload == nullptr ? nullptr : payload->if_contains("command_context");
    const auto* const context = found == nullptr ? nullptr : found->if_object();
    if (context == nullptr) return;
    const auto text = [context](const char* name) {
        const auto* const value = context->if_contains(name);
        return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
    };
    principal = text("principal");
    request_id = text("request_id");
    source = text("source");
    why = text("reason");
}

void DecisionLog::decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) {
    if (!log_.writes(LogLevel::warn)) return;
    for (const auto& end : plan.ends) ended_run(schedule, end);
    if (!log_.writes(LogLevel::info)) return;
    const auto asked = plan.events.empty() ? Asked() : Asked(plan.events.front());
    for (const auto& run : plan.runs) decided_run(schedule, run, asked, at);
    for (const auto& run : plan.releases) decided_run(schedule, run, asked, at);
    for (const auto& event : plan.events) {
        if (!is_about_a_run(event.type)) changed(schedule, event);
    }
}

void DecisionLog::decided_run(const model::Schedule& schedule, const decide::PlannedRun& run, const Asked& asked,
                              Instant at) {
    const auto reason = run.reason ? name_of(*run.reason) : std::string_view();
    const auto occurrence = format_instant(run.slot.occurrence);
    const auto last = run.range ? format_instant(run.range->last) : std::string();
    const auto count = run.range ? std::to_string(run.range->count) : std::string();
    log_.info(message_of(run.dispatch), {{"schedule_id", schedule.id},
                                         {"schedule_name", schedule.name},
                                         {"tenant_id", schedule.tenant},
                                         {"target_type", name_of(schedule.target.type)},
                                         {"run_id", run.id},
                                         {"cause", model::cause_name(run.slot, schedule)},
                                         {"occurrence", occurrence},
                                         {"decision", name_of(run.dispatch)},
                                         {"reason", reason},
                                         {"detail", run.detail},
                                         {"last_occurrence", last},
                                         {"occurrences", count},
                                         {"principal", asked.principal},
                                         {"request_id", asked.request_id},
                                         {"lag_ms", milliseconds(at - run.fire_at)}});
}

void DecisionLog::ended_run(const model::Schedule& schedule, const decide::RunEnd& end) {
    log_.write(went_wrong(end.status) ? LogLevel::warn : LogLevel::info, "Run ended",
               {{"schedule_id", schedule.id},
                {"schedule_name", schedule.name},
                {"tenant_id", schedule.tenant},
                {"run_id", end.run_id},
                {"status", name_of(end.status)},
                {"error", end.error}});
}

void DecisionLog::changed(const model::Schedule& schedule, const model::Event& event) {
    const Asked asked(event);
    log_.info("Schedule changed", {{"schedule_id", schedule.id},
                                   {"schedule_name", schedule.name},
                                   {"tenant_id", schedule.tenant},
                                   {"event", name_of(event.type)},
                                   {"principal", asked.principal},
                                   {"request_id", asked.request_id},
                                   {"source", asked.source},
                                   {"why", asked.why}});
}

void DecisionLog::ticked(const TickReport& report) {
    log_.debug("Ticked", {{"looked_at", report.looked_at},
                          {"decided", report.decided},
                          {"passed_over", report.passed_over},
                          {"took_ms", milliseconds(report.took)}});
}

void DecisionLog::backfilled(const std::string& tenant, const model::Backfill& backfill) {
    log_.write(backfill.status == model::BackfillStatus::failed ? LogLevel::warn : LogLevel::info,
               "Backfill progressed",
               {{"backfill_id", backfill.id},
                {"schedule_id", backfill.schedule_id},
                {"tenant_id", tenant},
                {"status", name_of(backfill.status)},
                {"principal", backfill.created_by},
                {"dispatched", backfill.dispatched},
                {"skipped", backfill.skipped},
                {"error", backfill.error}});
}

void DecisionLog::reaped(const std::string& run_id, const std::string& worker) {
    log_.warn("A worker's lease ran out", {{"run_id", run_id}, {"worker", worker}});
}

void DecisionLog::pruned(std::int64_t runs) { log_.info("Removed old runs", {{"runs", runs}}); }

void DecisionLog::removed(std::int64_t schedules) { log_.info("Removed ended schedules", {{"schedules", schedules}}); }

// Without the URL, because it may contain a secret.
void DecisionLog::delivered(const std::string& tenant, const model::Delivery& delivery) {
    const bool over = delivery.status == model::DeliveryStatus::failed;
    const bool arrived = delivery.status == model::DeliveryStatus::delivered;
    log_.write(over ? LogLevel::warn : (arrived ? LogLevel::debug : LogLevel::info),
               over ? "Webhook delivery failed for good"
                    : (arrived ? "Webhook delivered" : "Webhook delivery failed and will be retried"),
               {{"webhook_id", delivery.webhook_id},
                {"tenant_id", tenant},
                {"position", delivery.item.position},
                {"type", delivery.item.type},
                {"attempts", delivery.attempts},
                {"http_status", delivery.last_http_status.value_or(0)},
                {"next_try", delivery.next_try ? format_instant(*delivery.next_try) : std::string()},
                {"error", delivery.last_error}});
}

void DecisionLog::quarantined(const Quarantined& schedule) {
    if (!log_.writes(LogLevel::error)) return;
    if (!schedule.subject.empty()) {
        log_.error("Work cannot be done", {{"worker", schedule.worker},
                                           {"subject", schedule.subject},
                                           {"schedule_key", schedule.key},
                                           {"error", schedule.error.message},
                                           {"tries", schedule.tries},
                                           {"next_try", format_instant(schedule.next_try)}});
        return;
    }
    log_.error("Schedule cannot be decided", {{"schedule_id", schedule.schedule_id},
                                              {"schedule_key", schedule.key},
                                              {"error", schedule.error.message},
                                              {"tries", schedule.tries},
                                              {"since", format_instant(schedule.since)},
                                              {"next_try", format_instant(schedule.next_try)}});
}

void DecisionLog::released(const Quarantined& schedule) {
    if (!schedule.subject.empty()) {
        log_.info("Work can be done again, or no longer exists",
                  {{"worker", schedule.worker}, {"subject", schedule.subject}, {"tries", schedule.tries}});
        return;
    }
    log_.info("Schedule can be decided again",
              {{"schedule_id", schedule.schedule_id}, {"schedule_key", schedule.key}, {"tries", schedule.tries}});
}

// A long outage is one line for each job; repeats of the same error are for the debug level.
void DecisionLog::failed(std::string_view worker, const Error& error, Micros wait) {
    bool again = false;
    {
        const MutexLock lock(mutex_);
        auto& told = told_[std::string(worker)];
        again = told == error.message;
        told = error.message;
    }
    log_.write(again ? LogLevel::debug : LogLevel::warn, "Background job failed and will retry",
               {{"worker", worker}, {"error", error.message}, {"wait_ms", milliseconds(wait)}});
}

void DecisionLog::recovered(std::string_view worker) {
    {
        const MutexLock lock(mutex_);
        if (const auto found = told_.find(worker); found != told_.end()) told_.erase(found);
    }
    log_.info("Background job recovered", {{"worker", worker}});
}

void DecisionLog::leads(bool leading, std::int64_t term) {
    log_.info(leading ? "This server leads" : "This server no longer leads", {{"term", term}});
}

void DecisionLog::clock(const ClockState& state) {
    const auto seconds = [](Micros by) { return std::chrono::duration_cast<Seconds>(by).count(); };
    const auto& steps = state.steps;
    if (steps.pending) {
        log_.warn("The store's clock has stepped; the server keeps the old time until the new one is confirmed",
                  {{"by_s", seconds(*steps.pending)}});
    } else if (state.decided_until) {
        log_.warn("The store holds decisions of a later time: its clock was put back",
                  {{"by_s", seconds(steps.last ? steps.last->by : Micros{0})},
                   {"decided_until", format_instant(*state.decided_until)}});
    } else {
        log_.warn("The store's clock is trusted", {{"by_s", seconds(steps.last ? steps.last->by : Micros{0})},
                                                   {"forward", static_cast<std::int64_t>(steps.forward)},
                                                   {"back", static_cast<std::int64_t>(steps.back)},
                                                   {"withdrawn", static_cast<std::int64_t>(steps.withdrawn)}});
    }
}

void DecisionLog::shares(std::size_t servers) { log_.info("Cluster membership changed", {{"servers", servers}}); }

}  // namespace belfry::engine
