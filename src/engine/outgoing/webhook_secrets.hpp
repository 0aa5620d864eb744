// The secrets of a webhook as its row stores them: sealed for the tenant and the webhook, newest first. A replaced
// secret still signs until the time that is sealed with it, so that receivers can switch without losing a message.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/crypto/sealing.hpp"
#include "base/time/instant.hpp"
#include "model/tenant/webhook.hpp"

namespace belfry::engine {

inline constexpr Seconds kOldSecretSigns{24 * 3'600};  // after it was replaced
inline constexpr std::size_t kWebhookSecretsMax = 5;   // that sign at the same time

struct WebhookSecret {
    std::string text;                   // `whsec_…`
    std::optional<Instant> until = {};  // empty: forever
    friend bool operator==(const WebhookSecret&, const WebhookSecret&) = default;
};

// REQUIRES: the sealer outlives it.
class WebhookSecrets {
public:
    explicit WebhookSecrets(Sealer& sealer) : sealer_(sealer) {}

    [[nodiscard]] Result<std::vector<std::string>> seal(const std::string& tenant, const std::string& webhook_id,
                                                        const std::vector<WebhookSecret>& secrets);
    // The secrets that still sign, newest first.
    [[nodiscard]] Result<std::vector<WebhookSecret>> open(const std::string& tenant, const model::Webhook& webhook,
                                                          Instant now);

private:
    Sealer& sealer_;
};

// Adds a new secret before the others, which sign for at most one more day.
[[nodiscard]] std::vector<WebhookSecret> rotated(std::vector<WebhookSecret> secrets, std::string fresh, Instant now);

}  // namespace belfry::engine
