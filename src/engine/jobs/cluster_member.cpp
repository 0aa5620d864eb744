#include "engine/jobs/cluster_member.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr int kSettledLeases = 2;  // one for the servers to accept the time, one for the old terms to end

}  // namespace

ClusterMember::ClusterMember(store::ClusterStore& store, const SteadyClock& steady, Observer& observer,
                             ClusterMemberOptions options, Backoff::Random random,
                             std::function<void(const ShardAssignment&)> on_shares)
    : store_(store),
      steady_(steady),
      observer_(observer),
      options_(std::move(options)),
      failures_("cluster member", observer, std::move(random)),
      on_shares_(std::move(on_shares)) {}

Micros ClusterMember::step() {
    const auto asked_at = steady_.now();
    if (!began_at_) began_at_ = asked_at;
    const auto now = store_.now();
    if (!now) return failures_.on_error(now.error());
    const auto view = store_.renew_membership(request(*now, asked_at));
    if (!view) return failures_.on_error(view.error());
    failures_.on_success();
    newest_ = view->newest;
    take_in(*view, asked_at);
    look_at_clock(*now, view->newest);
    return options_.every;
}

store::MembershipRequest ClusterMember::request(Instant now, Micros asked_at) const {
    store::MembershipRequest request{options_.server, now, options_.lease};
    if (options_.clock == nullptr) return request;
    const auto reading = options_.clock->reading();
    const auto since = std::max(*began_at_, reading.last ? reading.last->at : *began_at_);
    request.settled = !reading.pending && asked_at - since >= options_.lease * kSettledLeases;
    request.newest = newest_;
    if (!leading()) request.now -= options_.clock->moved_within(options_.lease);
    return request;
}

void ClusterMember::look_at_clock(Instant now, Instant newest) {
    ClockState state;
    if (options_.clock != nullptr) state.steps = options_.clock->reading();
    if (newest > now + kClockTolerance) state.decided_until = newest;
    bool changed = false;
    {
        const MutexLock lock(mutex_);
        changed = !(state == clock_);
        clock_ = state;
    }
    if (changed) observer_.clock(state);
}

ClockState ClusterMember::clock() const {
    const MutexLock lock(mutex_);
    return clock_;
}

void ClusterMember::take_in(const store::ClusterView& view, Micros asked_at) {
    const bool led = trusted_until_us_ != 0;
    const bool leads = view.leader == options_.server;
    const auto term = term_.exchange(view.term);
    trusted_until_us_ = leads ? (asked_at + options_.lease).count() : 0;
    if (leads != led || (leads && term != view.term)) observer_.leads(leads, view.term);
    servers_ = view.servers.size();
    if (const auto shares = ShardAssignment::of(options_.server, view.servers); shares != shares_) {
        shares_ = shares;
        observer_.shares(shares.count);
        on_shares_(shares);
    }
}

bool ClusterMember::leading() const { return steady_.now().count() < trusted_until_us_; }

void ClusterMember::leave() {
    trusted_until_us_ = 0;
    // If the store is unavailable, the membership lease runs out by itself.
    [[maybe_unused]] const auto left = store_.leave(options_.server);
}

}  // namespace belfry::engine
