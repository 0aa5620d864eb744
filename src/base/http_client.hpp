// Calls that leave the server: webhooks, signals, keys of token issuers. An interface, so that tests and simulations can answer
// themselves; CurlHttpClient is what calls for real.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/url.hpp"

namespace belfry {

using HttpHeader = std::pair<std::string, std::string>;

inline constexpr std::size_t kHttpAnswerMax = 65'536;

enum class LongAnswer : bool { refuse, cut };

struct HttpCall {
    std::string method = "GET";
    Url url;
    std::vector<HttpHeader> headers = {};      // of whoever configured the call: checked by check_caller_headers
    std::vector<HttpHeader> own_headers = {};  // the server's own, which nobody else may set
    std::string body = {};
    std::chrono::milliseconds timeout{10'000};         // for everything, from looking up the name to the last byte
    std::chrono::milliseconds connect_timeout{5'000};  // a part of it
    std::size_t answer_max = kHttpAnswerMax;           // bytes of the answer's body
    LongAnswer long_answer = LongAnswer::refuse;       // `cut` where only the status matters
    std::stop_token stop = {};                         // gives up within about a second
};

struct HttpAnswer {
    int status = 0;
    std::vector<HttpHeader> headers = {};  // names in lower case
    std::string body = {};
    bool cut = false;                                                    // there was more
    [[nodiscard]] std::string_view header(std::string_view name) const;  // the first of that name, in lower case; or empty
    friend bool operator==(const HttpAnswer&, const HttpAnswer&) = default;
};

class HttpClient {
public:
    virtual ~HttpClient() = default;

    // One request and its answer, whatever its status; redirects are answers, too. Thread-safe. Errors say in words what
    // failed: `invalid_argument` for a call that may never be made, `forbidden` for a place that may not be called,
    // `unavailable` for the rest. They name no address: who may configure a URL must not explore a network with it.
    [[nodiscard]] virtual Result<HttpAnswer> send(const HttpCall& call) = 0;

    // Whether the URL may be called, as far as it can be told without looking up a name.
    [[nodiscard]] virtual Result<void> check(const Url& url) const = 0;
};

// How long the receiver asks to be left alone (Retry-After, in seconds or as a date); nothing when it does not say.
[[nodiscard]] std::optional<Micros> retry_after(const HttpAnswer& answer, Instant now);

// Refuses what would change the framing of the request (Host, Content-Length, Transfer-Encoding, Connection…), speak for
// somebody (Authorization, Cookie, Proxy-…) or imitate the server (webhook-…, belfry-…, Idempotency-Key), and what is no header at all.
[[nodiscard]] Result<void> check_caller_headers(std::span<const HttpHeader> headers);
// Only that it is a header: a token, and a value without control characters.
[[nodiscard]] Result<void> check_header(const HttpHeader& header);

}  // namespace belfry
