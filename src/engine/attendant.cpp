#include "engine/attendant.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr int kSettledLeases = 2;  // one for the servers to accept the time, one for the old terms to end

}  // namespace

Attendant::Attendant(store::Store& store, const SteadyClock& steady, Observer& observer, AttendantOptions options, Backoff::Random random,
                     std::function<void(const Shares&)> on_shares)
    : store_(store),
      steady_(steady),
      observer_(observer),
      options_(std::move(options)),
      trouble_("attendant", observer, std::move(random)),
      on_shares_(std::move(on_shares)) {}

Micros Attendant::step() {
    const auto asked_at = steady_.now();
    if (!began_at_) began_at_ = asked_at;
    const auto now = store_.now();
    if (!now) return trouble_.meet(now.error());
    const auto attendance = store_.attend(request(*now, asked_at));
    if (!attendance) return trouble_.meet(attendance.error());
    trouble_.pass();
    newest_ = attendance->newest;
    take_in(*attendance, asked_at);
    look_at_clock(*now, attendance->newest);
    return options_.every;
}

store::AttendRequest Attendant::request(Instant now, Micros asked_at) const {
    store::AttendRequest request{options_.server, now, options_.lease};
    if (options_.clock == nullptr) return request;
    const auto reading = options_.clock->reading();
    const auto since = std::max(*began_at_, reading.last ? reading.last->at : *began_at_);
    request.settled = !reading.pending && asked_at - since >= options_.lease * kSettledLeases;
    request.newest = newest_;
    if (!leading()) request.now -= options_.clock->moved_within(options_.lease);
    return request;
}

void Attendant::look_at_clock(Instant now, Instant newest) {
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

ClockState Attendant::clock() const {
    const MutexLock lock(mutex_);
    return clock_;
}

void Attendant::take_in(const store::Attendance& attendance, Micros asked_at) {
    const bool led = trusted_until_us_ != 0;
    const bool leads = attendance.leader == options_.server;
    const auto term = term_.exchange(attendance.term);
    trusted_until_us_ = leads ? (asked_at + options_.lease).count() : 0;
    if (leads != led || (leads && term != attendance.term)) observer_.leads(leads, attendance.term);
    servers_ = attendance.servers.size();
    if (const auto shares = Shares::of(options_.server, attendance.servers); shares != shares_) {
        shares_ = shares;
        observer_.shares(shares.count);
        on_shares_(shares);
    }
}

bool Attendant::leading() const { return steady_.now().count() < trusted_until_us_; }

void Attendant::leave() {
    trusted_until_us_ = 0;
    // When the store is away the lease runs out by itself.
    [[maybe_unused]] const auto left = store_.leave(options_.server);
}

}  // namespace belfry::engine
