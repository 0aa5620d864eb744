#include "app/server/memory_trimmer.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace belfry::app {
namespace {

// A sanitizer brings an allocator of its own, also where only the libraries are instrumented.
bool has_own_allocator() {
    return ::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr || ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

// Small blocks, as a large answer is made of; every hundredth stays, so that the allocator cannot cut the end off by
// itself.
TEST(MemoryTrimmer, GivesBackWhatAPeakLeft) {
    if (has_own_allocator()) GTEST_SKIP() << "the sanitizer's allocator is not the one that is trimmed";
    constexpr std::size_t kBlocks = 100'000;
    constexpr std::size_t kBytes = 2'000;
    MemoryTrimmer trimmer;
    trimmer.step();
    const auto before = retained_bytes();
    ASSERT_TRUE(before);
    std::vector<std::string> blocks;
    blocks.reserve(kBlocks);
    for (std::size_t i = 0; i < kBlocks; ++i) blocks.emplace_back(kBytes, 'x');
    for (std::size_t i = 0; i < kBlocks; ++i) {
        if (i % 100 != 0) std::string().swap(blocks[i]);
    }
    ASSERT_GT(*retained_bytes(), *before + 5 * kTrimWorthBytes) << "the allocator keeps it";
    trimmer.step();
    EXPECT_LT(*retained_bytes(), *before + 2 * kTrimWorthBytes);
}

}  // namespace
}  // namespace belfry::app
