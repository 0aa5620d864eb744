// belfry serve: runs the server until it is signalled to end.
#include <sys/prctl.h>

#include <ostream>

#include "app/cli/commands.hpp"
#include "app/server/auth_file.hpp"
#include "app/server/memory_trimmer.hpp"
#include "app/server/outgoing.hpp"
#include "app/server/process_signals.hpp"
#include "app/server/reloader.hpp"
#include "app/server/server.hpp"
#include "app/settings/argument_secrets.hpp"
#include "app/settings/setting_flags.hpp"
#include "app/settings/setting_values.hpp"
#include "engine/jobs/task_pool.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kKeySetFetches = 4;  // in parallel, so that an unavailable issuer does not delay the others

// Prints the address at any log level, because the operator needs it.
void say_where(const Settings& settings, unsigned short port, const Log& log, const Console& console) {
    const auto host = settings.listen.substr(0, settings.listen.rfind(':'));
    const auto message = std::string("listening on ") +
                         (settings.tls.certificate_file.empty() ? "http://" : "https://") + host + ":" +
                         std::to_string(port);
    if (log.writes(LogLevel::info))
        return log.info(message, {{"store", without_password(settings.store)}, {"version", BELFRY_VERSION}});
    console.err() << message << '\n' << std::flush;
}

// Memory and environment hold secrets. This prevents core dumps, and access by other programs of the same user, such as
// commands.
void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

ExitCode serve(const SettingSources& sources, const Console& console) {
    keep_memory_private();
    map_large_blocks();
    const auto loaded = load_settings(sources);
    if (!loaded) return console.fail(loaded.error());
    const auto& settings = loaded->values;
    Log log(settings.log_level, settings.log_format);
    for (const auto& warning : loaded->warnings) log.warn(warning);
    if (const auto store = sources.flags.find("store"); store != sources.flags.end() && has_password(store->second))
        log.warn(kPasswordInArguments);
    // Reject settings that are unsafe even with an API key before waiting for the store.
    if (const auto safe = api::auth::check_exposure({.listen = settings.listen, .mode = settings.auth, .keys = true});
        !safe) {
        return console.fail(safe.error());
    }
    const SystemClock clock;
    const SystemSteadyClock steady;
    api::auth::Trust trust;
    CurlHttpClient outgoing(operators_options(settings));
    std::stop_source fetching;
    engine::TaskPool fetches(kKeySetFetches, "key sets");  // starts no thread before a request needs one
    AuthFile auth_file(settings.auth_file,
                       {.fetch = fetch_with(outgoing, fetching.get_token()),
                        .clock = steady,
                        .log = log,
                        .background = [&fetches](std::function<void()> job) { fetches.run(std::move(job)); }},
                       trust);
    if (const auto trusted = auth_file.load(); !trusted) return console.fail(trusted.error());
    Server server(settings, console.zones(), clock, trust, log);  // starts no thread before it listens
    Reloader reloader(sources, *loaded, log, [&server, &auth_file] {
        server.reload();
        auth_file.reload();
    });
    const auto signals = ProcessSignals::take([&reloader] { reloader.reload(); });
    if (!signals) return console.fail(signals.error());

    if (const auto listening = server.listen(); !listening) return console.fail(listening.error());
    say_where(settings, server.port(), log, console);
    if (const auto begun = server.begin((*signals)->ending()); !begun) return console.fail(begun.error());
    if (!(*signals)->ending().stop_requested()) log.info("ready");
    (*signals)->wait();
    log.info("shutting down: requests in progress may finish; a second signal ends the server at once",
             {{"shutdown_delay_seconds", settings.shutdown_delay.count()}, {"drain_seconds", settings.drain.count()}});
    fetching.request_stop();
    server.drain();
    log.info("ended");
    return ExitCode::ok;
}

}  // namespace

void add_serve(CLI::App& program, Chosen& chosen) {
    auto* const command = program.add_subcommand("serve", "Run the server: fires schedules and serves the HTTP API");
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
