// Schedules, for people and programs: create, change, pause, resume, delete, trigger. Each is one decision on the
// stored facts, by the store's clock. Thread-safe.
#pragma once

#include <functional>
#include <map>

#include "base/crypto/uuid.hpp"
#include "base/net/http_client.hpp"
#include "decide/approval/approval.hpp"
#include "decide/explain/preview.hpp"
#include "decide/schedule/lifecycle.hpp"
#include "decide/schedule/trigger.hpp"
#include "engine/outgoing/command_task.hpp"
#include "engine/outgoing/connection.hpp"
#include "engine/outgoing/signals.hpp"
#include "engine/telemetry/observer.hpp"
#include "engine/usecases/idempotent_result.hpp"
#include "store/store.hpp"

namespace belfry::engine {

struct ScheduleRules {
    Seconds min_interval{60};                  // rejects times that are closer together
    decide::Limits limits = {};                // for the decisions that are due before a change
    HttpClient* http = nullptr;                // for a command-line tool: requests signals and waits for them
    bool strict_targets = false;               // rejects a workflow that is not deployed
    const Connections* connections = nullptr;  // that targets may name; null: not checked
    const Commands* commands = nullptr;        // likewise
    // The longest call of an http task; rejects more.
    std::chrono::milliseconds http_timeout = std::chrono::milliseconds::max();
};

// Why a part of an unreadable definition cannot be changed.
[[nodiscard]] Error must_be_replaced(const store::ScheduleRecord& unreadable);
// The conflict for a change that is based on an earlier version.
[[nodiscard]] Error has_changed(std::int64_t version, std::int64_t expected);

class Schedules {
public:
    // REQUIRES: all of them outlive it.
    Schedules(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, UuidMaker& ids,
              ScheduleRules rules)
        : store_(store), zones_(zones), observer_(observer), ids_(ids), rules_(rules) {}

    // Call before the first use: sets a server's signals, which are requested without waiting. Until the answer
    // arrives, a change of a due schedule returns `unavailable`, and PendingWatch knows when to repeat it. REQUIRES:
    // it outlives this object.
    void ask(Signals& signals) { signals_ = &signals; }

    using Context = model::CommandContext;
    using Record = store::ScheduleRecord;
    using Ref = store::ScheduleRef;

    // Compiles the definition for decisions. Reports every error at once, each with its field as a JSON pointer.
    [[nodiscard]] Result<decide::CompiledPtr> compile(const model::Schedule& definition);

    // Creates the schedule with an id and its times, optionally paused. Errors name the field as a JSON pointer into
    // the definition. With a request key in the context, repeated requests create it once.
    using Paused = std::optional<decide::PauseRequest>;
    [[nodiscard]] Result<IdempotentResult<Record>> create(model::Schedule definition, const Context& context,
                                                          const Paused& paused = {});

    // A schedule to create, and whether to decide it at once instead of at its time.
    struct Wanted {
        model::Schedule definition;
        Context context;
        Paused paused = {};
        bool decide_now = false;
    };
    struct Created : Record {
        std::optional<decide::Plan> first = {};  // of the decision at once
    };
    // Creates each on its own, as create() does; they share transactions. Looks for earlier requests only after an
    // error, so that new ones cost nothing. `now` is the store's time, if the caller has read it.
    [[nodiscard]] std::vector<Result<IdempotentResult<Created>>> create_each(std::vector<Wanted> wanted,
                                                                             std::optional<Instant> now = {});

    // Creates no active schedule: the caller is not permitted to, and this records the attempt, in the audit of a
    // schedule that is deleted from the start. Once for each caller, target and assignee; repeats return the first
    // record.
    [[nodiscard]] Result<Record> refuse(model::Schedule definition, const decide::BypassAttempt& attempt,
                                        Context context);

    // The same for `attempt.subject` without its own audit: an assignment of the workflow, or the workflow itself.
    // Returns the error for the caller, who may not loosen approvals; it names the schedule that has the record.
    [[nodiscard]] Error refuse_loosening(const std::string& tenant, const std::string& workflow,
                                         const std::string& subject, const Context& context);

    // Returns `forbidden`, and records the attempt, if this caller's definition would require fewer approvals than
    // the stored one (null: a new schedule). create() and update() call it themselves: this is for callers with
    // another step before.
    [[nodiscard]] Result<void> check_loosening(const model::Schedule& definition, const Record* stored,
                                               const Context& context);

    // `edit` makes the new definition from the stored one. With a version, returns a conflict if the stored version
    // differs; without one, a change by another caller means that `edit` is called again. Repairs a schedule that
    // cannot be read; `edit` then gets its readable parts.
    using Edit = std::function<Result<model::Schedule>(const model::Schedule&)>;
    [[nodiscard]] Result<Record> update(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit,
                                        const Context& context);

    [[nodiscard]] Result<Record> pause(const Ref& ref, const decide::PauseRequest& request, const Context& context);
    [[nodiscard]] Result<Record> resume(const Ref& ref, const Context& context);
    [[nodiscard]] Result<Record> remove(const Ref& ref, const std::string& reason, const Context& context);

    // Each on its own, those of one schedule in order, as pause(), resume() and remove() do; they share transactions.
    enum class Verb : std::uint8_t { pause, resume, remove };
    struct StatusChange {
        Ref ref;
        Verb verb = Verb::pause;
        Context context;                    // with the reason
        std::optional<Instant> until = {};  // of a pause
    };
    [[nodiscard]] std::vector<Result<Record>> change_each(const std::vector<StatusChange>& changes);

