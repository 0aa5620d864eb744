// Work that cannot be done for now, and when it is tried again: it alone waits, and what is behind it goes on.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "engine/observer.hpp"

namespace belfry::engine {

inline constexpr std::size_t kQuarantinedMax = 10'000;  // in one quarantine; what is beyond is tried again with every look

struct QuarantineWaits {
    Micros first = Seconds{60};  // before the first new try; doubles
    Micros most = std::chrono::hours{1};
};

// Thread-safe.
class Quarantine {
public:
    // REQUIRES: the observer outlives it.
    Quarantine(std::string worker, Observer& observer, QuarantineWaits waits) : worker_(std::move(worker)), observer_(observer), waits_(waits) {}

    // It failed, once more. `about` says what it is and why; the answer also when it is tried again, and whether it is kept.
    Quarantined add(const std::string& item, Quarantined about, Instant now);
    [[nodiscard]] bool holds(const std::string& item) const;
    [[nodiscard]] bool waits(const std::string& item, Instant now) const;  // until its next try
    // It works again, or is gone.
    void release(const std::string& item);
    void release_all_but(const std::set<std::string>& items);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<Quarantined> all() const;  // by key

private:
    const std::string worker_;
    Observer& observer_;
    const QuarantineWaits waits_;
    mutable Mutex mutex_;
    std::map<std::string, Quarantined> entries_ BELFRY_GUARDED_BY(mutex_);
};

// Items of a list that a worker looks at again and again, oldest first. What cannot be done goes into quarantine, and the next look reaches
// as far behind it. Not thread-safe, but for what it says.
class Backlog {
public:
    // REQUIRES: the observer outlives it.
    Backlog(std::string worker, Observer& observer, QuarantineWaits waits) : quarantine_(std::move(worker), observer, waits) {}

    // How many to ask for, so that there are `batch` of them beside those that wait.
    [[nodiscard]] std::size_t reach(std::size_t batch) const { return batch + quarantine_.size(); }

    // A look at the list: `found` items of at most `reach`.
    void begin(std::size_t found, std::size_t reach, Instant now);
    // Whether it is to be tried now.
    [[nodiscard]] bool takes(const std::string& item);
    // What became of it. Returns the error when it is the store's own: then none of the others would do any better.
    [[nodiscard]] std::optional<Error> note(const std::string& item, const Quarantined& about, const Result<void>& done);
    // Whether another look at once would find more to do.
    [[nodiscard]] bool end();

    // Another server does it now.
    void leave();
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return quarantine_.all(); }  // from any thread

private:
    Quarantine quarantine_;
    std::map<std::string, int> conflicts_ = {};  // in a row, by item
    // Of this look.
    Instant now_ = {};
    bool whole_ = false;     // it has seen all that there is
    bool progress_ = false;  // something is done, or out of the way
    std::set<std::string> seen_ = {};
};

}  // namespace belfry::engine
