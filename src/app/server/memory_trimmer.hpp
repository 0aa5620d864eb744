// Returns memory to the system after a peak. The allocator keeps freed memory, so a few large requests would leave the
// process large for good. The job compares resident with used memory from time to time and trims the allocator when
// they differ by much. Everything here does nothing if the allocator is not glibc's.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/jobs/background_job.hpp"

namespace belfry::app {

// A trim walks all free memory under the allocator's locks: milliseconds for a hundred megabytes.
inline constexpr Micros kTrimLookEvery = Seconds{5};
inline constexpr std::int64_t kTrimWorthBytes = std::int64_t{16} << 20;

// Bytes that are resident but not in use: the allocator's free memory, plus program code and stacks, which stay about
// the same. Empty where the system does not report it.
[[nodiscard]] std::optional<std::int64_t> retained_bytes();

// Makes every block of 1 MiB and more a mapping of its own, which the system gets back as soon as it is freed. By
// default, glibc raises this threshold up to 32 MiB when such blocks are freed; then pages of a few mebibytes, built by
// many threads at once, leave holes in the heap of every thread. Call it before the first large block.
void map_large_blocks();

class MemoryTrimmer final : public engine::BackgroundJob {
public:
    [[nodiscard]] std::string_view name() const override { return "memory"; }
    Micros step() override;

private:
    std::optional<std::int64_t> least_;  // the lowest value of retained_bytes() since the last trim
};

}  // namespace belfry::app
