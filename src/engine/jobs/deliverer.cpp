#include "engine/jobs/deliverer.hpp"

#include <pthread.h>

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr std::size_t kTakesPerStep = 16;        // transactions; results are recorded in between
constexpr std::size_t kLoadsPerStep = 64;        // webhooks
constexpr std::size_t kFirstLoad = 16;           // deliveries of a webhook that has not yet proved to be fast
constexpr std::size_t kLoad = 500;               // deliveries of a fast webhook
constexpr std::size_t kRecordedAtOnce = 1'000;   // in one transaction
constexpr Seconds kLoadedFor{5};                 // then they are read again, because the webhook may have changed
constexpr Seconds kHeldFirst{5};                 // after a failure; doubles with every further one
constexpr Seconds kHeldMax{60};                  // then a failed receiver gets another delivery
constexpr std::chrono::milliseconds kLook{100};  // while calls are running

Seconds hold_after(int failures) { return std::min(kHeldMax, kHeldFirst * (1 << std::clamp(failures - 1, 0, 4))); }

std::size_t load_of(std::size_t window) { return window > 1 ? kLoad : kFirstLoad; }

bool is_lost_race(const Error& error) {
    return error.code == ErrorCode::conflict || error.code == ErrorCode::not_found;
}

}  // namespace

Deliverer::Deliverer(store::Store& store, Observer& observer, Leading leading, Outgoing outgoing, Options options,
                     Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, FailureTracker("deliverer", observer, random)),
      registry_(store.registry()),
      options_(options),
      random_(std::move(random)),
      sender_(outgoing.http, outgoing.sealer),
      outbox_({.calls = options.calls, .per_webhook = options.calls_per_webhook}) {}

Deliverer::~Deliverer() { stop_.request_stop(); }

Result<Micros> Deliverer::work(Instant now) {
    now_us_ = epoch_us(now);
    bool more = false;
    if (auto recorded = record(now); !recorded) return recorded.error();
    if (stop_.stop_requested()) return options_.tick;
    using Part = Result<bool> (Deliverer::*)(Instant);
    for (const Part part : {&Deliverer::sweep, &Deliverer::take, &Deliverer::load_due}) {
        const auto left = (this->*part)(now);
        if (!left) return left.error();
        more = more || *left;
    }
    if (outbox_.empty()) return more ? Micros{0} : options_.tick;
    outbox_.wait(kLook);
    return Micros{0};
}

// Current calls end soon. The next leader repeats them and records their result.
void Deliverer::rest(bool leading) {
    for (const auto& ref : outbox_.drop_all()) prospects_[ref].fresh = true;
    if (leading) return;
    for (const auto& each : outbox_.take_sent()) outbox_.forget(each.sending.ref, each.sending.delivery.item.position);
    for (const auto& each : unrecorded_) outbox_.forget(each.sending.ref, each.after.item.position);
    unrecorded_.clear();
}

// --- record

Result<void> Deliverer::record(Instant now) {
    for (auto& [sending, attempt] : outbox_.take_sent()) {
        if (!attempt) {
            outbox_.forget(sending.ref, sending.delivery.item.position);
            continue;
        }
        attempt->ended = now;
        auto after = decide::after_attempt(sending.delivery, *attempt, random_());
        unrecorded_.push_back({std::move(sending), std::move(after), attempt->retry_after.has_value()});
    }
    std::map<WebhookRef, std::int64_t> gone;  // with the version that the call used
    while (!unrecorded_.empty()) {
        const auto count = std::min(unrecorded_.size(), kRecordedAtOnce);
        const auto end = unrecorded_.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<std::pair<std::string, model::Delivery>> rows;
        for (auto each = unrecorded_.begin(); each != end; ++each)
            rows.emplace_back(each->sending.ref.first, each->after);
        if (auto put = registry_.put_deliveries(rows); !put) return put;  // they stay, and the next call records them
        for (auto each = unrecorded_.begin(); each != end; ++each) {
            note(*each);
            if (each->after.last_http_status == decide::kHttpGone)
                gone[each->sending.ref] = each->sending.webhook->version;
        }
        unrecorded_.erase(unrecorded_.begin(), end);
    }
    for (const auto& [ref, version] : gone) {
        if (auto off = switch_off(ref, version); !off) return off;
    }
    return {};
}

void Deliverer::note(const Answered& answered) {
    const auto& ref = answered.sending.ref;
    outbox_.forget(ref, answered.after.item.position);
    observer_.delivered(ref.first, answered.after);
    const auto& next = answered.after.next_try;
    if (!next) {
        if (const auto found = prospects_.find(ref); found != prospects_.end()) found->second.failures = 0;
        return;
    }
    auto& prospect = prospects_[ref];
    // Calls that were already running when the receiver failed do not count as further failures.
    if (*answered.after.last_try >= prospect.held_until) prospect.failures += 1;
    prospect.fresh = true;  // the deliveries behind it were dropped
    prospect.retry = prospect.retry ? std::min(*prospect.retry, *next) : *next;
    const auto most = *answered.after.last_try + kHeldMax;
    const auto least = *answered.after.last_try + hold_after(prospect.failures);
    prospect.held_until =
        std::max({prospect.held_until, least, answered.asked_to_wait ? *next : std::min(*next, most)});
}