    // A run, with the definition that decided it; null: not read.
    struct Triggered : model::Run {
        model::DefinitionPtr definition = {};
    };
    // Returns the new run: dispatched, buffered, or skipped with its reason. With a request key in the context,
    // repeated requests make one run.
    [[nodiscard]] Result<IdempotentResult<Triggered>> trigger(const Ref& ref, const decide::TriggerRequest& request,
                                                              const Context& context);

    // Returns the run that an event starts; nothing if the schedule does not wait for it, or no filter accepts its
    // payload. Once for each event id, however often it is reported.
    struct StartedByEvent {
        std::optional<model::Run> run = {};
    };
    [[nodiscard]] Result<IdempotentResult<StartedByEvent>> start_by_event(const Ref& ref,
                                                                          const decide::ReceivedEvent& event,
                                                                          Context context);

    // Decides the due occurrences now instead of waiting for the ticker. Returns the schedule after that.
    [[nodiscard]] Result<Record> settle(const Ref& ref);

    // The schedule, and the context against which its condition would be evaluated now.
    struct ConditionNow {
        Record record;
        Json context;
    };
    [[nodiscard]] Result<ConditionNow> condition_now(const Ref& ref);

    // Returns what the schedule would do at its future times; changes nothing.
    [[nodiscard]] Result<std::vector<decide::PreviewRow>> preview(const Ref& ref, std::optional<Instant> from,
                                                                  std::size_t rows);

    // One whole tick by a scan of the store, for a cron job: decides everything that is due, at most `limit`
    // schedules.
    [[nodiscard]] Result<store::TickOutcome> tick_once(std::size_t limit);

private:
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&, Instant now)>;

    [[nodiscard]] Result<Record> update_once(const Ref& ref, std::optional<std::int64_t> version, const Edit& edit,
                                             const Context& context);
    [[nodiscard]] Result<void> check_target(const model::Schedule& definition);
    [[nodiscard]] Result<std::optional<model::WorkflowAssignment>> find_assignment(const model::Schedule& definition);
    using PlanNew = std::function<Result<decide::Plan>(const decide::CompiledPtr&, Instant now)>;
    using Compile = std::function<Result<decide::CompiledPtr>(const model::Schedule&)>;
    // Completes the definition, and plans the creation.
    [[nodiscard]] Result<store::NewSchedule> plan_new(model::Schedule definition, const Context& context, Instant now,
                                                      const PlanNew& plan_new, const Compile& compile);
    [[nodiscard]] Result<Record> create_now(model::Schedule definition, const Context& context, const PlanNew& plan_new,
                                            const Compile& compile);
    [[nodiscard]] Result<store::NewSchedule> prepare(Wanted& wanted, Instant now);
    [[nodiscard]] Created created(const store::NewSchedule& schedule, std::optional<decide::Plan> first);
    // Once for each caller and `what`.
    [[nodiscard]] Result<Record> refuse_as(model::Schedule definition, const std::string& what,
                                           const decide::BypassAttempt& attempt, Context context,
                                           const Compile& compile);
    // Facts for the loosening check that are read before the transaction.
    struct LooseningCheck {
        bool applies = false;      // the caller may not loosen
        bool pins_looser = false;  // the target names a version that requires fewer approvals than the newest
        std::optional<model::WorkflowAssignment> assignment = {};
        // The field of the definition that loosens; empty: none.
        [[nodiscard]] std::string loosened(const decide::CompiledSchedule& after,
                                           const decide::CompiledSchedule* before) const;
    };
    [[nodiscard]] Result<bool> pins_looser(const model::Schedule& after, const model::Schedule* before);
    [[nodiscard]] Result<LooseningCheck> loosening_check(const model::Schedule& after, const model::Schedule* before,
                                                         const Context& context);
    [[nodiscard]] Result<Record> update_checked(const Ref& ref, std::int64_t base, const decide::CompiledPtr& after,
                                                const LooseningCheck& check, const Context& context);
    // Makes a run beside the schedule's own times, in the first free millisecond from now on; nothing if the plan has
    // no run.
    using PlanBeside = std::function<Result<decide::Plan>(const decide::Facts&, Instant occurrence, Instant now)>;
    [[nodiscard]] Result<std::optional<Triggered>> run_beside(const Ref& ref, const PlanBeside& plan_at,
                                                              const Context& context, bool ends_others = false);
    // The plan, and the schedule that it was decided on. Decides due occurrences first: a change must not swallow an
    // undecided occurrence.
    struct Change {
        decide::Plan plan;
        decide::CompiledPtr schedule;
    };
    // A decision that `looks_ahead` needs a readable schedule; the others do not.
    enum class FactsRequest : std::uint8_t { looks_ahead, nothing };
    [[nodiscard]] Result<Change> change(const Ref& ref, FactsRequest needs, const Decide& decide);
    static Decide decision_of(const StatusChange& change);
    // Returns the schedule after the change.
    [[nodiscard]] Result<Record> changed(const Ref& ref, FactsRequest needs, const Decide& decide);
    struct Ticked {
        store::TickOutcome outcome;
        std::map<std::string, model::Schedule> asking = {};  // unchanged, because their signals have no answer yet
    };
    [[nodiscard]] Result<Ticked> tick(const store::TickRequest& request);
    [[nodiscard]] Result<Ticked> tick_with(const store::TickRequest& request, const SignalAnswer& answer);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    Observer& observer_;
    UuidMaker& ids_;
    const ScheduleRules rules_;
    Signals* signals_ = nullptr;
};

}  // namespace belfry::engine
