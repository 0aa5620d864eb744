// belfry serve: the server, until it is asked to end.
#include <ostream>

#include "app/auth_file.hpp"
#include "app/commands.hpp"
#include "app/outgoing.hpp"
#include "app/reloader.hpp"
#include "app/server.hpp"
#include "app/setting_flags.hpp"
#include "app/setting_values.hpp"
#include "app/signals.hpp"

namespace belfry::app {

namespace {

// Whoever started the server needs the address, however little is logged.
void say_where(const Settings& settings, unsigned short port, const Log& log, const Console& console) {
    const auto host = settings.listen.substr(0, settings.listen.rfind(':'));
    const auto message =
        std::string("listening on ") + (settings.tls.certificate_file.empty() ? "http://" : "https://") + host + ":" + std::to_string(port);
    if (log.writes(LogLevel::info)) return log.info(message, {{"store", without_password(settings.store)}, {"version", BELFRY_VERSION}});
    console.err() << message << '\n' << std::flush;
}

ExitCode serve(const SettingSources& sources, const Console& console) {
    const auto loaded = load_settings(sources);
    if (!loaded) return console.fail(loaded.error());
    const auto& settings = loaded->values;
    Log log(settings.log_level, settings.log_format);
    for (const auto& warning : loaded->warnings) log.warn(warning);
    // What no key could mend need not wait for the store.
    if (const auto safe = api::auth::check_exposure({.listen = settings.listen, .mode = settings.auth, .keys = true}); !safe) {
        return console.fail(safe.error());
    }
    const SystemClock clock;
    const SystemSteadyClock steady;
    api::auth::Trust trust;
    CurlHttpClient outgoing(operators_options(settings));
    AuthFile auth_file(settings.auth_file, {.fetch = fetch_with(outgoing), .clock = steady, .log = log}, trust);
    if (const auto trusted = auth_file.load(); !trusted) return console.fail(trusted.error());
    Server server(settings, console.zones(), clock, trust, log);  // starts no thread before it listens
    Reloader reloader(sources, *loaded, log, [&server, &auth_file] {
        server.reload();
        auth_file.reload();
    });
    const auto signals = Signals::take([&reloader] { reloader.reload(); });
    if (!signals) return console.fail(signals.error());

    if (const auto listening = server.listen(); !listening) return console.fail(listening.error());
    say_where(settings, server.port(), log, console);
    if (const auto begun = server.begin((*signals)->ending()); !begun) return console.fail(begun.error());
    if (!(*signals)->ending().stop_requested()) log.info("ready");
    (*signals)->wait();
    log.info("ending: requests in progress may finish; a second signal ends at once",
             {{"shutdown_delay_seconds", settings.shutdown_delay.count()}, {"drain_seconds", settings.drain.count()}});
    server.drain();
    log.info("ended");
    return ExitCode::ok;
}

}  // namespace

void add_serve(CLI::App& program, Chosen& chosen) {
    auto* const command = program.add_subcommand("serve", "Run the server: fires schedules and answers HTTP");
    command->footer(
        "  belfry serve\n"
        "  belfry serve --config /etc/belfry.toml --log-format json\n"
        "  belfry serve --store postgres://belfry@db/belfry");
    const auto sources = std::make_shared<SettingSources>();
    add_setting_flags(*command, *sources);
    command->callback([sources, &chosen] {
        chosen.action = [sources](const Console& console) {
            sources->environment = process_environment();
            return serve(*sources, console);
        };
    });
}

}  // namespace belfry::app
