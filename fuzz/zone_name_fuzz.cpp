// No text from outside becomes a path: a zone is found when its name is in the list, and in no other case.
#include <algorithm>

#include "fuzz_target.hpp"
#include "require.hpp"
#include "support/worlds/zones.hpp"

using namespace belfry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto& database = test::zones();
    const auto& names = database.names();
    const std::string text(fuzz::text_of(data, size));

    const auto found = database.find(text);
    const bool listed = std::ranges::binary_search(names, text);
    fuzz::require(found.has_value() == listed, "found exactly when listed", text);
    if (found) {
        fuzz::require((*found)->name() == text, "a zone has the name it was found by", text);
        const auto& canonical = database.canonical(text);
        fuzz::require(std::ranges::binary_search(names, canonical), "an alias stands for a listed name", text);
        fuzz::require(database.find(canonical).has_value(), "the canonical name is found", text);
    } else {
        fuzz::require(!found.error().message.empty(), "a refusal has a reason", text);
    }
    for (const auto& name : database.search(text)) {
        fuzz::require(std::ranges::binary_search(names, name), "a search answers with listed names",
                      text + " -> " + name);
    }
    for (const auto& alias : database.aliases_of(text)) {
        fuzz::require(database.canonical(alias) == text, "an alias leads back to its name", text + " -> " + alias);
    }
    return 0;
}
