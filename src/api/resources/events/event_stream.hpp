// Streams the feed of a tenant as Server-Sent Events, for as long as a client reads.
//
//   retry: 2000
//   id: 41
//
//   id: 42
//   event: run.failed
//   data: {"type":"run.failed","timestamp":"…","data":{…}}
//
// The store writes the feed only while a client follows it, so the stream renews its interest regularly. A client that
// reconnects with the position of its last event gets the events that it missed. If those are no longer retained, or
// may never have been written because no client followed the feed, the first event is `reset`: the client must reload
// its data.
//
// Not thread-safe: one thread at a time calls it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time/clock.hpp"
#include "store/registry.hpp"

namespace belfry::api {

inline constexpr Micros kHeartbeatEvery = Seconds{15};  // a comment, so that proxies do not close an idle connection
inline constexpr Micros kFeedAskedEvery = std::chrono::milliseconds{500};
inline constexpr Micros kFollowedFor = std::chrono::minutes{10};  // the feed stays active after a stream
// Then the client must reconnect and authenticate again, because a revoked key must not continue to read.
inline constexpr Micros kStreamedFor = std::chrono::minutes{1};
inline constexpr std::size_t kEventsAtOnce = 200;

struct EventFilter {
    std::vector<std::string> types = {};  // `schedule.created`, or `run.*`; empty: all
    std::string schedule_id = {};         // empty: all schedules
    [[nodiscard]] bool lets_through(const model::FeedItem& item) const;
};

class EventStream {
public:
    using Now = std::function<Result<Instant>()>;

    // REQUIRES: the registry and the clock outlive the stream. `now` reads the store's clock.
    EventStream(store::Registry& registry, Now now, const SteadyClock& steady, std::string tenant,
                EventFilter filter = {})
        : registry_(registry),
          now_(std::move(now)),
          steady_(steady),
          tenant_(std::move(tenant)),
          filter_(std::move(filter)) {}

    // Returns the first text. `after` is the position of the last event that the client has; without it, the stream
    // begins now.
    [[nodiscard]] Result<std::string> begin(std::optional<std::int64_t> after);

    // Returns the text to send now, possibly empty. Returns nothing when the stream ends, because the store failed or
    // its time has passed; the client then reconnects.
    [[nodiscard]] std::optional<std::string> next_chunk();

private:
    [[nodiscard]] Result<void> follow();
    // Returns why events after that position may be missing, or an empty text.
    [[nodiscard]] Result<std::string> missed(std::int64_t after, Instant now);

    store::Registry& registry_;
    Now now_;
    const SteadyClock& steady_;
    std::string tenant_;
    EventFilter filter_;
    std::int64_t position_ = 0;
    std::int64_t told_ = 0;  // the last position sent to the client
    Micros begun_at_{};
    Micros asked_at_{};
    Micros sent_at_{};
};

}  // namespace belfry::api
