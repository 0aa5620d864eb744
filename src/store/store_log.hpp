// Logs what a database refuses, with the database's own words: clients never see them (api/problem.hpp). Thread-safe.
#pragma once

#include "base/log.hpp"
#include "store/store_observer.hpp"

namespace belfry::store {

class StoreLog final : public StoreObserver {
public:
    // REQUIRES: both outlive it.
    StoreLog(const Log& log, StoreObserver& next) : log_(log), next_(next) {}

    // A database that is away is not logged here: every loop of the engine notices it, and logs it once.
    void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) override {
        next_.observe(verb, took, error);
        if (!error || !error->from_database || error->code == ErrorCode::unavailable) return;
        log_.error("the database refused a request of the store", {{"verb", verb}, {"error", error->message}});
    }

private:
    const Log& log_;
    StoreObserver& next_;
};

}  // namespace belfry::store
