// PostgreSQL as a Database (store/sql/database.hpp): transactions on pooled connections.
#pragma once

#include <memory>

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
    [[nodiscard]] Result<Lease> begin(const char* text);

    const sql::PostgresOptions options_;
    const Result<Address> address_;
    Pool pool_;
    Mutex listen_mutex_;
    std::unique_ptr<Listener> listener_ BELFRY_GUARDED_BY(listen_mutex_);
};

}  // namespace belfry::store::postgres
