// Names for schedules, made from commands: `/usr/local/bin/backup.sh --all` is `backup`. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace belfry::app {

// Empty if the command has no word that can be a name.
[[nodiscard]] std::string name_of_command(std::string_view command);

// Makes names unique: backup, backup-2, backup-3.
class UniqueNames {
public:
    [[nodiscard]] std::string take(const std::string& name);

private:
    std::set<std::string> taken_;
};

}  // namespace belfry::app
