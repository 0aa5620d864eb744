// Who leads, whatever keeps the row: the rules that every store shares. Pure.
//
// Time is what the askers say it is, and it may go back. A lease covers [now, until). A term begins where the one before has
// ended: at its `until`, or, when its leader left, at the newest `now` that the leader attended at. So the terms of two
// leaders never overlap, and an asker whose `now` lies before the end of a term wins nothing.
//
// A clock that was put back by much leaves an end that no asker of today's `now` could have asked for. Once the askers have settled on
// the new time, and no leader has attended at a later one since the asker attended last (or it is the asker's `now` that is old, because it
// stood still between two steps), such a lease is cut to a little more than a usual one. A leader that lives attends again before that is over; one
// that left has no lease; one that is dead is waited for as long as any other.
//
// When a leader dies, its term runs out and the next to attend has the next one. When it dies between the commit and the
// answer, it leads without knowing, which is the same. When its lease ran out and it attends as the first, it gets a new
// term: what it did under the old one may be refused by number.
#pragma once

#include <optional>
#include <string>

#include "store/store.hpp"

namespace belfry::store {

struct Leadership {
    std::string holder = {};  // empty: nobody since the last one left
    std::int64_t term = 0;
    Instant seen = {};  // the newest `now` that the holder attended at; never after `until`
    Instant until = {};
    Instant newest = {};  // and any holder ever: later than it is when the clock was put back
    friend bool operator==(const Leadership&, const Leadership&) = default;
};

// An error when it makes no sense.
[[nodiscard]] std::optional<Error> check_attendance(const AttendRequest& request);

// The latest end of a lease that an asker of this `now` can have meant; without a bound when that cannot be said.
[[nodiscard]] Instant latest_end(const Leadership& before, const AttendRequest& request);
[[nodiscard]] Leadership led_after(const Leadership& before, const AttendRequest& request);
[[nodiscard]] Leadership led_without(const Leadership& before, const std::string& server);

}  // namespace belfry::store
