// JSON pointers (RFC 6901). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"

namespace belfry {

inline constexpr std::size_t kJsonPointerMax = 1024;  // bytes

// `/a/0` is the member "0" of an object and the first element of an array; "" is the whole value.
class JsonPointer {
public:
    [[nodiscard]] static Result<JsonPointer> parse(std::string_view text);

    // The value at the pointer, inside `root`, or null. An index has no leading zeros, and `-` matches nothing.
    [[nodiscard]] const Json* find(const Json& root) const;

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
    std::vector<std::string> names_;  // unescaped
};

// `/name` as one step of a pointer, with `~` and `/` in the name escaped.
[[nodiscard]] std::string pointer_step(std::string_view name);

}  // namespace belfry
