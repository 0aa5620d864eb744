// Signatures as in Standard Webhooks, so that receivers can verify them with an existing library. The headers are
// webhook-id, webhook-timestamp (seconds) and webhook-signature (`v1,` and the base64 of an HMAC-SHA256 over
// `id.timestamp.body`; one for every secret, separated by spaces). A secret is `whsec_` and the base64 of 24 to 64
// bytes. Pure, except make_webhook_secret().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_client.hpp"

namespace belfry::engine {

inline constexpr std::size_t kWebhookKeyLeast = 24;  // bytes
inline constexpr std::size_t kWebhookKeyMost = 64;

// A new secret of 32 random bytes.
[[nodiscard]] std::string make_webhook_secret();

// The secret as text. REQUIRES: a key of 24 to 64 bytes.
[[nodiscard]] std::string webhook_secret_of(std::string_view key);

// The bytes of a secret. The error does not contain it.
[[nodiscard]] Result<std::string> webhook_key(std::string_view secret);

struct SignedMessage {
    std::string_view id;
    std::int64_t timestamp = 0;  // seconds since 1970
    std::string_view body;
};

// `v1,… v1,…`, in the order of the keys. REQUIRES: at least one.
[[nodiscard]] std::string sign(const SignedMessage& message, std::span<const std::string> keys);

// The three headers.
[[nodiscard]] std::vector<HttpHeader> signature_headers(const SignedMessage& message,
                                                        std::span<const std::string> keys);

}  // namespace belfry::engine
