// Deliveries that are loaded and not over: they wait for a lane, are being sent, or are sent and not recorded yet. Thread-safe.
//
// Lanes take the next one, fairly: tenants take turns, and in a tenant its webhooks, each in the order in which its deliveries were
// loaded. A webhook begins with one call at a time. Every success lets one more go on beside it, up to a limit, and a failure begins
// anew: so a receiver that hangs holds few of the calls, and one that answers gets many.
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

#include "decide/delivery.hpp"

namespace belfry::engine {

using WebhookRef = std::pair<std::string, std::string>;  // tenant, id

class Outbox {
public:
    struct Limits {
        std::size_t per_tenant = 1;  // calls that go on at the same time
        std::size_t per_webhook = 1;
    };
    struct Sending {
        WebhookRef ref;
        std::shared_ptr<const model::Webhook> webhook;  // as it was when the delivery was loaded
        model::Delivery delivery;
    };
    struct Sent {
        Sending sending;
        std::optional<decide::DeliveryAttempt> attempt = {};  // nothing: it was given up
    };

    explicit Outbox(Limits limits) : limits_(limits) {}

    // Adds those that are not in it already.
    void fill(const WebhookRef& ref, const std::shared_ptr<const model::Webhook>& webhook, std::vector<model::Delivery> deliveries);
    // Takes out what waits; what is being sent goes on.
    void drop(const WebhookRef& ref);
    std::vector<WebhookRef> drop_all();  // those that had something waiting

    // For a lane: the next one, as soon as there is one; nothing when it should end.
    [[nodiscard]] std::optional<Sending> next(const std::stop_token& stop);
    void sent(Sent sent);

    // Waits for something that was sent, at most that long.
    void wait(Micros time);
    [[nodiscard]] std::vector<Sent> take_sent();
    // It is recorded: from now on it may be loaded again.
    void forget(const WebhookRef& ref, std::int64_t position);

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::size_t waiting() const;  // of all webhooks
    [[nodiscard]] std::size_t waiting_of(const WebhookRef& ref) const;
    [[nodiscard]] std::size_t held_of(const WebhookRef& ref) const;  // waiting, being sent, or not recorded
    [[nodiscard]] std::size_t window_of(const WebhookRef& ref) const;

private:
    struct Line {
        std::shared_ptr<const model::Webhook> webhook = {};
        std::deque<model::Delivery> waiting = {};
        std::set<std::int64_t> held = {};  // positions
        std::size_t calls = 0;
        std::size_t window = 1;
    };
    struct Tenant {
        std::map<std::string, Line> lines = {};  // by the webhook's id
        std::size_t calls = 0;
        std::string served = {};  // the webhook that had its turn last
    };

    [[nodiscard]] std::optional<Sending> pick();
    [[nodiscard]] std::optional<Sending> pick_of(const std::string& name, Tenant& tenant);
    // Null when there is none.
    template <typename Tenants>
    [[nodiscard]] static auto* find(Tenants& tenants, const WebhookRef& ref);
    void drop(Line& line);
    void remove_idle(const WebhookRef& ref);

    const Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable_any filled_;
    std::condition_variable_any done_;
    std::map<std::string, Tenant> tenants_;  // those that have anything in it, and some that had
    std::string served_;                     // the tenant that had its turn last
    std::size_t waiting_ = 0;
    std::vector<Sent> sent_;
};

}  // namespace belfry::engine
