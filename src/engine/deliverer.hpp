// Sends what happened to the webhooks that want it, at least once.
//
// Three durable steps, each repeated without harm when the process dies between any two lines:
//
//   take    items of the feed that a webhook has not seen become deliveries, and its cursor moves, in one transaction
//   send    a due delivery is posted, signed, with an id that is the same at every try
//   record  what came of it is written; until then the delivery is as due as before
//
// So what dies after `send` is sent again, and the receiver knows it by its webhook-id. Two leaders that overlap for a moment
// may both send; that is the same case.
//
// One thread takes, loads and records, in batches; lanes send meanwhile (outbox.hpp). What there is to do is found by what has
// changed: new items of the feed, and answers that came. A sweep over all webhooks, a page at a time, finds the rest: what was left
// by another server, and what somebody wants to have sent again.
//
// A receiver that fails is left alone, with all that waits for it, until the try after.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <stop_token>
#include <thread>

#include "engine/housekeeping.hpp"
#include "engine/outbox.hpp"
#include "engine/webhook_sender.hpp"
#include "store/registry.hpp"

namespace belfry::engine {

class Deliverer final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t lanes = 32;             // calls that go on at the same time
        std::size_t calls_per_tenant = 16;  // of them, so that one tenant's slow receivers leave room for the others'
        std::size_t calls_per_webhook = 8;
        std::size_t page = store::kFeedPageMax;  // items taken, webhooks looked at
    };
    struct Outgoing {
        HttpClient& http;
        Sealer& sealer;
    };
    // REQUIRES: the store, the observer and what is outgoing outlive it.
    Deliverer(store::Store& store, Observer& observer, Leading leading, Outgoing outgoing, Options options, Backoff::Random random);
    ~Deliverer() override;
    Deliverer(const Deliverer&) = delete;
    Deliverer& operator=(const Deliverer&) = delete;
    [[nodiscard]] std::string_view name() const override { return "deliverer"; }

    // Gives up the calls that go on, and those to come: they are made again by whoever leads next. From any thread.
    void interrupt() { stop_.request_stop(); }

private:
    // A webhook for which there is, or will be, something to send.
    struct Prospect {
        bool fresh = false;                 // something may be due now
        std::optional<Instant> retry = {};  // something is due then
        Instant held_until = {};            // the receiver failed: nothing before
        Instant loaded_at = {};
        [[nodiscard]] bool is_due(Instant now) const { return held_until <= now && (fresh || (retry && *retry <= now)); }
    };
    struct Answered {
        Outbox::Sending sending;
        model::Delivery after;
        bool asked_to_wait = false;  // by the receiver
    };

    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override;

    [[nodiscard]] Result<void> record(Instant now);
    void note(const Answered& answered);
    [[nodiscard]] Result<void> switch_off(const WebhookRef& ref, std::int64_t version);

    // Whether there is more.
    [[nodiscard]] Result<bool> sweep(Instant now);
    [[nodiscard]] Result<bool> read_news();
    [[nodiscard]] Result<bool> take(Instant now);
    [[nodiscard]] Result<bool> load_due(Instant now);
    [[nodiscard]] Result<void> load(const WebhookRef& ref, Prospect& prospect, Instant now);

    void begin_lanes();
    void send_all();

    store::Registry& registry_;
    const Options options_;
    Backoff::Random random_;
    WebhookSender sender_;
    std::stop_source stop_;
    Outbox outbox_;

    std::optional<std::int64_t> read_up_to_;   // of the feed of all tenants; nothing before the first sweep
    std::optional<std::int64_t> swept_up_to_;  // the key of a webhook; nothing: the next sweep begins
    bool first_sweep_ = true;                  // is not over
    Instant sweep_at_ = {};                    // not before
    std::set<WebhookRef> behind_;              // there may be something to take
    WebhookRef took_;                          // the one that had its turn last
    std::map<WebhookRef, Prospect> prospects_;
    WebhookRef loaded_;  // the one that had its turn last
    std::vector<Answered> unrecorded_;
    std::atomic<std::int64_t> now_us_ = 0;  // the store's time, as of this step

    std::vector<std::jthread> lanes_;  // last: they end before what they use; made when first needed
};

}  // namespace belfry::engine
