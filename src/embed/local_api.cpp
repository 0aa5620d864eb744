#include "embed/local_api.hpp"

#include <condition_variable>
#include <mutex>

#include "api/contract/problem.hpp"
#include "api/http/percent.hpp"

namespace belfry::embed {

namespace {

// A thread of the caller waits here, as a connection of the server does without one.
api::Response wait_for(api::DeferredResponse& deferred, const api::Request& request, const std::stop_token& stop) {
    struct Bell {
        std::mutex mutex;
        std::condition_variable_any rung;
        bool rings = false;
    };
    const auto bell = std::make_shared<Bell>();  // a ring may come while this function returns
    deferred.listen([bell] {
        const std::lock_guard lock(bell->mutex);
        bell->rings = true;
        bell->rung.notify_one();
    });
    while (true) {
        bool last = false;
        {
            std::unique_lock lock(bell->mutex);
            const bool rang = bell->rung.wait_until(lock, stop, deferred.until, [&] { return bell->rings; });
            last = !rang;
            bell->rings = false;
        }
        if (auto response = deferred.poll(request, last)) return std::move(*response);
    }
}

api::Response refuse_stream() {
    return api::problem_response(
        invalid("call() cannot return a stream of events; read the history or the list of events instead"));
}

}  // namespace

LocalApi::LocalApi(const api::Api& api, std::string tenant)
    : handle_(api.handler()), prefix_("/api/tenants/" + api::percent_encode(tenant)) {}

Response LocalApi::call(std::string_view method, std::string_view path, std::string_view body,
                        const std::stop_token& stop) const {
    const auto question = std::min(path.find('?'), path.size());
    api::Request request{.method = std::string(method), .path = prefix_ + std::string(path.substr(0, question))};
    if (question < path.size()) request.query = path.substr(question + 1);
    if (!body.empty()) {
        request.headers.emplace_back("Content-Type", "application/json");
        request.body = body;
    }
    auto response = handle_(request);
    if (response.deferred) response = wait_for(*response.deferred, request, stop);
    if (response.next_chunk) response = refuse_stream();
    return {response.status, std::move(response.body)};
}

Result<Json> LocalApi::post(std::string_view path, const Json& body, const std::stop_token& stop) const {
    const auto response = call("POST", path, to_text(body), stop);
    auto json = parse_json(response.body);
    if (!json) return json.error();
    if (response.ok()) return json;
    const auto* const detail = json->is_object() ? json->get_object().if_contains("detail") : nullptr;
    return Error{ErrorCode::unavailable, detail != nullptr && detail->is_string()
                                             ? std::string(detail->get_string())
                                             : "status " + std::to_string(response.status)};
}

}  // namespace belfry::embed
