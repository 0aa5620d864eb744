// References in what a node is given: `${nodes.a.output/items/0}`, `${input/audience}`, `${run.scheduledAt}`. A path, no
// expression language. Pure.
//
// A string that is one reference and nothing else becomes the value itself; inside a longer string a string is put in as it
// is and any other value as JSON. `$${` stands for `${`, in values and in keys. References stand in values only, and what is put
// in is never searched for further references.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace belfry::model {

struct Reference {
    enum class Source : std::uint8_t { node, input, run };
    Source source = Source::input;
    std::string name = {};     // of the node, or of what is asked of the run
    std::string pointer = {};  // RFC 6901; empty: all of it
    friend bool operator==(const Reference&, const Reference&) = default;
};

// The id of a node, which a reference names it by.
inline constexpr std::size_t kNodeIdMax = 64;
inline constexpr const char* kNodeIdRule = "use 1 to 64 letters, digits, _ and -";
[[nodiscard]] bool is_node_id(std::string_view text);

inline constexpr std::size_t kResolvedBytesMax = kJsonBytesMax;  // of a value with its references put in, roughly as text
inline constexpr std::size_t kReferenceErrorsMax = 50;           // told at once

// What may be asked of a run: `${run.id}` and so on.
inline constexpr const char* kRunReferences[] = {"id", "scheduledAt", "idempotencyKey", "instanceId", "scheduleName", "tenant"};

// Every reference of the value, in its order; an error names the place as a JSON pointer into the value.
[[nodiscard]] Result<std::vector<Reference>> references_in(const Json& value);

struct PlacedReference {
    Reference reference;
    std::string place;  // JSON pointer into the value
    friend bool operator==(const PlacedReference&, const PlacedReference&) = default;
};
[[nodiscard]] Result<std::vector<PlacedReference>> placed_references_in(const Json& value);

// As it is written: `${nodes.a.output/items/0}`.
[[nodiscard]] std::string text_of(const Reference& reference);

// The text with the placeholder for every reference, and what stands before the first of them: for checks of what is known.
[[nodiscard]] Result<std::string> with_placeholders(std::string_view text, std::string_view placeholder);
[[nodiscard]] Result<std::string> literal_start(std::string_view text);

// Null: there is nothing at that path.
using Lookup = std::function<const Json*(const Reference&)>;

// The value with every reference put in, at most kResolvedBytesMax long and kJsonDepthMax deep; an error names the reference
// that leads nowhere, and the place that holds it.
[[nodiscard]] Result<Json> resolve(const Json& value, const Lookup& lookup);

}  // namespace belfry::model
