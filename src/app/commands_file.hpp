// The commands_file: programs that tasks of the kind `command` may run. docs/operating/commands.md shows one.
//
//   [[command]]
//   name = "backup"
//   argv = ["/usr/local/bin/backup", "--target", "${input/target}"]
//   environment = ["PATH"]              # variables of the server that it gets; none without
//   timeout = "PT10M"
//   output_max = 65536                  # bytes that are kept of each output
//   user = "nobody"                     # only a server that runs as root can change it
//   working_directory = "/"
//   cpu_seconds = 60                    # limits, each for one process: memory_mb, file_mb, open_files; processes for its user
//   tenants = ["default"]               # everybody's without
#pragma once

#include <string>
#include <vector>

#include "engine/command_task.hpp"

namespace belfry::app {

struct LoadedCommands {
    engine::Commands commands;
    std::vector<std::string> warnings;
};

// Without a path there are none. Errors name the file, the line, the member and the fix.
[[nodiscard]] Result<LoadedCommands> load_commands_file(const std::string& path);

}  // namespace belfry::app
