#include "bench/bench_schedules.hpp"

#include "base/crypto/uuid.hpp"
#include "decide/schedule/lifecycle.hpp"

namespace belfry::bench {

namespace {

model::Schedule small_task(std::string id, std::size_t number) {
    model::Schedule schedule;
    schedule.id = std::move(id);
    schedule.tenant = model::kDefaultTenant;
    schedule.name = "bench-" + std::to_string(number);
    schedule.target.type = model::TargetType::task;
    schedule.target.kind = "bench";
    schedule.target.input = Json{{"n", number}, {"note", "0123456789012345678901234567890123456789"}};
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    return schedule;
}

}  // namespace

Result<void> create_schedules(store::Store& store, const spec::ZoneDatabase& zones, const BenchSchedules& wanted) {
    UuidMaker ids(&system_random);
    std::vector<decide::Plan> plans;
    for (std::size_t i = 0; i < wanted.count; ++i) {
        auto schedule = small_task(ids.make(wanted.created_at), i);
        if (wanted.edit) wanted.edit(schedule);
        auto compiled = decide::compile(std::move(schedule), zones, &decide::find_built_in_calendar);
        if (!compiled) return compiled.error();
        auto plan = decide::plan_create(*compiled, wanted.created_at);
        if (!plan) return plan.error();
        if (wanted.sink) wanted.sink(*compiled, *plan);
        plans.push_back(std::move(*plan));
        if (plans.size() < kBenchBatch && i + 1 < wanted.count) continue;
        if (auto created = store.create(plans); !created) return created;
        plans.clear();
    }
    return {};
}

}  // namespace belfry::bench
