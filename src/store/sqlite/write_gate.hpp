// Keeps all writers of a file out while one of them checkpoints, across processes: SQLite before 3.51.3 may lose
// pages if the log restarts while another process writes. It is a lock on a small file next to the database. The
// operating system releases it when a process dies.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace belfry::store::sqlite {

class WriteGate {
public:
    // `path` is the database file.
    [[nodiscard]] static Result<WriteGate> open(const std::string& path);
    ~WriteGate();
    WriteGate(WriteGate&& other) noexcept;
    WriteGate& operator=(WriteGate&&) = delete;

    // Writers share the lock. Waits while another process checkpoints; false if that takes longer than `patience`.
    [[nodiscard]] bool enter_as_writer(std::chrono::milliseconds patience) const;
    // Succeeds only if no other process writes; otherwise returns false immediately.
    [[nodiscard]] bool try_enter_alone() const;
    void leave() const;

private:
    explicit WriteGate(int file) : file_(file) {}
    int file_;
};

}  // namespace belfry::store::sqlite
