#include "app/cli/text_file.hpp"

#include <filesystem>
#include <fstream>

namespace belfry::app {

Result<std::string> read_text_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kTextFileMax + 1, '\0');
    // A folder can be opened but not read.
    if (!file || (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()))
        return invalid("cannot read the file " + path);
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kTextFileMax) return invalid(path + " is longer than a megabyte");
    return text;
}

namespace {

bool others_can(const std::string& path, std::filesystem::perms what) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    return !failed && (status.permissions() & what) != std::filesystem::perms::none;
}

}  // namespace

bool others_can_read(const std::string& path) { return others_can(path, std::filesystem::perms::others_read); }
bool others_can_write(const std::string& path) { return others_can(path, std::filesystem::perms::others_write); }

}  // namespace belfry::app
