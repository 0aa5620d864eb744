// The order of turns: tenants take turns, and within a tenant its webhooks. Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/outgoing/outbox.hpp"

namespace belfry::engine {

class WebhookTurns {
public:
    // Returns at most `most` webhooks: the first of every tenant, then the second of every tenant, and so on. The
    // last served tenant, and within each tenant its last served webhook, comes last.
    [[nodiscard]] std::vector<WebhookRef> next(const std::set<WebhookRef>& refs, std::size_t most) const;
    void served(const WebhookRef& ref);

private:
    std::string last_tenant_;
    std::map<std::string, std::string> served_;  // the last served webhook, by tenant
};

}  // namespace belfry::engine
