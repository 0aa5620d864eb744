// What servers tell each other so that nobody has to wait for the next look: a schedule fires at another time now, a
// queue has work, or something happened that somebody follows. Hints: they may be lost, late or doubled, and the rows decide.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/instant.hpp"

namespace belfry::store {

struct ScheduleMoved {
    std::int64_t key = 0;
    std::optional<Instant> next_fire = {};
    std::int64_t tenant = 0;  // its key; 0 when it was not at hand
    friend bool operator==(const ScheduleMoved&, const ScheduleMoved&) = default;
};

struct TasksReady {
    std::string tenant;
    std::string queue;
    std::string assignee = {};             // for whom alone; empty: for every worker of the queue
    std::optional<Instant> ready_at = {};  // nothing: now
    friend bool operator==(const TasksReady&, const TasksReady&) = default;
};

// There is something new in the feed of a tenant that is followed. Perhaps not settled yet: look a little later, too.
struct FeedGrown {
    std::string tenant;
    friend bool operator==(const FeedGrown&, const FeedGrown&) = default;
};

// Some were lost, or there were too many to name: look at everything.
struct LookAgain {
    friend bool operator==(const LookAgain&, const LookAgain&) = default;
};

using Announcement = std::variant<LookAgain, ScheduleMoved, TasksReady, FeedGrown>;
using Listener = std::function<void(const Announcement&)>;

inline constexpr std::size_t kAnnouncedMax = 100;  // schedules named one by one in a transaction; more are one LookAgain

// One line of text each, for the database's notifications; an empty one is LookAgain, and so is what cannot be read.
[[nodiscard]] std::string format_announcement(const Announcement& announcement);
[[nodiscard]] Announcement parse_announcement(std::string_view text);

}  // namespace belfry::store
