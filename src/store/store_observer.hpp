// Receives the duration and the outcome of every call of a store.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace belfry::store {

// Called on the caller's thread after every call. Must be thread-safe and fast.
class StoreObserver {
public:
    virtual ~StoreObserver() = default;
    // `error` is empty if the call succeeded.
    virtual void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) = 0;
};

// Makes the call and reports it to the observer.
template <typename Verb>
auto observed(StoreObserver& observer, std::string_view name, const Verb& verb) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = verb();
    observer.observe(name, std::chrono::steady_clock::now() - begin,
                     result ? std::optional<Error>() : std::optional(result.error()));
    return result;
}

}  // namespace belfry::store
