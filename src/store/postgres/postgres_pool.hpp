// The connections of a database: opened when needed, kept, and replaced when they died. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <vector>

#include "base/backoff.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "base/uuid.hpp"
#include "store/postgres/postgres_connection.hpp"

namespace belfry::store::postgres {

class Pool;

// A connection on loan. It goes back at the end, or is thrown away when it cannot be used again.
class Lease {
public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection, bool used_before, bool for_client)
        : pool_(&pool), connection_(std::move(connection)), used_before_(used_before), for_client_(for_client) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    [[nodiscard]] Connection& operator*() const { return *connection_; }
    [[nodiscard]] Connection* operator->() const { return connection_.get(); }

    // Whether it lay in the pool before: it may have died there without a sign.
    [[nodiscard]] bool used_before() const { return used_before_; }

private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    bool used_before_;
    bool for_client_;
};

// Of all connections, those that threads which serve clients leave to the engine. A client may wait for a lock on one of the others.
[[nodiscard]] constexpr int kept_for_engine(int connections_max) { return connections_max < 2 ? 0 : (connections_max + 3) / 4; }

class Pool {
public:
    Pool(Result<Address> address, sql::PostgresOptions options) : address_(std::move(address)), options_(std::move(options)) {}

    // Waits for at most connect_timeout while all connections that the thread may have are in use. Errors: unavailable, and at once, without trying,
    // while the last failed attempt to connect is too recent; invalid_argument when the URL cannot be read.
    [[nodiscard]] Result<Lease> take();

    // After one was found dead that looked alive: the others have probably died with it.
    void forget_idle();

private:
    friend class Lease;
    using Clock = std::chrono::steady_clock;

    void give_back(std::unique_ptr<Connection> connection, bool for_client);
    [[nodiscard]] Result<Lease> open(bool for_client);
    void one_less(bool for_client);
    [[nodiscard]] bool has_none_for(bool client) const BELFRY_REQUIRES(mutex_);

    const Result<Address> address_;
    const sql::PostgresOptions options_;

    Mutex mutex_;
    std::condition_variable_any freed_;
    std::vector<std::unique_ptr<Connection>> idle_ BELFRY_GUARDED_BY(mutex_);  // the last one is the warmest
    int count_ BELFRY_GUARDED_BY(mutex_) = 0;                                  // idle, on loan and being opened
    int clients_ BELFRY_GUARDED_BY(mutex_) = 0;                                // on loan to threads that serve clients
    Backoff backoff_ BELFRY_GUARDED_BY(mutex_){&system_random};
    Clock::time_point failed_at_ BELFRY_GUARDED_BY(mutex_) = {};
    Clock::time_point retry_at_ BELFRY_GUARDED_BY(mutex_) = {};
    Error last_failure_ BELFRY_GUARDED_BY(mutex_) = {};
};

}  // namespace belfry::store::postgres
