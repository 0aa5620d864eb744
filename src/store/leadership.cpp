#include "store/leadership.hpp"

#include <algorithm>

namespace belfry::store {

std::optional<Error> check_attendance(const MembershipRequest& request) {
    if (request.server.empty() || request.server.size() > kServerIdMax) {
        return invalid("a server's id must have 1 to " + std::to_string(kServerIdMax) + " bytes");
    }
    if (request.lease <= Micros{0}) return invalid("a lease must be longer than zero");
    return std::nullopt;
}

Instant latest_end(const Leadership& before, const MembershipRequest& request) {
    const bool settled = request.settled && before.newest == request.newest;
    return settled ? request.now + request.lease * kMembershipLeases : kInstantMax;
}

Leadership led_after(const Leadership& before, const MembershipRequest& request) {
    const auto until = request.now + request.lease;
    const auto newest = std::max(before.newest, request.now);
    const auto latest = latest_end(before, request);
    const bool unreal = before.until > latest;
    auto after = before;
    if (before.until <= request.now || (unreal && before.holder.empty())) {
        after = {request.server, before.term + 1, request.now, until, newest};
    } else if (before.holder == request.server) {
        after.seen = unreal ? request.now : std::max(before.seen, request.now);
        after.until = unreal ? until : std::max(before.until, until);
        after.newest = newest;
    } else if (unreal) {
        after.until = latest;
        after.seen = std::min(before.seen, after.until);
    }
    return after;
}

Leadership led_without(const Leadership& before, const std::string& server) {
    if (before.holder.empty() || before.holder != server) return before;
    return {{}, before.term, before.seen, before.seen, before.newest};
}

}  // namespace belfry::store
