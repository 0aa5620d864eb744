// Waits for what must happen. The deadline is one that only a fault reaches.
#pragma once

#include <chrono>
#include <thread>

namespace belfry::test {

template <typename Condition>
bool within_a_minute(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (std::chrono::steady_clock::now() < deadline) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return condition();
}

}  // namespace belfry::test
