#include "engine/explain/schedule_health.hpp"

#include <algorithm>

#include "model/identity.hpp"

namespace belfry::engine {

Result<HealthOfSchedule> health_of(store::StoreReader& store, const store::ScheduleRef& ref,
                                   const std::vector<Quarantined>& quarantined) {
    const auto now = store.now();
    if (!now) return now.error();
    auto record = store.schedule(ref);
    if (!record) return record.error();
    HealthOfSchedule answer{.now = *now, .record = std::move(*record)};
    store::RunFilter filter{.tenant = ref.tenant};
    filter.schedule_id = answer.record.definition.id;
    auto runs = store.runs(filter, {.limit = decide::kHealthRunsMax});
    if (!runs) return runs.error();
    answer.runs = std::move(runs->items);
    // One page is enough: after an outage there are few records, because each covers many occurrences.
    filter.state = store::RunState::skipped;
    filter.from = *now - std::chrono::hours{24};
    const auto skipped = store.runs(filter, {.limit = store::kPageMax});
    if (!skipped) return skipped.error();
    for (const auto& run : skipped->items) {
        if (run.reason == model::SkipReason::missed_run) answer.missed_last_day += run.range ? run.range->count : 1;
    }
    const auto key = model::key_of(answer.record.definition.id);
    const auto found = std::ranges::find(quarantined, key, &Quarantined::key);
    answer.quarantined = found != quarantined.end();
    decide::HealthQuestion question{
        .schedule = answer.record.definition, .state = answer.record.state, .runs = answer.runs, .now = *now};
    question.missed_last_day = answer.missed_last_day;
    if (answer.quarantined) question.quarantined_because = found->error.message;
    answer.health = decide::judge_health(question);
    return answer;
}

}  // namespace belfry::engine
