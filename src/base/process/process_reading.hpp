// Reads the resource usage of this process from /proc. Linux.
#pragma once

#include <cstdint>
#include <optional>

namespace belfry {

struct ProcessReading {
    double cpu_seconds = 0;  // user and system
    std::int64_t resident_bytes = 0;
    std::int64_t virtual_bytes = 0;
    std::int64_t open_files = 0;
    std::int64_t open_files_max = 0;  // 0: no limit
    double started_at_s = 0;          // since the epoch
    std::int64_t threads = 0;
};

// Empty if /proc cannot be read.
[[nodiscard]] std::optional<ProcessReading> read_process();

}  // namespace belfry
