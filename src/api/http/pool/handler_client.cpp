#include "api/http/pool/handler_client.hpp"

#include "api/http/percent.hpp"

namespace belfry::api {

HandlerQueue::Client client_of(const std::string& network, const Request& request) {
    constexpr std::string_view kTenants = "/api/tenants/";
    const std::string_view path = request.path;
    if (!path.starts_with(kTenants)) return {std::string(request.header(kTenantHeader)), network};
    const auto rest = path.substr(kTenants.size());
    // A name has many percent-encoded spellings.
    auto tenant = percent_decode(rest.substr(0, rest.find('/')));
    return {tenant ? std::move(*tenant) : std::string(), network};
}

}  // namespace belfry::api
