#include "base/process/process_reading.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace belfry {

namespace {

// The machine's boot time, in seconds since the epoch.
std::optional<double> boot_time() {
    std::ifstream file("/proc/stat");
    for (std::string word; file >> word;) {
        if (word == "btime") {
            double seconds = 0;
            if (file >> seconds) return seconds;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<ProcessReading> read_process() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    // The second field is the name in parentheses, which may contain anything, so fields are counted after it, from the
    // third.
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    ProcessReading reading;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::string field;
    for (int number = 3; number <= 24 && fields >> field; ++number) {
        if (number == 14 || number == 15) reading.cpu_seconds += std::stod(field) / ticks;
        if (number == 20) reading.threads = std::stoll(field);
        if (number == 22) reading.started_at_s = boot_time().value_or(0) + std::stod(field) / ticks;
        if (number == 23) reading.virtual_bytes = std::stoll(field);
        if (number == 24) reading.resident_bytes = std::stoll(field) * ::sysconf(_SC_PAGESIZE);
    }
    std::error_code error;
    for (std::filesystem::directory_iterator each("/proc/self/fd", error), end; !error && each != end;
         each.increment(error))
        ++reading.open_files;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        reading.open_files_max = static_cast<std::int64_t>(limit.rlim_cur);
    return reading;
}

}  // namespace belfry
