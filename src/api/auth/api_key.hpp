// API keys as a program shows them: `bfk_<id>_<secret>`. The id finds the row, the SHA-256 of the whole text proves the rest.
// A fast hash is enough: 200 random bits cannot be guessed, whatever a guess costs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.hpp"
#include "model/access.hpp"

namespace belfry::api::auth {

inline constexpr std::string_view kKeyPrefix = "bfk_";  // lets scanners for leaked secrets find ours
inline constexpr std::size_t kKeyIdLength = 12;         // 60 bits
inline constexpr std::size_t kKeySecretLength = 40;     // 200 bits

struct FreshKey {
    std::string id;
    Secret secret;  // the whole text
};
// Random bits of OpenSSL. Ends the program when there are none.
[[nodiscard]] FreshKey make_key();

[[nodiscard]] std::string key_hash(std::string_view whole);

// The id inside the text; nothing when it has not the form of a key.
[[nodiscard]] std::optional<std::string> key_id_of(std::string_view whole);

// Whoever shows `whole` as this key. The error's message is a reason for the log and holds nothing of the secret.
[[nodiscard]] Result<model::Principal> check_key(const model::ApiKey& key, std::string_view whole, Instant now);

}  // namespace belfry::api::auth
