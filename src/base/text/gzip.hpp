// Compresses and decompresses gzip. Pure: equal texts give equal bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace belfry {

// `level` is 1 (fast) to 9 (small). Returns nothing when memory is short. REQUIRES: the text is shorter than 4 GiB.
[[nodiscard]] std::optional<std::string> gzipped(std::string_view text, int level);

// Returns nothing when memory is short, when the bytes are not one whole gzip member, or when the text would be longer
// than `bytes_max`.
[[nodiscard]] std::optional<std::string> gunzipped(std::string_view bytes, std::size_t bytes_max);

}  // namespace belfry
