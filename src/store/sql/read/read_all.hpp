// Reads whole results.
#pragma once

#include <optional>
#include <vector>

#include "store/sql/database.hpp"

namespace belfry::store::sql {

template <typename T>
[[nodiscard]] Result<std::vector<T>> read_all(Session& session, const Query<T>& query, const Batch& batch) {
    std::vector<T> all;
    auto done = session.run(query, batch, [&all](T row) { all.push_back(std::move(row)); });
    if (!done) return done.error();
    return all;
}

// The first unreadable row is the error.
template <typename T>
[[nodiscard]] Result<std::vector<T>> read_all(Session& session, const Query<Result<T>>& query, const Batch& batch) {
    std::vector<T> all;
    std::optional<Error> failed;
    auto done = session.run(query, batch, [&](Result<T> row) {
        if (row) {
            all.push_back(std::move(*row));
        } else if (!failed) {
            failed = row.error();
        }
    });
    if (!done) return done.error();
    if (failed) return *failed;
    return all;
}

// In its own transaction.
template <typename T>
[[nodiscard]] Result<std::vector<T>> read_all(Database& database, const Query<Result<T>>& query, const Batch& batch) {
    std::vector<T> all;
    auto done = database.read([&](Session& session) -> Result<void> {
        auto rows = read_all(session, query, batch);
        if (!rows) return rows.error();
        all = std::move(*rows);
        return {};
    });
    if (!done) return done.error();
    return all;
}

// The only row of a result; empty if there is none.
template <typename T>
[[nodiscard]] Result<std::optional<T>> read_one(Session& session, const Query<T>& query, const Batch& batch) {
    std::optional<T> found;
    auto done = session.run(query, batch, [&found](T row) { found = std::move(row); });
    if (!done) return done.error();
    return found;
}
template <typename T>
[[nodiscard]] Result<std::optional<T>> read_one(Session& session, const Query<Result<T>>& query, const Batch& batch) {
    auto all = read_all(session, query, batch);
    if (!all) return all.error();
    return all->empty() ? std::nullopt : std::optional(std::move(all->back()));
}

}  // namespace belfry::store::sql
