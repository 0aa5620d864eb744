#include "engine/outgoing/webhook_turns.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

// Tenants that are remembered. Beyond that, all are forgotten and start with their first webhooks.
constexpr std::size_t kServedMax = 10'000;

// The webhooks of one tenant, each once.
class TenantTurns {
public:
    using Refs = std::set<WebhookRef>;

    TenantTurns(const Refs& refs, const std::string& tenant, const std::string& served) : refs_(refs), tenant_(tenant) {
        next_ = first_ = in_tenant(refs.upper_bound({tenant, served}));
    }

    // Returns null after the last one.
    [[nodiscard]] const WebhookRef* take() {
        if (over_) return nullptr;
        const auto& taken = *next_;
        next_ = in_tenant(std::next(next_));
        over_ = next_ == first_;
        return &taken;
    }

private:
    // The place itself, or the tenant's first webhook if the place is behind the last one.
    [[nodiscard]] Refs::const_iterator in_tenant(Refs::const_iterator place) const {
        return place != refs_.end() && place->first == tenant_ ? place : refs_.lower_bound({tenant_, {}});
    }

    const Refs& refs_;
    std::string tenant_;
    Refs::const_iterator first_;
    Refs::const_iterator next_;
    bool over_ = false;
};

}  // namespace

std::vector<WebhookRef> WebhookTurns::next(const std::set<WebhookRef>& refs, std::size_t most) const {
    std::vector<WebhookRef> turns;
    std::vector<TenantTurns> tenants;
    const auto after = [&refs](const std::string& tenant) {
        const auto found = refs.lower_bound({tenant + '\0', {}});
        return found == refs.end() ? refs.begin() : found;
    };
    std::set<std::string> met;
    for (auto each = after(last_tenant_); turns.size() < std::min(most, refs.size()) && met.insert(each->first).second;
         each = after(each->first)) {
        const auto served = served_.find(each->first);
        auto& tenant =
            tenants.emplace_back(refs, each->first, served == served_.end() ? std::string() : served->second);
        turns.push_back(*tenant.take());
    }
    while (turns.size() < std::min(most, refs.size())) {
        for (auto& tenant : tenants) {
            const auto* const ref = turns.size() < most ? tenant.take() : nullptr;
            if (ref != nullptr) turns.push_back(*ref);
        }
    }
    return turns;
}

void WebhookTurns::served(const WebhookRef& ref) {
    if (served_.size() >= kServedMax) served_.clear();
    last_tenant_ = ref.first;
    served_[ref.first] = ref.second;
}

}  // namespace belfry::engine
