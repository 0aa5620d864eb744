#include "base/concurrency/fair_share.hpp"

#include <algorithm>
#include <cassert>

namespace belfry {

namespace {

constexpr std::size_t kReservedPart = 4;  // one place in four is reserved for keys that hold none

std::size_t reserve_of(std::size_t places) {
    return places <= 1 ? 0 : std::max<std::size_t>(1, places / kReservedPart);
}

}  // namespace

std::size_t FairShare::reserve() const { return reserve_of(places_); }

std::size_t FairShare::held_by(const std::string& key) const {
    const auto found = held_.find(key);
    return found == held_.end() ? 0 : found->second;
}

std::size_t FairShare::room_for(const std::string& key, std::size_t places) const {
    if (places <= in_use_) return 0;
    const auto free = places - in_use_;
    const auto held = held_by(key);
    const auto reserve = reserve_of(places);
    const auto keys = held_.size() + (held == 0 ? 1 : 0);
    const auto share = (places - reserve) / keys;
    const auto kept = keys > 1 ? (reserve + 1) / 2 : reserve;
    const auto unreserved = free > kept ? free - kept : 0;
    const auto room = share > held ? std::min(share - held, unreserved) : 0;
    return held == 0 ? std::max<std::size_t>(1, room) : room;
}

bool FairShare::has_room_for(const std::string& key, std::size_t count) const {
    return count <= (held_by(key) == 0 ? places_ - in_use_ : room_for(key));
}

void FairShare::take(const std::string& key, std::size_t count) {
    assert(has_room_for(key, count));
    if (count == 0) return;
    held_[key] += count;
    in_use_ += count;
}

void FairShare::take_beyond(const std::string& key) {
    assert(in_use_ < places_);
    held_[key] += 1;
    in_use_ += 1;
}

void FairShare::give_back(const std::string& key, std::size_t count) {
    if (count == 0) return;
    const auto found = held_.find(key);
    assert(found != held_.end() && found->second >= count);
    found->second -= count;
    if (found->second == 0) held_.erase(found);
    in_use_ -= count;
}

FairPlaces::Place FairPlaces::take(const std::string& key) {
    {
        const MutexLock lock(shared_->mutex);
        if (shared_->share.room_for(key) == 0) return nullptr;
        shared_->share.take(key);
    }
    return {static_cast<const void*>(shared_.get()), [shared = shared_, key](const void*) {
                const MutexLock lock(shared->mutex);
                shared->share.give_back(key);
            }};
}

std::size_t FairPlaces::in_use() const {
    const MutexLock lock(shared_->mutex);
    return shared_->share.in_use();
}

}  // namespace belfry
