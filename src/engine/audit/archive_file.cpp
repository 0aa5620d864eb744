#include "engine/audit/archive_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/crypto/sha256.hpp"
#include "base/process/descriptor.hpp"
#include "base/text/gzip.hpp"

namespace belfry::engine {

namespace {

constexpr int kLevel = 6;                         // gzip's default
constexpr std::size_t kHashDigits = 16;           // enough to tell the parts of a day apart
constexpr mode_t kOnlyOwner = S_IRUSR | S_IWUSR;  // payloads contain the inputs of schedules

Error cannot_write(const std::string& path) {
    return {ErrorCode::unavailable, "cannot write the archive " + path + ": " + std::strerror(errno)};
}

// Writes everything and waits for the disk.
bool write_to_disk(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0;
}

}  // namespace

Result<std::string> write_archive(const std::string& folder, std::chrono::sys_days day, std::string_view lines) {
    const auto name = "events-" + format_date(day) + "-" + sha256_hex(lines).substr(0, kHashDigits) + ".jsonl.gz";
    const auto path = folder + "/" + name;
    // Another server may write the same part at the same time.
    const auto draft = folder + "/." + name + "." + std::to_string(::getpid());
    const auto packed = gzipped(lines, kLevel);
    if (!packed) return Error{ErrorCode::unavailable, "not enough memory to compress " + path};
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOnlyOwner));
    if (!file.is_open()) return cannot_write(draft);
    if (!write_to_disk(file.number(), *packed) || ::rename(draft.c_str(), path.c_str()) != 0) {
        auto error = cannot_write(path);
        ::unlink(draft.c_str());
        return error;
    }
    const Descriptor within(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!within.is_open() || ::fsync(within.number()) != 0) return cannot_write(folder);
    return path;
}

}  // namespace belfry::engine
