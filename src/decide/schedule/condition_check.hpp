// Judges a condition clause by clause, to show which parts hold. Pure.
#pragma once

#include <string>
#include <vector>

#include "decide/schedule/condition.hpp"

namespace belfry::decide {

struct ClauseVerdict {
    std::string path;  // the clause's JSON pointer
    Json clause;       // {"lt": 3}
    bool holds = false;
    Json found = nullptr;      // the value at the pointer
    bool is_there = false;     // whether the pointer exists
    std::string failing = {};  // as text; empty if the clause holds
    friend bool operator==(const ClauseVerdict&, const ClauseVerdict&) = default;
};

struct ConditionVerdict {
    bool holds = true;  // all clauses hold
    std::vector<ClauseVerdict> clauses = {};
    friend bool operator==(const ConditionVerdict&, const ConditionVerdict&) = default;
};

// A null condition holds. Errors are those of Condition::parse.
[[nodiscard]] Result<ConditionVerdict> check_condition(const Json& condition, const Json& context);

}  // namespace belfry::decide
