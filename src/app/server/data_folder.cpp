#include "app/server/data_folder.hpp"

#include <unistd.h>

#include <filesystem>

namespace belfry::app {

namespace {

std::string text_of(const std::map<std::string, std::string>& environment, const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

}  // namespace

std::string default_data_folder(const std::map<std::string, std::string>& environment, bool root) {
    // systemd separates several folders by colons; the first is the one to use.
    if (const auto state = text_of(environment, "STATE_DIRECTORY"); !state.empty())
        return state.substr(0, state.find(':'));
    if (const auto data = text_of(environment, "XDG_DATA_HOME"); !data.empty()) return data + "/belfry";
    const auto home = text_of(environment, "HOME");
    return root || home.empty() ? "/var/lib/belfry" : home + "/.local/share/belfry";
}

Result<void> make_data_folder(const std::string& folder) {
    const auto refused = [&](const std::string& why) {
        return Error{ErrorCode::unavailable,
                     "cannot use the data folder " + folder + ": " + why + "; set data_dir to a writable folder"};
    };
    std::error_code failed;
    const bool made = std::filesystem::create_directories(folder, failed);
    if (failed) return refused(failed.message());
    if (made) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
    if (failed) return refused(failed.message());
    if (!std::filesystem::is_directory(folder, failed)) return refused("not a folder");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) return refused("permission denied");
    return {};
}

}  // namespace belfry::app
