// Counts and times the calls of a store. Lock-free and thread-safe.
#pragma once

#include <array>
#include <map>
#include <string>

#include "base/metrics.hpp"
#include "base/text/named_values.hpp"
#include "store/observed_store.hpp"

namespace belfry::store {

struct VerbReading {
    HistogramReading took = {};                      // including failed calls
    std::map<ErrorCode, std::uint64_t> errors = {};  // only codes that occurred
};

class StoreMetrics final : public StoreObserver {
public:
    void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) override;

    // By name: only calls that were used.
    [[nodiscard]] std::map<std::string, VerbReading> read() const;

private:
    static constexpr std::size_t kVerbsMax = 100;
    static constexpr auto kCodes = static_cast<std::size_t>(ErrorCode::exhausted) + 1;

    struct Verb {
        Histogram took;
        std::array<Counter, kCodes> errors;
    };
    NamedValues<Verb> verbs_{kVerbsMax};
};

}  // namespace belfry::store
