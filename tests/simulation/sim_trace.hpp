// What happened in a world, in order: always as a hash, which two runs of one seed must share, and as lines when asked.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/time/instant.hpp"

namespace belfry::sim {

class SimTrace {
public:
    explicit SimTrace(bool keeps_lines) : keeps_lines_(keeps_lines) {}

    // Lines are dear: whoever makes one asks first.
    [[nodiscard]] bool keeps_lines() const { return keeps_lines_; }
    void add_line(std::string line) {
        if (!keeps_lines_) return;
        lines_.push_back(std::move(line));
        if (lines_.size() > kLinesMax) lines_.pop_front();
    }

    void mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3 + (hash_ >> 29U); }
    void mix(std::string_view text) {
        for (const char c : text) mix(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }

    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }

private:
    static constexpr std::size_t kLinesMax = 200;

    bool keeps_lines_;
    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::deque<std::string> lines_;
};

}  // namespace belfry::sim
