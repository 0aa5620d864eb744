// Cluster members and leadership. Every renewal and every leave locks the leadership row, so concurrent calls run one
// after another.
#include "store/leadership.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_servers.hpp"

namespace belfry::store::sql {

namespace {

Result<Leadership> lock_leadership(Session& session) {
    auto found = read_one(session, kLockLeadership, {});
    if (!found) return found.error();
    if (!*found) return Error{ErrorCode::corrupt, "the leadership row is missing"};
    return std::move(**found);
}

Result<void> change_leadership(Session& session, const Leadership& before, const Leadership& after) {
    if (after == before) return {};
    auto done = session.run(kUpdateLeadership, {after.holder, after.term, epoch_us(after.seen), epoch_us(after.until),
                                                epoch_us(after.newest)});
    if (!done) return done.error();
    return {};
}

}  // namespace

Result<ClusterView> SqlStore::renew_membership(const MembershipRequest& request) {
    if (auto error = check_attendance(request)) return *error;
    ClusterView answer;
    const auto done = commit_repeatable([&](Session& session) -> Result<void> {
        answer = {};
        auto before = lock_leadership(session);
        if (!before) return before.error();
        auto forgotten = session.run(
            kForgetServers, {epoch_us(request.now - kServerForgottenAfter), epoch_us(latest_end(*before, request))});
        if (!forgotten) return forgotten.error();
        auto attended = session.run(kRenewMembership,
                                    {request.server, epoch_us(request.now), epoch_us(request.now + request.lease)});
        if (!attended) return attended.error();
        const auto after = led_after(*before, request);
        if (auto changed = change_leadership(session, *before, after); !changed) return changed;
        auto servers = read_all(session, kServersAt, {epoch_us(request.now)});
        if (!servers) return servers.error();
        answer.servers = std::move(*servers);
        answer.leader = after.holder;
        answer.term = after.term;
        answer.newest = after.newest;
        return {};
    });
    if (!done) return done.error();
    return answer;
}

Result<void> SqlStore::leave(const std::string& server) {
    return commit_repeatable([&](Session& session) -> Result<void> {
        auto before = lock_leadership(session);
        if (!before) return before.error();
        auto deleted = session.run(kDeleteServer, {server});
        if (!deleted) return deleted.error();
        return change_leadership(session, *before, led_without(*before, server));
    });
}

}  // namespace belfry::store::sql
