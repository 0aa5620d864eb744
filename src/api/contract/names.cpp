#include "api/contract/names.hpp"

#include "api/resources/runs/run_dto.hpp"
#include "model/run/approval.hpp"
#include "model/run/run.hpp"
#include "model/schedule/backfill.hpp"
#include "model/schedule/cause.hpp"
#include "model/schedule/policy.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::api {

namespace {

// Lists the names of the enumerators up to `last`. A request may have every name that the parser accepts, including
// aliases.
template <auto parse, typename Enum>
ShapePtr names_up_to(Enum last) {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(last); ++i) names.emplace_back(name_of(static_cast<Enum>(i)));
    return one_of(std::move(names), &parses<parse>);
}

}  // namespace

using namespace model;  // NOLINT(google-build-using-namespace): every line below names two of its enumerations

ShapePtr overlap_names() { return names_up_to<&parse_overlap_policy>(OverlapPolicy::terminate_other); }
ShapePtr worker_lost_names() { return names_up_to<&parse_worker_lost_policy>(WorkerLostPolicy::fail); }
ShapePtr rerun_names() { return names_up_to<&parse_backfill_rerun>(BackfillRerun::all); }
ShapePtr missed_names() { return names_up_to<&parse_missed_policy>(MissedPolicy::spread); }
ShapePtr failure_names() { return names_up_to<&parse_failure_mode>(FailureMode::fallback); }
ShapePtr approval_names() { return names_up_to<&parse_approval_mode>(ApprovalMode::on_block); }
ShapePtr approval_status_names() { return names_up_to<&parse_approval_status>(ApprovalStatus::voided); }
ShapePtr category_names() { return names_up_to<&parse_failure_category>(FailureCategory::contract_violated); }
ShapePtr dispatch_names() { return names_up_to<&parse_dispatch_status>(DispatchStatus::failed); }
ShapePtr cause_names() {
    return one_of({std::string(name_of(RunCause::tick)), std::string(name_of(RunCause::backfill)),
                   std::string(name_of(RunCause::trigger)), std::string(name_of(RunCause::event)),
                   std::string(kStartCause)});
}
ShapePtr reason_names() { return names_up_to<&parse_skip_reason>(SkipReason::buffer_full); }
ShapePtr run_state_names() { return names_up_to<&parse_run_state>(store::RunState::buffered); }
ShapePtr schedule_status_names() { return names_up_to<&parse_schedule_status>(ScheduleStatus::deleted); }

}  // namespace belfry::api
