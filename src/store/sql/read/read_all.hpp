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

template <typename T>
void keep_or_fail(Result<T> row, std::vector<T>& all, std::optional<Error>& failed) {
    if (row) {
        all.push_back(std::move(*row));
    } else if (!failed) {
        failed = row.error();
    }
}

// The first unreadable row is the error.
template <typename T>
[[nodiscard]] Result<std::vector<T>> read_all(Session& session, const Query<Result<T>>& query, const Batch& batch) {
    std::vector<T> all;
    std::optional<Error> failed;
    auto done = session.run(query, batch, [&](Result<T> row) { keep_or_fail(std::move(row), all, failed); });
    if (!done) return done.error();
    if (failed) return *failed;
    return all;
}

template <typename T>
[[nodiscard]] Result<std::vector<T>> read_all(Database& database, const Query<Result<T>>& query, const Batch& batch) {
    std::vector<T> all;
    std::optional<Error> failed;
    auto done = database.query(query, batch, [&](Result<T> row) { keep_or_fail(std::move(row), all, failed); });
    if (!done) return done.error();
    if (failed) return *failed;
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
