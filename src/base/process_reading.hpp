// What the operating system says about this process. Linux: read from /proc.
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

// Nothing where /proc is not to be read.
[[nodiscard]] std::optional<ProcessReading> read_process();

}  // namespace belfry
