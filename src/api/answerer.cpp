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

// One of so many, given back by whoever destroys the last copy, which may be after the object that counts. Null: all are taken.
std::shared_ptr<void> take_place(const std::shared_ptr<std::atomic<std::size_t>>& places, std::size_t most) {
    if (places->fetch_add(1) >= most) {
        places->fetch_sub(1);
        return nullptr;
    }
    return {places.get(), [places](void*) { places->fetch_sub(1); }};
}

Response failed(const std::exception& exception) {
    return problem_response(Problem{500, "internal", std::string("the server failed: ") + exception.what(), {}});
}

}  // namespace

Answerer::Answerer(Handler handler, AnswererOptions options) : handler_(std::move(handler)), options_(std::move(options)) {}

std::string Answerer::new_id() { return ids_.make(SystemClock().now()); }

Response Answerer::ask_handler(const Request& request) const {
    if (const auto problem = refuse_encoded_body(request)) return problem_response(*problem);
    try {
        return handler_(request);
    } catch (const std::exception& exception) {
        return failed(exception);
    }
}

void Answerer::admit_stream(const Request& request, Response& response) {
    if (!response.more) return;
    if (request.method == "HEAD") {
        response.more = {};
        return;
    }
    const auto place = take_place(streams_, options_.streams_max);
    if (!place) {
        response = problem_response(Problem{503, "too_many_streams", "too many answers without an end are open; close one, or try again later", {}});
        return;
    }
    response.more = [place, more = std::move(response.more)] { return more(); };
}

void Answerer::admit_wait(Response& response, Micros took) {
    const auto place = take_place(waits_, options_.waits_max);
    if (!place) {
        response = problem_response(Problem{503, "too_many_waiting", "too many requests wait for their answers; try again later", {}});
        return;
    }
    auto& again = response.later->again;
    again = [this, place, took, ask = std::move(again)](const Request& request, bool last) mutable -> std::optional<Response> {
        const auto begun = Steady::now();
        std::optional<Response> answer;
        try {
            answer = ask(request, last);
            if (!answer && last) answer = problem_response(Problem{500, "internal", "there was no answer when the time was over", {}});
        } catch (const std::exception& exception) {
            answer = failed(exception);
        }
        took += since(begun);
        if (answer) complete(request, *answer, took);
        return answer;
    };
}

void Answerer::complete(const Request& request, Response& response, Micros took) const {
    compress(request, response);
    dress(response, request_id_of(request));
    if (options_.on_answer) options_.on_answer(request, response, took);
}

void Answerer::dress(Response& response, std::string request_id) const {
    set_header(response.headers, kRequestId, std::move(request_id));
    set_header(response.headers, "X-Content-Type-Options", "nosniff");
    if (response.header("Cache-Control").empty()) response.headers.emplace_back("Cache-Control", "no-store");
    if (options_.secure) set_header(response.headers, "Strict-Transport-Security", "max-age=31536000");
}

Response Answerer::answer(Request& request) {
    const auto begun = Steady::now();
    if (request_id_of(request).empty()) set_header(request.headers, kRequestId, new_id());
    drop_bad_traceparent(request);
    auto response = ask_handler(request);
    admit_stream(request, response);
    if (response.later) admit_wait(response, since(begun));
    if (!response.later) complete(request, response, since(begun));
    return response;
}

Response Answerer::refuse(const Problem& problem, const std::string& peer) {
    auto response = problem_response(problem);
    dress(response, new_id());
    if (options_.on_answer) options_.on_answer({.method = {}, .peer = peer}, response, Micros{0});
    return response;
}

}  // namespace belfry::api
