#include "base/concurrency/grouped_share.hpp"

#include <algorithm>

namespace belfry {

bool GroupedShare::may_borrow(const std::string& group) const {
    const auto free = groups_.places() - groups_.in_use();
    const bool beside_others = groups_.held_by(group) > 0 && groups_.keys() > 1;
    return beside_others && !borrowers_.contains(group) && free > (groups_.reserve() + 1) / 2;
}

std::size_t GroupedShare::room_for(const std::string& group) const {
    const auto room = groups_.room_for(group);
    return room > 0 || !may_borrow(group) ? room : 1;
}

// The members share what the group may hold now.
std::size_t GroupedShare::room_for(const std::string& group, const std::string& member) const {
    const auto room = groups_.room_for(group);
    if (room == 0) return may_borrow(group) && members_.at(group).held_by(member) == 0 ? 1 : 0;
    const auto places = groups_.held_by(group) + room;
    const auto found = members_.find(group);
    const auto of_member =
        found == members_.end() ? FairShare(places).room_for(member) : found->second.room_for(member, places);
    return std::min(room, of_member);
}

GroupedShare::Limit GroupedShare::limit_for(const std::string& group, const std::string& member) const {
    if (room_for(group, member) > 0) return Limit::none;
    return groups_.room_for(group) == 0 ? Limit::group : Limit::member;
}

void GroupedShare::take(const std::string& group, const std::string& member) {
    if (groups_.room_for(group) == 0) {
        groups_.take_beyond(group);
        borrowers_.emplace(group, member);
    } else {
        groups_.take(group);
    }
    members_.try_emplace(group, groups_.places()).first->second.take(member);
}

void GroupedShare::give_back(const std::string& group, const std::string& member) {
    groups_.give_back(group);
    if (const auto borrower = borrowers_.find(group); borrower != borrowers_.end() && borrower->second == member)
        borrowers_.erase(borrower);
    const auto found = members_.find(group);
    found->second.give_back(member);
    if (found->second.in_use() == 0) members_.erase(found);
}

GroupedPlaces::Taken GroupedPlaces::take(const std::string& group, const std::string& member) {
    {
        const MutexLock lock(shared_->mutex);
        if (const auto met = shared_->share.limit_for(group, member); met != Limit::none) return {.met = met};
        shared_->share.take(group, member);
    }
    return {.place = {static_cast<const void*>(shared_.get()), [shared = shared_, group, member](const void*) {
                          const MutexLock lock(shared->mutex);
                          shared->share.give_back(group, member);
                      }}};
}

}  // namespace belfry
