#include "engine/usecases/immediate_start.hpp"

#include "base/text/ascii.hpp"
#include "model/identity.hpp"
#include "store/rules/run_rows.hpp"

namespace belfry::engine {

namespace {

// Unique among existing schedules: the second and random bits make the name.
std::string name_for(const model::Target& target, Instant second) {
    constexpr std::size_t kKindShown = 100;  // bytes: a name has 255 characters at most
    const auto bits = stamp_uuid({system_random(), system_random()}, 4);
    return "start:" + std::string(whole_characters(target.kind, kKindShown)) + ":" + std::to_string(epoch_s(second)) +
           ":" + format_uuid(bits);
}

// A schedule that fires once, in this second, which has begun.
model::Schedule schedule_for(StartRequest request, Instant second) {
    model::Schedule schedule;
    schedule.tenant = std::move(request.tenant);
    schedule.name = name_for(request.target, second);
    schedule.labels = std::move(request.labels);
    schedule.labels[model::kImmediateLabel] = name_of(request.target.type);
    schedule.spec.at = {format_instant(second)};
    schedule.target = std::move(request.target);
    schedule.retry = std::move(request.retry);
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    schedule.max_runs = 1;
    // Runs however late a server decides it, because a client requested it.
    schedule.missed.policy = model::MissedPolicy::fire_once;
    return schedule;
}

Result<Started> started(store::StoreReader& store, Schedules& schedules, IdempotentResult<Schedules::Created> created) {
    auto& definition = created.definition;
    if (created.first && !created.first->runs.empty()) {
        auto run = store::run_row(*created.first, created.first->runs.back(), definition.version);
        return Started{std::move(run), std::move(definition), false};
    }
    // From here on the run will happen, even if this process dies.
    const auto promised = [](const Error& error) {
        return Error{ErrorCode::unknown,
                     "the start is accepted and the run will follow, but it cannot be read yet: " + error.message};
    };
    if (const auto settled = schedules.settle({.tenant = definition.tenant, .id = definition.id}); !settled)
        return promised(settled.error());
    // An earlier request with the same key has its own second.
    const auto occurrence = parse_instant(definition.spec.at.front());
    if (!occurrence) return occurrence.error();
    auto run =
        store.run(definition.tenant, model::run_id(definition.id, model::RunSlot{model::RunCause::tick, *occurrence}));
    if (!run) return promised(run.error());
    return Started{std::move(*run), std::move(definition), created.repeated};
}

}  // namespace

std::vector<Result<Started>> start_each(store::StoreReader& store, Schedules& schedules, std::vector<StartCall> calls) {
    const auto now = store.now();
    if (!now) return std::vector<Result<Started>>(calls.size(), now.error());
    const auto second = std::chrono::floor<Seconds>(*now);
    std::vector<Schedules::Wanted> wanted;
    for (auto& call : calls) {
        wanted.push_back({.definition = schedule_for(std::move(call.request), second),
                          .context = std::move(call.context),
                          .decide_now = true});
    }
    std::vector<Result<Started>> all;
    for (auto& created : schedules.create_each(std::move(wanted), *now)) {
        all.push_back(created ? started(store, schedules, std::move(*created)) : Result<Started>(created.error()));
    }
    return all;
}

Result<Started> start_now(store::StoreReader& store, Schedules& schedules, const StartRequest& request,
                          const model::CommandContext& context) {
    return std::move(start_each(store, schedules, {{request, context}}).front());
}

}  // namespace belfry::engine
