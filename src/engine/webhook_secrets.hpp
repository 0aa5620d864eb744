// The secrets of a webhook as its row keeps them: sealed for the tenant and the webhook, the newest first. One that was
// replaced still signs until a moment that is sealed with it, so that receivers can change over without losing a message.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/instant.hpp"
#include "base/sealing.hpp"
#include "model/webhook.hpp"

namespace belfry::engine {

inline constexpr Seconds kOldSecretSigns{24 * 3'600};  // after it was replaced
inline constexpr std::size_t kWebhookSecretsMax = 5;   // that sign at the same time

struct WebhookSecret {
    std::string text;                   // `whsec_…`
    std::optional<Instant> until = {};  // nothing: for ever
    friend bool operator==(const WebhookSecret&, const WebhookSecret&) = default;
};

// REQUIRES: the sealer outlives it.
class WebhookSecrets {
public:
    explicit WebhookSecrets(Sealer& sealer) : sealer_(sealer) {}

    [[nodiscard]] Result<std::vector<std::string>> seal(const std::string& tenant, const std::string& webhook_id,
                                                        const std::vector<WebhookSecret>& secrets);
    // Those that still sign, the newest first.
    [[nodiscard]] Result<std::vector<WebhookSecret>> open(const std::string& tenant, const model::Webhook& webhook, Instant now);

private:
    Sealer& sealer_;
};

// A new one before the others, which sign until a day later at most.
[[nodiscard]] std::vector<WebhookSecret> rotated(std::vector<WebhookSecret> secrets, std::string fresh, Instant now);

}  // namespace belfry::engine
