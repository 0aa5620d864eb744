#include "engine/outgoing/webhook_signature.hpp"

#include <cassert>

#include "base/crypto/hmac.hpp"
#include "base/crypto/random_bytes.hpp"
#include "base/text/base64.hpp"

namespace belfry::engine {

namespace {

constexpr std::string_view kPrefix = "whsec_";
constexpr std::size_t kNewKeyBytes = 32;

}  // namespace

std::string webhook_secret_of(std::string_view key) { return std::string(kPrefix) + to_base64(key); }

std::string make_webhook_secret() { return webhook_secret_of(random_bytes(kNewKeyBytes)); }

Result<std::string> webhook_key(std::string_view secret) {
    const auto key = secret.starts_with(kPrefix) ? from_base64(secret.substr(kPrefix.size())) : std::nullopt;
    if (!key || key->size() < kWebhookKeyLeast || key->size() > kWebhookKeyMost) {
        return invalid("a secret is whsec_ and the base64 of " + std::to_string(kWebhookKeyLeast) + " to " +
                       std::to_string(kWebhookKeyMost) + " bytes");
    }
    return *key;
}

std::string sign(const SignedMessage& message, std::span<const std::string> keys) {
    assert(!keys.empty());
    const auto text =
        std::string(message.id) + "." + std::to_string(message.timestamp) + "." + std::string(message.body);
    std::string signatures;
    for (const auto& key : keys)
        signatures += (signatures.empty() ? "v1," : " v1,") + to_base64(hmac_sha256(key, text));
    return signatures;
}

std::vector<HttpHeader> signature_headers(const SignedMessage& message, std::span<const std::string> keys) {
    return {{"webhook-id", std::string(message.id)},
            {"webhook-timestamp", std::to_string(message.timestamp)},
            {"webhook-signature", sign(message, keys)}};
}

}  // namespace belfry::engine
