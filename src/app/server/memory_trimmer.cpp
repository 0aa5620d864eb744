#include "app/server/memory_trimmer.hpp"

#include <malloc.h>

#include <algorithm>

#include "base/process/process_reading.hpp"

namespace belfry::app {

#if defined(__GLIBC__)

namespace {

constexpr int kMappedFrom = 1 << 20;  // bytes; the ticker reuses blocks below this all the time

}  // namespace

void map_large_blocks() { (void)::mallopt(M_MMAP_THRESHOLD, kMappedFrom); }

std::optional<std::int64_t> retained_bytes() {
    const auto process = read_process();
    if (!process) return std::nullopt;
    const auto memory = ::mallinfo2();
    return process->resident_bytes - static_cast<std::int64_t>(memory.uordblks + memory.hblkhd);
}

Micros MemoryTrimmer::step() {
    auto retained = retained_bytes();
    if (!retained) return kTrimLookEvery;
    if (least_ && *retained > *least_ + kTrimWorthBytes) {
        (void)::malloc_trim(0);
        // Memory that remains after a trim is not the allocator's, so it must not cause another trim.
        least_ = retained_bytes();
    } else {
        least_ = std::min(least_.value_or(*retained), *retained);
    }
    return kTrimLookEvery;
}

#else

void map_large_blocks() {}
std::optional<std::int64_t> retained_bytes() { return std::nullopt; }
Micros MemoryTrimmer::step() { return kTrimLookEvery; }

#endif

}  // namespace belfry::app
