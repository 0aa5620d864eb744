#include "engine/attendant.hpp"

namespace belfry::engine {

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
    const auto now = store_.now();
    if (!now) return trouble_.meet(now.error());
    const auto attendance = store_.attend({options_.server, *now, options_.lease});
    if (!attendance) return trouble_.meet(attendance.error());
    trouble_.pass();
    take_in(*attendance, asked_at);
    return options_.every;
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
