// The connections of a database: opened on demand, kept, and replaced when they die. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/crypto/uuid.hpp"
#include "base/result.hpp"
#include "base/time/backoff.hpp"
#include "store/postgres/postgres_connection.hpp"

namespace belfry::store::postgres {

class Pool;

// A borrowed connection. The destructor returns it, or discards it if it is not reusable.
class Lease {
public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection, bool used_before, bool for_client)
        : pool_(&pool), connection_(std::move(connection)), used_before_(used_before), for_client_(for_client) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    [[nodiscard]] Connection& operator*() const { return *connection_; }
    [[nodiscard]] Connection* operator->() const { return connection_.get(); }

    // Whether it was idle in the pool before: it may have died there unnoticed.
    [[nodiscard]] bool used_before() const { return used_before_; }

private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    bool used_before_;
    bool for_client_;
};

// The number of connections that threads for client requests leave to the engine. Client requests may wait for locks
// on the others.
[[nodiscard]] constexpr int kept_for_engine(int connections_max) {
    return connections_max < 2 ? 0 : (connections_max + 3) / 4;
}

class Pool {
public:
    Pool(Result<Address> address, sql::PostgresOptions options)
        : address_(std::move(address)), options_(std::move(options)) {}

    // Waits at most connect_timeout while all connections that the thread may use are in use. Errors: unavailable,
    // immediately if the last failed attempt to connect is too recent; invalid_argument if the URL cannot be read.
    [[nodiscard]] Result<Lease> take();

    // After a connection that looked alive was dead: the others probably died with it.
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
    std::vector<std::unique_ptr<Connection>> idle_ BELFRY_GUARDED_BY(mutex_);  // the last one was used most recently
    int count_ BELFRY_GUARDED_BY(mutex_) = 0;                                  // idle, borrowed and being opened
    int clients_ BELFRY_GUARDED_BY(mutex_) = 0;                                // borrowed for client requests
    Backoff backoff_ BELFRY_GUARDED_BY(mutex_){&system_random};
    Clock::time_point failed_at_ BELFRY_GUARDED_BY(mutex_) = {};
    Clock::time_point retry_at_ BELFRY_GUARDED_BY(mutex_) = {};
    Error last_failure_ BELFRY_GUARDED_BY(mutex_) = {};
};

}  // namespace belfry::store::postgres
