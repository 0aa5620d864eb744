// The commands_file: programs that tasks of the kind `command` may run. docs/operating/commands.md shows an example.
//
//   [[command]]
//   name = "backup"
//   argv = ["/usr/local/bin/backup", "--target", "${input/target}"]
//   environment = ["PATH"]              # variables of the server that the program gets; default: none
//   timeout = "PT10M"
//   output_max = 65536                  # bytes to keep of each output
//   user = "nobody"                     # the default if the server is root; only root can change the user
//   namespaces = true                   # its own process ids and mounts, if the machine allows it
//   working_directory = "/"
//   cpu_seconds = 60                    # limits per process: also memory_mb, file_mb, open_files; per user: processes
//   tenants = ["default"]               # default: all tenants
#pragma once

#include <string>
#include <vector>

#include "engine/outgoing/command_task.hpp"

namespace belfry::app {

struct LoadedCommands {
    engine::Commands commands;
    std::vector<std::string> warnings;
};

// Without a path there are no commands. Errors name the file, the line, the member and the fix.
[[nodiscard]] Result<LoadedCommands> load_commands_file(const std::string& path);

}  // namespace belfry::app
