// Reads small files that people write: settings, keys.
#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::app {

inline constexpr std::size_t kTextFileMax = std::size_t{1} << 20;  // no settings file needs more than a megabyte

// Returns the whole content. The error names the file.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

// Whether users other than its owner and the owner's group can read it.
[[nodiscard]] bool others_can_read(const std::string& path);
// Whether every user of the machine can change it.
[[nodiscard]] bool others_can_write(const std::string& path);

}  // namespace belfry::app
