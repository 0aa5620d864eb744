#include "base/text/name.hpp"

#include <algorithm>

#include "base/text/control_characters.hpp"

namespace belfry {

std::optional<Error> name_error(std::string_view name) {
    // Continuation bytes belong to the character before them.
    const auto characters =
        std::ranges::count_if(name, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    if (characters == 0) return invalid("must not be empty");
    if (static_cast<std::size_t>(characters) > kNameCharactersMax) {
        return invalid("has " + std::to_string(characters) + " characters; use at most " +
                       std::to_string(kNameCharactersMax));
    }
    return control_error(name);
}

}  // namespace belfry
