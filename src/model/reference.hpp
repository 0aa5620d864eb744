// References in what a node is given: `${nodes.a.output/items/0}`, `${input/audience}`, `${run.scheduledAt}`. A path, no
// expression language. Pure.
//
// A string that is one reference and nothing else becomes the value itself; inside a longer string a string is put in as it
// is and any other value as JSON. `$${` stands for `${`.
#pragma once

#include <functional>
#include <string>
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

// What may be asked of a run: `${run.id}` and so on.
inline constexpr const char* kRunReferences[] = {"id", "scheduledAt", "idempotencyKey", "instanceId", "scheduleName", "tenant"};

// Every reference of the value, in its order; an error names the place as a JSON pointer into the value.
[[nodiscard]] Result<std::vector<Reference>> references_in(const Json& value);

// Null: there is nothing at that path.
using Lookup = std::function<const Json*(const Reference&)>;

// The value with every reference put in; an error names the reference that leads nowhere.
[[nodiscard]] Result<Json> resolve(const Json& value, const Lookup& lookup);

}  // namespace belfry::model
