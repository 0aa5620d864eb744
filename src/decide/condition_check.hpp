// A condition judged clause by clause, for somebody who wants to see which part of it holds. Pure.
#pragma once

#include <string>
#include <vector>

#include "decide/condition.hpp"

namespace belfry::decide {

struct ClauseVerdict {
    std::string path;  // the JSON pointer that it is about
    Json clause;       // {"lt": 3}
    bool holds = false;
    Json found = nullptr;      // what the pointer leads to
    bool is_there = false;     // whether it leads anywhere
    std::string failing = {};  // in words; empty when it holds
    friend bool operator==(const ClauseVerdict&, const ClauseVerdict&) = default;
};

struct ConditionVerdict {
    bool holds = true;  // all of them
    std::vector<ClauseVerdict> clauses = {};
    friend bool operator==(const ConditionVerdict&, const ConditionVerdict&) = default;
};

// Null is no condition: it holds. Errors as Condition::parse has them.
[[nodiscard]] Result<ConditionVerdict> check_condition(const Json& condition, const Json& context);

}  // namespace belfry::decide
