#include "engine/outgoing/connection.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

bool Connection::is_for(const std::string& tenant) const {
    return tenants.empty() || std::ranges::find(tenants, tenant) != tenants.end();
}

std::optional<Error> check_connection(const Connections& connections, const std::string& tenant,
                                      const std::string& name) {
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

std::string connection_mark(const std::string& name) { return "connection " + name; }

bool tells_of_hand_over(const Connections& connections, std::string_view error) {
    return std::ranges::any_of(connections, [error](const auto& each) {
        const auto mark = connection_mark(each.first);
        const auto found = error.find(mark);
        if (found == std::string_view::npos) return false;
        const auto behind = error.substr(found + mark.size());
        const bool begins = found == 0 || error.substr(0, found).ends_with(": ");  // after the name of a node
        return begins && (behind.starts_with(": ") || behind.starts_with(" refused it") ||
                          behind.starts_with(" did not take it"));
    });
}

bool tells_of_hand_over(std::string_view error) {
    const auto found = error.find("connection ");
    const bool begins = found == 0 || (found != std::string_view::npos && error.substr(0, found).ends_with(": "));
    return begins && (error.find(" refused it", found) != std::string_view::npos ||
                      error.find(" did not take it", found) != std::string_view::npos);
}

}  // namespace belfry::engine
