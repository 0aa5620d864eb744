// Work that cannot be done for now, and the time of its next attempt. Only this work waits; the work behind it
// continues.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

inline constexpr std::size_t kQuarantinedMax = 10'000;  // in one quarantine; others are retried with every pass

struct QuarantineWaits {
    Micros first = Seconds{60};  // before the first new attempt; doubles each time
    Micros most = std::chrono::hours{1};
};

// Thread-safe.
class Quarantine {
public:
    // REQUIRES: the observer outlives it.
    Quarantine(std::string worker, Observer& observer, QuarantineWaits waits)
        : worker_(std::move(worker)), observer_(observer), waits_(waits) {}

    // Records one more failure of the item. `about` has the item and the error. Returns it with the time of the next
    // attempt.
    Quarantined add(const std::string& item, Quarantined about, Instant now);
    [[nodiscard]] bool holds(const std::string& item) const;
    [[nodiscard]] bool waits(const std::string& item, Instant now) const;  // whether its next attempt is still to come
    // The item works again, or no longer exists.
    void release(const std::string& item);
    void release_all_but(const std::set<std::string>& items);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<Quarantined> all() const;  // sorted by key

private:
    const std::string worker_;
    Observer& observer_;
    const QuarantineWaits waits_;
    mutable Mutex mutex_;
    std::map<std::string, Quarantined> entries_ BELFRY_GUARDED_BY(mutex_);
};

// Items of a list that a job reads again and again, oldest first. Items that cannot be done go into quarantine, and
// the next pass reads that many more items. Not thread-safe, except where noted.
class Backlog {
public:
    // REQUIRES: the observer outlives it.
    Backlog(std::string worker, Observer& observer, QuarantineWaits waits)
        : quarantine_(std::move(worker), observer, waits) {}

    // The number of items to request, so that `batch` of them are not in quarantine.
    [[nodiscard]] std::size_t reach(std::size_t batch) const { return batch + quarantine_.size(); }

    // Starts a pass: the list has `found` items of at most `reach`.
    void begin(std::size_t found, std::size_t reach, Instant now);
    // Whether to try the item now.
    [[nodiscard]] bool takes(const std::string& item);
    // Records the result of the item. Returns the error if the store itself failed, because the other items would
    // fail, too.
    [[nodiscard]] std::optional<Error> note(const std::string& item, const Quarantined& about,
                                            const Result<void>& done);
    // Ends the pass. Returns whether another pass would find more to do at once.
    [[nodiscard]] bool end();

    // Another server has taken over.
    void leave();
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return quarantine_.all(); }  // from any thread

private:
    Quarantine quarantine_;
    std::map<std::string, int> conflicts_ = {};  // in a row, by item
    // Of the current pass.
    Instant now_ = {};
    bool whole_ = false;     // the pass has seen the whole list
    bool progress_ = false;  // an item was done or quarantined
    std::set<std::string> seen_ = {};
};

}  // namespace belfry::engine
