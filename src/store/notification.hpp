// Notifications between servers, which save the wait for the next poll: a schedule's fire time changed, a queue has
// work, or a followed feed has grown. They may be lost, late or repeated; the stored rows are authoritative.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time/instant.hpp"

namespace belfry::store {

struct ScheduleMoved {
    std::int64_t key = 0;
    std::optional<Instant> next_fire = {};
    std::int64_t tenant = 0;  // the tenant's key; 0 if unknown
    friend bool operator==(const ScheduleMoved&, const ScheduleMoved&) = default;
};

struct TasksReady {
    std::string tenant;
    std::string queue;
    std::string assignee = {};             // only this assignee's workers may claim; empty: all workers of the queue
    std::optional<Instant> ready_at = {};  // empty: now
    friend bool operator==(const TasksReady&, const TasksReady&) = default;
};

// A followed feed has a new item. It may not be settled yet, so read again a little later.
struct FeedGrown {
    std::string tenant;
    friend bool operator==(const FeedGrown&, const FeedGrown&) = default;
};

// Some notifications were lost, or there were too many: check everything.
struct Resync {
    friend bool operator==(const Resync&, const Resync&) = default;
};

using Notification = std::variant<Resync, ScheduleMoved, TasksReady, FeedGrown>;
using Listener = std::function<void(const Notification&)>;

inline constexpr std::size_t kNotifiedMax = 100;  // schedules named one by one in a transaction; more are one Resync

// One line of text each, for the database's notifications; an empty one is Resync, and so is what cannot be read.
[[nodiscard]] std::string format_notification(const Notification& notification);
[[nodiscard]] Notification parse_notification(std::string_view text);

}  // namespace belfry::store
