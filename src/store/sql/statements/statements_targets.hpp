// Statements for data that runs of several schedules share: the target that a condition uses, the event that they
// wait for, and the team that does them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/schedule/condition.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statements/run_columns.hpp"

namespace belfry::store::sql {

struct TargetContext {
    std::int64_t schedule = 0;
    std::optional<std::string_view> last_result;
    decide::RunStats newest;
};

extern const Query<TargetContext> kContextOfTarget;
extern const Statement kInsertEnd;
extern const Statement kDeleteWatch;
extern const Statement kInsertWatch;
extern const Statement kFillEnds;
extern const Statement kFillLastEnds;
extern const Statement kPruneEnds;
extern const Statement kDeleteSubscriptions;
extern const Statement kInsertSubscription;
extern const Query<std::string> kSubscribers;
extern const Statement kInsertTeamRun;
extern const Statement kForgetTeamRuns;
extern const Query<RunRow> kRunsOfTeam;

}  // namespace belfry::store::sql
