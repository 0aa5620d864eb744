#include "app/front_door.hpp"

#include "api/problem.hpp"
#include "api/readiness.hpp"

namespace belfry::app {

namespace {
constexpr int kUnavailable = 503;
}

void FrontDoor::wait_for(const std::string& reason) {
    const MutexLock lock(mutex_);
    reason_ = reason;
}

void FrontDoor::open(api::Handler handler) {
    const MutexLock lock(mutex_);
    handler_ = std::make_shared<const api::Handler>(std::move(handler));
}

api::Response FrontDoor::answer(const api::Request& request) {
    if (const auto refused = api::refuse_browser(request, rules_)) return api::problem_response(*refused);
    std::shared_ptr<const api::Handler> handler;
    std::string reason;
    {
        const MutexLock lock(mutex_);
        handler = handler_;
        if (!handler) reason = reason_;
    }
    if (handler) return (*handler)(request);
    if (request.path == api::kLivePath) return api::liveness_response();
    if (request.path == api::kReadyPath) return api::readiness_response({{"started", false, reason}});
    return api::problem_response(api::Problem{kUnavailable, "starting", reason});
}

}  // namespace belfry::app
