// Jobs that only the leader does: process backfills page by page, end attempts of lost workers, remove old records.
// Each works in bounded steps that are safe to repeat.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include "base/time/clock_guard.hpp"
#include "decide/facts.hpp"
#include "engine/jobs/background_job.hpp"
#include "engine/jobs/failure_tracker.hpp"
#include "engine/jobs/quarantine.hpp"
#include "store/registry.hpp"
#include "store/store.hpp"

namespace belfry::engine {

using Leading = std::function<bool()>;

// The common part: only the leader works, at the store's time, and waits out store failures.
class Housekeeper : public BackgroundJob {
public:
    Micros step() override;

protected:
    // `idle` is how often a server that does not lead checks again. REQUIRES: the clock and the observer outlive it.
    Housekeeper(store::StoreClock& clock, Observer& observer, Leading leading, Micros idle, FailureTracker trouble)
        : observer_(observer),
          clock_(clock),
          leading_(std::move(leading)),
          idle_(idle),
          failures_(std::move(trouble)) {}

    // Does one bounded piece of work. Returns the time until the next one.
    [[nodiscard]] virtual Result<Micros> work(Instant now) = 0;
    // Called when this server does not lead or work() failed. Ends work that runs beside the steps.
    virtual void rest(bool /*leading*/) {}

    Observer& observer_;

private:
    store::StoreClock& clock_;
    Leading leading_;
    const Micros idle_;
    FailureTracker failures_;
};

// Processes the requested backfills, one page of each in turn.
class Backfiller final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        int page = 100;             // occurrences in one transaction
        std::size_t at_once = 100;  // backfills that take turns
        QuarantineWaits quarantine = {};
    };
    // REQUIRES: the store and the observer outlive it, as for the other jobs.
    Backfiller(store::ScheduleStore& store, Observer& observer, Leading leading, Options options,
               Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "backfiller"; }
    // Backfills that it cannot process. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return backlog_.quarantined(); }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override {
        if (!leading) backlog_.leave();
    }
    // Returns whether more is left.
    [[nodiscard]] Result<bool> work_off(const std::string& tenant, const model::Backfill& backfill, Instant now);
    [[nodiscard]] Result<bool> end_with_schedule(const std::string& tenant, const model::Backfill& backfill,
                                                 const Error& unreadable, Instant now);

    store::ScheduleStore& store_;
    const Options options_;
    // The last occurrence of the next page of a backfill, by backfill id. A decision reads the rows up to there as
    // facts; those of a whole year would be too many.
    std::map<std::string, Instant> reach_;
    std::size_t waiting_ = 0;  // backfills that wait for a run to end, as of the last pass
    Backlog backlog_;
};

// Ends attempts whose lease ran out: the task is retried, or the run ends as timed out. A worker counts its lease by
// its own monotonic clock, so a step of the store's clock moves the lease and does not end it. Also ends runs that
// exceeded their timeout, and approvals that expired.
class Reaper final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t batch = 100;
        const ClockGuard* clock = nullptr;  // the guard that filters the store's clock
        QuarantineWaits quarantine = {};
    };
    Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "reaper"; }
    // Runs that it cannot end. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const;

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override;
    // How far clock steps have moved the end of the lease from the time that its worker expects.
    [[nodiscard]] Micros moved(const model::Lease& lease, Instant now) const;
    // Each returns whether there is more to do at once.
    [[nodiscard]] Result<bool> end_overdue(Instant now);
    [[nodiscard]] Result<bool> expire_approvals(Instant now);
    [[nodiscard]] Result<bool> end_expired(Instant now);
    [[nodiscard]] Result<void> end_all(const std::vector<model::Lease>& leases, Instant now);
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&)>;
    [[nodiscard]] Result<void> decide_run(const std::string& tenant, const std::string& run_id, Instant now,
                                          const Decide& decide);

    store::Store& store_;
    const Options options_;
    Backlog overdue_;
    Backlog approvals_;
    Backlog leases_;
};

// Removes old records (docs/operating/retention.md): records that only have an age, ended schedules, runs by age and
// by number if the settings limit them, and unused versions. The stages run one after the other, each in bounded
// steps. The janitor removes events only if the operator configures it, and only those of removed schedules. For a
// day after the clock stepped forward it uses the old time, because a removal by a wrong clock cannot be undone.
class Janitor final : public Housekeeper {
public:
    struct Options {
        Micros every = std::chrono::hours{1};  // between two sweeps over everything
        std::optional<Micros> keep_for = {};   // runs; empty: forever
        std::optional<std::int64_t> keep_newest = {};
        std::optional<Micros> keep_deleted_for = std::chrono::days{90};  // ended schedules, with all their records
        std::optional<Micros> keep_letters_for = std::chrono::days{90};  // dead letters, with their runs
        std::optional<Micros> keep_archive_for = {};                     // events of removed schedules
        Micros keep_backfills_for = std::chrono::days{90};               // ended ones
        Micros keep_requests = std::chrono::hours{24};                   // to recognize a repeated request
        Micros keep_feed_for = std::chrono::days{7};
        std::int64_t feed_bytes_max = std::int64_t{1} << 30U;  // of each tenant
        std::chrono::days keep_budgets_for{30};
        Micros keep_deliveries_for = std::chrono::days{30};  // ended ones
        Micros keep_keys_for = std::chrono::days{90};        // revoked or expired ones
        std::int64_t keep_workflow_versions = 100;           // of each workflow, in addition to those in use
        std::size_t batch = 1'000;                           // rows removed in one transaction, and schedules read
        Micros between = std::chrono::milliseconds{50};      // a pause, so that it does not slow down the ticks
        const ClockGuard* clock = nullptr;                   // the guard that filters the store's clock
    };
    Janitor(store::HousekeepingStore& store, store::Registry& registry, Observer& observer, Leading leading,
            Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "janitor"; }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    // The stages. Each does one bounded step and returns whether there may be more.
    [[nodiscard]] Result<bool> forget_rows(Instant now);  // records that only have an age
    [[nodiscard]] Result<bool> bound_feed(Instant now);   // measures the feed and removes what is too much
    [[nodiscard]] Result<bool> remove_schedules(Instant now);
    [[nodiscard]] Result<bool> prune_runs(Instant now);
    [[nodiscard]] Result<bool> prune_workflows(Instant now);
    [[nodiscard]] Result<bool> shrink(Instant now);
    [[nodiscard]] std::optional<Instant> letters_since(Instant now) const;

    store::HousekeepingStore& store_;
    store::Registry& registry_;
    const Options options_;
    std::size_t stage_ = 0;
    // The feed as measured in this sweep: of each tenant, its size and its parts, oldest first.
    struct TenantFeed {
        std::int64_t bytes = 0;
        std::deque<store::FeedPart> parts = {};
    };
    std::map<std::int64_t, TenantFeed> feeds_ = {};
    std::optional<std::int64_t> measured_to_ = 0;  // empty: all of it
    store::EndedPlace removed_to_ = {};            // how far each stage has come
    std::int64_t pruned_to_ = 0;
    std::int64_t workflows_to_ = 0;
};

}  // namespace belfry::engine
