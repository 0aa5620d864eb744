// API keys as clients send them: `bfk_<id>_<secret>`. The id finds the row; the SHA-256 of the whole text must match. A
// fast hash is enough, because 200 random bits cannot be guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/secret.hpp"
#include "model/tenant/access.hpp"

namespace belfry::api::auth {

inline constexpr std::string_view kKeyPrefix = "bfk_";  // lets scanners for leaked secrets find Belfry's keys
inline constexpr std::size_t kKeyIdLength = 12;         // 60 bits
inline constexpr std::size_t kKeySecretLength = 40;     // 200 bits

struct FreshKey {
    std::string id;
    Secret secret;  // the whole text
};
// Uses random bits from OpenSSL. Aborts the process if there are none.
[[nodiscard]] FreshKey make_key();

[[nodiscard]] std::string key_hash(std::string_view whole);

// Returns the id inside the text, or nothing when the text does not have the form of a key.
[[nodiscard]] std::optional<std::string> key_id_of(std::string_view whole);

// Returns the principal of the key if `whole` is its text. The error's message is for the log and contains no part of
// the secret.
[[nodiscard]] Result<model::Principal> check_key(const model::ApiKey& key, std::string_view whole, Instant now);

}  // namespace belfry::api::auth
