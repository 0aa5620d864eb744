#include "app/worker/api_client.hpp"

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

std::string text_at(const Json& json, std::string_view name) {
    const auto* const object = json.if_object();
    const auto* const found = object == nullptr ? nullptr : object->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// The problem (RFC 9457) in one line. The locations that it lists are more precise than its summary.
Error problem_in(const HttpAnswer& answer) {
    Error error{code_of(answer.status), "the server responded with status " + std::to_string(answer.status)};
    const auto problem = parse_json(answer.body, kAnswerLimits);
    if (!problem) return error;
    if (const auto detail = text_at(*problem, "detail"); !detail.empty()) error.message = detail;
    const auto* const object = problem->if_object();
    const auto* const errors = object == nullptr ? nullptr : object->if_contains("errors");
    if (errors == nullptr || !errors->is_array() || errors->get_array().empty()) return error;
    const auto& first = errors->get_array().front();
    error.field = text_at(first, "pointer");
    return error;
}

}  // namespace

Result<Json> ApiClient::get(const ApiCall& call) { return send({.method = "GET"}, call); }

Result<Json> ApiClient::post(const ApiCall& call) {
    HttpCall http{.method = "POST", .body = to_text(call.body)};
    http.own_headers = {{"Content-Type", "application/json"}};
    return send(std::move(http), call);
}

Result<Json> ApiClient::send(HttpCall http, const ApiCall& call) {
    http.url = server_;
    http.timeout = call.timeout;
    http.answer_max = kAnswerMax;
    http.stop = call.stop;
    if (http.url.target.ends_with('/')) http.url.target.pop_back();
    http.url.target += call.path;
    http.own_headers.emplace_back("Accept", "application/json");
    if (!token_.empty()) http.own_headers.emplace_back("Authorization", "Bearer " + token_);
    const auto answer = http_.send(http);
    if (!answer) return Error{answer.error().code, format_url(server_) + ": " + answer.error().message};
    if (answer->status < 200 || answer->status > 299) return problem_in(*answer);
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
