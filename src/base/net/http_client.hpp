// Outgoing calls: webhooks, signals, keys of token issuers. An interface, so that tests and simulations can respond
// themselves; CurlHttpClient makes real calls.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/url.hpp"
#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry {

using HttpHeader = std::pair<std::string, std::string>;

inline constexpr std::size_t kHttpAnswerMax = 65'536;

enum class LongAnswer : bool { refuse, cut };

struct HttpCall {
    std::string method = "GET";
    Url url;
    std::vector<HttpHeader> headers = {};      // from the author of the call; validated by check_caller_headers
    std::vector<HttpHeader> own_headers = {};  // set by the server only
    std::string body = {};
    std::chrono::milliseconds timeout{10'000};         // for the whole call, from the name lookup to the last byte
    std::chrono::milliseconds connect_timeout{5'000};  // a part of `timeout`
    std::size_t answer_max = kHttpAnswerMax;           // bytes of the response body
    LongAnswer long_answer = LongAnswer::refuse;       // `cut` if only the status matters
    std::stop_token stop = {};                         // cancels the call within about a second
    // Takes the pieces of a successful response as they arrive, instead of `HttpAnswer::body`. False ends the call.
    std::function<bool(std::string_view piece)> on_body = {};
};

struct HttpAnswer {
    int status = 0;
    std::vector<HttpHeader> headers = {};  // names in lower case
    std::string body = {};
    bool cut = false;                                                    // the body was truncated
    [[nodiscard]] std::string_view header(std::string_view name) const;  // first value; name in lower case; or empty
    friend bool operator==(const HttpAnswer&, const HttpAnswer&) = default;
};

class HttpClient {
public:
    virtual ~HttpClient() = default;

    // Sends one request and returns the response with any status, redirects included. Thread-safe. Errors:
    // `invalid_argument` for a call that is never allowed, `forbidden` for an address that may not be called,
    // `unavailable` for the rest, including a name whose address may not be called: tenants must not learn which names
    // a network knows.
    [[nodiscard]] virtual Result<HttpAnswer> send(const HttpCall& call) = 0;

    // Whether the URL may be called, as far as that is known without a name lookup.
    [[nodiscard]] virtual Result<void> check(const Url& url) const = 0;
};

// The time that the receiver requests before a retry (Retry-After, in seconds or as a date); empty without one.
[[nodiscard]] std::optional<Micros> retry_after(const HttpAnswer& answer, Instant now);

// Rejects headers that would change the framing of the request (Host, Content-Length, Transfer-Encoding, Connection…),
// authenticate (Authorization, Cookie, Proxy-…) or imitate the server (webhook-…, belfry-…, Idempotency-Key), and
// malformed ones.
[[nodiscard]] Result<void> check_caller_headers(std::span<const HttpHeader> headers);
// Checks only that it is a header: a token, and a value without control characters.
[[nodiscard]] Result<void> check_header(const HttpHeader& header);

}  // namespace belfry
