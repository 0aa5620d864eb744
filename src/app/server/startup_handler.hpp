// The handler behind the HTTP port: while the server starts, it responds that the server is not ready; then it passes
// requests to the API. It rejects and logs requests from pages of other origins before both, and answers CORS
// preflights. Thread-safe.
//
// The server binds its port before it opens the store, so that a port in use is reported at once and monitoring sees
// why the server waits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/http/browser_guard.hpp"
#include "api/http/message.hpp"
#include "api/http/rate_limit.hpp"
#include "base/concurrency/mutex.hpp"
#include "base/log.hpp"

namespace belfry::app {

class StartupHandler {
public:
    // `health_details`: every caller may see why the server is not ready. REQUIRES: the log and the clock outlive it.
    struct Options {
        api::BrowserRules rules = {};
        bool health_details = false;
    };
    StartupHandler(Options options, const Log& log, const SteadyClock& clock)
        : options_(std::move(options)), log_(log), refusals_(kRefusalsLogged, clock) {}

    // The handler refers to this object.
    [[nodiscard]] api::Handler handler() {
        return [this](const api::Request& request) { return answer(request); };
    }
    [[nodiscard]] api::HeadCheck head_check() {
        return [this](const api::Request& request) { return check_head(request); };
    }

    // Sets the reason why the server is not ready, for callers who may see it.
    void wait_for(const std::string& reason);
    // From now on `handler` responds, and `check_head` decides which bodies are read for it.
    void open(api::Handler handler, api::HeadCheck check_head);

private:
    static constexpr api::Rate kRefusalsLogged{.per_second = 1, .burst = 10};  // so that a page cannot fill the log
    struct Open {
        api::Handler handler;
        api::HeadCheck check_head;
    };

    [[nodiscard]] api::Response answer(const api::Request& request);
    [[nodiscard]] api::HeadVerdict check_head(const api::Request& request);
    // The response to a rejected browser request or to a preflight; otherwise empty.
    [[nodiscard]] std::optional<api::Response> answer_browser(const api::Request& request);
    // Null before open().
    [[nodiscard]] std::shared_ptr<const Open> opened();
    [[nodiscard]] api::Response not_open(const api::Request& request);
    void log_refusal(const api::Request& request, const api::Problem& problem);

    const Options options_;
    const Log& log_;
    api::RateLimiter refusals_;
    Mutex mutex_;
    std::string reason_ BELFRY_GUARDED_BY(mutex_) = "the server is starting";
    std::shared_ptr<const Open> open_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::app
