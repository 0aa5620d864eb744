// The rules of leadership, shared by every store. Pure.
//
// The requesting servers supply the time, and it may go back. A lease covers [now, until). A term starts where the
// previous one ended: at its `until` or, if its leader left, at the newest `now` of that leader's renewals. So the
// terms of two leaders never overlap, and a request whose `now` is before the end of a term wins nothing.
//
// If a clock was set back far, a stored lease can end later than any request at the current `now` could have set it.
// Such a lease is cut to a little more than a usual one, on two conditions: the servers have settled on the new time,
// and no leader has renewed at a later time since the requesting server's last renewal. (Otherwise the server's own
// `now` is old, because it was suspended.) A live leader renews before the cut lease ends. A leader that left has no
// lease. The servers wait for a dead leader as long as usual.
//
// If a leader dies, its term expires, and the next server that renews gets the next term. If it dies between the
// commit and the response, it leads without knowing it, with the same effect. If its lease expired and it is the
// first to renew, it gets a new term, so that the work of its old term can be rejected by number.
#pragma once

#include <optional>
#include <string>

#include "store/cluster_store.hpp"

namespace belfry::store {

struct Leadership {
    std::string holder = {};  // empty: none since the last one left
    std::int64_t term = 0;
    Instant seen = {};  // the newest `now` of the holder's renewals; never after `until`
    Instant until = {};
    Instant newest = {};  // the newest `now` of any holder; in the future if the clock was set back
    friend bool operator==(const Leadership&, const Leadership&) = default;
};

// Returns an error for an invalid request.
[[nodiscard]] std::optional<Error> check_attendance(const MembershipRequest& request);

// The latest plausible end of a lease at this `now`; kInstantMax if that cannot be determined.
[[nodiscard]] Instant latest_end(const Leadership& before, const MembershipRequest& request);
[[nodiscard]] Leadership led_after(const Leadership& before, const MembershipRequest& request);
[[nodiscard]] Leadership led_without(const Leadership& before, const std::string& server);

}  // namespace belfry::store
