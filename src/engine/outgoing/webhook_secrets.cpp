#include "engine/outgoing/webhook_secrets.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

// The sealed text: the secret and, after a space, the time until which it signs.
std::string text_of(const WebhookSecret& secret) {
    return secret.until ? secret.text + " " + format_instant(*secret.until) : secret.text;
}

Result<WebhookSecret> secret_of(const std::string& text) {
    const auto blank = text.find(' ');
    WebhookSecret secret{text.substr(0, blank)};
    if (blank == std::string::npos) return secret;
    const auto until = parse_instant(std::string_view(text).substr(blank + 1));
    if (!until) return Error{ErrorCode::corrupt, "a secret of the webhook cannot be read"};
    secret.until = *until;
    return secret;
}

}  // namespace

Result<std::vector<std::string>> WebhookSecrets::seal(const std::string& tenant, const std::string& webhook_id,
                                                      const std::vector<WebhookSecret>& secrets) {
    std::vector<std::string> sealed;
    for (const auto& secret : secrets) {
        auto text = sealer_.seal(text_of(secret), {tenant, "webhook:" + webhook_id});
        if (!text) return text.error();
        sealed.push_back(std::move(*text));
    }
    return sealed;
}

Result<std::vector<WebhookSecret>> WebhookSecrets::open(const std::string& tenant, const model::Webhook& webhook,
                                                        Instant now) {
    std::vector<WebhookSecret> secrets;
    for (const auto& sealed : webhook.secrets) {
        const auto text = sealer_.open(sealed, {tenant, "webhook:" + webhook.id});
        if (!text) return text.error();
        auto secret = secret_of(*text);
        if (!secret) return secret.error();
        if (!secret->until || *secret->until > now) secrets.push_back(std::move(*secret));
    }
    return secrets;
}

std::vector<WebhookSecret> rotated(std::vector<WebhookSecret> secrets, std::string fresh, Instant now) {
    for (auto& secret : secrets) secret.until = std::min(secret.until.value_or(kInstantMax), now + kOldSecretSigns);
    secrets.insert(secrets.begin(), WebhookSecret{std::move(fresh)});
    if (secrets.size() > kWebhookSecretsMax) secrets.resize(kWebhookSecretsMax);
    return secrets;
}

}  // namespace belfry::engine
