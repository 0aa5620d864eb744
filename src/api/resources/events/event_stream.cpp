#include "api/resources/events/event_stream.hpp"

#include <boost/json/object.hpp>

#include "base/text/json.hpp"
#include "store/registry_rules.hpp"

namespace belfry::api {

namespace {

constexpr int kRetryMs = 2'000;  // delay before a browser reconnects

std::string id_line(std::int64_t position) { return "id: " + std::to_string(position) + "\n"; }

// The same data as a webhook receives.
std::string event_text(const model::FeedItem& item) {
    const boost::json::object data{{"type", item.type}, {"timestamp", format_instant(item.at)}, {"data", item.body}};
    return id_line(item.position) + "event: " + item.type + "\ndata: " + to_text(data) + "\n\n";
}

std::string reset_text(std::int64_t position, const std::string& why) {
    return id_line(position) +
           "event: reset\ndata: " + to_text(boost::json::object{{"type", "reset"}, {"data", {{"reason", why}}}}) +
           "\n\n";
}

}  // namespace

bool EventFilter::lets_through(const model::FeedItem& item) const {
    if (!schedule_id.empty() && item.schedule_id != schedule_id) return false;
    return store::lets_through(types, item.type);
}

Result<void> EventStream::follow() {
    const auto now = now_();
    if (!now) return now.error();
    if (auto followed = registry_.follow(tenant_, *now + kFollowedFor); !followed) return followed;
    return {};
}

// Returns why events may be missing, or an empty text.
Result<std::string> EventStream::missed(std::int64_t after, Instant now) {
    const auto bounds = registry_.feed_bounds(tenant_);
    if (!bounds) return bounds.error();
    if (after > bounds->first) return std::string("the position does not belong to this feed");
    if (bounds->second == 0 || after < bounds->second)
        return std::string("the events since then are no longer retained");
    // The reader of that event kept the feed active until kFollowedFor after its stream. Whether another reader did so
    // later is unknown.
    const auto item = registry_.feed(tenant_, after - 1, 1);
    if (!item) return item.error();
    const bool still_followed =
        !item->empty() && item->front().position == after && now - item->front().at < kFollowedFor - kStreamedFor;
    return still_followed ? std::string() : std::string("the feed may have been inactive since then");
}

Result<std::string> EventStream::begin(std::optional<std::int64_t> after) {
    const auto now = now_();
    if (!now) return now.error();
    Result<std::string> why = std::string();
    // Check before follow(), because events written from here on prove nothing about earlier ones.
    if (after) why = missed(*after, *now);
    if (!why) return why;
    if (auto followed = follow(); !followed) return followed.error();
    const bool resumes = after && why->empty();
    if (resumes) {
        position_ = *after;
    } else {
        const auto bounds = registry_.feed_bounds(tenant_);
        if (!bounds) return bounds.error();
        position_ = bounds->first;
    }
    told_ = position_;
    begun_at_ = sent_at_ = steady_.now();
    asked_at_ = sent_at_ - kFeedAskedEvery;
    const auto head = "retry: " + std::to_string(kRetryMs) + "\n";
    return why->empty() ? head + id_line(position_) + "\n" : head + reset_text(position_, *why);
}

std::optional<std::string> EventStream::next_chunk() {
    const auto steady = steady_.now();
    if (steady - begun_at_ >= kStreamedFor) return std::nullopt;
    std::string text;
    if (steady - asked_at_ >= kFeedAskedEvery) {
        const auto items = registry_.feed(tenant_, position_, kEventsAtOnce);
        if (!items) return std::nullopt;
        for (const auto& item : *items) {
            position_ = item.position;
            if (!filter_.lets_through(item)) continue;
            text += event_text(item);
            told_ = position_;
        }
        // After a full page there may be more events: read again without waiting.
        if (items->size() < kEventsAtOnce) asked_at_ = steady;
    }
    if (text.empty() && steady - sent_at_ >= kHeartbeatEvery) {
        // Sends the position, so that a reader who reconnects does not read filtered events again.
        text = position_ == told_ ? ": \n\n" : ": \n" + id_line(position_) + "\n";
        told_ = position_;
    }
    if (!text.empty()) sent_at_ = steady;
    return text;
}

}  // namespace belfry::api
