#include "engine/dead_letters.hpp"

#include "engine/immediate_start.hpp"
#include "store/plan_rows.hpp"

namespace belfry::engine {

namespace {

// Its schedule went with its only run. Started under a key of its own, so that it happens once, and dismissed afterwards.
Result<Answered<model::Run>> start_again(store::Store& store, Schedules& schedules, const model::Schedule& definition, const model::Run& run,
                                         const model::CommandContext& context) {
    StartRequest request{definition.tenant, definition.target, definition.labels, definition.retry};
    request.target.input = run.input;
    auto once = context;
    if (!once.request) once.request = model::RequestKey{.key = "replay:" + run.id, .fingerprint = "replay"};
    auto started = start_now(store, schedules, request, once);
    if (!started) return started.error();
    const auto dismissed = store.dismiss(definition.tenant, run.id);
    if (!dismissed && dismissed.error().code != ErrorCode::not_found) return dismissed.error();
    return Answered<model::Run>{std::move(started->run), started->repeated};
}

}  // namespace

Result<Answered<model::Run>> replay(store::Store& store, Schedules& schedules, const std::string& tenant, const std::string& run_id,
                                    const model::CommandContext& context) {
    const auto run = store.run(tenant, run_id);
    if (!run) return run.error();
    if (!store::is_dead_letter(run->execution)) return store::dead_letter_not_found(run_id);
    const auto schedule = store.schedule({.tenant = tenant, .id = run->schedule_id});
    if (!schedule) return schedule.error();
    if (schedule->definition.labels.contains(model::kImmediateLabel)) return start_again(store, schedules, schedule->definition, *run, context);
    decide::TriggerRequest request;
    request.input = run->input;
    request.replays = run_id;
    return schedules.trigger({.tenant = tenant, .id = run->schedule_id}, request, context);
}

}  // namespace belfry::engine
