// What HTTP meets: first a server that is still starting and says so, then the API. Pages of strangers are sent away before both.
// Thread-safe.
//
// The port is taken before the store is opened, so that a port in use is known at once and whoever watches the server sees
// why it waits.
#pragma once

#include <memory>
#include <string>

#include "api/browser_guard.hpp"
#include "api/message.hpp"
#include "base/mutex.hpp"

namespace belfry::app {

class FrontDoor {
public:
    explicit FrontDoor(api::BrowserRules rules) : rules_(std::move(rules)) {}

    // Borrows this object.
    [[nodiscard]] api::Handler handler() {
        return [this](const api::Request& request) { return answer(request); };
    }

    // Why it is not open yet, for those who ask.
    void wait_for(const std::string& reason);
    // From now on the handler answers.
    void open(api::Handler handler);

private:
    [[nodiscard]] api::Response answer(const api::Request& request);

    const api::BrowserRules rules_;
    Mutex mutex_;
    std::string reason_ BELFRY_GUARDED_BY(mutex_) = "the server is starting";
    std::shared_ptr<const api::Handler> handler_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::app
