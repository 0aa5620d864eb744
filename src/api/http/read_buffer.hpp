// Received bytes that are not consumed yet, in one piece. Grows as needed, up to its bound.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace belfry::api {

class ReadBuffer {
public:
    explicit ReadBuffer(std::size_t most) : most_(most) {}

    [[nodiscard]] bool empty() const { return begin_ == end_; }
    [[nodiscard]] std::string_view view() const { return {bytes_.data() + begin_, end_ - begin_}; }

    // Returns room for at most that many bytes behind the present ones; empty when the bound is reached. May move the
    // bytes.
    [[nodiscard]] std::span<char> room(std::size_t wanted) {
        const auto used = end_ - begin_;
        wanted = std::min(wanted, most_ - used);
        if (end_ + wanted > bytes_.size()) {
            if (used > 0) std::memmove(bytes_.data(), bytes_.data() + begin_, used);
            begin_ = 0;
            end_ = used;
            if (end_ + wanted > bytes_.size()) bytes_.resize(end_ + wanted);
        }
        return {bytes_.data() + end_, wanted};
    }

    // Marks that many bytes of the room as filled.
    void commit(std::size_t bytes) { end_ += bytes; }

    void consume(std::size_t bytes) {
        begin_ += bytes;
        if (begin_ == end_) clear();
    }
    void clear() { begin_ = end_ = 0; }

    // Frees memory beyond that many bytes. REQUIRES: the buffer is empty.
    void shrink(std::size_t bytes) {
        if (bytes_.size() <= bytes) return;
        bytes_ = std::vector<char>(bytes);
        clear();
    }

private:
    std::size_t most_;
    std::vector<char> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace belfry::api