Result<void> Deliverer::switch_off(const WebhookRef& ref, std::int64_t version) {
    outbox_.drop(ref);
    auto webhook = registry_.webhook(ref.first, ref.second);
    if (!webhook) return is_lost_race(webhook.error()) ? Result<void>() : Result<void>(webhook.error());
    if (webhook->version != version) return {};  // changed since, perhaps its URL: the next response decides
    webhook->enabled = false;
    webhook->version += 1;
    if (auto put = registry_.put_webhook(ref.first, *webhook); !put && !is_lost_race(put.error())) return put.error();
    return {};
}

// --- take

// Reads one page of all webhooks per tick. The first sweep reads its pages without a pause.
Result<bool> Deliverer::sweep(Instant now) {
    const bool clock_went_back = now + options_.tick < sweep_at_;
    if (!first_sweep_ && now < sweep_at_ && !clock_went_back) return false;
    if (!swept_up_to_) {
        const auto end = registry_.feed_end();
        if (!end) return end.error();
        // After a restore, the feed may end earlier than before.
        read_up_to_ = read_up_to_ ? std::min(*read_up_to_, *end) : *end;
    }
    const auto page = registry_.webhooks_with_work(now, swept_up_to_, options_.page);
    if (!page) return page.error();
    for (const auto& each : page->behind) behind_.insert(each);
    for (const auto& each : page->due) prospects_[each].fresh = true;
    swept_up_to_ = page->next_after;
    first_sweep_ = first_sweep_ && swept_up_to_.has_value();
    sweep_at_ = now + options_.tick;
    return first_sweep_;
}

Result<bool> Deliverer::read_news() {
    const auto news = registry_.feed_news(*read_up_to_, options_.page);
    if (!news) return news.error();
    for (const auto& tenant : news->tenants) {
        const auto webhooks = registry_.webhooks(tenant);
        if (!webhooks && !is_lost_race(webhooks.error())) return webhooks.error();
        if (!webhooks) continue;
        for (const auto& webhook : *webhooks) {
            if (webhook.enabled) behind_.emplace(tenant, webhook.id);
        }
    }
    read_up_to_ = news->up_to;
    return news->more;
}

Result<bool> Deliverer::take(Instant now) {
    const auto more_news = read_news();
    if (!more_news) return more_news;
    for (const auto& ref : takes_.next(behind_, kTakesPerStep)) {
        takes_.served(ref);
        const auto taken = registry_.take_deliveries(ref.first, ref.second, now, options_.page);
        if (!taken && !is_lost_race(taken.error())) return taken.error();
        if (taken && *taken > 0) prospects_[ref].fresh = true;
        const bool all_taken = !taken || *taken < static_cast<std::int64_t>(options_.page);
        if (all_taken) behind_.erase(ref);
    }
    return *more_news || !behind_.empty();
}

// --- load and send

Result<bool> Deliverer::load_due(Instant now) {
    std::set<WebhookRef> due;
    for (auto each = prospects_.begin(); each != prospects_.end();) {
        auto& [ref, prospect] = *each;
        if (now - prospect.loaded_at > kLoadedFor && outbox_.waiting_of(ref) > 0) {
            outbox_.drop(ref);
            prospect.fresh = true;
        }
        const bool has_room =
            outbox_.has_room(ref.first) && outbox_.waiting_of(ref) <= load_of(outbox_.window_of(ref)) / 2;
        if (prospect.is_due(now) && has_room) due.emplace_hint(due.end(), ref);
        const bool over = !prospect.fresh && !prospect.retry && outbox_.held_of(ref) == 0;
        each = over ? prospects_.erase(each) : std::next(each);
    }
    for (const auto& ref : loads_.next(due, kLoadsPerStep)) {
        loads_.served(ref);
        if (auto loaded = load(ref, prospects_[ref], now); !loaded) return loaded.error();
    }
    return due.size() > kLoadsPerStep;
}

Result<void> Deliverer::load(const WebhookRef& ref, Prospect& prospect, Instant now) {
    const auto webhook = registry_.webhook(ref.first, ref.second);
    if (!webhook && !is_lost_race(webhook.error())) return webhook.error();
    if (!webhook || !webhook->enabled) {
        outbox_.drop(ref);
        prospect = {};
        return {};
    }
    const auto most = std::min(load_of(outbox_.window_of(ref)) + outbox_.held_of(ref), store::kFeedPageMax);
    auto due = registry_.due_deliveries(ref.first, ref.second, now, most);
    if (!due) return due.error();
    prospect.loaded_at = now;
    prospect.fresh = due->size() == most;
    if (prospect.retry && *prospect.retry <= now) prospect.retry.reset();
    if (due->empty()) return {};
    start_senders();
    const bool all = outbox_.fill(ref, std::make_shared<const model::Webhook>(*webhook), std::move(*due));
    prospect.fresh = prospect.fresh || !all;
    return {};
}

void Deliverer::start_senders() {
    while (senders_.size() < options_.calls) senders_.emplace_back([this] { send_all(); });
}

// Runs on a sender's thread and changes no member of the deliverer.
void Deliverer::send_all() {
    pthread_setname_np(pthread_self(), "webhook");
    const auto stop = stop_.get_token();
    while (auto sending = outbox_.next(stop)) {
        const Instant now{Micros{now_us_}};
        const auto& [ref, webhook, delivery] = *sending;
        std::optional<decide::DeliveryAttempt> attempt;
        if (!stop.stop_requested())
            attempt = sender_.send(ref.first, *webhook, message_of(ref.second, delivery.item), now, stop);
        // A stop ended the call; the receiver did not fail.
        if (stop.stop_requested() && attempt && !attempt->http_status) attempt.reset();
        outbox_.sent({std::move(*sending), std::move(attempt)});
    }
}

}  // namespace belfry::engine
