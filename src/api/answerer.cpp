#include "api/answerer.hpp"

#include <chrono>

#include "api/gzip.hpp"
#include "api/request_id.hpp"
#include "base/clock.hpp"

namespace belfry::api {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view kRequestId = "X-Request-Id";

Micros since(Steady::time_point begun) { return std::chrono::duration_cast<Micros>(Steady::now() - begun); }

void set_header(std::vector<Header>& headers, std::string_view name, std::string value) {
    std::erase_if(headers, [&](const Header& header) { return same_ignoring_case(header.first, name); });
    headers.emplace_back(name, std::move(value));
}

// Of two nobody knows which is meant, so neither is kept.
void drop_bad_traceparent(Request& request) {
    const auto is_one = [](const Header& header) { return same_ignoring_case(header.first, "traceparent"); };
    const auto count = std::ranges::count_if(request.headers, is_one);
    if (count == 0 || (count == 1 && is_traceparent(request.header("traceparent")))) return;
    std::erase_if(request.headers, is_one);
}

}  // namespace

Answerer::Answerer(Handler handler, AnswererOptions options) : handler_(std::move(handler)), options_(std::move(options)) {}

std::string Answerer::new_id() { return ids_.make(SystemClock().now()); }

Response Answerer::ask_handler(const Request& request) const {
    if (const auto problem = refuse_encoded_body(request)) return problem_response(*problem);
    try {
        return handler_(request);
    } catch (const std::exception& exception) {
        return problem_response(Problem{500, "internal", std::string("the server failed: ") + exception.what(), {}});
    }
}

void Answerer::admit_stream(const Request& request, Response& response) {
    if (!response.more) return;
    if (request.method == "HEAD") {
        response.more = {};
        return;
    }
    if (streams_->fetch_add(1) >= options_.streams_max) {
        streams_->fetch_sub(1);
        response = problem_response(Problem{503, "too_many_streams", "too many answers without an end are open; close one, or try again later", {}});
        return;
    }
    // The place is given back by whoever destroys the last copy, which may be after this object.
    const std::shared_ptr<void> place(nullptr, [streams = streams_](void*) { streams->fetch_sub(1); });
    response.more = [place, more = std::move(response.more)] { return more(); };
}

void Answerer::dress(Response& response, std::string request_id) const {
    set_header(response.headers, kRequestId, std::move(request_id));
    set_header(response.headers, "X-Content-Type-Options", "nosniff");
    if (response.header("Cache-Control").empty()) response.headers.emplace_back("Cache-Control", "no-store");
    if (options_.secure) set_header(response.headers, "Strict-Transport-Security", "max-age=31536000");
}

Response Answerer::answer(Request& request) {
    const auto begun = Steady::now();
    auto id = request_id_of(request);
    if (id.empty()) {
        id = new_id();
        set_header(request.headers, kRequestId, id);
    }
    drop_bad_traceparent(request);
    auto response = ask_handler(request);
    admit_stream(request, response);
    compress(request, response);
    dress(response, std::move(id));
    if (options_.on_answer) options_.on_answer(request, response, since(begun));
    return response;
}

Response Answerer::refuse(const Problem& problem, const std::string& peer) {
    auto response = problem_response(problem);
    dress(response, new_id());
    if (options_.on_answer) options_.on_answer({.method = {}, .peer = peer}, response, Micros{0});
    return response;
}

}  // namespace belfry::api
