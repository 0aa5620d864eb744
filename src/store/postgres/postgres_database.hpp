// PostgreSQL as a Database (store/sql/database.hpp): transactions on pooled connections.
#pragma once

#include <memory>

#include "base/concurrency/call_coalescer.hpp"
#include "base/concurrency/mutex.hpp"
#include "store/postgres/postgres_listener.hpp"
#include "store/postgres/postgres_pool.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::postgres {

class PostgresDatabase final : public sql::Database {
public:
    explicit PostgresDatabase(const sql::PostgresOptions& options);

    [[nodiscard]] const sql::Dialect& dialect() const override { return sql::postgres_dialect(); }
    Result<void> write(const sql::Work& work) override;
    Result<void> read(const sql::Work& work) override;
    using sql::Database::query;
    Result<void> query(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink) override;
    Result<Instant> now() override;
    void listen(std::function<void(std::string_view)> listener) override;

private:
    // A query of a caller, which waits for its answer.
    struct Asked {
        const sql::Statement* statement;
        const sql::Batch* batch;
        const sql::RowSink* sink;
    };

    [[nodiscard]] Result<Lease> begin(const char* text);
    [[nodiscard]] Result<void> query_alone(const Asked& asked);
    [[nodiscard]] std::vector<Result<void>> query_round(const std::vector<Asked>& calls);
    [[nodiscard]] Result<void> query_together(const std::vector<Asked>& calls, std::vector<bool>& sunk);
    void notify(Connection& connection, const std::vector<std::string>& texts);
    [[nodiscard]] Result<Instant> read_clock();

    static constexpr std::size_t kQueriesMax = 64;  // in one round

    const sql::PostgresOptions options_;
    const Result<Address> address_;
    Pool pool_;
    // Client requests that arrive together read the clock once. The engine's threads do not wait for them.
    CallCoalescer<int, int, Result<Instant>> clock_{1'000, [this](int, const std::vector<int>& calls) {
                                                        return std::vector<Result<Instant>>(calls.size(), read_clock());
                                                    }};
    // So do queries: each round travels once.
    CallCoalescer<int, Asked, Result<void>> queries_{
        kQueriesMax, [this](int, const std::vector<Asked>& calls) { return query_round(calls); }};
    Mutex listen_mutex_;    // held while the listener changes
    Mutex listener_mutex_;  // held while it is used, or replaced
    std::unique_ptr<Listener> listener_ BELFRY_GUARDED_BY(listener_mutex_);
};

}  // namespace belfry::store::postgres
