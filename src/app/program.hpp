// A program with commands: what belfry and belfry-bench have in common.
#pragma once

#include "app/cli/commands.hpp"

namespace belfry::app {

struct CommandLine {
    std::string name;
    std::string description;
    std::string examples;
    std::function<void(CLI::App& program, Chosen& chosen)> add_commands;
    bool has_short_forms = false;  // understands app/cli/short_forms.hpp
};

// Parses the arguments and runs the chosen command.
[[nodiscard]] ExitCode run(const CommandLine& line, int argc, const char* const* argv, const Console& console);

// The same with the standard streams, the system's clock and time zones. Returns the exit code of the process.
[[nodiscard]] int start(int argc, char** argv, const CommandLine& line);

}  // namespace belfry::app
