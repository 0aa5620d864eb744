// What people and programs ask of schedules: create, change, pause, resume, delete, trigger. Each is one decision on what
// the store says, by the store's clock. Thread-safe.
#pragma once

#include <functional>
#include <map>

#include "base/http_client.hpp"
#include "base/uuid.hpp"
#include "decide/lifecycle.hpp"
#include "decide/preview.hpp"
#include "decide/trigger.hpp"
#include "engine/answered.hpp"
#include "engine/command_task.hpp"
#include "engine/connection.hpp"
#include "engine/observer.hpp"
#include "store/store.hpp"

namespace belfry::engine {

struct ScheduleRules {
    Seconds min_interval{60};                  // recurrence closer than this is refused
    decide::Limits limits = {};                // of what is decided before a change
    HttpClient* http = nullptr;                // asks signals; null: they have no answer
    bool strict_targets = false;               // a workflow that nobody has deployed is refused
    const Connections* connections = nullptr;  // that targets may name; null: nobody knows them
    const Commands* commands = nullptr;        // the same
};

// Why a part of a definition that cannot be read cannot be changed.
[[nodiscard]] Error must_be_replaced(const store::ScheduleRecord& unreadable);
// Why a change that is based on an earlier version is refused.
[[nodiscard]] Error has_changed(std::int64_t version, std::int64_t expected);

class Schedules {
public:
    // REQUIRES: all of them outlive it.
    Schedules(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, UuidMaker& ids, ScheduleRules rules)
        : store_(store), zones_(zones), observer_(observer), ids_(ids), rules_(rules) {}

    using Context = model::CommandContext;
    using Record = store::ScheduleRecord;
    using Ref = store::ScheduleRef;

    // Ready to be decided on. All that is wrong with it is told at once; errors name the field as a JSON pointer into it.
    [[nodiscard]] Result<decide::CompiledPtr> compile(const model::Schedule& definition);

    // Gives it an id and its times; it may begin paused. Errors name the field as a JSON pointer into the definition. With a request key
    // in the context it is created once, however often it is asked for.
    using Paused = std::optional<decide::PauseRequest>;
    [[nodiscard]] Result<Answered<Record>> create(model::Schedule definition, const Context& context, const Paused& paused = {});

    // Creates nothing: whoever asked for this schedule is not let, and that is on record, in the audit of a schedule that was
    // deleted when it was made. Once for each of them, target and assignee; the record of the first time is the answer.
    [[nodiscard]] Result<Record> refuse(model::Schedule definition, const decide::BypassAttempt& attempt, Context context);

    // `edit` makes the new definition from the stored one; with a version given, a conflict when it is no longer that.
    // One that cannot be read is whole again afterwards; `edit` gets what is known of it.
    using Edit = std::function<Result<model::Schedule>(const model::Schedule&)>;
    [[nodiscard]] Result<Record> update(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit, const Context& context);

    [[nodiscard]] Result<Record> pause(const Ref& ref, const decide::PauseRequest& request, const Context& context);
    [[nodiscard]] Result<Record> resume(const Ref& ref, const Context& context);
    [[nodiscard]] Result<Record> remove(const Ref& ref, const std::string& reason, const Context& context);

    // The run that it made: dispatched, buffered, or skipped with its reason. With a request key in the context there is one,
    // however often it is asked for.
    [[nodiscard]] Result<Answered<model::Run>> trigger(const Ref& ref, const decide::TriggerRequest& request, const Context& context);

    // The run that an event starts; nothing when the schedule does not wait for it, or no filter lets its payload pass. Once for each id of
    // an event, however often it is reported.
    struct StartedByEvent {
        std::optional<model::Run> run = {};
    };
    [[nodiscard]] Result<Answered<StartedByEvent>> start_by_event(const Ref& ref, const decide::ReceivedEvent& event, Context context);

    // Decides what is due of it now, instead of waiting for the ticker; the schedule as that left it.
    [[nodiscard]] Result<Record> settle(const Ref& ref);

    // What it would do at its coming times; nothing is changed.
    [[nodiscard]] Result<std::vector<decide::PreviewRow>> preview(const Ref& ref, std::optional<Instant> from, std::size_t rows);

    // One whole tick by a scan of the store, as a job of cron would call it: whatever is due, at most `limit` schedules.
    [[nodiscard]] Result<store::TickOutcome> tick_once(std::size_t limit);

private:
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&, Instant now)>;

    [[nodiscard]] Result<void> check_target(const model::Schedule& definition);
    [[nodiscard]] Result<std::optional<model::WorkflowAssignment>> find_assignment(const model::Schedule& definition);
    using PlanNew = std::function<Result<decide::Plan>(const decide::CompiledPtr&, Instant now)>;
    [[nodiscard]] Result<Record> create_now(model::Schedule definition, const Context& context, const PlanNew& plan_new);
    // A run beside the schedule's own times, in the first millisecond from now on that is free; nothing when the plan has none.
    using PlanBeside = std::function<Result<decide::Plan>(const decide::Facts&, Instant occurrence, Instant now)>;
    [[nodiscard]] Result<std::optional<model::Run>> run_beside(const Ref& ref, const PlanBeside& plan_at, const Context& context);
    // What was done, and the schedule that it was decided on. Decides what is due first: a change must not swallow an
    // occurrence that nobody has decided yet.
    struct Change {
        decide::Plan plan;
        decide::CompiledPtr schedule;
    };
    // A decision that `looks_ahead` needs a schedule that can be read; the others are for all.
    enum class Needs : std::uint8_t { looks_ahead, nothing };
    [[nodiscard]] Result<Change> change(const Ref& ref, Needs needs, const Decide& decide);
    // The schedule as the change left it.
    [[nodiscard]] Result<Record> changed(const Ref& ref, Needs needs, const Decide& decide);
    [[nodiscard]] Result<store::TickOutcome> tick(const store::TickRequest& request);
    // With the answers of signals, by schedule; those that lack theirs are left as they are and added to `asking`.
    using Answers = std::map<std::string, Json>;
    [[nodiscard]] Result<store::TickOutcome> tick_with(const store::TickRequest& request, const Answers& answers,
                                                       std::map<std::string, model::Signal>& asking);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    Observer& observer_;
    UuidMaker& ids_;
    const ScheduleRules rules_;
};

}  // namespace belfry::engine
