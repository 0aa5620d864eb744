#include "engine/dead_letters.hpp"

#include "engine/immediate_start.hpp"
#include "model/cause.hpp"
#include "store/plan_rows.hpp"

namespace belfry::engine {

namespace {

constexpr int kSkippedReplaysMax = 100;  // of one dead letter, until it has to be started by hand

// A key of its own, so that it starts once. What was skipped was not started: the next try has another key.
Result<Started> start_once(store::Store& store, Schedules& schedules, const StartRequest& request, const model::Run& run,
                           const model::CommandContext& context) {
    if (context.request) return start_now(store, schedules, request, context);
    auto once = context;
    once.request = model::RequestKey{.key = "replay:" + run.id, .fingerprint = "replay"};
    auto started = start_now(store, schedules, request, once);
    for (int i = 0; i < kSkippedReplaysMax && started && started->repeated && started->run.dispatch == model::DispatchStatus::skipped; ++i) {
        once.request->key = "replay:" + started->run.id;
        started = start_now(store, schedules, request, once);
    }
    return started;
}

// Its schedule went with its only run: it is started anew, and dismissed unless the new run was skipped.
Result<Answered<model::Run>> start_again(store::Store& store, Schedules& schedules, const model::Schedule& definition, const model::Run& run,
                                         const model::CommandContext& context) {
    StartRequest request{definition.tenant, definition.target, definition.labels, definition.retry};
    request.target.input = run.input;
    auto started = start_once(store, schedules, request, run, context);
    if (!started) return started.error();
    if (started->run.dispatch == model::DispatchStatus::skipped) return Answered<model::Run>{std::move(started->run), started->repeated};
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
    if (model::is_immediate(schedule->definition)) return start_again(store, schedules, schedule->definition, *run, context);
    decide::TriggerRequest request;
    request.input = run->input;
    request.replays = run_id;
    return schedules.trigger({.tenant = tenant, .id = run->schedule_id}, request, context);
}

}  // namespace belfry::engine
