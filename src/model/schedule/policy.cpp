#include "model/schedule/policy.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

// The canonical name of each value comes first, then the names that other schedulers use.
constexpr std::array kOverlapNames{
    EnumName{OverlapPolicy::skip, "skip"},
    EnumName{OverlapPolicy::skip, "serial"},
    EnumName{OverlapPolicy::skip, "Skip"},
    EnumName{OverlapPolicy::buffer_one, "buffer_one"},
    EnumName{OverlapPolicy::buffer_one, "BufferOne"},
    EnumName{OverlapPolicy::buffer_all, "buffer_all"},
    EnumName{OverlapPolicy::buffer_all, "BufferAll"},
    EnumName{OverlapPolicy::buffer_all, "queue"},
    EnumName{OverlapPolicy::allow_all, "allow_all"},
    EnumName{OverlapPolicy::allow_all, "AllowAll"},
    EnumName{OverlapPolicy::allow_all, "allow"},
    EnumName{OverlapPolicy::allow_all, "parallel"},
    EnumName{OverlapPolicy::cancel_other, "cancel_other"},
    EnumName{OverlapPolicy::cancel_other, "CancelOther"},
    EnumName{OverlapPolicy::cancel_other, "cancel_previous"},
    EnumName{OverlapPolicy::terminate_other, "terminate_other"},
    EnumName{OverlapPolicy::terminate_other, "TerminateOther"},
};

constexpr std::array kMissedNames{
    EnumName{MissedPolicy::skip, "skip"},
    EnumName{MissedPolicy::skip, "none"},
    EnumName{MissedPolicy::fire_once, "fire_once"},
    EnumName{MissedPolicy::fire_once, "run_once"},
    EnumName{MissedPolicy::fire_once, "execute_once"},
    EnumName{MissedPolicy::fire_all, "fire_all"},
    EnumName{MissedPolicy::fire_all, "backfill"},
    EnumName{MissedPolicy::fire_all, "fire_immediately"},
    EnumName{MissedPolicy::spread, "spread"},
};

constexpr std::array kWorkerLostNames{EnumName{WorkerLostPolicy::redeliver, "redeliver"},
                                      EnumName{WorkerLostPolicy::fail, "fail"}};

constexpr std::array kFailureNames{EnumName{FailureMode::isolate, "isolate"}, EnumName{FailureMode::halt, "halt"},
                                   EnumName{FailureMode::fallback, "fallback"}};

constexpr std::array kApprovalNames{EnumName{ApprovalMode::every_node, "every_node"},
                                    EnumName{ApprovalMode::sensitive_actions, "sensitive_actions"},
                                    EnumName{ApprovalMode::on_block, "on_block"}};

constexpr std::array kCategoryNames{EnumName{FailureCategory::timeout, "timeout"},
                                    EnumName{FailureCategory::provider_error, "provider_error"},
                                    EnumName{FailureCategory::rate_limit, "rate_limit"},
                                    EnumName{FailureCategory::contract_violated, "contract_violated"}};

}  // namespace

std::string_view name_of(OverlapPolicy policy) { return canonical_name<OverlapPolicy>(kOverlapNames, policy); }
std::string_view name_of(MissedPolicy policy) { return canonical_name<MissedPolicy>(kMissedNames, policy); }
std::string_view name_of(WorkerLostPolicy policy) { return canonical_name<WorkerLostPolicy>(kWorkerLostNames, policy); }
std::string_view name_of(FailureMode mode) { return canonical_name<FailureMode>(kFailureNames, mode); }
std::string_view name_of(ApprovalMode mode) { return canonical_name<ApprovalMode>(kApprovalNames, mode); }
std::string_view name_of(FailureCategory category) { return canonical_name<FailureCategory>(kCategoryNames, category); }

Result<OverlapPolicy> parse_overlap_policy(std::string_view text) {
    return parse_name<OverlapPolicy>(kOverlapNames, "overlap policy", text);
}
Result<MissedPolicy> parse_missed_policy(std::string_view text) {
    return parse_name<MissedPolicy>(kMissedNames, "missed-run policy", text);
}
Result<WorkerLostPolicy> parse_worker_lost_policy(std::string_view text) {
    return parse_name<WorkerLostPolicy>(kWorkerLostNames, "worker-lost policy", text);
}
Result<FailureMode> parse_failure_mode(std::string_view text) {
    return parse_name<FailureMode>(kFailureNames, "failure mode", text);
}
Result<ApprovalMode> parse_approval_mode(std::string_view text) {
    return parse_name<ApprovalMode>(kApprovalNames, "approval mode", text);
}
Result<FailureCategory> parse_failure_category(std::string_view text) {
    return parse_name<FailureCategory>(kCategoryNames, "category", text);
}

}  // namespace belfry::model
