// Shares places on two levels by the rule of fair_share.hpp: between groups, and between the members of each group. So
// a tenant cannot take the places of other tenants, and one caller or one slow receiver cannot take those of its
// tenant's others.
//
// One member may have taken many places of its group before other groups came and made the group's share smaller. So
// that the group's other members do not wait for that one, a group without room beside other groups borrows one place
// at a time, for a member that holds none. It borrows from the reserve for new groups, of which half stays.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/concurrency/fair_share.hpp"
#include "base/concurrency/mutex.hpp"

namespace belfry {

// Not thread-safe: the owner must hold a lock.
class GroupedShare {
public:
    enum class Limit : std::uint8_t { none, group, member };

    explicit GroupedShare(std::size_t places) : groups_(places) {}

    // The limit that prevents the member from taking one more place now.
    [[nodiscard]] Limit limit_for(const std::string& group, const std::string& member) const;
    [[nodiscard]] bool has_room(const std::string& group, const std::string& member) const {
        return limit_for(group, member) == Limit::none;
    }
    // How many more places the member may take now.
    [[nodiscard]] std::size_t room_for(const std::string& group, const std::string& member) const;
    // For any member of the group.
    [[nodiscard]] std::size_t room_for(const std::string& group) const;
    [[nodiscard]] bool has_room(const std::string& group) const { return room_for(group) > 0; }

    // REQUIRES: has_room(group, member).
    void take(const std::string& group, const std::string& member);
    // REQUIRES: the member holds a place.
    void give_back(const std::string& group, const std::string& member);

    [[nodiscard]] std::size_t places() const { return groups_.places(); }
    [[nodiscard]] std::size_t in_use() const { return groups_.in_use(); }
    [[nodiscard]] std::size_t held_by(const std::string& group) const { return groups_.held_by(group); }

private:
    [[nodiscard]] bool may_borrow(const std::string& group) const;

    FairShare groups_;
    std::map<std::string, FairShare> members_;      // of the groups that hold a place
    std::map<std::string, std::string> borrowers_;  // by group: the member that holds the borrowed place
};

// A thread-safe GroupedShare.
class GroupedPlaces {
public:
    using Limit = GroupedShare::Limit;
    struct Taken {
        FairPlaces::Place place = {};  // held until the last copy is destroyed, even after the GroupedPlaces
        Limit met = Limit::none;       // the limit that left no place
    };

    explicit GroupedPlaces(std::size_t places) : shared_(std::make_shared<Shared>(places)) {}

    [[nodiscard]] Taken take(const std::string& group, const std::string& member);

private:
    struct Shared {
        explicit Shared(std::size_t places) : share(places) {}
        Mutex mutex;
        GroupedShare share BELFRY_GUARDED_BY(mutex);
    };
    std::shared_ptr<Shared> shared_;
};

}  // namespace belfry
