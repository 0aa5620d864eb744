#include "base/time/clock_guard.hpp"

#include <algorithm>

namespace belfry {

ClockGuard::Origins ClockGuard::Origins::narrowed_by(const Origins& other) const {
    if (last < other.first) return {other.first, other.first};
    if (other.last < first) return {other.last, other.last};
    return {std::max(first, other.first), std::min(last, other.last)};
}

Instant ClockGuard::trust(const Sighting& sighting) {
    const Origins seen{sighting.wall - sighting.after, sighting.wall - sighting.before};
    const MutexLock lock(mutex_);
    if (!origins_) origins_ = seen;
    const bool as_before = seen.agree_with(*origins_);
    const bool as_suspected = suspect_ && seen.agree_with(suspect_->origins);
    // A reading that took long may fit both, so it decides nothing.
    if (as_before && as_suspected) return origins_->first + sighting.before;
    if (as_before) {
        if (suspect_) counts_.withdrawn += 1;
        suspect_.reset();
        origins_ = origins_->narrowed_by(seen);  // follows a slewed or drifting clock
        return sighting.wall;
    }
    suspect_ =
        as_suspected ? Suspect{suspect_->origins.narrowed_by(seen), suspect_->since} : Suspect{seen, sighting.after};
    return sighting.after - suspect_->since < confirm_ ? origins_->first + sighting.before : accept(sighting);
}

Instant ClockGuard::accept(const Sighting& sighting) {
    const Step step{origins_->first + sighting.after, suspect_->origins.first - origins_->first, sighting.after};
    (step.by > Micros{0} ? counts_.forward : counts_.back) += 1;
    counts_.last = step;
    steps_.push_back(step);
    if (steps_.size() > kStepsKept) steps_.pop_front();
    origins_ = suspect_->origins;
    suspect_.reset();
    return sighting.wall;
}

Result<Instant> ClockGuard::read(const std::function<Result<Instant>()>& wall) {
    const auto before = steady_.now();
    const auto shown = wall();
    if (!shown) return shown;
    return trust({*shown, before, steady_.now()});
}

ClockGuard::Reading ClockGuard::reading() const {
    const MutexLock lock(mutex_);
    auto reading = counts_;
    if (suspect_) reading.pending = suspect_->origins.first - origins_->first;
    return reading;
}

Micros ClockGuard::moved_since(Instant stamp) const {
    const MutexLock lock(mutex_);
    Micros moved{0};
    // Other servers accept a step slightly earlier or later, so a stamp that is nearer to the old time counts as before
    // the step. A stamp from before a step back is ambiguous.
    for (const auto& step : steps_) {
        if (step.by <= Micros{0}) {
            moved = Micros{0};
        } else if (stamp < step.from + step.by / 2) {
            moved += step.by;
        }
    }
    return moved;
}

ClockGuard::Move ClockGuard::last_move() const {
    const MutexLock lock(mutex_);
    if (steps_.empty() || steps_.back().by <= Micros{0}) return {};
    // The middle of the step, as in moved_since.
    return {steps_.back().from + steps_.back().by / 2, steps_.back().by};
}

Micros ClockGuard::moved_within(Micros window) const {
    const auto since = steady_.now() - window;
    const MutexLock lock(mutex_);
    Micros moved{0};
    for (const auto& step : steps_) {
        if (step.at > since) moved += step.by;
    }
    return std::max(moved, Micros{0});
}

}  // namespace belfry
