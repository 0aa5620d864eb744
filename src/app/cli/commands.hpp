// The commands of the program, one file each. Each function adds its command to the parent.
#pragma once

#include <CLI/App.hpp>

#include "app/cli/console.hpp"

namespace belfry::app {

// Runs after parsing and returns the exit code of the program.
using Action = std::function<ExitCode(const Console&)>;

// Holds the action of the command that the user chose.
struct Chosen {
    Action action;
    std::vector<std::string> program = {};  // of some commands: the unchanged arguments after `--`
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
void add_audit_verify(CLI::App& parent, Chosen& chosen);
void add_worker_run(CLI::App& parent, Chosen& chosen);
void add_completion(CLI::App& program, Chosen& chosen);
void add_context(CLI::App& program, Chosen& chosen);
void add_version(CLI::App& parent, Chosen& chosen);

}  // namespace belfry::app
