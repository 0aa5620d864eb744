#include "decide/schedule/limits.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

namespace belfry::decide {

namespace {

using model::Credits;
using model::Usage;
using Tripped = std::optional<TrippedLimit>;

// The reserved amount binds the run, whichever assignee has the attempt, because the policy may have changed since.
Tripped over_credits(const Spending& spending, const Usage& used) {
    struct Cap {
        std::optional<Credits> credits;
        std::string whose;
    };
    Cap own;
    if (spending.assignee) own = {spending.assignee->policies.spending_limit, spending.assignee->id};
    Cap reserved;
    if (spending.reservation) reserved = {spending.reservation->cap, spending.reservation->assignee};
    const bool reserved_binds = reserved.credits && (!own.credits || *reserved.credits < *own.credits);
    const auto& cap = reserved_binds ? reserved : own;
    if (!cap.credits || used.credits <= *cap.credits) return std::nullopt;
    return TrippedLimit{"spendingLimitCredits", cap.whose, model::to_json(*cap.credits), model::to_json(used.credits)};
}

Tripped over_count(const char* limit, const std::string& whose, const std::optional<std::int64_t>& allowed,
                   std::int64_t used) {
    if (!allowed || used <= *allowed) return std::nullopt;
    return TrippedLimit{limit, whose, *allowed, used};
}

Tripped over_tools(const model::AssigneeRecord& assignee, const Usage& used) {
    const auto& allowed = assignee.policies.allow_tools;
    if (!allowed) return std::nullopt;
    for (const auto& tool : used.tools) {
        if (std::ranges::find(*allowed, tool) != allowed->end()) continue;
        boost::json::array names;
        for (const auto& name : *allowed) names.emplace_back(name);
        return TrippedLimit{"allowTools", assignee.id, std::move(names), Json(tool), tool};
    }
    return std::nullopt;
}

}  // namespace

Usage Spending::used() const {
    auto all = others;
    return all += attempt;
}

Tripped first_tripped(const Spending& spending, const RunCaps& caps) {
    const auto used = spending.used();
    if (auto tripped = over_credits(spending, used)) return tripped;
    const auto& assignee = spending.assignee;
    if (assignee) {
        if (auto tripped = over_count("maxTokens", assignee->id, assignee->policies.max_tokens, used.tokens))
            return tripped;
    }
    if (auto tripped = over_count("run_tokens_max", {}, caps.tokens, used.tokens)) return tripped;
    if (assignee) {
        if (auto tripped = over_count("maxToolCalls", assignee->id, assignee->policies.max_tool_calls, used.tool_calls))
            return tripped;
    }
    if (auto tripped = over_count("run_tool_calls_max", {}, caps.tool_calls, used.tool_calls)) return tripped;
    // Allowed tools apply to the assignee's own attempt, not to others in the same run.
    return assignee ? over_tools(*assignee, spending.attempt) : std::nullopt;
}

Json to_json(const TrippedLimit& tripped) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    return boost::json::object{{"limit", tripped.limit},
                               {"assignee", or_null(tripped.assignee)},
                               {"allowed", tripped.allowed},
                               {"used", tripped.used},
                               {"tool", or_null(tripped.tool)}};
}

std::string describe(const TrippedLimit& tripped) {
    const auto whose = tripped.assignee.empty() ? std::string("the server") : tripped.assignee;
    if (!tripped.tool.empty())
        return "the limit " + tripped.limit + " of " + whose + " does not allow the tool " + tripped.tool;
    return "the limit " + tripped.limit + " of " + whose + " is " + to_text(tripped.allowed) +
           ", and the run has used " + to_text(tripped.used);
}

}  // namespace belfry::decide
