// Queries of the durable dialect: no text breaks the parser, a refusal says why, and what was understood, written
// plainly, means the same.
#include <algorithm>

#include "api/dialects/durable/durable_query.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;
using namespace belfry::api::durable;

namespace {

using Predicates = std::vector<Predicate>;

std::string written(const Predicates& predicates) {
    std::string text;
    for (const auto& predicate : predicates)
        text += (text.empty() ? "" : " AND ") + predicate.field + " = " + to_text(predicate.literal);
    return text;
}

bool same(const Predicates& a, const Predicates& b) {
    return std::ranges::equal(
        a, b, [](const auto& x, const auto& y) { return x.field == y.field && same_json(x.literal, y.literal); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const std::string about(text);
    const auto parsed = parse_visibility(text);
    if (const auto* const refusal = std::get_if<Refusal>(&parsed)) {
        fuzz::require(!refusal->problem.detail.empty() && refusal->problem.field == "?query",
                      "a refusal has a reason and a place", about);
        return 0;
    }
    const auto& predicates = std::get<Predicates>(parsed);
    fuzz::require(!predicates.empty(), "whatever is understood asks for something", about);
    for (const auto& predicate : predicates) {
        const auto kind = kind_of(predicate.literal);
        fuzz::require(!predicate.field.empty(), "a predicate has a field", about);
        fuzz::require(kind == JsonKind::string || kind == JsonKind::number || kind == JsonKind::boolean,
                      "a literal is plain", about);
    }
    const auto plain = written(predicates);
    const auto again = parse_visibility(plain);
    const auto* const repeated = std::get_if<Predicates>(&again);
    fuzz::require(repeated != nullptr && same(*repeated, predicates), "written plainly it means the same",
                  about + " -> " + plain);
    return 0;
}
