// The clock, cluster members and leadership.
#include <algorithm>

#include "store/memory/memory_store.hpp"

namespace belfry::store {

Result<Instant> MemoryStore::now() { return clock_ != nullptr ? clock_->now() : SystemClock().now(); }

Result<ClusterView> MemoryStore::renew_membership(const MembershipRequest& request) {
    if (auto error = check_attendance(request)) return *error;
    const MutexLock lock(mutex_);
    const auto latest = latest_end(tables_.leadership, request);
    std::erase_if(tables_.servers, [&](const auto& each) {
        return each.second.until <= request.now - kServerForgottenAfter || each.second.until > latest;
    });
    auto& own = tables_.servers.try_emplace(request.server, MemoryServer{request.now, request.now}).first->second;
    if (own.until <= request.now) own.since = request.now;
    own.until = std::max(own.until, request.now + request.lease);
    tables_.leadership = led_after(tables_.leadership, request);
    ClusterView answer{
        .leader = tables_.leadership.holder, .term = tables_.leadership.term, .newest = tables_.leadership.newest};
    for (const auto& [id, server] : tables_.servers) {
        if (server.until > request.now) answer.servers.push_back(id);
    }
    return answer;
}

Result<void> MemoryStore::leave(const std::string& server) {
    const MutexLock lock(mutex_);
    tables_.servers.erase(server);
    tables_.leadership = led_without(tables_.leadership, server);
    return {};
}

}  // namespace belfry::store
