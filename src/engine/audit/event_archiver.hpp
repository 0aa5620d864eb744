// Archives audit events that are older than the operator wants to keep in the store, and removes them there
// (docs/operating/retention.md). Only the leader works.
//
// A sweep goes over all chains. It reads the events of whole UTC days, the oldest day first, verifies them, and
// collects them by day in memory. When it has collected enough, and at its end, it writes one file per day and waits
// until they are on disk. Then it removes those events, some at a time, and continues. So:
//
//   dies before the rename    the file does not exist under its name; the events are still in the store
//   dies after the rename     the next sweep archives the same events again; equal events may be in two files
//   dies between two removals the rest is archived again; what was removed is in a file and below a checkpoint
//   two leaders at once       both write files; a removal that comes second finds nothing to remove
//
// A chain that is broken is not archived: its events stay as evidence.
#pragma once

#include <map>

#include "engine/jobs/housekeeping.hpp"

namespace belfry::engine {

struct EventArchiverOptions {
    std::optional<Micros> keep_for = {};  // empty: all events stay in the store
    std::string folder = {};
    Micros every = std::chrono::hours{1};                // between two sweeps
    Micros between = std::chrono::milliseconds{50};      // a pause, so that it does not slow down the ticks
    std::size_t batch = 1'000;                           // events read or removed in one transaction
    std::size_t collected_max = std::size_t{32} << 20U;  // bytes of lines that are written at once
    const ClockGuard* clock = nullptr;                   // the guard that filters the store's clock
};

class EventArchiver final : public Housekeeper {
public:
    // REQUIRES: the store and the observer outlive it.
    EventArchiver(store::HousekeepingStore& store, Observer& observer, Leading leading, EventArchiverOptions options,
                  Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "archiver"; }

private:
    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override;
    [[nodiscard]] Result<void> read_page();
    void collect(const store::ArchivablePart& part);
    [[nodiscard]] Result<void> write_files();
    [[nodiscard]] Result<void> remove_some();

    store::HousekeepingStore& store_;
    const EventArchiverOptions options_;
    std::optional<Instant> before_ = {};             // the sweep archives events until then; empty: none is in progress
    std::optional<store::ArchivePlace> place_ = {};  // of the sweep; empty: at its end
    std::optional<Instant> oldest_left_ = {};
    std::map<std::chrono::sys_days, std::string> lines_ = {};  // collected, by day
    std::size_t collected_ = 0;                                // their bytes
    // Where the collected parts of chains end, and the number of their events.
    using Ends = std::vector<std::pair<store::ArchivedUpTo, std::size_t>>;
    Ends collected_to_ = {};
    Ends written_to_ = {};     // parts that are in files and not yet removed, the last one first
    std::string broken_ = {};  // the chain that the sweep found broken last: nothing after the break is archived
};

}  // namespace belfry::engine
