// A cursor over a text that tracks its column, for small hand-written parsers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/text/ascii.hpp"

namespace belfry {

class Scanner {
public:
    explicit Scanner(std::string_view text, std::size_t first_column = 1) : text_(text), first_column_(first_column) {}

    [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[position_]; }
    [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::string_view since(std::size_t start) const { return text_.substr(start, position_ - start); }

    void skip(std::size_t count = 1) { position_ += count; }

    bool accept(char wanted) {
        if (at_end() || to_lower(text_[position_]) != to_lower(wanted)) return false;
        ++position_;
        return true;
    }

    // Reads up to `most` digits; empty if there are none.
    std::optional<std::int64_t> digits(std::size_t most) {
        const auto start = position_;
        std::int64_t value = 0;
        while (!at_end() && is_digit(peek()) && position_ - start < most)
            value = value * 10 + (text_[position_++] - '0');
        if (position_ == start) return std::nullopt;
        return value;
    }

    // Reads exactly `count` digits; otherwise returns empty and does not move.
    std::optional<std::int64_t> fixed_digits(std::size_t count) {
        const auto start = position_;
        const auto value = digits(count);
        if (position_ - start == count) return value;
        position_ = start;
        return std::nullopt;
    }

    std::string_view letters() {
        const auto start = position_;
        while (!at_end() && is_alpha(peek())) ++position_;
        return since(start);
    }

    [[nodiscard]] Place place(std::size_t start) const { return {first_column_ + start, position_ - start}; }
    [[nodiscard]] Place here(std::size_t length = 1) const { return {first_column_ + position_, length}; }

private:
    std::string_view text_;
    std::size_t first_column_;
    std::size_t position_ = 0;
};

}  // namespace belfry
