#include "api/http/response_pipeline.hpp"

#include <chrono>

#include "api/http/gzip.hpp"
#include "api/http/request_id.hpp"
#include "base/time/clock.hpp"

namespace belfry::api {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view kRequestId = "X-Request-Id";

void set_header(std::vector<Header>& headers, std::string_view name, std::string value) {
    std::erase_if(headers, [&](const Header& header) { return same_ignoring_case(header.first, name); });
    headers.emplace_back(name, std::move(value));
}

// Drops duplicates as well, because it is unclear which one is meant.
void drop_bad_traceparent(Request& request) {
    const auto is_one = [](const Header& header) { return same_ignoring_case(header.first, "traceparent"); };
    const auto count = std::ranges::count_if(request.headers, is_one);
    if (count == 0 || (count == 1 && is_traceparent(request.header("traceparent")))) return;
    std::erase_if(request.headers, is_one);
}

// A body may wait long for its client, and the memory that it grew with may be twice its size. Copying a small one
// costs more than it frees.
void drop_spare_memory(std::string& body) {
    constexpr std::size_t kSpareMax = std::size_t{16} << 10;
    if (body.capacity() - body.size() > kSpareMax) body.shrink_to_fit();
}

// Explains why there is no place for one more of `what`, and the fix.
Response no_place(GroupedPlaces::Limit met, const char* code, const std::string& what, const std::string& setting) {
    const std::string who = met == GroupedPlaces::Limit::member ? "you hold" : "your tenant holds";
    return problem_response(
        Problem{503, code, who + " as many " + what + " as allowed (" + setting + "); close one, or retry later", {}});
}

// Pages of other origins may not embed a response, unless CORS allows them to read it.
void guard_pages(Response& response) {
    constexpr std::string_view kNoFrames = "frame-ancestors 'none'";
    constexpr std::string_view kPolicy = "Content-Security-Policy";
    const bool shared = !response.header("Access-Control-Allow-Origin").empty();
    set_header(response.headers, "Cross-Origin-Resource-Policy", shared ? "cross-origin" : "same-origin");
    set_header(response.headers, "X-Frame-Options", "DENY");
    auto policy = std::string(response.header(kPolicy));
    if (policy.find("frame-ancestors") == std::string::npos)
        policy.append(policy.empty() ? "" : "; ").append(kNoFrames);
    set_header(response.headers, kPolicy, std::move(policy));
}

Micros since(Steady::time_point began) { return std::chrono::duration_cast<Micros>(Steady::now() - began); }

// Lets `complete` finish the deferred response once it is there, with the time that handlers took: `took` so far, and
// every poll. The time during which the request waits is not counted.
void when_ready(DeferredResponse& deferred, Micros took,
                std::function<void(const Request&, Response&, Micros took)> complete) {
    deferred.poll = [took, complete = std::move(complete), poll = std::move(deferred.poll)](
                        const Request& request, bool last) mutable -> std::optional<Response> {
        const auto began = Steady::now();
        auto response = poll(request, last);
        took += since(began);
        if (response) complete(request, *response, took);
        return response;
    };
}

Response failed(const std::exception& exception) {
    return problem_response(Problem{500, "internal", std::string("the server failed: ") + exception.what(), {}});
}

}  // namespace

ResponsePipeline::ResponsePipeline(Handler handler, ResponsePipelineOptions options)
    : handler_(std::move(handler)),
      options_(std::move(options)),
      streams_(options_.streams_max),
      waits_(options_.waits_max) {}

std::string ResponsePipeline::new_id() { return ids_.make(SystemClock().now()); }

Response ResponsePipeline::ask_handler(const Request& request) const {
    if (const auto problem = refuse_encoded_body(request)) return problem_response(*problem);
    try {
        return handler_(request);
    } catch (const std::exception& exception) {
        return failed(exception);
    }
}

void ResponsePipeline::admit_stream(const Request& request, Response& response) {
    if (!response.next_chunk) return;
    if (request.method == "HEAD") {
        response.next_chunk = {};
        return;
    }
    const auto taken = streams_.take(response.tenant, response.principal);
    if (!taken.place) {
        response = no_place(taken.met, "too_many_streams", "event streams", "event_streams_max");
        return;
    }
    response.next_chunk = [place = taken.place, more = std::move(response.next_chunk)] { return more(); };
}

void ResponsePipeline::admit_wait(Response& response, Micros took) {
    const auto taken = waits_.take(response.tenant, response.principal);
    if (!taken.place) {
        response = no_place(taken.met, "too_many_waiting", "waiting requests", "waiting_claims_max");
        return;
    }
    auto& poll = response.deferred->poll;
    poll = [place = taken.place, ask = std::move(poll)](const Request& request, bool last) -> std::optional<Response> {
        try {
            auto answer = ask(request, last);
            if (answer || !last) return answer;
            return problem_response(
                Problem{500, "internal", "the deferred response was not ready when its time had passed", {}});
        } catch (const std::exception& exception) {
            return failed(exception);
        }
    };
    when_ready(*response.deferred, took,
               [this](const Request& request, Response& answer, Micros all) { complete(request, answer, all); });
}

void ResponsePipeline::format_problem(std::string_view path, Response& response) const {
    if (options_.on_problem && response.header("Content-Type") == kProblemMedia) options_.on_problem(path, response);
}

void ResponsePipeline::complete(const Request& request, Response& response, Micros took) const {
    format_problem(request.path, response);
    compress(request, response);
    drop_spare_memory(response.body);
    add_standard_headers(response, request_id_of(request));
    if (options_.on_answer) options_.on_answer(request, response, took);
}

void ResponsePipeline::add_standard_headers(Response& response, std::string request_id) const {
    set_header(response.headers, kRequestId, std::move(request_id));
    set_header(response.headers, "X-Content-Type-Options", "nosniff");
    if (response.header("Cache-Control").empty()) response.headers.emplace_back("Cache-Control", "no-store");
    guard_pages(response);
    if (options_.secure) set_header(response.headers, "Strict-Transport-Security", "max-age=31536000");
}

void ResponsePipeline::name(Request& request) {
    if (request_id_of(request).empty()) set_header(request.headers, kRequestId, new_id());
    drop_bad_traceparent(request);
}

std::optional<Response> ResponsePipeline::check_head(Request& request) {
    const auto begun = Steady::now();
    name(request);
    HeadVerdict verdict;
    try {
        verdict = options_.check_head(request);
    } catch (const std::exception& exception) {
        verdict.refusal = failed(exception);
    }
    request.admitted = std::move(verdict.admitted);
    if (verdict.refusal) complete(request, *verdict.refusal, since(begun));
    return std::move(verdict.refusal);
}

Response ResponsePipeline::answer(Request& request) {
    const auto begun = Steady::now();
    name(request);
    auto response = ask_handler(request);
    admit_stream(request, response);
    if (response.deferred) admit_wait(response, since(begun));
    if (!response.deferred) complete(request, response, since(begun));
    return response;
}

Response ResponsePipeline::refuse(const Problem& problem, const std::string& peer, std::string_view path) {
    auto response = problem_response(problem);
    format_problem(path, response);
    add_standard_headers(response, new_id());
    if (options_.on_answer) options_.on_answer({.method = {}, .peer = peer}, response, Micros{0});
    return response;
}

}  // namespace belfry::api
