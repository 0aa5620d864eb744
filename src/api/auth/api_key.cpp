#include "api/auth/api_key.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/crypto/sha256.hpp"

namespace belfry::api::auth {

namespace {

// Crockford's base32: five bits per character, and no characters that look alike.
constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

std::string random_text(std::size_t length) {
    std::array<unsigned char, kKeySecretLength> bytes{};
    // Without randomness there are no secrets.
    if (RAND_bytes(bytes.data(), static_cast<int>(length)) != 1) std::abort();
    std::string text;
    text.reserve(length);
    for (std::size_t i = 0; i < length; ++i) text += kAlphabet[bytes[i] & 31U];
    OPENSSL_cleanse(bytes.data(), bytes.size());
    return text;
}

bool is_key_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return kAlphabet.find(c) != std::string_view::npos; });
}

Error refused_key(std::string reason) { return {ErrorCode::unauthenticated, std::move(reason)}; }

}  // namespace

FreshKey make_key() {
    FreshKey key{.id = random_text(kKeyIdLength), .secret = {}};
    const Secret random(random_text(kKeySecretLength));
    std::string whole;
    // Growing would leave copies of the secret in memory.
    whole.reserve(kKeyPrefix.size() + kKeyIdLength + 1 + kKeySecretLength);
    whole.append(kKeyPrefix).append(key.id).append("_").append(random.reveal());
    key.secret = Secret(std::move(whole));
    return key;
}

std::string key_hash(std::string_view whole) { return sha256_hex(whole); }

std::optional<std::string> key_id_of(std::string_view whole) {
    if (whole.size() != kKeyPrefix.size() + kKeyIdLength + 1 + kKeySecretLength || !whole.starts_with(kKeyPrefix))
        return std::nullopt;
    const auto id = whole.substr(kKeyPrefix.size(), kKeyIdLength);
    const auto rest = whole.substr(kKeyPrefix.size() + kKeyIdLength);
    if (rest.front() != '_' || !is_key_text(id) || !is_key_text(rest.substr(1))) return std::nullopt;
    return std::string(id);
}

// Compares the secret first, so that a caller with only an id learns nothing about its key.
Result<model::Principal> check_key(const model::ApiKey& key, std::string_view whole, Instant now) {
    if (!same_secret(key.hash, key_hash(whole))) return refused_key("the secret of the key " + key.id + " is wrong");
    if (key.revoked_at) return refused_key("the key " + key.id + " was revoked at " + format_instant(*key.revoked_at));
    if (key.expires_at && *key.expires_at <= now)
        return refused_key("the key " + key.id + " expired at " + format_instant(*key.expires_at));
    return model::Principal{.name = "key:" + key.name, .roles = key.roles};
}

}  // namespace belfry::api::auth
