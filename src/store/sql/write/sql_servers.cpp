// Cluster members and leadership. Every renewal and every leave locks the leadership row, so concurrent calls run one
// after another.
#include "store/leadership.hpp"
#include "store/sql/read/rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

Result<Leadership> lock_leadership(Session& session) {
    std::optional<Leadership> found;
    auto read = session.run(kLockLeadership, {}, [&found](const Row& row) {
        found = Leadership{text_at(row, 0), row.integer(1), instant_at(row, 2), instant_at(row, 3), instant_at(row, 4)};
    });
    if (!read) return read.error();
    if (!found) return Error{ErrorCode::corrupt, "the leadership row is missing"};
    return *found;
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
        auto read = session.run(kServersAt, {epoch_us(request.now)},
                                [&answer](const Row& row) { answer.servers.push_back(text_at(row, 0)); });
        if (!read) return read.error();
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
