// Parses the values of settings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::app {

struct WholeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
// The error names the range.
[[nodiscard]] Result<std::int64_t> read_whole(std::string_view text, WholeRange range);

// Parses `60s`, `5m`, `PT1H` into whole seconds within the range.
[[nodiscard]] Result<Seconds> read_seconds(std::string_view text, Seconds least, Seconds most);

// Parses true or false.
[[nodiscard]] Result<bool> read_switch(std::string_view text);

// Parses HOST:PORT or [IPV6]:PORT. Whether the server may listen there depends on other settings:
// api/auth/exposure.hpp.
[[nodiscard]] Result<std::string> read_listen(std::string_view text);

// Parses comma-separated names and trims blanks.
[[nodiscard]] Result<std::vector<std::string>> read_names(std::string_view text);

// Parses comma-separated origins and validates each with api::check_origin.
[[nodiscard]] Result<std::vector<std::string>> read_origins(std::string_view text);

// Parses `auto` or `open`; returns whether it is `open`.
[[nodiscard]] Result<bool> read_health_details(std::string_view text);

// Validates only the scheme of a store's address.
[[nodiscard]] Result<std::string> read_store(std::string_view text);

// The address without its password, for display.
[[nodiscard]] std::string without_password(std::string_view address);

}  // namespace belfry::app
