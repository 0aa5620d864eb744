// Compresses with gzip. Pure: equal texts give equal bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belfry {

// `level` is 1 (fast) to 9 (small). Returns nothing when memory is short. REQUIRES: the text is shorter than 4 GiB.
[[nodiscard]] std::optional<std::string> gzipped(std::string_view text, int level);

}  // namespace belfry
