#include "api/contract/pending_request.hpp"

namespace belfry::api {

namespace {

class PendingRequest {
public:
    PendingRequest(Handler handle, Pending pending) : handle_(std::move(handle)), pending_(std::move(pending)) {}

    void listen(std::function<void()> ring) {
        ring_ = std::move(ring);
        listening_ = pending_.listen(ring_);
    }

    std::optional<Response> again(const Request& request, bool last) {
        PendingWatch watch;
        auto response = handle_(request);
        auto next = watch.take();
        if (!next || last) return response;
        pending_ = std::move(*next);
        listening_ = pending_.listen(ring_);
        return std::nullopt;
    }

private:
    const Handler handle_;
    Pending pending_;
    std::function<void()> ring_;
    std::shared_ptr<const void> listening_;
};

}  // namespace

Response handle_when_ready(Pending pending, Handler handle) {
    const auto until = pending.until;
    const auto waiting = std::make_shared<PendingRequest>(std::move(handle), std::move(pending));
    Response response;
    response.deferred = std::make_shared<DeferredResponse>(
        DeferredResponse{.poll = [waiting](const Request& now, bool last) { return waiting->again(now, last); },
                         .listen = [waiting](std::function<void()> ring) { waiting->listen(std::move(ring)); },
                         .until = until});
    return response;
}

}  // namespace belfry::api
