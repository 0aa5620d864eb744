#include "store/sqlite/write_gate.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace belfry::store::sqlite {

// A separate file, because closing a second descriptor of the database file would release SQLite's own locks.
Result<WriteGate> WriteGate::open(const std::string& path) {
    const auto name = path + "-lock";
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return Error{ErrorCode::unavailable, "cannot open " + name + ": " + std::generic_category().message(errno)};
    return WriteGate(file);
}

WriteGate::~WriteGate() {
    if (file_ >= 0) ::close(file_);
}

WriteGate::WriteGate(WriteGate&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

// Checkpoints take milliseconds, and other processes are rare, so polling is sufficient.
bool WriteGate::enter_as_writer(std::chrono::milliseconds patience) const {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    while (::flock(file_, LOCK_SH | LOCK_NB) != 0) {
        if (std::chrono::steady_clock::now() >= give_up) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
}

bool WriteGate::try_enter_alone() const { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }
void WriteGate::leave() const { ::flock(file_, LOCK_UN); }

}  // namespace belfry::store::sqlite
