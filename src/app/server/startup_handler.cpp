#include "app/server/startup_handler.hpp"

#include "api/contract/problem.hpp"
#include "api/telemetry/readiness.hpp"

namespace belfry::app {

namespace {
constexpr int kUnavailable = 503;
constexpr const char* kStarting = "the server is starting";
}  // namespace

void StartupHandler::wait_for(const std::string& reason) {
    const MutexLock lock(mutex_);
    reason_ = reason;
}

void StartupHandler::open(api::Handler handler, api::HeadCheck check_head) {
    const MutexLock lock(mutex_);
    open_ = std::make_shared<const Open>(Open{std::move(handler), std::move(check_head)});
}

std::shared_ptr<const StartupHandler::Open> StartupHandler::opened() {
    const MutexLock lock(mutex_);
    return open_;
}

void StartupHandler::log_refusal(const api::Request& request, const api::Problem& problem) {
    if (!refusals_.take(problem.code)) return;
    log_.warn("rejected a browser request", {{"code", problem.code},
                                             {"origin", request.header("Origin")},
                                             {"site", request.header("Sec-Fetch-Site")},
                                             {"host", request.header("Host")},
                                             {"method", request.method},
                                             {"path", request.path},
                                             {"peer", request.peer}});
}

std::optional<api::Response> StartupHandler::answer_browser(const api::Request& request) {
    if (const auto refused = api::refuse_browser(request, options_.rules)) {
        log_refusal(request, *refused);
        return api::problem_response(*refused);
    }
    return api::answer_preflight(request, options_.rules);
}

api::Response StartupHandler::not_open(const api::Request& request) {
    std::string reason;
    {
        const MutexLock lock(mutex_);
        reason = reason_;
    }
    if (request.path == api::kLivePath) return api::liveness_response();
    if (request.path == api::kReadyPath) {
        return api::readiness_response({{"started", false, reason}},
                                       options_.health_details ? api::HealthDetail::server : api::HealthDetail::none);
    }
    return api::problem_response(api::Problem{kUnavailable, "starting", options_.health_details ? reason : kStarting});
}

api::Response StartupHandler::answer(const api::Request& request) {
    if (auto answered = answer_browser(request)) return std::move(*answered);
    const auto open = opened();
    auto response = open ? open->handler(request) : not_open(request);
    if (!response.deferred) {
        api::allow_origin(request, options_.rules, response);
        return response;
    }
    auto& again = response.deferred->poll;
    again = [this, ask = std::move(again)](const api::Request& asked, bool last) {
        auto later = ask(asked, last);
        if (later) api::allow_origin(asked, options_.rules, *later);
        return later;
    };
    return response;
}

api::HeadVerdict StartupHandler::check_head(const api::Request& request) {
    if (auto answered = answer_browser(request)) return {.refusal = std::move(answered)};
    const auto open = opened();
    auto verdict = open ? open->check_head(request) : api::HeadVerdict{.refusal = not_open(request)};
    if (verdict.refusal) api::allow_origin(request, options_.rules, *verdict.refusal);
    return verdict;
}

}  // namespace belfry::app
