#include "simulation/sim_operator.hpp"

#include "simulation/sim_schedules.hpp"
#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

using model::CommandContext;
using store::ScheduleRecord;

namespace {

// What the error promises about the command.
Answer answer_of(const Error& error) { return error.code == ErrorCode::unknown ? Answer::unknown : Answer::refused; }

}  // namespace

template <typename T>
void SimOperator::ask(CommandKind kind, const std::function<Result<T>(SimServer&, const CommandContext&)>& handle) {
    const auto name = context_.oracle.commands().ask(kind);
    const CommandContext who{.principal = "operator", .request_id = name, .source = "simulation", .may_loosen = true};
    const auto answer =
        cluster_.ask<Result<T>>([handle, who](SimServer& server) { return handle(server, who); }, false);
    if (!answer) return;
    const auto said = *answer ? Answer::done : answer_of((*answer).error());
    if (said == Answer::refused) context_.coverage.see(Sight::command_refused);
    if (said == Answer::unknown) context_.coverage.see(Sight::command_unknown);
    context_.tell("operator", static_cast<std::uint64_t>(said),
                  [&] { return name + (*answer ? " was done" : " was answered: " + (*answer).error().message); });
    context_.oracle.commands().answer(name, said);
}

void SimOperator::run() {
    for (int i = 1; i <= context_.options.workflows; ++i) deploy(workflow_name(i));
    for (int i = 0; i < context_.options.schedules; ++i) create();
    const auto gap = context_.options.duration() / std::max(1, context_.options.commands);
    for (int i = 0; i < context_.options.commands && !context_.healed; ++i) {
        context_.loop.sleep(context_.random.between(Micros{0}, gap * 2));
        if (!context_.healed) command();
    }
}

void SimOperator::deploy(const std::string& workflow) {
    auto definition = draw_workflow(context_.random, context_.options, workflow);
    using Deployed = Result<engine::Workflows::Deployed>;
    [[maybe_unused]] const auto answer = cluster_.ask<Deployed>(
        [definition](SimServer& server) {
            return server.workflows().deploy(definition, {}, {}, {.principal = "operator"});
        },
        true);
}

void SimOperator::change_workflow() {
    const auto name = workflow_name(context_.random.number(1, context_.options.workflows));
    if (!context_.random.percent(15)) return deploy(name);
    [[maybe_unused]] const auto answer = cluster_.ask<Result<void>>(
        [name](SimServer& server) { return server.workflows().remove("default", name, true); }, true);
}

void SimOperator::create() {
    auto definition =
        draw_schedule(context_.random, context_.options, context_.clock.now(), "schedule-" + std::to_string(++names_));
    ask<ScheduleRecord>(CommandKind::create, [definition](SimServer& server, const CommandContext& who) {
        return server.schedules().create(definition, who);
    });
}

void SimOperator::command() {
    if (context_.schedules.empty()) return create();
    if (context_.options.workflows > 0 && context_.random.percent(20)) return change_workflow();
    if (const auto early = decided_early(); early && context_.random.percent(50)) return put_back(*early);
    const auto id = context_.random.pick(context_.schedules);
    if (context_.random.percent(50)) wait_for_fire(id);
    const int roll = context_.random.number(0, 99);
    if (roll < 5) return create();
    if (roll < 25) return update(id);
    if (roll < 37) return pause(id);
    if (roll < 47) return resume(id);
    if (roll < 50) return remove(id);
    if (roll < 72) return trigger(id);
    if (roll < 84) return backfill(id);
    if (roll < 90) return change_backfill(id);
    touch_run(id);
}

void SimOperator::wait_for_fire(const std::string& id) {
    const auto life = context_.oracle.lives().find(id);
    if (life == context_.oracle.lives().end()) return;  // removed in full
    const auto next = life->second.record.state.next_fire;
    const auto now = context_.clock.now();
    if (!next || *next < now || *next > now + context_.options.pace * 20) return;
    const auto around = context_.options.store.latency_max + context_.options.line.delay_max;
    context_.loop.sleep(std::max(Micros{0}, *next - now + context_.random.between(-around, around)));
}

void SimOperator::update(const std::string& id) {
    const auto now = context_.clock.now();
    const auto draw = context_.random.next();
    const auto edit = [this, now, draw](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        SimRandom random(draw);
        redraw(random, context_.options, now, changed);
        return changed;
    };
    ask<ScheduleRecord>(CommandKind::update, [this, id, edit](SimServer& server, const CommandContext& who) {
        return server.schedules().update(ref(id), std::nullopt, edit, who);
    });
}

std::optional<std::string> SimOperator::decided_early() const {
    for (const auto& [id, life] : context_.oracle.lives()) {
        const auto& state = life.record.state;
        if (state.status == model::ScheduleStatus::active && state.newest_decided &&
            *state.newest_decided > context_.clock.now())
            return id;
    }
    return std::nullopt;
}

