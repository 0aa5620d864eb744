// What happens in a tenant as Server-Sent Events: a text that goes on for as long as somebody reads it.
//
//   retry: 2000
//   id: 41
//
//   id: 42
//   event: run.failed
//   data: {"type":"run.failed","timestamp":"…","data":{…}}
//
// The feed is only written while somebody follows it, so the stream says that it does, again and again. A reader who comes
// back with the position of the last event gets what it missed. When that is no longer kept, or may never have been written
// because nobody followed meanwhile, the first event is `reset`: what the reader knows is old, and it has to load it again.
//
// Asked by one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "store/registry.hpp"

namespace belfry::api {

inline constexpr Micros kHeartbeatEvery = Seconds{15};  // a comment, so that nobody on the way takes the line for dead
inline constexpr Micros kFeedAskedEvery = std::chrono::milliseconds{500};
inline constexpr Micros kFollowedFor = std::chrono::minutes{10};  // after a stream has ended, its feed goes on for so long
// Then the reader has to come again and say who it is: a key that was revoked must not go on reading.
inline constexpr Micros kStreamedFor = std::chrono::minutes{1};
inline constexpr std::size_t kEventsAtOnce = 200;

struct EventFilter {
    std::vector<std::string> types = {};  // `schedule.created`, or `run.*`; empty: all
    std::string schedule_id = {};         // empty: of all schedules
    [[nodiscard]] bool lets_through(const model::FeedItem& item) const;
};

class EventStream {
public:
    using Now = std::function<Result<Instant>()>;

    // REQUIRES: the registry and the clock outlive it. `now` is the store's.
    EventStream(store::Registry& registry, Now now, const SteadyClock& steady, std::string tenant, EventFilter filter = {})
        : registry_(registry), now_(std::move(now)), steady_(steady), tenant_(std::move(tenant)), filter_(std::move(filter)) {}

    // The first text. `after` is the position of the last event that the reader has; nothing: only what happens from now on.
    [[nodiscard]] Result<std::string> begin(std::optional<std::int64_t> after);

    // What there is to send now, perhaps nothing. No text at all: the store failed or
    // the time is over, and the reader had better come again.
    [[nodiscard]] std::optional<std::string> more();

private:
    [[nodiscard]] Result<void> follow();
    // Whether everything after that position is still there.
    [[nodiscard]] Result<std::string> missed(std::int64_t after, Instant now);

    store::Registry& registry_;
    Now now_;
    const SteadyClock& steady_;
    std::string tenant_;
    EventFilter filter_;
    std::int64_t position_ = 0;
    std::int64_t told_ = 0;  // the position that the reader knows
    Micros begun_at_{};
    Micros asked_at_{};
    Micros sent_at_{};
};

}  // namespace belfry::api
