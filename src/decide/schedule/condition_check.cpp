#include "decide/schedule/condition_check.hpp"

#include <boost/json/object.hpp>

namespace belfry::decide {

Result<ConditionVerdict> check_condition(const Json& condition, const Json& context) {
    ConditionVerdict verdict;
    if (condition.is_null()) return verdict;
    if (const auto whole = Condition::parse(condition); !whole) return whole.error();
    for (const auto& member : condition.get_object()) {
        // Each clause on its own, with the same code as the guard.
        const auto alone = Condition::parse(boost::json::object{{member.key(), member.value()}});
        const auto pointer = JsonPointer::parse(member.key());
        if (!alone) return alone.error();
        if (!pointer) return pointer.error();
        const auto failing = alone->first_failing(context);
        const auto* const found = pointer->find(context);
        verdict.clauses.push_back({std::string(std::string_view(member.key())), member.value(), !failing,
                                   found == nullptr ? Json(nullptr) : *found, found != nullptr, failing.value_or("")});
        verdict.holds = verdict.holds && !failing;
    }
    return verdict;
}

}  // namespace belfry::decide
