// Logs the requests that a database rejects, with the database's message. Clients never see that message
// (api/contract/problem.hpp). Thread-safe.
#pragma once

#include "base/log.hpp"
#include "store/store_observer.hpp"

namespace belfry::store {

class StoreLog final : public StoreObserver {
public:
    // REQUIRES: both outlive this object.
    StoreLog(const Log& log, StoreObserver& next) : log_(log), next_(next) {}

    // Does not log an unreachable database: every background job notices it and logs it once.
    void observe(std::string_view verb, std::chrono::nanoseconds took, const std::optional<Error>& error) override {
        next_.observe(verb, took, error);
        if (!error || !error->from_database || error->code == ErrorCode::unavailable) return;
        log_.error("the database rejected a request of the store", {{"verb", verb}, {"error", error->message}});
    }

private:
    const Log& log_;
    StoreObserver& next_;
};

}  // namespace belfry::store
