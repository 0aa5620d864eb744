// belfry worker run: runs a command for every task of a queue.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>

#include "app/cli/commands.hpp"
#include "app/client/server_flags.hpp"
#include "app/server/process_signals.hpp"
#include "app/worker/shell_task.hpp"
#include "app/worker/worker_loop.hpp"
#include "base/text/ascii.hpp"
#include "base/time/duration.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kConcurrencyMax = 256;
constexpr std::size_t kShellConcurrency = 16;          // cron starts all that is due at once
constexpr std::chrono::milliseconds kLeaseLeast{100};  // the API's minimum
constexpr std::chrono::hours kLeaseMost{24};

struct WorkerFlags {
    std::string queue;
    bool shell = false;
    std::string assignee;
    std::optional<std::size_t> concurrency;
    std::string name;
    ServerFlags server;
    std::string lease = "30s";
    std::string log_format = "text";
    bool once = false;
    std::optional<std::size_t> most;
    std::vector<std::string> command;
};

// HOST:PID, so that an operator can find the process of a run.
std::string usual_name() {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return std::string(host.data()) + ":" + std::to_string(::getpid());
}

Result<std::chrono::milliseconds> read_lease(const std::string& text) {
    const auto lease = parse_duration(text);
    if (!lease) return invalid("--lease: " + lease.error().message);
    if (*lease < kLeaseLeast || *lease > kLeaseMost) return invalid("--lease " + text + ": use 100ms to 24h");
    return std::chrono::duration_cast<std::chrono::milliseconds>(*lease);
}

Result<WorkerOptions> read_options(const WorkerFlags& flags, const Environment& environment) {
    if (flags.command.empty() && !flags.shell)
        return invalid("add the command after --, such as belfry worker run --queue mail -- ./send-mail");
    if (!flags.command.empty() && flags.shell)
        return invalid("with --shell each task brings its command: remove " + in_quotes("-- " + flags.command[0]));
    WorkerOptions options{.shell = flags.shell,
                          .concurrency = flags.concurrency.value_or(flags.shell ? kShellConcurrency : 1),
                          .once = flags.once,
                          .most = flags.most};
    options.command.argv = flags.command;
    options.command.look_in_path = true;
    options.command.environment = environment;
    std::error_code failed;
    options.command.working_directory = std::filesystem::current_path(failed).string();
    if (failed) return Error{ErrorCode::unavailable, "cannot find the current folder: " + failed.message()};
    if (auto found = flags.shell ? Result<void>() : check_program(options.command); !found)
        return invalid(found.error().message);
    const auto format = parse_log_format(flags.log_format);
    if (!format) return invalid("--log-format: " + format.error().message);
    options.log_format = *format;
    return options;
}

ExitCode run_worker(const WorkerFlags& flags, const Console& console) {
    const auto environment = process_environment();
    const auto options = read_options(flags, environment);
    if (!options) return console.fail(options.error());
    const auto lease = read_lease(flags.lease);
    if (!lease) return console.fail(lease.error());
    const auto server = connect(flags.server, environment);
    if (!server) return console.fail(server.error());
    const auto queue = !flags.queue.empty() ? flags.queue : flags.shell ? kShellQueue : "default";
    WorkerApi api((*server)->client, {.tenant = (*server)->tenant,
                                      .queue = queue,
                                      .assignee = flags.assignee,
                                      .name = flags.name.empty() ? usual_name() : flags.name,
                                      .lease = *lease});

    std::stop_source end;
    std::stop_source abandon;
    const auto signals = ProcessSignals::take([&end] { end.request_stop(); }, [&abandon] { abandon.request_stop(); });
    if (!signals) return console.fail(signals.error());
    const std::stop_callback on_signal((*signals)->ending(), [&end] { end.request_stop(); });
    Log log(LogLevel::info, options->log_format);
    log.info("working", {{"worker", api.identity().name},
                         {"queue", queue},
                         {"server", format_url((*server)->url)},
                         {"tenant", api.identity().tenant}});
    WorkerLoop loop(api, *options, log);
    const auto done = loop.run(end.get_token(), abandon.get_token());
    if (!done) {
        [[maybe_unused]] const auto usual = console.fail(done.error());
        return exit_code_of(done.error());
    }
    log.info("ended");
    return ExitCode::ok;
}

}  // namespace

void add_worker_run(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("run",
                                                "Run a command for every task of a queue. The command gets the task's "
                                                "input as JSON on standard input and prints the result on\n"
                                                "standard output. Exit code 0: succeeded; 75: temporary failure; 64, "
                                                "65: invalid input; others: failed. The variables BELFRY_RUN_ID,\n"
                                                "BELFRY_TASK_KIND, BELFRY_ATTEMPT, BELFRY_IDEMPOTENCY_KEY… describe "
                                                "the task. On the first SIGTERM commands may finish; the second ends "
                                                "them.");
    command->footer(
        "  belfry worker run --queue mail -- ./send-mail --from me@example.com\n"
        "  belfry worker run --queue reports --concurrency 4 -- python3 report.py\n"
        "  BELFRY_TOKEN=bfk_… belfry worker run -- sh -c 'jq .total'\n"
        "  belfry worker run --once -- cat\n"
        "  belfry worker run --shell");
    const auto flags = std::make_shared<WorkerFlags>();
    command->add_option("--queue", flags->queue, "Queue from which to claim tasks [default, or shell with --shell]")
        ->type_name("NAME");
    command->add_flag(
        "--shell", flags->shell,
        "Run tasks of the kind shell: each brings a command for /bin/sh. Callers who may create schedules can "
        "then run commands here");
    command->add_option("--assignee", flags->assignee, "Claim only tasks for this assignee")->type_name("NAME");
    command
        ->add_option("--concurrency", flags->concurrency, "Maximum number of parallel commands [1, or 16 with --shell]")
        ->check(CLI::Range(std::size_t{1}, kConcurrencyMax))
        ->type_name("N");
    command->add_option("--name", flags->name, "Name of this worker [HOST:PID]")->type_name("NAME");
    add_server_flags(*command, flags->server, "worker");
    command->add_option("--lease", flags->lease, "How long the worker keeps a task without a heartbeat [30s]")
        ->type_name("DURATION");
    command->add_option("--log-format", flags->log_format, "text or json [text]")->type_name("FORMAT");
    auto* const once =
        command->add_flag("--once", flags->once, "Run the available tasks, up to --concurrency, and exit");
    command->add_option("--max", flags->most, "Exit after this number of tasks")
        ->check(CLI::Range(1, 1'000'000'000))
        ->type_name("N")
        ->excludes(once);
    command->callback([flags, &chosen] {
        flags->command = chosen.program;
        chosen.action = [flags](const Console& console) { return run_worker(*flags, console); };
    });
}

}  // namespace belfry::app
