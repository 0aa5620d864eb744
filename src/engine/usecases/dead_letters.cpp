#include "engine/usecases/dead_letters.hpp"

#include "engine/usecases/immediate_start.hpp"
#include "model/schedule/cause.hpp"
#include "store/errors.hpp"
#include "store/rules/retention_rules.hpp"

namespace belfry::engine {

namespace {

constexpr int kSkippedReplaysMax = 100;  // of one dead letter; after that a client must start it by hand

// Uses a request key of its own, so that the replay starts once. A skipped run did not start, so the next attempt
// uses another key.
Result<Started> start_once(store::StoreReader& store, Schedules& schedules, const StartRequest& request,
                           const model::Run& run, const model::CommandContext& context) {
    if (context.request) return start_now(store, schedules, request, context);
    auto once = context;
    once.request = model::RequestKey{.key = "replay:" + run.id, .fingerprint = "replay"};
    auto started = start_now(store, schedules, request, once);
    for (int i = 0; i < kSkippedReplaysMax && started && started->repeated &&
                    started->run.dispatch == model::DispatchStatus::skipped;
         ++i) {
        once.request->key = "replay:" + started->run.id;
        started = start_now(store, schedules, request, once);
    }
    return started;
}

// The schedule was deleted with its only run, so this starts the target anew, and dismisses the dead letter unless
// the new run was skipped.
Result<IdempotentResult<model::Run>> start_again(store::StoreReader& store, Schedules& schedules, Runs& runs,
                                                 const model::Schedule& definition, const model::Run& run,
                                                 const model::CommandContext& context) {
    StartRequest request{definition.tenant, definition.target, definition.labels, definition.retry};
    request.target.input = run.input;
    auto started = start_once(store, schedules, request, run, context);
    if (!started) return started.error();
    if (started->run.dispatch == model::DispatchStatus::skipped)
        return IdempotentResult<model::Run>{std::move(started->run), started->repeated};
    const auto dismissed = runs.dismiss(definition.tenant, run.id);
    if (!dismissed && dismissed.error().code != ErrorCode::not_found) return dismissed.error();
    return IdempotentResult<model::Run>{std::move(started->run), started->repeated};
}

}  // namespace

Result<IdempotentResult<model::Run>> replay(store::StoreReader& store, Schedules& schedules, Runs& runs,
                                            const std::string& tenant, const std::string& run_id,
                                            const model::CommandContext& context) {
    const auto run = store.run(tenant, run_id);
    if (!run) return run.error();
    if (!store::is_dead_letter(run->execution)) return store::dead_letter_not_found(run_id);
    const auto schedule = store.schedule({.tenant = tenant, .id = run->schedule_id});
    if (!schedule) return schedule.error();
    if (model::is_immediate(schedule->definition))
        return start_again(store, schedules, runs, schedule->definition, *run, context);
    decide::TriggerRequest request;
    request.input = run->input;
    request.replays = run_id;
    auto again = schedules.trigger({.tenant = tenant, .id = run->schedule_id}, request, context);
    if (!again) return again.error();
    return IdempotentResult<model::Run>{std::move(*again), again->repeated};
}

}  // namespace belfry::engine
