// YAML texts as JSON values, for what people write by hand. Pure; nothing here throws.
//
// What YAML 1.2 and JSON share: mappings with text keys, sequences and scalars. Plain `true`, `false`, `null`, `~` and JSON
// numbers mean what JSON means by them; every other plain scalar and everything in quotes is text, so that `yes`, `12:30` and
// `2026-01-01` stay as they are. A number that JSON spells otherwise (`0x1F`, `+1`, `.5`, `007`, `.inf`) is refused rather
// than guessed at. Aliases and tags are refused: no text means more than it shows.
#pragma once

#include <string_view>

#include "base/json.hpp"

namespace belfry {

// Exactly one document, within the limits of parse_json and without a key twice. Errors begin with `line 3, column 5:`;
// `place` counts bytes from the start of the text.
[[nodiscard]] Result<Json> parse_yaml(std::string_view text, JsonLimits limits = {});

}  // namespace belfry
