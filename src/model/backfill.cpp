#include "model/backfill.hpp"

#include <array>

#include "base/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kStatusNames{EnumName{BackfillStatus::running, "running"}, EnumName{BackfillStatus::paused, "paused"},
                                  EnumName{BackfillStatus::completed, "completed"}, EnumName{BackfillStatus::cancelled, "cancelled"},
                                  EnumName{BackfillStatus::failed, "failed"}};

}  // namespace

std::string_view name_of(BackfillStatus status) { return canonical_name<BackfillStatus>(kStatusNames, status); }
Result<BackfillStatus> parse_backfill_status(std::string_view text) { return parse_name<BackfillStatus>(kStatusNames, "status", text); }

}  // namespace belfry::model
