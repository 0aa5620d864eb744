// An open transaction on a connection. After an error it runs nothing more and returns that error again: PostgreSQL
// itself would only report that the transaction is aborted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/postgres/postgres_connection.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::postgres {

class PostgresSession final : public sql::Session {
public:
    explicit PostgresSession(Connection& connection) : connection_(connection) {}

    Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch,
                             const sql::RowSink& sink) override;
    Result<void> scan(const sql::Statement& statement, const sql::Batch& batch,
                      const sql::RowVisitor& visitor) override;
    Result<void> later(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                       std::optional<sql::Expected> expected) override;
    Result<void> notify(std::string_view text) override;
    Result<void> script(std::string_view text) override;

    [[nodiscard]] const std::optional<Error>& first_error() const { return first_error_; }

    // What is to be notified once the transaction is committed; see Connection::notify.
    [[nodiscard]] const std::vector<std::string>& notifications() const { return notifications_; }

private:
    template <typename T>
    Result<T> remember(Result<T> result) {
        if (!result) first_error_ = result.error();
        return result;
    }

    Connection& connection_;
    std::optional<Error> first_error_;
    std::vector<std::string> notifications_;
};

}  // namespace belfry::store::postgres
