// The servers that share a store: membership, leadership and notifications between them. store.hpp has the contract of
// all calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/notification.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

inline constexpr std::size_t kServerIdMax = 255;  // bytes in the id of a server
// A membership that ends more than this many leases from now was written before the clock was set back.
inline constexpr int kMembershipLeases = 2;
// The store removes a server that has not renewed its membership for this long.
inline constexpr Micros kServerForgottenAfter = std::chrono::hours{1};

struct MembershipRequest {
    std::string server;  // unique id, 1 to kServerIdMax bytes
    Instant now = {};
    Micros lease = Seconds{10};
    bool settled = false;  // the server has trusted this time for so long that every server does
    Instant newest = {};   // `newest` from its previous renewal
};
struct ClusterView {
    std::vector<std::string> servers = {};  // sorted ids of the members at `now`, including this server
    std::string leader = {};                // empty if there is no leader
    std::int64_t term = 0;                  // the leader's; without a leader, the newest
    Instant newest = {};                    // the latest `now` at which any leader has renewed
    friend bool operator==(const ClusterView&, const ClusterView&) = default;
};

class ClusterStore : public virtual StoreClock {
public:
    // Renews the server's membership until now + lease, and returns the other members. If there is no leader, this
    // server becomes the leader. A term is a number that the store assigns only once. A leader that renews in time
    // keeps its term; after its lease has expired it needs a new term, even if it was the last leader. There is at
    // most one leader at any `now`, even if a server's `now` goes back: an earlier `now` shortens no lease and wins
    // no term. The exception: if the request is `settled` and a lease ends more than kMembershipLeases from now, it
    // is cut to that length, which leaves its leader enough time to renew. Idempotent: after an unknown outcome,
    // repeat the call.
    virtual Result<ClusterView> renew_membership(const MembershipRequest& request) = 0;
    // Ends membership and leadership immediately.
    virtual Result<void> leave(const std::string& server) = 0;

    // Sets the callback for notifications: this or another server changed a schedule's next fire time, made tasks
    // claimable, or wrote to a followed feed. Reports every such commit after this call has returned, or Resync if
    // some may have been lost. Notifications only save time: callers must not rely on them. An empty function ends
    // them.
    virtual void listen(Listener listener) = 0;
};

}  // namespace belfry::store
