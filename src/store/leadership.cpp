#include "store/leadership.hpp"

#include <algorithm>

namespace belfry::store {

std::optional<Error> check_attendance(const AttendRequest& request) {
    if (request.server.empty() || request.server.size() > kServerIdMax) {
        return invalid("the id of a server has 1 to " + std::to_string(kServerIdMax) + " bytes");
    }
    if (request.lease <= Micros{0}) return invalid("a lease lasts longer than nothing");
    return std::nullopt;
}

Leadership led_after(const Leadership& before, const AttendRequest& request) {
    const auto until = request.now + request.lease;
    auto after = before;
    if (before.until <= request.now) {
        after = {request.server, before.term + 1, request.now, until};
    } else if (before.holder == request.server) {
        after.seen = std::max(before.seen, request.now);
        after.until = std::max(before.until, until);
    }
    return after;
}

Leadership led_without(const Leadership& before, const std::string& server) {
    if (before.holder.empty() || before.holder != server) return before;
    return {{}, before.term, before.seen, before.seen};
}

}  // namespace belfry::store
