#include "store/store_metrics.hpp"

namespace belfry::store {

void StoreMetrics::observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) {
    auto& metrics = verbs_.of(verb);
    metrics.took.add(std::chrono::duration_cast<Micros>(took));
    if (error) metrics.errors[static_cast<std::size_t>(error->code)].add();
}

std::map<std::string, VerbReading> StoreMetrics::read() const {
    std::map<std::string, VerbReading> reading;
    verbs_.each([&reading](const std::string& name, const Verb& verb) {
        auto& each = reading[name];
        each.took = verb.took.read();
        for (std::size_t i = 0; i < kCodes; ++i) {
            if (const auto count = verb.errors[i].value(); count > 0) each.errors[static_cast<ErrorCode>(i)] = count;
        }
    });
    return reading;
}

}  // namespace belfry::store
