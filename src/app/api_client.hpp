// The server's API as commands call it: JSON there and back, with the caller's token. Thread-safe.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "app/console.hpp"
#include "base/http_client.hpp"
#include "base/json.hpp"

namespace belfry::app {

inline constexpr const char* kUsualServer = "http://127.0.0.1:8642";

struct ApiCall {
    std::string path;  // from /api on, escaped
    Json body = {};
    std::chrono::milliseconds timeout{10'000};
    std::stop_token stop = {};
};

class ApiClient {
public:
    // REQUIRES: the client outlives it. The URL may have a path, when a proxy puts the server there.
    ApiClient(HttpClient& http, Url server, std::string token) : http_(http), server_(std::move(server)), token_(std::move(token)) {}

    // What a POST answers when it is done. Errors are in the server's words: `unavailable` when nobody answers or the server
    // cannot now, `exhausted` when it wants to be left alone for a while; those two may end by themselves, see may_pass.
    [[nodiscard]] Result<Json> post(const ApiCall& call);

private:
    HttpClient& http_;
    const Url server_;
    const std::string token_;  // empty: none
};

// Whether the same call may work later.
[[nodiscard]] bool may_pass(const Error& error);

// As all commands that call a server end.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

}  // namespace belfry::app
