// Statements that find schedules for lists, and statements that count.
#pragma once

#include <string>
#include <string_view>

#include "store/listing.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct VersionedState {
    std::int64_t version = 0;  // of the definition
    StateRow state;
};
// The tasks of a queue, and one of them as `schedule:slot:node`.
struct QueueSample {
    std::int64_t ready = 0;
    std::int64_t delayed = 0;
    std::int64_t leased = 0;
    std::string_view sample;
};

extern const Query<VersionedState> kScheduleByName;
extern const Query<VersionedState> kScheduleById;
extern const Query<VersionedState> kSchedulesByKey;
extern const Query<ListedSchedule> kNames;  // schedules by name, for lists
extern const Query<ListedSchedule> kNamesBackward;
extern const Query<ListedSchedule> kNamesByStatus;
extern const Query<ListedSchedule> kNamesByStatusBackward;
extern const Query<ListedSchedule> kNamesByTarget;
extern const Query<ListedSchedule> kNamesByTargetBackward;
extern const Query<ListedSchedule> kNamesByLabel;
extern const Query<ListedSchedule> kNamesByLabelBackward;
extern const Query<ListedSchedule> kNewest;  // schedules by age
extern const Query<ScheduleCount> kScheduleCounts;
extern const Query<QueueSample> kQueueDepths;

}  // namespace belfry::store::sql
