// Keeps every writer of a file out while one of them checkpoints, in whichever process they are: SQLite before 3.51.3 may lose
// pages when the log starts over beside another writer. A lock on a small file beside the database; the operating system
// lets go of it when a process dies.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace belfry::store::sqlite {

class WriteGate {
public:
    // `path` is the database's.
    [[nodiscard]] static Result<WriteGate> open(const std::string& path);
    ~WriteGate();
    WriteGate(WriteGate&& other) noexcept;
    WriteGate& operator=(WriteGate&&) = delete;

    // Writers pass together. Waits while somebody checkpoints, but no longer than this: then it is false.
    [[nodiscard]] bool enter_as_writer(std::chrono::milliseconds patience) const;
    // Only when nobody else writes; false at once when somebody does.
    [[nodiscard]] bool try_enter_alone() const;
    void leave() const;

private:
    explicit WriteGate(int file) : file_(file) {}
    int file_;
};

}  // namespace belfry::store::sqlite
