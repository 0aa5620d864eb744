// Calls the server's API for commands: JSON in both directions, with the caller's token. Thread-safe.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "app/cli/console.hpp"
#include "base/net/http_client.hpp"
#include "base/text/json.hpp"

namespace belfry::app {

inline constexpr const char* kUsualServer = "http://127.0.0.1:8642";

struct ApiCall {
    std::string path;  // from /api, escaped
    Json body = {};
    std::chrono::milliseconds timeout{10'000};
    std::stop_token stop = {};
    std::string text = {};  // sent instead of `body`, as `content_type`
    std::string content_type = "application/json";
    bool any_status = false;  // the body of an error response is a value, too: reports of health
};

class ApiClient {
public:
    // REQUIRES: the HTTP client outlives it. The URL may have a path, for a server behind a proxy.
    ApiClient(HttpClient& http, Url server, std::string token)
        : http_(http), server_(std::move(server)), token_(std::move(token)) {}

    // Each returns the body of a successful response, null if it is empty. Errors carry the server's message, and one
    // error per location. `unavailable`: the server does not respond or cannot serve now. `exhausted`: the caller must
    // slow down. Both are transient: see is_transient.
    [[nodiscard]] Result<Json> get(const ApiCall& call);  // sends no body
    [[nodiscard]] Result<Json> post(const ApiCall& call);
    // With any method. A null body is not sent.
    [[nodiscard]] Result<Json> call(const std::string& method, const ApiCall& call);
    // Passes the response on as it arrives, until `take` returns false or the server closes.
    [[nodiscard]] Result<void> stream(const ApiCall& call, const std::function<bool(std::string_view)>& take);

    [[nodiscard]] const Url& server() const { return server_; }

private:
    [[nodiscard]] Result<HttpAnswer> send(HttpCall http, const ApiCall& call);
    [[nodiscard]] Result<Json> read(const ApiCall& call, const Result<HttpAnswer>& answer) const;

    HttpClient& http_;
    const Url server_;
    const std::string token_;  // empty: none
};

// Whether the same call may succeed later.
[[nodiscard]] bool is_transient(const Error& error);

// The exit code for commands that call a server.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

}  // namespace belfry::app
