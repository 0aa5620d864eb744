// What only the leader does: long backfills page by page, attempts whose worker is gone, runs that are old enough to be
// forgotten. Each works in bounded steps and may be repeated without harm.
#pragma once

#include <functional>
#include <map>

#include "base/clock_guard.hpp"
#include "decide/facts.hpp"
#include "engine/quarantine.hpp"
#include "engine/trouble.hpp"
#include "engine/worker.hpp"
#include "store/store.hpp"

namespace belfry::engine {

using Leading = std::function<bool()>;

// What they have in common: work is done by whoever leads, at the store's time, and trouble with the store is waited out.
class Housekeeper : public Worker {
public:
    Micros step() override;

protected:
    // `idle` is how soon a server that does not lead asks again. REQUIRES: the store and the observer outlive it.
    Housekeeper(store::Store& store, Observer& observer, Leading leading, Micros idle, Trouble trouble)
        : store_(store), observer_(observer), leading_(std::move(leading)), idle_(idle), trouble_(std::move(trouble)) {}

    // One bounded piece of work; after how long there is more.
    [[nodiscard]] virtual Result<Micros> work(Instant now) = 0;
    // It does not lead, or has met an error: what goes on beside its steps should cease.
    virtual void rest(bool /*leading*/) {}

    store::Store& store_;
    Observer& observer_;

private:
    Leading leading_;
    const Micros idle_;
    Trouble trouble_;
};

// Works off the backfills that were asked for, a page of each in turn.
class Backfiller final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        int page = 100;             // occurrences in one transaction
        std::size_t at_once = 100;  // backfills that take turns
        QuarantineWaits quarantine = {};
    };
    Backfiller(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "backfiller"; }
    // Those that cannot be worked off. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return backlog_.quarantined(); }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override {
        if (!leading) backlog_.leave();
    }
    [[nodiscard]] Result<bool> work_off(const std::string& tenant, const model::Backfill& backfill, Instant now);  // whether more is left
    [[nodiscard]] Result<bool> end_with_schedule(const std::string& tenant, const model::Backfill& backfill, const Error& unreadable, Instant now);

    const Options options_;
    // How far the next page of a backfill reaches, by its id: the rows of that stretch are facts of the decision, and those
    // of a whole year would be too many.
    std::map<std::string, Instant> reach_;
    std::size_t waiting_ = 0;  // for a run to end, as the last look found them
    Backlog backlog_;
};

// Ends attempts whose lease ran out: the task is tried again, or the run ends as timed out. A worker counts its lease by its own monotonic clock,
// so a step of the store's clock moves the lease and does not end it. Ends runs that took too long, and what
// nobody approved in time.
class Reaper final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t batch = 100;
        const ClockGuard* clock = nullptr;  // what the store's clock passes through
        QuarantineWaits quarantine = {};
    };
    Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "reaper"; }
    // What it cannot end. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const;

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override;
    // How far steps of the clock have moved the end of the lease from where its worker expects it.
    [[nodiscard]] Micros moved(const model::Lease& lease, Instant now) const;
    // Whether there is more to do at once.
    [[nodiscard]] Result<bool> end_overdue(Instant now);
    [[nodiscard]] Result<bool> expire_approvals(Instant now);
    [[nodiscard]] Result<bool> end_expired(Instant now);
    [[nodiscard]] Result<void> end_all(const std::vector<model::Lease>& leases, Instant now);
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&)>;
    [[nodiscard]] Result<void> decide_run(const std::string& tenant, const std::string& run_id, Instant now, const Decide& decide);

    const Options options_;
    Backlog overdue_;
    Backlog approvals_;
    Backlog leases_;
};

// Forgets what is old enough (docs/operating/retention.md): what only has an age, schedules that are over, runs by age and by number when the
// settings say so, versions that nothing needs. One stage after the other, each in bounded steps. Events are touched only when the operator
// says so, and only those of schedules that are gone. For a day after the clock stepped forward it counts by the old time:
// what a wrong clock lets it forget is gone.
class Janitor final : public Housekeeper {
public:
    struct Options {
        Micros every = std::chrono::hours{1};  // between two sweeps over everything
        std::optional<Micros> keep_for = {};   // runs; nothing: for ever
        std::optional<std::int64_t> keep_newest = {};
        std::optional<Micros> keep_deleted_for = std::chrono::days{90};  // schedules that are over, in full
        std::optional<Micros> keep_letters_for = std::chrono::days{90};  // with their runs
        std::optional<Micros> keep_archive_for = {};                     // events of schedules that were removed
        Micros keep_backfills_for = std::chrono::days{90};               // those that are over
        Micros keep_requests = std::chrono::hours{24};                   // how long a repeated request is recognized
        Micros keep_feed_for = std::chrono::days{7};
        std::chrono::days keep_budgets_for{30};
        Micros keep_deliveries_for = std::chrono::days{30};  // those that are over
        Micros keep_keys_for = std::chrono::days{90};        // that were revoked or ran out
        std::int64_t keep_workflow_versions = 100;           // of each workflow, beside those that something needs
        std::size_t batch = 1'000;                           // rows removed in one transaction, and schedules looked at
        Micros between = std::chrono::milliseconds{50};      // so that it never crowds out the ticks
        const ClockGuard* clock = nullptr;                   // what the store's clock passes through
    };
    Janitor(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "janitor"; }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    // The stages: one bounded step of each. Whether there may be more.
    [[nodiscard]] Result<bool> forget_rows(Instant now);  // what only has an age
    [[nodiscard]] Result<bool> remove_schedules(Instant now);
    [[nodiscard]] Result<bool> prune_runs(Instant now);
    [[nodiscard]] Result<bool> prune_workflows(Instant now);
    [[nodiscard]] std::optional<Instant> letters_since(Instant now) const;

    const Options options_;
    std::size_t stage_ = 0;
    store::EndedPlace removed_to_ = {};  // how far the stages have come
    std::int64_t pruned_to_ = 0;
    std::int64_t workflows_to_ = 0;
};

}  // namespace belfry::engine
