#include "model/schedule/backfill.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kBackfillStatuses{
    EnumName{BackfillStatus::running, "running"}, EnumName{BackfillStatus::paused, "paused"},
    EnumName{BackfillStatus::completed, "completed"}, EnumName{BackfillStatus::cancelled, "cancelled"},
    EnumName{BackfillStatus::failed, "failed"}};

constexpr std::array kRerunNames{EnumName{BackfillRerun::missing, "missing"}, EnumName{BackfillRerun::failed, "failed"},
                                 EnumName{BackfillRerun::all, "all"}};

}  // namespace

std::string_view name_of(BackfillStatus status) { return canonical_name<BackfillStatus>(kBackfillStatuses, status); }
std::string_view name_of(BackfillRerun rerun) { return canonical_name<BackfillRerun>(kRerunNames, rerun); }
Result<BackfillRerun> parse_backfill_rerun(std::string_view text) {
    return parse_name<BackfillRerun>(kRerunNames, "rerun", text);
}

}  // namespace belfry::model
