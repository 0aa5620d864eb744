// What a work sees of a transaction: statements until the first error, and announcements for later.
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

    // SQLite would go on after an error; PostgreSQL does not, so neither does this: every further call answers the first error.
    Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink) override {
        if (failure_) return *failure_;
        auto changed = connection_.run(statement, batch, sink);
        if (!changed) failure_ = changed.error();
        return changed;
    }

    Result<void> notify(std::string_view text) override {
        if (failure_) return *failure_;
        announcements_.emplace_back(text);
        return {};
    }

    Result<void> script(std::string_view text) override {
        if (failure_) return *failure_;
        auto done = connection_.script(text);
        if (!done) failure_ = done.error();
        return done;
    }

    // The first error, whether the work passed it on or not.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    [[nodiscard]] std::vector<std::string> take_announcements() { return std::move(announcements_); }

private:
    Connection& connection_;
    std::optional<Error> failure_ = {};
    std::vector<std::string> announcements_ = {};
};

}  // namespace belfry::store::sqlite
