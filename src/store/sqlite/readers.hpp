// The connections for reading. Each uses its own snapshot, independent of the writer. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "store/sqlite/connection.hpp"

namespace belfry::store::sqlite {

// Connections are opened on first use. If all are in use, a read waits for one of them, never for a writer.
inline constexpr std::size_t kReadersMax = 4;

class Readers {
public:
    // REQUIRES: the file exists, and a writer has it open as long as this object lives.
    explicit Readers(std::string path) : path_(std::move(path)) {}

    // Like sql::Database::read. A work must not call it: if every reader did, all would wait for each other.
    Result<void> read(const sql::Work& work);
    Result<void> query(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink);

private:
    class Loan;
    Result<std::unique_ptr<Connection>> take();
    void give_back(std::unique_ptr<Connection> connection);

    const std::string path_;
    Mutex mutex_;
    std::condition_variable_any returned_;
    std::vector<std::unique_ptr<Connection>> idle_ BELFRY_GUARDED_BY(mutex_);
    std::size_t in_use_ BELFRY_GUARDED_BY(mutex_) = 0;
};

}  // namespace belfry::store::sqlite
