// Builds one plan, decision by decision. Every use case (tick, trigger, backfill, completion) uses it, so that a
// dispatch or a skip always has the same effects. A local value: it changes nothing outside.
#pragma once

#include "decide/plan.hpp"
#include "decide/run/workflow_run.hpp"
#include "decide/schedule/guards.hpp"

namespace belfry::decide {

inline constexpr int kReleasesMax = 100;  // buffered runs that one plan decides; a tick continues with the rest

struct Completion;

class PlanBuilder {
public:
    PlanBuilder(const Facts& facts, Instant now, model::CommandContext context = {});

    // Applies guards, overlap actions, rotation and approval to one occurrence. Returns the decision; nothing if the
    // slot is already taken and so has its outcome.
    std::optional<model::DispatchStatus> decide(const Candidate& candidate);

    // Skips all occurrences from the candidate's to `range.last` in one record, for the candidate's reason. The
    // record covers those without a row of their own; taken slots are left out and not counted.
    void skip_range(Candidate first, SkippedRange range);

    // Decides the oldest buffered runs that may start now, at most `most`: dispatches each, or skips it if a guard
    // refuses, and then tries the next. While the schedule is paused, dispatch is off, or the signal's answer is
    // unknown, they stay buffered, and a later tick decides them. Returns the number of decided runs.
    int release_buffered(int most = kReleasesMax);
    // The facts have the signal's answer, if the schedule has a signal.
    void know_signal() { knows_signal_ = true; }
    // Conditions see from now on that this run has ended. Does nothing if the facts are not about a run: then they
    // include it.
    void learn_end(const Completion& completion);

    // Skips, in one record, the occurrences of a spread and those behind it, because the cursor is about to move
    // away. Returns the last of them.
    std::optional<Instant> give_up_spread();

    // After the last allowed failure, and again after a failed trial run.
    void open_breaker();
    void close_breaker(const std::string& reason);

    // Deletes the schedule and skips its buffered runs.
    void remove(const std::string& reason);

    // Starts a run that waited for approval. Returns an error if its workflow cannot start.
    [[nodiscard]] std::optional<Error> start(const model::Run& run, Instant ready_at);
    void end(RunEnd end);
    // The run of the facts has ended: the rest of its reservation is free for other runs.
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

    // Records that a backfill covers an occurrence that already has its run.
    void record_taken(const model::RunSlot& slot);

    // Moves the cursor to the first occurrence after `occurrence`; if there is none, completes the schedule.
    void advance_past(Instant occurrence);
    [[nodiscard]] bool is_over() const { return plan_.state.status != model::ScheduleStatus::active; }

    // The finished plan. Empty (same revision) if nothing was decided.
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
    // What a run executes, and by which definition.
    struct Course {
        const model::Schedule& definition;
        const model::WorkflowPtr& workflow;  // null: a single task
        const model::ApprovalPolicy& approval;
    };
    [[nodiscard]] Result<std::optional<WorkflowStart>> begin(const Course& course, WorkflowRunContext run) const;
    void ask_for_nodes(const Course& course, const std::string& run_id, const WorkflowStart& start);
    void use_up_action();
    void reserve(PlannedRun& run);
    void keep(PlannedRun run, bool was_buffered);

    const Facts& facts_;
    model::CommandContext context_;
    Budget budget_;
    std::size_t released_ = 0;  // how many of facts_.buffered were decided
    std::size_t ended_ = 0;     // how many of facts_.in_flight this plan has ended
    std::optional<RecentRuns> recent_ = {};
    bool knows_signal_ = false;
    Plan plan_;
};

}  // namespace belfry::decide
