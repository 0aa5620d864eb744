#include "store/notification.hpp"

#include <utility>

#include "base/text/parse_integer.hpp"

namespace belfry::store {

namespace {

// Removes and returns the text up to the next space, and removes the space.
std::string_view take_word(std::string_view& text) {
    const auto space = text.find(' ');
    const auto word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    return word;
}

}  // namespace

std::string format_notification(const Notification& notification) {
    if (const auto* moved = std::get_if<ScheduleMoved>(&notification)) {
        return "schedule " + std::to_string(moved->key) + " " +
               (moved->next_fire ? std::to_string(epoch_us(*moved->next_fire)) : "-") +
               (moved->tenant != 0 ? " " + std::to_string(moved->tenant) : "");
    }
    // Names of tenants have no spaces; names of queues and assignees may.
    if (const auto* ready = std::get_if<TasksReady>(&notification)) {
        return "tasks2 " + ready->tenant + " " + (ready->ready_at ? std::to_string(epoch_us(*ready->ready_at)) : "-") +
               " " + std::to_string(ready->queue.size()) + " " + ready->queue + ready->assignee;
    }
    if (const auto* grown = std::get_if<FeedGrown>(&notification)) return "feed " + grown->tenant;
    return {};
}

Notification parse_notification(std::string_view text) {
    const auto kind = take_word(text);
    if (kind == "tasks2") {
        const auto tenant = take_word(text);
        const auto when = take_word(text);
        const auto ready = parse_integer(when);
        const auto length = parse_integer(take_word(text));
        if ((!ready && when != "-") || !length || *length < 0 || std::cmp_greater(*length, text.size()))
            return Resync{};
        const auto queue = static_cast<std::size_t>(*length);
        return TasksReady{std::string(tenant), std::string(text.substr(0, queue)), std::string(text.substr(queue)),
                          ready ? std::optional{Instant{Micros{*ready}}} : std::nullopt};
    }
    if (kind == "feed" && !text.empty()) return FeedGrown{std::string(text)};
    if (kind != "schedule") return Resync{};
    const auto key = parse_integer(take_word(text));
    const auto when = take_word(text);
    const auto fire = parse_integer(when);
    // Belfry versions before the second schema send no tenant.
    const auto tenant = text.empty() ? std::optional<std::int64_t>{0} : parse_integer(text);
    if (!key || (!fire && when != "-") || !tenant) return Resync{};
    return ScheduleMoved{*key, fire ? std::optional{Instant{Micros{*fire}}} : std::nullopt, *tenant};
}

}  // namespace belfry::store
