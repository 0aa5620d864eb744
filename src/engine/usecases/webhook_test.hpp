// One test call to a webhook, for a caller that waits without blocking a thread. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/concurrency/listeners.hpp"
#include "decide/run/delivery.hpp"

namespace belfry::engine {

// The destructor aborts the call.
class WebhookTest {
public:
    WebhookTest() = default;
    ~WebhookTest() { outcome_->stop.request_stop(); }
    WebhookTest(const WebhookTest&) = delete;
    WebhookTest& operator=(const WebhookTest&) = delete;

    // The result; empty while the call is running.
    [[nodiscard]] std::optional<decide::DeliveryAttempt> result() const {
        const MutexLock lock(outcome_->mutex);
        return outcome_->attempt;
    }
    // Calls `ring` when there is a result, at once if there is one already. Call it once per test.
    void listen(Listeners::Ring ring) {
        listening_ = outcome_->listeners.add({}, std::move(ring));
        if (result()) outcome_->listeners.ring({});
    }

    // Owned by the calling thread, which may outlive the test.
    struct Outcome {
        std::stop_source stop;
        Listeners listeners;
        mutable Mutex mutex;
        std::optional<decide::DeliveryAttempt> attempt BELFRY_GUARDED_BY(mutex);

        void end(decide::DeliveryAttempt with) {
            {
                const MutexLock lock(mutex);
                attempt = std::move(with);
            }
            listeners.ring({});
        }
    };
    [[nodiscard]] const std::shared_ptr<Outcome>& outcome() const { return outcome_; }

private:
    std::shared_ptr<Outcome> outcome_ = std::make_shared<Outcome>();
    Listeners::Handle listening_;
};

}  // namespace belfry::engine
