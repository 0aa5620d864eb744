// Reads YAML as JSON, for texts that people write by hand. Pure; nothing here throws.
//
// Supports what YAML 1.2 and JSON share: mappings with text keys, sequences and scalars. Plain `true`, `false`, `null`,
// `~` and JSON numbers have their JSON meaning; every other plain scalar and everything in quotes is text, so `yes`,
// `12:30` and `2026-01-01` stay as they are. Numbers that JSON writes differently (`0x1F`, `+1`, `.5`, `007`, `.inf`)
// are rejected instead of guessed. Aliases and tags are rejected, so that a text contains only what it shows.
#pragma once

#include <string_view>

#include "base/text/json.hpp"

namespace belfry {

// Accepts exactly one document, within the limits of parse_json and without duplicate keys. Errors start with
// `line 3, column 5:`; `place` counts bytes from the start of the text.
[[nodiscard]] Result<Json> parse_yaml(std::string_view text, JsonLimits limits = {});

}  // namespace belfry
