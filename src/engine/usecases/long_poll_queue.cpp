#include "engine/usecases/long_poll_queue.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr Micros kLookEvery = std::chrono::milliseconds{250};  // for lines without a recent claim
constexpr Micros kLookLeast = std::chrono::milliseconds{1};    // between two calls of ring_stale()
constexpr Micros kSpread = std::chrono::milliseconds{250};     // spreads the next turns of lines that got one together

constexpr std::size_t kDueMax = 100;  // times that a line remembers: the earliest

}  // namespace

// If two keys collide, a long poll sometimes claims in vain.
std::string line_key(const std::string& tenant, const std::string& queue, const std::string& assignee) {
    return tenant + '\n' + queue + '\n' + assignee;
}

LongPollQueue::Place::Place(LongPollQueue& waiters, std::string key) : waiters_(waiters), key_(std::move(key)) {
    const MutexLock lock(waiters_.mutex_);
    waiters_.add(*this, key_);
}

LongPollQueue::Place::~Place() {
    const MutexLock lock(waiters_.mutex_);
    if (line_ == nullptr) return;
    // The tasks behind this turn are still there for the next one.
    if (line_->turn == this) {
        line_->turn = nullptr;
        line_->rung = true;
    }
    waiters_.leave(*this);
}

LongPollQueue::Found LongPollQueue::Place::look(const std::function<Found()>& find) {
    bool had_turn = false;
    {
        const MutexLock lock(waiters_.mutex_);
        had_turn = line_ != nullptr && line_->turn == this;
        if (line_ != nullptr) line_->ask_at = waiters_.steady_.now() + kLineAskedEvery - line_->sooner;
    }
    const auto found = find();
    const MutexLock lock(waiters_.mutex_);
    if (line_ == nullptr) return found;
    // A turn that comes during the claim is not used up by it: its tasks may have come too late for the claim.
    const bool has_turn = line_->turn == this;
    if (found == Found::nothing) {
        if (!had_turn) return found;
        line_->turn = nullptr;
        if (line_->rung) waiters_.give_turn(*line_);
        return found;
    }
    if (has_turn) line_->turn = nullptr;
    if (found == Found::all_wanted || (has_turn && !had_turn)) line_->rung = true;
    waiters_.leave(*this);
    return found;
}

void LongPollQueue::Place::listen(Ring ring) {
    const MutexLock lock(waiters_.mutex_);
    ring_ = std::move(ring);
    if (line_ != nullptr && line_->turn == this) ring_();
}

void LongPollQueue::add(Place& place, const std::string& key) {
    auto& line = lines_[key];
    if (line.places.empty()) {
        line.sooner = kLookEvery + Micros{static_cast<std::int64_t>(std::hash<std::string>()(key) %
                                                                    static_cast<std::size_t>(kSpread.count()))};
        line.ask_at = steady_.now() + kLineAskedEvery - line.sooner;
    }
    place.line_ = &line;
    place.at_ = line.places.insert(line.places.end(), &place);
}

// Leaves the line. The next one gets the turn if there may be tasks and no other has it.
void LongPollQueue::leave(Place& place) {
    auto& line = *std::exchange(place.line_, nullptr);
    line.places.erase(place.at_);
    if (line.places.empty()) {
        lines_.erase(place.key_);
    } else if (line.rung && line.turn == nullptr) {
        give_turn(line);
    }
}

void LongPollQueue::ring(Line& line) {
    line.rung = true;
    if (line.turn == nullptr) give_turn(line);
}

void LongPollQueue::give_turn(Line& line) {
    line.rung = false;
    line.turn = line.places.front();
    line.ask_at = steady_.now() + kLineAskedEvery - line.sooner;
    if (line.turn->ring_) line.turn->ring_();
}

void LongPollQueue::ring(const std::string& key) {
    const MutexLock lock(mutex_);
    if (const auto found = lines_.find(key); found != lines_.end()) ring(found->second);
}

void LongPollQueue::ring_in(const std::string& key, Micros delay) {
    const MutexLock lock(mutex_);
    const auto found = lines_.find(key);
    if (found == lines_.end()) return;
    auto& due = found->second.due;
    due.insert(steady_.now() + delay);
    if (due.size() > kDueMax) due.erase(std::prev(due.end()));
}

void LongPollQueue::ring_all() {
    const MutexLock lock(mutex_);
    for (auto& [key, line] : lines_) ring(line);
}

Micros LongPollQueue::ring_stale() {
    const MutexLock lock(mutex_);
    const auto now = steady_.now();
    auto wanted = now + kLookEvery;
    for (auto& [key, line] : lines_) {
        const bool ready = !line.due.empty() && *line.due.begin() <= now;
        line.due.erase(line.due.begin(), line.due.upper_bound(now));
        if (!line.due.empty()) wanted = std::min(wanted, *line.due.begin());
        if (ready) {
            ring(line);
        } else if (line.turn == nullptr && line.ask_at <= now) {  // otherwise one is about to claim
            give_turn(line);
        } else if (line.turn == nullptr) {
            wanted = std::min(wanted, line.ask_at);
        }
    }
    return std::max(wanted - now, kLookLeast);
}

std::size_t LongPollQueue::waiting() const {
    const MutexLock lock(mutex_);
    std::size_t count = 0;
    for (const auto& [key, line] : lines_) count += line.places.size();
    return count;
}

std::size_t LongPollQueue::lines() const {
    const MutexLock lock(mutex_);
    return lines_.size();
}

}  // namespace belfry::engine
