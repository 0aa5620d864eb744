#include "app/worker/server_flags.hpp"

namespace belfry::app {

namespace {

std::string first_of(const std::string& flag, const Environment& environment, const char* variable, const char* usual) {
    if (!flag.empty()) return flag;
    const auto found = environment.find(variable);
    return found != environment.end() && !found->second.empty() ? found->second : usual;
}

}  // namespace

void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& role) {
    command.add_option("--url", flags.url, std::string("URL of the server; also BELFRY_URL [") + kUsualServer + "]")
        ->type_name("URL");
    command
        .add_option("--token", flags.token,
                    "API key with the role " + role + "; prefer BELFRY_TOKEN, which other users cannot see")
        ->type_name("TOKEN");
    command.add_option("--tenant", flags.tenant, "Tenant; also BELFRY_TENANT [default]")->type_name("NAME");
    command
        .add_option("--ca-file", flags.authorities,
                    "PEM file with the authorities to trust for the server's certificate [the system's]")
        ->type_name("FILE");
}

// The operator who runs the command chooses the server, so every address is allowed.
ServerConnection::ServerConnection(const ServerFlags& flags, const Environment& environment, Url server)
    : url(std::move(server)),
      tenant(first_of(flags.tenant, environment, "BELFRY_TENANT", "default")),
      http({.permitted = parse_networks("0.0.0.0/0, ::/0").value(),
            .authorities = flags.authorities,
            .audience = HttpAudience::operators}),
      client(http, url, first_of(flags.token, environment, "BELFRY_TOKEN", "")) {}

Result<std::unique_ptr<ServerConnection>> connect(const ServerFlags& flags, const Environment& environment) {
    const auto address = first_of(flags.url, environment, "BELFRY_URL", kUsualServer);
    auto url = parse_url(address);
    if (!url) return invalid("the server's URL \"" + address + "\": " + url.error().message);
    return std::make_unique<ServerConnection>(flags, environment, std::move(*url));
}

}  // namespace belfry::app
