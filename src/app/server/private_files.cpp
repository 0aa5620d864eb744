#include "app/server/private_files.hpp"

#include <filesystem>

#include "app/server/store_opening.hpp"

namespace belfry::app {

std::vector<std::string> private_files(const Settings& settings) {
    std::vector<std::string> files{settings.data_dir + "/secret.key",
                                   settings.secret_key_file,
                                   settings.config_file,
                                   settings.auth_file,
                                   settings.commands_file,
                                   settings.connections_file,
                                   settings.tls.key_file};
    if (!is_remote(settings)) {
        const auto database = settings.store.substr(settings.store.find(':') + 1);
        for (const auto* const ending : {"", "-wal", "-shm", "-journal"}) files.push_back(database + ending);
    }
    std::erase(files, "");
    // Absolute, because a command has its own working directory.
    for (auto& file : files) file = std::filesystem::absolute(file).string();
    return files;
}

}  // namespace belfry::app