void SimOperator::put_back(const std::string& id) {
    const auto edit = [](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        nudge(changed);
        return changed;
    };
    ask<ScheduleRecord>(CommandKind::update, [this, id, edit](SimServer& server, const CommandContext& who) {
        return server.schedules().update(ref(id), std::nullopt, edit, who);
    });
}

void SimOperator::pause(const std::string& id) {
    decide::PauseRequest request{"asked", {}};
    if (context_.random.percent(60))
        request.until = context_.clock.now() + context_.options.pace * context_.random.number(1, 40);
    ask<ScheduleRecord>(CommandKind::pause, [this, id, request](SimServer& server, const CommandContext& who) {
        return server.schedules().pause(ref(id), request, who);
    });
}

void SimOperator::resume(const std::string& id) {
    ask<ScheduleRecord>(CommandKind::resume, [this, id](SimServer& server, const CommandContext& who) {
        return server.schedules().resume(ref(id), who);
    });
}

void SimOperator::remove(const std::string& id) {
    ask<ScheduleRecord>(CommandKind::remove, [this, id](SimServer& server, const CommandContext& who) {
        return server.schedules().remove(ref(id), "asked", who);
    });
}

void SimOperator::trigger(const std::string& id) {
    decide::TriggerRequest request;
    if (context_.random.percent(30)) request.overlap = static_cast<model::OverlapPolicy>(context_.random.number(0, 5));
    if (context_.random.percent(30)) request.input = Json("asked for");
    ask<model::Run>(CommandKind::trigger, [this, id, request](SimServer& server, const CommandContext& who) {
        return server.schedules().trigger(ref(id), request, who);
    });
}

void SimOperator::backfill(const std::string& id) {
    const auto now = context_.clock.now();
    decide::BackfillRequest request{now - context_.options.pace * context_.random.number(1, 150), now, {}};
    if (context_.random.percent(40)) {
        request.overlap = static_cast<model::OverlapPolicy>(context_.random.number(0, 5));
    } else if (context_.random.percent(60)) {
        // A few, so that they come to their end while the world lasts.
        request.from = now - context_.options.pace * context_.random.number(1, 20);
        request.concurrency = context_.random.number(1, 3);
    }
    using Started = Result<model::Backfill>;
    [[maybe_unused]] const auto answer = cluster_.ask<Started>(
        [this, id, request](SimServer& server) {
            return server.backfills().start(ref(id), request, {.principal = "operator"});
        },
        false);
}

void SimOperator::change_backfill(const std::string& id) {
    const auto known = context_.database.backfills(ref(id));
    if (!known || known->empty()) return;
    const auto backfill = known->front().id;
    const int what = context_.random.number(0, 2);
    using Changed = Result<model::Backfill>;
    [[maybe_unused]] const auto answer = cluster_.ask<Changed>(
        [backfill, what](SimServer& server) {
            if (what == 0) return server.backfills().pause("default", backfill);
            if (what == 1) return server.backfills().resume("default", backfill);
            return server.backfills().cancel("default", backfill);
        },
        false);
}

void SimOperator::touch_run(const std::string& id) {
    const auto found = context_.database.runs({.tenant = "default", .schedule_id = id}, {.after = {}, .limit = 3});
    if (!found || found->items.empty()) return;
    const auto run = context_.random.pick(found->items).id;
    const bool cancels = context_.random.percent(50);
    [[maybe_unused]] const auto answer = cluster_.ask<Result<model::Run>>(
        [run, cancels](SimServer& server) {
            if (cancels) return server.runs().cancel("default", run, "asked");
            return server.runs().finish("default", run, std::nullopt,
                                        {model::ExecutionStatus::succeeded, {}, Json("from outside"), {}});
        },
        false);
}

// Says yes, says no, or does not come: then its time runs out.
void SimOperator::approve_what_waits() {
    using Found = Result<store::Listing<model::Approval>>;
    while (true) {
        context_.loop.sleep(context_.healed ? context_.options.pace / 2 : context_.options.pace * 3);
        const auto waiting =
            cluster_.ask<Found>([](SimServer& server) { return server.store().approvals({"default"}, {}); }, false);
        if (!waiting || !*waiting) continue;
        for (const auto& asked : (*waiting)->items) {
            if (!context_.healed && context_.random.percent(30)) continue;
            const decide::ApprovalDecision decision{context_.random.percent(75), "read", asked.node};
            [[maybe_unused]] const auto answer = cluster_.ask<Result<model::Run>>(
                [id = asked.run_id, decision](SimServer& server) {
                    return server.runs().approve("default", id, decision, {.principal = kApprover});
                },
                false);
        }
    }
}

}  // namespace belfry::sim
