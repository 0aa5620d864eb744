#include "engine/outgoing/task_signing.hpp"

#include "engine/outgoing/webhook_signature.hpp"

namespace belfry::engine {

namespace {

constexpr const char* kPurpose = "task-signing";

}  // namespace

Result<std::vector<std::string>> task_signing_keys(Sealer& sealer, const std::string& tenant) {
    return sealer.derive({tenant, kPurpose});
}

Result<std::string> task_signing_secret(Sealer& sealer, const std::string& tenant) {
    const auto keys = task_signing_keys(sealer, tenant);
    if (!keys) return keys.error();
    return webhook_secret_of(keys->front());
}

}  // namespace belfry::engine
