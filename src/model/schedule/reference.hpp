// References in a node's input: `${nodes.a.output/items/0}`, `${input/audience}`, `${run.scheduledAt}`. They are
// paths, not an expression language. Pure.
//
// A string that consists of one reference becomes the referenced value. Inside a longer string, a referenced string
// is inserted unchanged and any other value as JSON. `$${` stands for `${`, in values and in keys. References are
// allowed only in values. Inserted text is never searched for further references.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"

namespace belfry::model {

struct Reference {
    enum class Source : std::uint8_t { node, input, run };
    Source source = Source::input;
    std::string name = {};     // of the node, or of the run's property
    std::string pointer = {};  // RFC 6901; empty: the whole value
    friend bool operator==(const Reference&, const Reference&) = default;
};

// Node ids, as references use them.
inline constexpr std::size_t kNodeIdMax = 64;
inline constexpr const char* kNodeIdRule = "use 1 to 64 letters, digits, _ and -";
[[nodiscard]] bool is_node_id(std::string_view text);

inline constexpr std::size_t kResolvedBytesMax = kJsonBytesMax;  // of a resolved value, approximately as text
inline constexpr std::size_t kReferenceErrorsMax = 50;           // reported at once

// The properties of a run: `${run.id}` and so on.
inline constexpr const char* kRunReferences[] = {"id",         "scheduledAt",  "idempotencyKey",
                                                 "instanceId", "scheduleName", "tenant"};

// Every reference in the value, in order. The field of an error is a JSON pointer into the value.
[[nodiscard]] Result<std::vector<Reference>> references_in(const Json& value);

struct PlacedReference {
    Reference reference;
    std::string place;  // JSON pointer into the value
    friend bool operator==(const PlacedReference&, const PlacedReference&) = default;
};
[[nodiscard]] Result<std::vector<PlacedReference>> placed_references_in(const Json& value);

// The source text: `${nodes.a.output/items/0}`.
[[nodiscard]] std::string text_of(const Reference& reference);

// The text with every reference replaced by the placeholder, and the text before the first reference. For validation
// before the references can be resolved.
[[nodiscard]] Result<std::string> with_placeholders(std::string_view text, std::string_view placeholder);
[[nodiscard]] Result<std::string> literal_start(std::string_view text);

// Null if there is no value at that path.
using Lookup = std::function<const Json*(const Reference&)>;

// The value with every reference resolved, at most kResolvedBytesMax long and kJsonDepthMax deep. An error names the
// unresolved reference and its location.
[[nodiscard]] Result<Json> resolve(const Json& value, const Lookup& lookup);

}  // namespace belfry::model
