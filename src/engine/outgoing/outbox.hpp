// Loaded deliveries: waiting for a sender, being sent, or sent and not yet recorded. Thread-safe.
//
// Senders take the next delivery fairly: tenants share the senders, and within a tenant its receivers do
// (base/concurrency/grouped_share.hpp). Tenants take turns, and within a tenant its webhooks, each in the order in
// which its deliveries were loaded. Tenants also share the room for waiting deliveries. A webhook starts with one
// call at a time. Every success allows one more concurrent call, up to a limit, and a failure resets it to one. So a
// receiver that hangs holds few of the calls, and one that responds gets many.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/concurrency/grouped_share.hpp"
#include "decide/run/delivery.hpp"

namespace belfry::engine {

using WebhookRef = std::pair<std::string, std::string>;  // tenant, id

class Outbox {
public:
    struct Limits {
        std::size_t calls = 1;  // concurrent calls
        std::size_t per_webhook = 1;
        std::size_t waiting_max = 4'000;  // deliveries of all webhooks, in memory
    };
    struct Sending {
        WebhookRef ref;
        std::shared_ptr<const model::Webhook> webhook;  // as it was when the delivery was loaded
        model::Delivery delivery;
    };
    struct Sent {
        Sending sending;
        std::optional<decide::DeliveryAttempt> attempt = {};  // empty: the call was aborted
    };

    explicit Outbox(Limits limits) : limits_(limits), calls_(limits.calls), waiting_(limits.waiting_max) {}

    // Adds the deliveries that it does not hold yet, as long as the tenant has room. Returns false if some are left
    // out.
    bool fill(const WebhookRef& ref, const std::shared_ptr<const model::Webhook>& webhook,
              std::vector<model::Delivery> deliveries);
    // Removes the waiting deliveries; current calls continue.
    void drop(const WebhookRef& ref);
    std::vector<WebhookRef> drop_all();  // returns those that had waiting deliveries

    // For a sender: waits for the next delivery. Returns nothing after a stop request.
    [[nodiscard]] std::optional<Sending> next(const std::stop_token& stop);
    void sent(Sent sent);

    // Waits until a delivery was sent, at most for `time`.
    void wait(Micros time);
    [[nodiscard]] std::vector<Sent> take_sent();
    // The delivery is recorded and may be loaded again.
    void forget(const WebhookRef& ref, std::int64_t position);

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::size_t waiting() const;  // of all webhooks
    [[nodiscard]] bool has_room(const std::string& tenant) const;
    [[nodiscard]] std::size_t waiting_of(const WebhookRef& ref) const;
    [[nodiscard]] std::size_t held_of(const WebhookRef& ref) const;  // waiting, being sent, or not recorded
    [[nodiscard]] std::size_t window_of(const WebhookRef& ref) const;

private:
    struct Line {
        std::shared_ptr<const model::Webhook> webhook = {};
        std::string receiver = {};  // the host of its URL
        std::deque<model::Delivery> waiting = {};
        std::set<std::int64_t> held = {};  // positions
        std::size_t calls = 0;
        std::size_t window = 1;
    };
    struct Tenant {
        std::map<std::string, Line> lines = {};  // by the webhook's id
        std::string served = {};                 // the webhook that had the last turn
    };

    [[nodiscard]] std::optional<Sending> pick();
    [[nodiscard]] std::optional<Sending> pick_of(const std::string& name, Tenant& tenant);
    // Returns null if there is none.
    template <typename Tenants>
    [[nodiscard]] static auto* find(Tenants& tenants, const WebhookRef& ref);
    void drop(const std::string& tenant, Line& line);
    [[nodiscard]] bool may_wait(const std::string& tenant) const;
    void remove_idle(const WebhookRef& ref);

    const Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable_any filled_;
    std::condition_variable_any done_;
    std::map<std::string, Tenant> tenants_;  // those with deliveries, and some without
    std::string served_;                     // the tenant that had the last turn
    GroupedShare calls_;
    FairShare waiting_;
    std::vector<Sent> sent_;
};

}  // namespace belfry::engine
