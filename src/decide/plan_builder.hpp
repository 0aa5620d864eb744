// Builds one plan, decision by decision. Every use case (tick, trigger, backfill, completion) goes through it, so that a
// dispatch or a skip has the same effects wherever it comes from. A local value: nothing outside changes.
#pragma once

#include "decide/guards.hpp"
#include "decide/plan.hpp"
#include "decide/walk.hpp"

namespace belfry::decide {

inline constexpr int kReleasesMax = 100;  // buffered runs that one plan decides on; a tick goes on with the rest

struct Completion;

class PlanBuilder {
public:
    PlanBuilder(const Facts& facts, Instant now, model::CommandContext context = {});

    // Guards, overlap actions, rotation and approval for one occurrence. Returns what was planned; nothing when its slot
    // was already taken, for then it has its outcome; of a backfill, the audit records that.
    std::optional<model::DispatchStatus> decide(const Candidate& candidate);

    // One record for all occurrences from the candidate's to `range.last`, refused for the candidate's reason. It tells of
    // those that have no row of their own: a taken slot is passed in silence and not counted.
    void skip_range(Candidate first, SkippedRange range);

    // The oldest buffered runs are decided on as far as they may start now, at most `most` of them: each is dispatched, or skipped when a
    // guard refuses it, and then the next one is tried. While the schedule is paused, dispatch is off, or the answer of its signal is not
    // known, they stay where they are, and a tick looks at them later. Returns how many were decided.
    int release_buffered(int most = kReleasesMax);
    // The facts hold the answer of the signal, if the schedule has one.
    void know_signal() { knows_signal_ = true; }
    // Conditions are told from now on that this run has ended. Nothing when the facts are not about a run: then they know already.
    void learn_end(const Completion& completion);

    // Skips, as one record, what is being spread and what waits behind it: the cursor is about to be moved away from there.
    // The last of them.
    std::optional<Instant> give_up_spread();

    // After its last allowed failure, and again after that of a trial.
    void open_breaker();
    void close_breaker(const std::string& reason);

    // Puts an end to the schedule; what it had buffered is skipped with it.
    void remove(const std::string& reason);

    // A run that waited for somebody's word begins; the error when its workflow cannot.
    [[nodiscard]] std::optional<Error> start(const model::Run& run, Instant ready_at);
    void end(RunEnd end);
    // The run that the facts are about has ended: what it leaves of its reservation is there for others.
    void settle();
    void change(NodeChange change);
    void ask_for(model::Approval asked) { plan_.asks.push_back(std::move(asked)); }
    void settle(model::Approval verdict) { plan_.verdicts.push_back(std::move(verdict)); }
    void note(RunNote note) { plan_.notes.push_back(std::move(note)); }
    void record(model::EventType type, boost::json::object payload);

    [[nodiscard]] model::ScheduleState& state() { return plan_.state; }
    [[nodiscard]] const Facts& facts() const { return facts_; }
    [[nodiscard]] Instant now() const { return plan_.decided_at; }
    void change_definition(model::Schedule definition) { plan_.definition = std::move(definition); }

    // On the record of a backfill that was asked for an occurrence which has its run.
    void record_taken(const model::RunSlot& slot);

    // Moves the cursor to the first occurrence after `occurrence`; without one the schedule is completed.
    void advance_past(Instant occurrence);
    [[nodiscard]] bool is_over() const { return plan_.state.status != model::ScheduleStatus::active; }

    // The finished plan. Empty (same revision) when nothing was decided.
    [[nodiscard]] Plan take();

private:
    [[nodiscard]] const model::Schedule& definition() const { return facts_.schedule->definition; }
    [[nodiscard]] PlannedRun planned(const Candidate& candidate) const;
    void skip(PlannedRun run, Refusal refusal, bool was_buffered);
    void record_skip(const Refusal& refusal, const model::RunSlot& slot, const std::optional<SkippedRange>& range);
    [[nodiscard]] Instant due_time(const model::RunSlot& slot) const;
    void dispatch(PlannedRun run, const Candidate& candidate, bool was_buffered);
    void buffer(PlannedRun run);
    void release(const BufferedRun& buffered);
    [[nodiscard]] Question question(const Candidate& candidate) const {
        return {facts_, plan_.state, budget_, candidate, recent_ ? &*recent_ : nullptr};
    }
    void give_up_buffered();
    void make_room(const model::OverlapRules& rules);
    void choose_input(PlannedRun& run, const Candidate& candidate) const;
    // What a run is to walk, and by what.
    struct Course {
        const model::Schedule& definition;
        const model::WorkflowPtr& workflow;  // null: a single task
        const model::ApprovalPolicy& approval;
    };
    [[nodiscard]] Result<std::optional<WalkStart>> begin(const Course& course, RunOfWalk run) const;
    void ask_for_nodes(const Course& course, const std::string& run_id, const WalkStart& walk);
    void use_up_action();
    void reserve(PlannedRun& run);
    void keep(PlannedRun run, bool was_buffered);

    const Facts& facts_;
    model::CommandContext context_;
    Budget budget_;
    std::size_t released_ = 0;  // how many of facts_.buffered had their turn
    std::size_t ended_ = 0;     // how many of facts_.in_flight this plan has ended
    std::optional<RecentRuns> recent_ = {};
    bool knows_signal_ = false;
    Plan plan_;
};

}  // namespace belfry::decide
