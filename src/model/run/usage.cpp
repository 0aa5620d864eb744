#include "model/run/usage.hpp"

#include <algorithm>

namespace belfry::model {

Usage& Usage::operator+=(const Usage& other) {
    credits += other.credits;
    tokens += other.tokens;
    tool_calls += other.tool_calls;
    tools.insert(other.tools.begin(), other.tools.end());
    return *this;
}

Usage raised(Usage known, const Usage& report) {
    known.credits = std::max(known.credits, report.credits);
    known.tokens = std::max(known.tokens, report.tokens);
    known.tool_calls = std::max(known.tool_calls, report.tool_calls);
    known.tools.insert(report.tools.begin(), report.tools.end());
    return known;
}

}  // namespace belfry::model
