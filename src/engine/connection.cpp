#include "engine/connection.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "model/task.hpp"

namespace belfry::engine {

bool Connection::is_for(const std::string& tenant) const { return tenants.empty() || std::ranges::find(tenants, tenant) != tenants.end(); }

std::optional<Error> check_connection(const Connections& connections, const std::string& tenant, const std::string& name) {
    if (name == model::kBuiltIn) return std::nullopt;
    const auto found = connections.find(name);
    if (found != connections.end() && found->second.is_for(tenant)) return std::nullopt;
    std::string known = in_quotes(model::kBuiltIn);
    for (const auto& [other, connection] : connections) {
        if (connection.is_for(tenant)) known += ", " + in_quotes(other);
    }
    return invalid("there is no connection " + in_quotes(name) + " here; there are " + known +
                   ", and an operator can add others to the connections_file");
}

}  // namespace belfry::engine
