// A transaction as a work sees it: it runs statements until the first error, and collects notifications.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/sql/database.hpp"
#include "store/sqlite/connection.hpp"

namespace belfry::store::sqlite {

class Session final : public sql::Session {
public:
    explicit Session(Connection& connection) : connection_(connection) {}

    // SQLite would continue after an error, but PostgreSQL does not. For the same behaviour, every later call returns
    // the first error.
    Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch,
                             const sql::RowSink& sink) override {
        if (failure_) return *failure_;
        auto changed = connection_.run(statement, batch, sink);
        if (!changed) failure_ = changed.error();
        return changed;
    }

    Result<void> scan(const sql::Statement& statement, const sql::Batch& batch,
                      const sql::RowVisitor& visitor) override {
        if (failure_) return *failure_;
        auto done = connection_.scan(statement, batch, visitor);
        if (!done) failure_ = done.error();
        return done;
    }

    Result<void> notify(std::string_view text) override {
        if (failure_) return *failure_;
        notifications_.emplace_back(text);
        return {};
    }

    Result<void> script(std::string_view text) override {
        if (failure_) return *failure_;
        auto done = connection_.script(text);
        if (!done) failure_ = done.error();
        return done;
    }

    // The first error, even if the work ignored it.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    [[nodiscard]] std::vector<std::string> take_notifications() { return std::move(notifications_); }

private:
    Connection& connection_;
    std::optional<Error> failure_ = {};
    std::vector<std::string> notifications_ = {};
};

}  // namespace belfry::store::sqlite
