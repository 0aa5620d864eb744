// Tells the sanitizers when the stack changes under them; without one, nothing. They cannot see it by themselves.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BELFRY_SIM_ASAN 1
#elif __has_feature(thread_sanitizer)
#define BELFRY_SIM_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define BELFRY_SIM_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define BELFRY_SIM_TSAN 1
#endif

#if defined(BELFRY_SIM_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(BELFRY_SIM_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace belfry::sim {

// Before leaving a stack: `keep` holds what to come back with, null when nobody comes back.
inline void leaving_stack([[maybe_unused]] void** keep, [[maybe_unused]] const void* bottom,
                          [[maybe_unused]] std::size_t size, [[maybe_unused]] void* shadow) {
#if defined(BELFRY_SIM_ASAN)
    __sanitizer_start_switch_fiber(keep, bottom, size);
#elif defined(BELFRY_SIM_TSAN)
    __tsan_switch_to_fiber(shadow, 0);
#endif
}

// First thing on the other one: `kept` is what leaving it has kept, and the stack that was left is told.
inline void entered_stack([[maybe_unused]] void* kept, [[maybe_unused]] const void** bottom,
                          [[maybe_unused]] std::size_t* size) {
#if defined(BELFRY_SIM_ASAN)
    __sanitizer_finish_switch_fiber(kept, bottom, size);
#endif
}

inline void* make_shadow() {
#if defined(BELFRY_SIM_TSAN)
    return __tsan_create_fiber(0);
#else
    return nullptr;
#endif
}
inline void* current_shadow() {
#if defined(BELFRY_SIM_TSAN)
    return __tsan_get_current_fiber();
#else
    return nullptr;
#endif
}
inline void drop_shadow([[maybe_unused]] void* shadow) {
#if defined(BELFRY_SIM_TSAN)
    __tsan_destroy_fiber(shadow);
#endif
}

}  // namespace belfry::sim
