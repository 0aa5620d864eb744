#include "model/schedule/schedule.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kStatusNames{
    EnumName{ScheduleStatus::active, "active"}, EnumName{ScheduleStatus::paused, "paused"},
    EnumName{ScheduleStatus::completed, "completed"}, EnumName{ScheduleStatus::deleted, "deleted"}};
constexpr std::array kTargetNames{EnumName{TargetType::workflow, "workflow"}, EnumName{TargetType::task, "task"}};

}  // namespace

std::string_view name_of(ScheduleStatus status) { return canonical_name<ScheduleStatus>(kStatusNames, status); }
std::string_view name_of(TargetType type) { return canonical_name<TargetType>(kTargetNames, type); }
Result<ScheduleStatus> parse_schedule_status(std::string_view text) {
    return parse_name<ScheduleStatus>(kStatusNames, "status", text);
}
Result<TargetType> parse_target_type(std::string_view text) {
    return parse_name<TargetType>(kTargetNames, "target type", text);
}

}  // namespace belfry::model
