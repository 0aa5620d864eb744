// How the values of settings are read from their texts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"

namespace belfry::app {

struct WholeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
// The error says the range.
[[nodiscard]] Result<std::int64_t> read_whole(std::string_view text, WholeRange range);

// `60s`, `5m`, `PT1H`: whole seconds in that range.
[[nodiscard]] Result<Seconds> read_seconds(std::string_view text, Seconds least, Seconds most);

// true or false.
[[nodiscard]] Result<bool> read_switch(std::string_view text);

// HOST:PORT or [IPV6]:PORT. Whether the server may listen there depends on other settings: api/auth/exposure.hpp.
[[nodiscard]] Result<std::string> read_listen(std::string_view text);

// Names with commas between them, blanks around them left out.
[[nodiscard]] Result<std::vector<std::string>> read_names(std::string_view text);

// An address of a store, checked by its beginning only.
[[nodiscard]] Result<std::string> read_store(std::string_view text);

// The address without its password, as it may be shown.
[[nodiscard]] std::string without_password(std::string_view address);

}  // namespace belfry::app
