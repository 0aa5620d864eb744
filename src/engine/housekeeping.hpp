// What only the leader does: long backfills page by page, attempts whose worker is gone, runs that are old enough to be
// forgotten. Each works in bounded steps and may be repeated without harm.
#pragma once

#include <functional>
#include <map>

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
    // Another server leads.
    virtual void leave() {}

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
    void leave() override { backlog_.leave(); }
    [[nodiscard]] Result<bool> work_off(const std::string& tenant, const model::Backfill& backfill, Instant now);  // whether more is left

    const Options options_;
    // How far the next page of a backfill reaches, by its id: the rows of that stretch are facts of the decision, and those
    // of a whole year would be too many.
    std::map<std::string, Instant> reach_;
    Backlog backlog_;
};

// Ends attempts whose lease ran out: the task is tried again, or the run ends as timed out. Ends runs that took too long, and what
// nobody approved in time.
class Reaper final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t batch = 100;
        QuarantineWaits quarantine = {};
    };
    Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "reaper"; }
    // What it cannot end. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const;

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void leave() override;
    // Whether there is more to do at once.
    [[nodiscard]] Result<bool> end_overdue(Instant now);
    [[nodiscard]] Result<bool> expire_approvals(Instant now);
    [[nodiscard]] Result<bool> end_expired(Instant now);
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&)>;
    [[nodiscard]] Result<void> decide_run(const std::string& tenant, const std::string& run_id, Instant now, const Decide& decide);

    const Options options_;
    Backlog overdue_;
    Backlog approvals_;
    Backlog leases_;
};

// Forgets request keys and days of budgets that are old enough, runs by age and by number when the settings say so, and what was told to the
// outside. Events are never touched.
class Janitor final : public Housekeeper {
public:
    struct Options {
        Micros every = std::chrono::hours{1};  // between two sweeps over everything
        std::optional<Micros> keep_for = {};   // runs; nothing: for ever
        std::optional<std::int64_t> keep_newest = {};
        Micros keep_requests = std::chrono::hours{24};  // how long a repeated request is recognized
        Micros keep_feed_for = std::chrono::hours{7 * 24};
        std::chrono::days keep_budgets_for{30};
        Micros keep_deliveries_for = std::chrono::hours{30 * 24};  // those that are over
        std::size_t batch = 1'000;                                 // rows removed in one transaction
        Micros between = std::chrono::milliseconds{50};            // so that it never crowds out the ticks
    };
    Janitor(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "janitor"; }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    // A batch of each kind that only has an age: request keys, days of budgets, the feed, deliveries. Whether there may be more.
    [[nodiscard]] Result<bool> forget_rows(Instant now);

    const Options options_;
    std::int64_t after_ = 0;  // the schedule that the sweep over runs has come to
};

}  // namespace belfry::engine
