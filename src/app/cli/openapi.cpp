// belfry openapi: prints the OpenAPI document of the HTTP API, without a server.
#include <ostream>

#include "api/api.hpp"
#include "app/cli/commands.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::app {

namespace {

ExitCode print_openapi(const Console& console) {
    store::MemoryStore store(console.zones());
    engine::Observer nobody;
    engine::Engine engine(store, console.zones(), nobody, {});
    const api::Api api(engine);
    console.out() << api.handler()({.path = "/api/openapi.json"}).body << '\n';
    return ExitCode::ok;
}

}  // namespace

void add_openapi(CLI::App& program, Chosen& chosen) {
    auto* const command = program.add_subcommand("openapi", "Print the OpenAPI 3.1 document of the HTTP API");
    command->footer("  belfry openapi > openapi.json");
    command->callback([&chosen] { chosen.action = &print_openapi; });
}

}  // namespace belfry::app
