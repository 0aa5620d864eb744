// Writes archives of audit events, so that a crash leaves a whole file or none.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::engine {

// Writes the lines, compressed, to `FOLDER/events-YYYY-MM-DD-HASH.jsonl.gz` and waits until the file is on disk. The
// name contains a hash of the lines: several parts of a day do not collide, and the same lines give the same file.
// Returns the path.
[[nodiscard]] Result<std::string> write_archive(const std::string& folder, std::chrono::sys_days day,
                                                std::string_view lines);

}  // namespace belfry::engine
