// A named pipe that tells whether any process of a family is alive, whatever its id, session or namespace: the first of
// them opens it for writing (`exec 7>FILE`), and the others inherit that.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "base/process/descriptor.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {

class LifeLine {
public:
    explicit LifeLine(std::string path) : path_(std::move(path)) {
        ::mkfifo(path_.c_str(), 0600);
        ::chmod(path_.c_str(), 0666);  // for any user
        end_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    // Whether one of them wrote something.
    [[nodiscard]] bool has_begun() const {
        return within_a_minute([&] { return read() > 0; });
    }
    // Whether there is none left. REQUIRES: it has begun.
    [[nodiscard]] bool is_over() const {
        while (read() > 0) {
        }
        return read() == 0;
    }

private:
    [[nodiscard]] ssize_t read() const {
        std::array<char, 64> piece{};
        return ::read(end_.number(), piece.data(), piece.size());
    }

    std::string path_;
    Descriptor end_;
};

}  // namespace belfry::test
