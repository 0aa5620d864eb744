// The commands of the program, one file each. Each adds itself to its parent and runs when it was chosen.
#pragma once

#include <CLI/App.hpp>

#include "app/console.hpp"

namespace belfry::app {

// Runs after parsing; what it returns is the exit code of the program.
using Action = std::function<ExitCode(const Console&)>;

// Where a command leaves its action when it is the chosen one.
struct Chosen {
    Action action;
    std::vector<std::string> program = {};  // of belfry worker run: the words behind `--`, as they are
};

void add_cron_next(CLI::App& parent, Chosen& chosen);
void add_cron_explain(CLI::App& parent, Chosen& chosen);
void add_cron_check(CLI::App& parent, Chosen& chosen);
void add_tz_list(CLI::App& parent, Chosen& chosen);
void add_tz_show(CLI::App& parent, Chosen& chosen);
void add_serve(CLI::App& program, Chosen& chosen);
void add_tick(CLI::App& program, Chosen& chosen);
void add_openapi(CLI::App& program, Chosen& chosen);
void add_config(CLI::App& program, Chosen& chosen);
void add_migrate(CLI::App& program, Chosen& chosen);
void add_token(CLI::App& program, Chosen& chosen);
void add_bench_store(CLI::App& parent, Chosen& chosen);
void add_bench_fire(CLI::App& parent, Chosen& chosen);
void add_bench_herd(CLI::App& parent, Chosen& chosen);
void add_bench_api(CLI::App& parent, Chosen& chosen);
void add_bench_tasks(CLI::App& parent, Chosen& chosen);
void add_bench_handover(CLI::App& parent, Chosen& chosen);
void add_bench_deliveries(CLI::App& parent, Chosen& chosen);
void add_worker_run(CLI::App& parent, Chosen& chosen);
void add_version(CLI::App& parent, Chosen& chosen);

// The whole program: parses the arguments and runs the command.
[[nodiscard]] ExitCode run(int argc, const char* const* argv, const Console& console);

}  // namespace belfry::app
