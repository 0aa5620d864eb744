#include "model/tenant/assignee.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kAssigneeTypeNames{EnumName{AssigneeType::agent, "agent"}, EnumName{AssigneeType::team, "team"}};

}  // namespace

std::string_view name_of(AssigneeType type) { return canonical_name<AssigneeType>(kAssigneeTypeNames, type); }
Result<AssigneeType> parse_assignee_type(std::string_view text) {
    return parse_name<AssigneeType>(kAssigneeTypeNames, "type of an assignee", text);
}

}  // namespace belfry::model
