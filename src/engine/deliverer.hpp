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
// A receiver that fails is left alone, with all that waits for it, until the try after; one that is slow takes a few of the
// calls that go on side by side, never all of them.
#pragma once

#include <atomic>
#include <map>
#include <stop_token>

#include "engine/housekeeping.hpp"
#include "engine/lanes.hpp"
#include "engine/webhook_sender.hpp"
#include "store/registry.hpp"

namespace belfry::engine {

class Deliverer final : public Housekeeper {
public:
    struct Options {
        Micros tick = Seconds{1};
        std::size_t lanes = 8;             // calls side by side
        std::size_t calls_per_step = 16;   // so that a step is over within about two timeouts
        std::size_t calls_per_tenant = 4;  // of them, so that one tenant's slow receivers leave room for the others'
        std::size_t calls_per_webhook = 4;
        std::size_t webhooks = 10'000;           // that are looked at
        std::size_t page = store::kFeedPageMax;  // items taken, deliveries looked at
    };
    struct Outgoing {
        HttpClient& http;
        Sealer& sealer;
    };
    // REQUIRES: the store, the observer and what is outgoing outlive it.
    Deliverer(store::Store& store, Observer& observer, Leading leading, Outgoing outgoing, Options options, Backoff::Random random);
    [[nodiscard]] std::string_view name() const override { return "deliverer"; }

    // Gives up the calls that go on, and those to come: they are made again by whoever leads next. From any thread.
    void interrupt() { stop_.request_stop(); }

private:
    using WebhookRef = std::pair<std::string, std::string>;  // tenant, id
    using Due = std::pair<std::string, model::Delivery>;     // tenant, delivery
    struct Sending {
        const Due* due = nullptr;
        const model::Webhook* webhook = nullptr;
        std::uint64_t random = 0;
        std::optional<model::Delivery> after = {};  // nothing: given up
        Result<void> recorded = {};
    };

    [[nodiscard]] Result<Micros> work(Instant now) override;
    [[nodiscard]] Result<bool> take(Instant now);  // whether there is more
    [[nodiscard]] Result<bool> send_due(Instant now);
    [[nodiscard]] std::vector<Sending> choose(const std::vector<Due>& due);
    void send(Sending& sending, Instant now);
    [[nodiscard]] Result<void> settle(const std::vector<Sending>& sendings);
    [[nodiscard]] Result<void> put_off(const std::vector<Due>& due, const std::vector<Sending>& sendings, Instant now);
    [[nodiscard]] Result<void> switch_off(const WebhookRef& ref, std::int64_t version);

    store::Registry& registry_;
    const Options options_;
    Backoff::Random random_;
    WebhookSender sender_;
    Lanes lanes_;
    std::stop_source stop_;

    std::map<WebhookRef, model::Webhook> webhooks_;  // those that are enabled, as this step found them
    std::map<WebhookRef, std::int64_t> taken_;       // up to where nothing is left to take: saves a look, decides nothing
};

}  // namespace belfry::engine
