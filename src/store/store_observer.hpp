// Who hears how long the verbs of a store take and how they end.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace belfry::store {

// Called on the caller's thread after every verb. Must be thread-safe and quick.
class StoreObserver {
public:
    virtual ~StoreObserver() = default;
    // Without an error when the verb worked.
    virtual void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) = 0;
};

// Carries the verb out and tells the observer.
template <typename Verb>
auto observed(StoreObserver& observer, std::string_view name, const Verb& verb) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = verb();
    observer.observe(name, std::chrono::steady_clock::now() - begin, result ? std::optional<Error>() : std::optional(result.error()));
    return result;
}

}  // namespace belfry::store
