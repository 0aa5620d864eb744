#include "model/run/approval.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kWhyNames{EnumName{ApprovalWhy::run, "run"}, EnumName{ApprovalWhy::every_node, "every_node"},
                               EnumName{ApprovalWhy::sensitive_action, "sensitive_action"},
                               EnumName{ApprovalWhy::gate, "gate"}, EnumName{ApprovalWhy::blocked, "blocked"}};

constexpr std::array kApprovalStatusNames{
    EnumName{ApprovalStatus::pending, "pending"}, EnumName{ApprovalStatus::approved, "approved"},
    EnumName{ApprovalStatus::rejected, "rejected"}, EnumName{ApprovalStatus::expired, "expired"},
    EnumName{ApprovalStatus::voided, "void"}};

}  // namespace

std::string_view name_of(ApprovalWhy why) { return canonical_name<ApprovalWhy>(kWhyNames, why); }
std::string_view name_of(ApprovalStatus status) { return canonical_name<ApprovalStatus>(kApprovalStatusNames, status); }
Result<ApprovalStatus> parse_approval_status(std::string_view text) {
    return parse_name<ApprovalStatus>(kApprovalStatusNames, "approval status", text);
}

}  // namespace belfry::model
