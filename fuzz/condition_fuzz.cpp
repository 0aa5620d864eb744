// Conditions: no text breaks the parser, and the operators keep their laws.
//
// An input is the condition and, after the first line feed, the context: "{\"/a\":{\"eq\":1}}\n{\"a\":1}".
#include <algorithm>

#include "decide/schedule/condition.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;
using decide::Condition;

namespace {

std::optional<Json> read(std::string_view text) {
    const auto parsed = parse_json(text, {.numbers = JsonNumbers::exact});
    return parsed ? std::optional(*parsed) : std::nullopt;
}

bool holds(std::string_view path, std::string_view op, const Json& operand, const Json& context) {
    boost::json::object clause;
    clause[op] = operand;
    boost::json::object condition;
    condition[path] = std::move(clause);
    const auto parsed = Condition::parse(condition);
    fuzz::require(parsed.has_value(), "a clause alone has the shape it has among others", std::string(path));
    return parsed->holds(context);
}

// The laws that bind the operators at one path and operand. `contains` has limits of its own and is not asked for.
void check_laws(std::string_view path, const Json& operand, const Json& context, const std::string& about) {
    const bool eq = holds(path, "eq", operand, context);
    const bool gt = holds(path, "gt", operand, context);
    const bool lt = holds(path, "lt", operand, context);
    fuzz::require(eq != holds(path, "neq", operand, context), "eq or neq, never both", about);
    fuzz::require(!(gt && lt) && !(eq && (gt || lt)), "at most one of eq, gt and lt", about);
    const auto* const found = JsonPointer::parse(path).value().find(context);
    fuzz::require(found != nullptr || (!eq && !gt && !lt), "what is missing equals nothing and has no order", about);
    if (found == nullptr) return;
    fuzz::require(holds(path, "eq", *found, context), "a value equals itself", about);
    const auto order = compare_numbers(*found, operand);
    fuzz::require(
        order == std::partial_ordering::unordered || (gt == (order > 0) && lt == (order < 0) && eq == (order == 0)),
        "numbers are ordered", about);
}

void check_refusal(const Json& condition, const Error& error, const std::string& about) {
    fuzz::require(!error.message.empty(), "a refusal has a reason", about);
    if (error.field.empty()) return;
    const auto pointer = JsonPointer::parse(error.field);
    fuzz::require(!pointer || pointer->find(condition) != nullptr, "the field leads to the clause",
                  about + " -> " + error.field);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const std::string about(text);
    const auto end = std::min(text.find('\n'), text.size());
    const auto condition = read(text.substr(0, end));
    if (!condition) return 0;
    const auto context = read(text.substr(std::min(end + 1, text.size()))).value_or(Json(boost::json::object_kind));

    const auto parsed = Condition::parse(*condition);
    if (!parsed) {
        check_refusal(*condition, parsed.error(), about);
        return 0;
    }
    const auto failing = parsed->first_failing(context);
    fuzz::require(parsed->holds(context) == !failing, "a condition that does not hold says why", about);
    bool all = true;
    for (const auto& [path, clause] : condition->get_object()) {
        const auto& [op, operand] = *clause.get_object().begin();
        all = holds(path, op, operand, context) && all;
        check_laws(path, operand, context, about);
    }
    fuzz::require(parsed->holds(context) == all, "all clauses must hold", about);
    return 0;
}
