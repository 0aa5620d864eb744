#include "engine/usecases/immediate_start.hpp"

#include "base/text/ascii.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

// Unique among existing schedules: the second and random bits make the name.
std::string name_for(const model::Target& target, Instant second) {
    constexpr std::size_t kKindShown = 100;  // bytes: a name has 255 characters at most
    const auto bits = stamp_uuid({system_random(), system_random()}, 4);
    return "start:" + std::string(whole_characters(target.kind, kKindShown)) + ":" + std::to_string(epoch_s(second)) +
           ":" + format_uuid(bits);
}

}  // namespace

Result<Started> start_now(store::StoreReader& store, Schedules& schedules, const StartRequest& request,
                          const model::CommandContext& context) {
    const auto now = store.now();
    if (!now) return now.error();
    const auto second = std::chrono::floor<Seconds>(*now);
    model::Schedule schedule;
    schedule.tenant = request.tenant;
    schedule.name = name_for(request.target, second);
    schedule.labels = request.labels;
    schedule.labels[model::kImmediateLabel] = name_of(request.target.type);
    schedule.spec.at = {format_instant(second)};
    schedule.target = request.target;
    schedule.retry = request.retry;
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    schedule.max_runs = 1;
    // Runs however late a server decides it, because a client requested it.
    schedule.missed.policy = model::MissedPolicy::fire_once;
    const auto created = schedules.create(std::move(schedule), context);
    if (!created) return created.error();
    const auto& id = created->definition.id;
    // From here on the run will happen, even if this process dies.
    const auto promised = [](const Error& error) {
        return Error{ErrorCode::unknown,
                     "the start is accepted and the run will follow, but it cannot be read yet: " + error.message};
    };
    if (const auto settled = schedules.settle({.tenant = request.tenant, .id = id}); !settled)
        return promised(settled.error());
    // An earlier request with the same key has its own second.
    const auto occurrence = parse_instant(created->definition.spec.at.front());
    if (!occurrence) return occurrence.error();
    auto run = store.run(request.tenant, model::run_id(id, model::RunSlot{model::RunCause::tick, *occurrence}));
    if (!run) return promised(run.error());
    return Started{std::move(*run), created->definition, created->repeated};
}

}  // namespace belfry::engine
