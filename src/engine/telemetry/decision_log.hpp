// Logs every decision with its reason, and all events of the engine itself. Thread-safe.
#pragma once

#include <map>

#include "base/concurrency/mutex.hpp"
#include "base/log.hpp"
#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

class DecisionLog final : public Observer {
public:
    // REQUIRES: the log outlives it.
    explicit DecisionLog(const Log& log) : log_(log) {}

    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void ticked(const TickReport& report) override;
    void backfilled(const std::string& tenant, const model::Backfill& backfill) override;
    void reaped(const std::string& run_id, const std::string& worker) override;
    void pruned(std::int64_t runs) override;
    void removed(std::int64_t schedules) override;
    void delivered(const std::string& tenant, const model::Delivery& delivery) override;
    void quarantined(const Quarantined& schedule) override;
    void released(const Quarantined& schedule) override;
    void failed(std::string_view worker, const Error& error, Micros wait) override;
    void recovered(std::string_view worker) override;
    void leads(bool leading, std::int64_t term) override;
    void shares(std::size_t servers) override;
    void clock(const ClockState& state) override;

private:
    struct Asked;

    void decided_run(const model::Schedule& schedule, const decide::PlannedRun& run, const Asked& asked, Instant at);
    void ended_run(const model::Schedule& schedule, const decide::RunEnd& end);
    void changed(const model::Schedule& schedule, const model::Event& event);

    const Log& log_;
    Mutex mutex_;
    // The last error of every failing background job.
    std::map<std::string, std::string, std::less<>> told_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
