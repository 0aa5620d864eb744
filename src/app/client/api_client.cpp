#include "app/client/api_client.hpp"

#include "app/client/json_view.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kAnswerMax = std::size_t{64} << 20U;  // bytes: several tasks with inputs of the maximum size

// A value of the server's maximum depth is wrapped in an object, an array and another object.
constexpr JsonLimits kAnswerLimits{
    .depth_max = kJsonDepthMax + 4, .bytes_max = kAnswerMax, .numbers = JsonNumbers::exact};

ErrorCode code_of(int status) {
    switch (status) {
        case 401: return ErrorCode::unauthenticated;
        case 403: return ErrorCode::forbidden;
        case 404: return ErrorCode::not_found;
        case 409: return ErrorCode::conflict;
        case 429: return ErrorCode::exhausted;
        default: return status >= 500 ? ErrorCode::unavailable : ErrorCode::invalid_argument;
    }
}

// Where an error is: a member of the body, a parameter or a header.
std::string location_of(const Json& place) {
    for (const auto* const name : {"/pointer", "/parameter", "/header"}) {
        if (auto found = text_at(place, name); !found.empty()) return found;
    }
    return {};
}

// The problem (RFC 9457). The locations that it lists are more precise than its summary.
Error problem_in(const HttpAnswer& answer) {
    Error error{code_of(answer.status), "the server responded with status " + std::to_string(answer.status)};
    const auto problem = parse_json(answer.body, kAnswerLimits);
    if (!problem) return error;
    if (const auto detail = text_at(*problem, "/detail"); !detail.empty()) error.message = detail;
    for (const auto& place : list_at(*problem, "/errors"))
        error.more.push_back({error.code, text_at(place, "/detail"), location_of(place)});
    if (!error.more.empty()) error.field = error.more.front().field;
    return error;
}

}  // namespace

Result<Json> ApiClient::get(const ApiCall& call) { return read(call, send({.method = "GET"}, call)); }

Result<Json> ApiClient::post(const ApiCall& call) {
    HttpCall http{.method = "POST", .body = to_text(call.body)};
    http.own_headers = {{"Content-Type", "application/json"}};
    return read(call, send(std::move(http), call));
}

Result<Json> ApiClient::call(const std::string& method, const ApiCall& call) {
    HttpCall http{.method = method};
    if (!call.text.empty()) http.body = call.text;
    if (call.text.empty() && !call.body.is_null()) http.body = to_text(call.body);
    if (!http.body.empty()) http.own_headers = {{"Content-Type", call.content_type}};
    return read(call, send(std::move(http), call));
}

Result<void> ApiClient::stream(const ApiCall& call, const std::function<bool(std::string_view)>& take) {
    bool ended = false;
    HttpCall http{.method = "GET"};
    http.on_body = [&](std::string_view piece) {
        ended = !take(piece);
        return !ended;
    };
    const auto answer = send(std::move(http), call);
    if (ended) return {};
    if (!answer) return answer.error();
    if (answer->status < 200 || answer->status > 299) return problem_in(*answer);
    return {};
}

Result<HttpAnswer> ApiClient::send(HttpCall http, const ApiCall& call) {
    http.url = server_;
    http.timeout = call.timeout;
    http.answer_max = kAnswerMax;
    http.stop = call.stop;
    if (http.url.target.ends_with('/')) http.url.target.pop_back();
    http.url.target += call.path;
    http.own_headers.emplace_back("Accept", http.on_body ? "text/event-stream" : "application/json");
    if (!token_.empty()) http.own_headers.emplace_back("Authorization", "Bearer " + token_);
    auto answer = http_.send(http);
    if (!answer) return Error{answer.error().code, format_url(server_) + ": " + answer.error().message};
    return answer;
}

Result<Json> ApiClient::read(const ApiCall& call, const Result<HttpAnswer>& answer) const {
    if (!answer) return answer.error();
    const bool good = answer->status >= 200 && answer->status <= 299;
    if (!good && !call.any_status) return problem_in(*answer);
    if (answer->body.empty() && good) return Json();
    auto json = parse_json(answer->body, kAnswerLimits);
    if (!json)
        return Error{ErrorCode::corrupt,
                     format_url(server_) + " did not respond with JSON: check that it is a Belfry server"};
    return json;
}

bool is_transient(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::exhausted;
}

ExitCode exit_code_of(const Error& error) {
    switch (error.code) {
        case ErrorCode::invalid_argument: return ExitCode::invalid;
        case ErrorCode::unauthenticated:
        case ErrorCode::forbidden: return ExitCode::not_allowed;
        case ErrorCode::not_found: return ExitCode::not_found;
        case ErrorCode::already_exists:
        case ErrorCode::conflict: return ExitCode::conflict;
        case ErrorCode::unavailable: return ExitCode::unreachable;
        default: return ExitCode::failed;
    }
}

}  // namespace belfry::app
