#include "engine/usecases/callback_token.hpp"

#include <algorithm>

#include "base/crypto/hmac.hpp"
#include "base/crypto/secret.hpp"
#include "base/text/base64.hpp"

namespace belfry::engine {

namespace {

constexpr const char* kPurpose = "callback";

// Neither a run id nor a node id contains a line break.
std::string token_of(const std::string& key, const std::string& run_id, const std::string& node) {
    return to_base64url(hmac_sha256(key, run_id + "\n" + node));
}

}  // namespace

Result<std::string> callback_token(Sealer& sealer, const std::string& tenant, const std::string& run_id,
                                   const std::string& node) {
    const auto keys = sealer.derive({tenant, kPurpose});
    if (!keys) return keys.error();
    return token_of(keys->front(), run_id, node);
}

Result<bool> is_callback_token(Sealer& sealer, std::string_view token, const std::string& tenant,
                               const std::string& run_id, const std::string& node) {
    const auto keys = sealer.derive({tenant, kPurpose});
    if (!keys) return keys.error();
    return std::ranges::any_of(*keys,
                               [&](const std::string& key) { return same_secret(token, token_of(key, run_id, node)); });
}

}  // namespace belfry::engine
