#include "engine/telemetry/engine_metrics.hpp"

#include "base/text/enum_names.hpp"

#include "decide/run/workflow_run.hpp"
#include "engine/outgoing/connection.hpp"

namespace belfry::engine {

namespace {

constexpr std::array kMarkNames{
    EnumName{RunMark::dispatched, "dispatched"}, EnumName{RunMark::skipped, "skipped"},
    EnumName{RunMark::buffered, "buffered"},     EnumName{RunMark::undispatched, "undispatched"},
    EnumName{RunMark::started, "started"},       EnumName{RunMark::succeeded, "succeeded"},
    EnumName{RunMark::failed, "failed"},         EnumName{RunMark::cancelled, "cancelled"},
    EnumName{RunMark::terminated, "terminated"}, EnumName{RunMark::timed_out, "timed_out"}};

// REQUIRES: an end status.
RunMark mark_of(model::ExecutionStatus end) {
    using enum model::ExecutionStatus;
    switch (end) {
        case succeeded: return RunMark::succeeded;
        case cancelled: return RunMark::cancelled;
        case terminated: return RunMark::terminated;
        case timed_out: return RunMark::timed_out;
        default: return RunMark::failed;
    }
}

}  // namespace

std::string_view name_of(RunMark mark) { return canonical_name<RunMark>(kMarkNames, mark); }

using model::DispatchStatus;
using model::ExecutionStatus;
using model::SkipReason;

void EngineMetrics::decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) {
    auto& tenant = tenants_.of(schedule.tenant);
    const auto target = schedule.target.type;
    for (const auto& run : plan.runs) {
        count(run, target, tenant);
        // Buffered and requested runs are not late, because they had no earlier planned time.
        const bool planned = run.slot.cause == model::RunCause::tick && run.dispatch == DispatchStatus::dispatched;
        if (planned) lateness_.add(std::max(Micros{0}, at - run.fire_at));
    }
    for (const auto& run : plan.releases) count(run, target, tenant);
    for (const auto& end : plan.ends) {
        ended_.add();
        tenant.count(mark_of(end.status), target);
        if (is_failure(end.status)) ended_badly_.add();
        if (is_failure(end.status) && tells_of_hand_over(end.error)) failed_launch_.add();
    }
    for (const auto& note : plan.notes) {
        if (note.event.type == decide::kRedelivered) redelivered_.add();
    }
}

void EngineMetrics::count(const decide::PlannedRun& run, model::TargetType target, Tenant& tenant) {
    const auto occurrences = run.range ? static_cast<std::uint64_t>(run.range->count) : 1;
    switch (run.dispatch) {
        case DispatchStatus::dispatched:
            emitted_.add();
            tenant.count(RunMark::dispatched, target);
            if (run.slot.cause == model::RunCause::backfill) backfilled_.add();
            break;
        case DispatchStatus::buffered:
            buffered_.add();
            tenant.count(RunMark::buffered, target);
            break;
        case DispatchStatus::failed:
            failed_launch_.add();
            tenant.count(RunMark::undispatched, target);
            break;
        case DispatchStatus::skipped:
            if (run.reason) skipped_[static_cast<std::size_t>(*run.reason)].add(occurrences);
            tenant.count(RunMark::skipped, target, occurrences);
            break;
        case DispatchStatus::pending: break;
    }
}

void EngineMetrics::ticked(const TickReport& report) {
    ticks_.add();
    due_.add(report.looked_at);
    decided_.add(report.decided);
    passed_over_.add(report.passed_over);
    tick_time_.add(report.took);
}

// Only a first attempt waits for the planned time. A backfill does not count, because its times are in the past.
void EngineMetrics::claimed(const model::Task& task, Instant at) {
    if (task.attempt > 1) return;
    auto& tenant = tenants_.of(task.tenant);
    tenant.count(RunMark::started, task.target.type);
    if (task.slot.cause != model::RunCause::backfill)
        tenant.start_latency.add(std::max(Micros{0}, at - task.slot.occurrence));
}

void EngineMetrics::reaped(const std::string& /*run_id*/, const std::string& /*worker*/) { reaped_.add(); }
void EngineMetrics::pruned(std::int64_t runs) { pruned_.add(static_cast<std::uint64_t>(runs)); }
void EngineMetrics::removed(std::int64_t schedules) { removed_.add(static_cast<std::uint64_t>(schedules)); }

// Called again with every failed attempt; only the first one adds an entry.
void EngineMetrics::quarantined(const Quarantined& schedule) {
    if (schedule.tries == 1) quarantined_.fetch_add(1);
}
void EngineMetrics::released(const Quarantined& /*schedule*/) { quarantined_.fetch_sub(1); }

void EngineMetrics::failed(std::string_view /*worker*/, const Error& /*error*/, Micros /*wait*/) {
    store_failures_.add();
}
void EngineMetrics::leads(bool leading, std::int64_t term) {
    leading_ = leading;
    term_ = term;
}
void EngineMetrics::shares(std::size_t servers) { servers_ = static_cast<std::int64_t>(servers); }

EngineReading EngineMetrics::read() const {
    EngineReading reading{.ticks = ticks_.value(),
                          .schedules_due = due_.value(),
                          .decided = decided_.value(),
                          .passed_over = passed_over_.value(),
                          .runs_emitted = emitted_.value(),
                          .backfill_runs = backfilled_.value(),
                          .runs_buffered = buffered_.value(),
                          .runs_failed_launch = failed_launch_.value(),
                          .runs_ended = ended_.value(),
                          .runs_ended_badly = ended_badly_.value(),
                          .store_failures = store_failures_.value(),
                          .reaped = reaped_.value(),
                          .redelivered = redelivered_.value(),
                          .pruned = pruned_.value(),
                          .removed = removed_.value(),
                          .quarantined = quarantined_,
                          .leading = leading_,
                          .servers = servers_,
                          .lateness = lateness_.read(),
                          .tick_time = tick_time_.read(),
                          .term = term_};
    tenants_.each([&reading](const std::string& name, const Tenant& tenant) {
        auto& each = reading.tenants[name];
        each.start_latency = tenant.start_latency.read();
        for (std::size_t mark = 0; mark < kMarks; ++mark) {
            for (std::size_t target = 0; target < kTargets; ++target) {
                const auto count = tenant.runs[mark][target].value();
                if (count > 0) each.runs[{static_cast<RunMark>(mark), static_cast<model::TargetType>(target)}] = count;
            }
        }
    });
    for (std::size_t i = 0; i < kReasons; ++i) {
        const auto count = skipped_[i].value();
        if (count == 0) continue;
        const auto reason = static_cast<SkipReason>(i);
        reading.skipped_by_reason[reason] = count;
        reading.runs_skipped += count;
        if (reason == SkipReason::overlap_in_flight || reason == SkipReason::max_concurrency_reached)
            reading.runs_skipped_overlap += count;
    }
    return reading;
}

}  // namespace belfry::engine
