// Sends feed items to the webhooks that subscribe to them, at least once.
//
// Three durable steps. Each is safe to repeat when the process dies at any point:
//
//   take    turns new feed items into deliveries and moves the webhook's cursor, in one transaction
//   send    posts a due delivery, signed, with an id that stays the same for every attempt
//   record  writes the result; until then the delivery stays due
//
// A crash after `send` repeats the message, and the receiver recognizes it by its webhook-id. Two leaders that
// overlap for a moment may both send; that is the same case.
//
// One thread takes, loads and records in batches, while senders make the calls (outbox.hpp). New feed items and
// responses from receivers show where there is work. A sweep over all webhooks, one page at a time, finds the rest:
// deliveries that another server left, and deliveries that a client wants to resend.
//
// After a failure, the deliverer pauses all deliveries to that receiver until the next attempt. The pause grows with
// every further failure.
//
// Fairness: tenants share the senders and the loaded deliveries (outbox.hpp), and take turns when items are taken and
// deliveries are loaded.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <stop_token>
#include <thread>

#include "engine/jobs/housekeeping.hpp"
#include "engine/outgoing/outbox.hpp"
#include "engine/outgoing/webhook_sender.hpp"
#include "engine/outgoing/webhook_turns.hpp"
#include "store/registry.hpp"

namespace belfry::engine {

class Deliverer final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t calls = 32;  // concurrent calls
        std::size_t calls_per_webhook = 8;
        std::size_t page = store::kFeedPageMax;  // items taken, and webhooks read, per page
    };
    struct Outgoing {
        HttpClient& http;
        Sealer& sealer;
    };
    // REQUIRES: the store, the observer and the outgoing collaborators outlive it.
    Deliverer(store::Store& store, Observer& observer, Leading leading, Outgoing outgoing, Options options,
              Backoff::Random random);
    ~Deliverer() override;
    Deliverer(const Deliverer&) = delete;
    Deliverer& operator=(const Deliverer&) = delete;
    [[nodiscard]] std::string_view name() const override { return "deliverer"; }

    // Aborts the current calls and all later ones. The next leader repeats them. From any thread.
    void interrupt() { stop_.request_stop(); }

private:
    // A webhook that has, or will have, deliveries to send.
    struct Prospect {
        bool fresh = false;                 // a delivery may be due now
        std::optional<Instant> retry = {};  // when a failed delivery is due again
        Instant held_until = {};            // the receiver failed: send nothing before this time
        int failures = 0;                   // since the last success
        Instant loaded_at = {};
        [[nodiscard]] bool is_due(Instant now) const {
            return held_until <= now && (fresh || (retry && *retry <= now));
        }
    };
    struct Answered {
        Outbox::Sending sending;
        model::Delivery after;
        bool asked_to_wait = false;  // the receiver sent Retry-After
    };

    [[nodiscard]] Result<Micros> work(Instant now) override;
    void rest(bool leading) override;

    [[nodiscard]] Result<void> record(Instant now);
    void note(const Answered& answered);
    [[nodiscard]] Result<void> switch_off(const WebhookRef& ref, std::int64_t version);

    // Each returns whether there is more work.
    [[nodiscard]] Result<bool> sweep(Instant now);
    [[nodiscard]] Result<bool> read_news();
    [[nodiscard]] Result<bool> take(Instant now);
    [[nodiscard]] Result<bool> load_due(Instant now);
    [[nodiscard]] Result<void> load(const WebhookRef& ref, Prospect& prospect, Instant now);

    void start_senders();
    void send_all();

    store::Registry& registry_;
    const Options options_;
    Backoff::Random random_;
    WebhookSender sender_;
    std::stop_source stop_;
    Outbox outbox_;

    std::optional<std::int64_t> read_up_to_;   // position in the feed of all tenants; empty before the first sweep
    std::optional<std::int64_t> swept_up_to_;  // a webhook's key; empty: a new sweep starts
    bool first_sweep_ = true;                  // the first sweep has not ended
    Instant sweep_at_ = {};                    // the next page is not read before this time
    std::set<WebhookRef> behind_;              // webhooks that may have items to take
    WebhookTurns takes_;
    std::map<WebhookRef, Prospect> prospects_;
    WebhookTurns loads_;
    std::vector<Answered> unrecorded_;
    std::atomic<std::int64_t> now_us_ = 0;  // the store's time as of this step

    std::vector<std::jthread> senders_;  // last member, so that the threads end first; started on first use
};

}  // namespace belfry::engine
