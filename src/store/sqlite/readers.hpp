// The connections that read, each on a snapshot of its own, beside whatever is being written. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "store/sqlite/connection.hpp"

namespace belfry::store::sqlite {

// Opened when they are first needed. When all are in use the next read waits for one of them, never for a writer.
inline constexpr std::size_t kReadersMax = 4;

class Readers {
public:
    // REQUIRES: the file exists, and somebody has it open to write for as long as this lives.
    explicit Readers(std::string path) : path_(std::move(path)) {}

    // As sql::Database::read. A work must not call it: when every reader does so, each waits for the others.
    Result<void> read(const sql::Work& work);

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
