// The engine asks for the next time at every fire, so asking must not touch the heap. This program counts allocations.
#include <cstdlib>
#include <new>

#include "support/worlds/zones.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace belfry::spec {
namespace {

TEST(Allocation, NextAndPreviousNeverAllocate) {
    const auto spec = test::compile(
        {.cron = {"30 2 * * *", "*/15 9-17 * * 1-5", "0 0 29 2 *", "0 0 LW * 5#3", "59 59 23 31 12 * 2199"},
         .intervals = {{"PT6H", "PT5M"}},
         .at = {"2026-12-31T23:59:00Z"},
         .timezone = "America/New_York",
         .jitter = {.after = "PT5M"}});
    auto moment = test::instant("2026-01-01T00:00:00Z");
    const auto before = allocations;
    for (int i = 0; i < 2000; ++i) {
        moment = spec.next(moment).value();
        static_cast<void>(spec.previous(moment));
        static_cast<void>(spec.fire_time("schedule", moment));
        static_cast<void>(spec.mark(moment));
    }
    EXPECT_EQ(allocations, before);
    const auto counted = std::make_unique<int>(1);
    EXPECT_GT(allocations, before) << "the count itself works";
}

}  // namespace
}  // namespace belfry::spec
