#include "app/client/server_flags.hpp"

namespace belfry::app {

namespace {

std::string first_of(const std::string& flag, const Environment& environment, const char* variable,
                     const std::string& otherwise) {
    if (!flag.empty()) return flag;
    const auto found = environment.find(variable);
    return found != environment.end() && !found->second.empty() ? found->second : otherwise;
}

// A token or an authority of the context belongs to its server: it is not sent to another one.
Context merge(const ServerFlags& flags, const Environment& environment, Context context) {
    const auto url = first_of(flags.url, environment, "BELFRY_URL", context.url);
    if (url != context.url) context = {};
    context.url = url.empty() ? kUsualServer : url;
    context.tenant = first_of(flags.tenant, environment, "BELFRY_TENANT", context.tenant);
    if (context.tenant.empty()) context.tenant = "default";
    context.token = first_of(flags.token, environment, "BELFRY_TOKEN", context.token);
    if (!flags.authorities.empty()) context.authorities = flags.authorities;
    return context;
}

}  // namespace

void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& role) {
    const auto add = [&](const char* name, std::string& place, const std::string& help, const char* type) {
        command.add_option(name, place, help)->type_name(type)->group("Server");
    };
    add("--url", flags.url, std::string("URL of the server; also BELFRY_URL [") + kUsualServer + "]", "URL");
    add("--token", flags.token, "API key with the role " + role + "; prefer BELFRY_TOKEN, which other users cannot see",
        "TOKEN");
    add("--tenant", flags.tenant, "Tenant; also BELFRY_TENANT [default]", "NAME");
    add("--ca-file", flags.authorities,
        "PEM file with the authorities to trust for the server's certificate [the system's]", "FILE");
    add("--context", flags.context, "Context with the server; also BELFRY_CONTEXT [the current one]", "NAME");
}

// The operator who runs the command chooses the server, so every address is allowed.
ServerConnection::ServerConnection(const Context& chosen, Url server)
    : url(std::move(server)),
      tenant(chosen.tenant),
      http({.permitted = parse_networks("0.0.0.0/0, ::/0").value(),
            .authorities = chosen.authorities,
            .audience = HttpAudience::operators}),
      client(http, url, chosen.token) {}

Result<std::unique_ptr<ServerConnection>> connect(const ServerFlags& flags, const Environment& environment) {
    const auto contexts = load_contexts(contexts_path(environment));
    if (!contexts) return contexts.error();
    const auto context = choose_context(*contexts, first_of(flags.context, environment, "BELFRY_CONTEXT", ""));
    if (!context) return context.error();
    const auto chosen = merge(flags, environment, *context);
    auto url = parse_url(chosen.url);
    if (!url) return invalid("the server's URL \"" + chosen.url + "\": " + url.error().message);
    return std::make_unique<ServerConnection>(chosen, std::move(*url));
}

}  // namespace belfry::app
