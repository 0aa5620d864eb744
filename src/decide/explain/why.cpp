#include "decide/explain/why.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>

#include "base/text/enum_names.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::decide {

using model::DispatchStatus;
using model::EventType;
using model::ExecutionStatus;
using model::ScheduleStatus;
using model::SkipReason;

namespace {

constexpr std::array kVerdicts{EnumName{Verdict::dispatched, "dispatched"},
                               EnumName{Verdict::skipped, "skipped"},
                               EnumName{Verdict::buffered, "buffered"},
                               EnumName{Verdict::due, "due"},
                               EnumName{Verdict::will_dispatch, "will_dispatch"},
                               EnumName{Verdict::will_skip, "will_skip"},
                               EnumName{Verdict::paused, "paused"},
                               EnumName{Verdict::not_an_occurrence, "not_an_occurrence"},
                               EnumName{Verdict::not_created, "not_created"},
                               EnumName{Verdict::completed, "completed"},
                               EnumName{Verdict::deleted, "deleted"},
                               EnumName{Verdict::forgotten, "forgotten"}};

std::string capital(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string behind(const char* words, const std::string& detail) {
    return detail.empty() ? std::string() : words + detail;
}

// `; node a waits for approval`, `; the nodes a, b wait for approval`
std::string what_waits(const std::vector<model::Approval>& approvals) {
    std::string nodes;
    int count = 0;
    for (const auto& approval : approvals) {
        if (approval.status != model::ApprovalStatus::pending || approval.node.empty()) continue;
        nodes += (count++ > 0 ? ", " : "") + approval.node;
    }
    if (count == 0) return {};
    return count == 1 ? "; node " + nodes + " waits for approval" : "; the nodes " + nodes + " wait for approval";
}

std::string how_it_went(const model::Run& run) {
    const auto ended = run.completed_at ? " at " + format_instant(*run.completed_at) : std::string();
    const auto tries = run.attempts > 1 ? " after " + std::to_string(run.attempts) + " attempts" : std::string();
    const auto why = behind(": ", run.error);
    switch (run.execution) {
        case ExecutionStatus::awaiting_approval: return "waits for approval";
        case ExecutionStatus::queued:
            return run.attempts > 0 ? "waits for its next attempt" + tries : "waits for a worker";
        case ExecutionStatus::running:
            return "is running" + (run.attempts > 1 ? ", attempt " + std::to_string(run.attempts) : std::string());
        case ExecutionStatus::succeeded: return "succeeded" + ended + tries;
        case ExecutionStatus::failed: return "failed" + ended + tries + why;
        case ExecutionStatus::cancelled: return "was cancelled" + ended + why;
        case ExecutionStatus::terminated: return "was terminated" + ended + why;
        case ExecutionStatus::timed_out: return "timed out" + ended + tries + why;
        case ExecutionStatus::none: break;
    }
    return "has not started";
}

std::string cause_in_words(model::RunCause cause) {
    switch (cause) {
        case model::RunCause::backfill: return "A backfill of this occurrence";
        case model::RunCause::trigger: return "A trigger";
        case model::RunCause::event: return "An event";
        case model::RunCause::tick: break;
    }
    return "This occurrence";
}

class Judge {
public:
    explicit Judge(const WhyQuestion& question) : q_(question) {
        if (q_.then && q_.then->spec) {
            if (auto old = spec::Spec::compile(*q_.then->spec, q_.zones)) old_spec_.emplace(std::move(*old));
        }
        const auto& zone = spec().zone_of(q_.at);
        why_.local = zone.to_local(q_.at);
        why_.timezone = zone.name();
        why_.previous_occurrence = spec().previous(q_.at);
        why_.next_occurrence = spec().next(q_.at);
    }

    Why take() {
        if (q_.run) {
            from_row(*q_.run);
        } else if (!from_events()) {
            q_.at > q_.now ? ahead() : behind_us();
        }
        return std::move(why_);
    }

private:
    [[nodiscard]] const spec::Spec& spec() const { return old_spec_ ? *old_spec_ : q_.facts.schedule->spec; }
    [[nodiscard]] const model::Schedule& definition() const { return q_.facts.schedule->definition; }
    [[nodiscard]] const model::ScheduleState& state() const { return q_.facts.state; }
    [[nodiscard]] bool is_occurrence() const { return spec().next(q_.at - Micros{1}) == q_.at; }
    [[nodiscard]] std::string when() const { return format_local(why_.local) + " " + why_.timezone; }

    void say(Verdict verdict, std::string answer, std::string explanation = {}) {
        why_.verdict = verdict;
        why_.answer = std::move(answer);
        why_.explanation = std::move(explanation);
    }

    void judged(model::RunCause cause, const std::string& detail) {
        why_.guards = guard_chain(cause, why_.reason ? std::optional(Refusal{*why_.reason, detail}) : std::nullopt);
    }

    void from_row(const model::Run& run) {
        why_.reason = run.reason;
        judged(run.slot.cause, run.detail);
        const auto what = cause_in_words(run.slot.cause);
        const auto decided = "Decided at " + format_instant(run.decided_at) + " by version " +
                             std::to_string(run.version) + " of the definition.";
        switch (run.dispatch) {
            case DispatchStatus::skipped: return say(Verdict::skipped, skipped(run), decided + how_to_mend(run));
            case DispatchStatus::buffered:
                return say(Verdict::buffered,
                           what + " waits: an earlier run has to end first, as overlapPolicy " +
                               std::string(name_of(run.overlap)) + " requires.",
                           decided);
            default: break;
        }
        say(Verdict::dispatched,
            what + " was started as run " + std::to_string(run.trigger_number) + " and " + how_it_went(run) +
                what_waits(q_.approvals) + ".",
            decided + late(run));
    }

    std::string skipped(const model::Run& run) const {
        const auto reason = run.reason ? reason_in_words(*run.reason, run.detail) : run.detail;
        if (!run.range) return cause_in_words(run.slot.cause) + " was skipped: " + reason + ".";
        const auto count = (run.range->at_least ? "at least " : "") + std::to_string(run.range->count);
        return "This occurrence was skipped with all from " + format_instant(run.slot.occurrence) + " to " +
               format_instant(run.range->last) + " (" + count + "): " + reason + ".";
    }

    static std::string late(const model::Run& run) {
        const auto late = run.decided_at - run.fire_at;
        if (run.slot.cause != model::RunCause::tick || late < Seconds{1}) return {};
        return " That was " + std::to_string(std::chrono::duration_cast<Seconds>(late).count()) + " s late.";
    }

    static std::string how_to_mend(const model::Run& run) {
        if (run.slot.cause == model::RunCause::tick) return " A backfill of this moment runs it after all.";
        return {};
    }

    // The row may have been pruned; the audit never is.
    bool from_events() {
        if (!is_occurrence()) return false;  // a record of many also covers the time between its occurrences
        const auto told = std::ranges::find_if(q_.events.rbegin(), q_.events.rend(),
                                               [this](const auto& each) { return tells_about(each, q_.at); });
        if (told == q_.events.rend()) return false;
        const auto recorded = "Source: the audit (event " + std::to_string(told->sequence) + " of " +
                              format_instant(told->recorded_at) + "); the row of the run has been pruned.";
        const auto& payload = told->payload.get_object();
        const auto text = [&payload](std::string_view name) {
            const auto* const value = payload.if_contains(name);
            return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string()))
                                                          : std::string();
        };
        if (told->type == EventType::schedule_trigger_skipped) {
            if (const auto reason = model::parse_skip_reason(text("reason"))) why_.reason = *reason;
            const auto words = why_.reason ? reason_in_words(*why_.reason, text("detail")) : text("reason");
            say(Verdict::skipped, "This occurrence was skipped: " + words + ".", recorded);
        } else if (told->type == EventType::schedule_trigger_buffered) {
            say(Verdict::buffered, "This occurrence was buffered until an earlier run had ended.", recorded);
        } else {
            say(Verdict::dispatched, "This occurrence was started as run " + text("workflow_run_id") + ".", recorded);
        }
        // A reason of an older version, which has no name here, cannot be placed among the guards.
        if (why_.verdict != Verdict::skipped || why_.reason) judged(model::RunCause::tick, text("detail"));
        return true;
    }

    void ahead() {
        if (state().status == ScheduleStatus::deleted) return is_deleted();
        if (state().status == ScheduleStatus::completed) return is_completed();
        if (!is_occurrence()) return no_occurrence();
        const bool paused =
            state().status == ScheduleStatus::paused && (!state().paused_until || *state().paused_until > q_.at);
        if (paused)
            return is_paused(state().paused_at, state().pause_reason, {},
                             " If you resume the schedule before, it fires.");
        if (!q_.row) {
            return say(Verdict::completed, "Nothing will happen at " + when() + ": maxRuns will be used up by then.",
                       "The schedule deletes itself after its last run.");
        }
        why_.reason = q_.row->reason;
        judged(model::RunCause::tick, q_.row->detail);
        const auto as_of =
            "As of " + format_instant(q_.now) +
            "; this assumes that earlier runs have ended by then, and later changes may change the answer." +
            dst_note(*q_.row);
        if (q_.row->decision == DispatchStatus::skipped) {
            const auto words = why_.reason ? reason_in_words(*why_.reason, q_.row->detail) : q_.row->detail;
            return say(Verdict::will_skip, "This occurrence would be skipped: " + words + ".", as_of);
        }
        const auto fire = spec().fire_time(definition().id, q_.at);
        const auto jitter = fire == q_.at ? std::string() : ", with its jitter at " + format_instant(fire);
        say(Verdict::will_dispatch, "It will fire at " + when() + jitter + ".", as_of);
    }

    std::string dst_note(const PreviewRow& row) const {
        return row.dst ? " " + capital(spec::describe(*row.dst, row.occurrence, spec().zone_of(row.occurrence))) + "."
                       : std::string();
    }

    void behind_us() {
        if (q_.at < definition().created_at) {
            return say(
                Verdict::not_created,
                "The schedule did not exist yet: it was created at " + format_instant(definition().created_at) + ".",
                is_occurrence() ? "A backfill runs occurrences from before." : "");
        }
        if (state().deleted_at && *state().deleted_at <= q_.at) return is_deleted();
        if (q_.then && q_.then->status == ScheduleStatus::completed) return is_completed();
        if (!is_occurrence()) return no_occurrence();
        if (q_.then && q_.then->status == ScheduleStatus::paused) {
            return is_paused(q_.then->since, q_.then->reason, q_.then->by,
                             " A backfill of this moment runs it after all.");
        }
        if (state().status == ScheduleStatus::active && state().next_occurrence && *state().next_occurrence <= q_.at) {
            why_.guards = undecided_guard_chain(model::RunCause::tick);
            const auto fire = spec().fire_time(definition().id, q_.at);
            if (fire > q_.now)
                return say(Verdict::due, "It will fire at " + format_instant(fire) + ": its jitter delays it.");
            if (const auto& until = state().spread_until) {
                return say(Verdict::due, "It was missed, and will be decided by " + format_instant(*until) + ".",
                           "The policy `spread` gives each missed occurrence a time of its own.");
            }
            return say(Verdict::due, "This occurrence is due, and no server has decided it yet.",
                       "The schedule has decided everything before " + format_instant(*state().next_occurrence) + ".");
        }
        say(Verdict::forgotten, "There is no record of what happened at " + when() + ".",
            "The schedule's times include it, but there is no run and no event for it: a change of the schedule at "
            "about "
            "that time moved its next occurrence.");
    }

    void no_occurrence() {
        const auto& window = spec();
        std::string because = "Its times: " + spec::explain(text(), q_.zones) + ".";
        if (window.start_at() && q_.at < *window.start_at())
            because = "It lies before startAt, " + format_instant(*window.start_at()) + ".";
        if (window.end_at() && q_.at > *window.end_at())
            because = "It lies after endAt, " + format_instant(*window.end_at()) + ".";
        if (old_spec_) because += " Those were its times then; they have been changed since.";
        for (const auto& near : {why_.previous_occurrence, why_.next_occurrence}) {
            const auto mark = near ? spec().mark(*near) : std::nullopt;
            if (mark) because += " " + capital(spec::describe(*mark, *near, spec().zone_of(*near))) + ".";
        }
        say(Verdict::not_an_occurrence, "Nothing was planned for " + when() + neighbours() + ".", because);
    }

    [[nodiscard]] const spec::SpecText& text() const { return old_spec_ ? *q_.then->spec : definition().spec; }

    [[nodiscard]] std::string neighbours() const {
        std::string words;
        if (why_.previous_occurrence)
            words += "; the occurrence before is " + format_instant(*why_.previous_occurrence);
        if (why_.next_occurrence)
            words +=
                std::string(words.empty() ? "; the" : ", the") + " next is " + format_instant(*why_.next_occurrence);
        return words;
    }

    void is_paused(const std::optional<Instant>& since, const std::string& reason, const std::string& by,
                   const std::string& advice) {
        const bool over = q_.at <= q_.now;
        const auto from = since ? " since " + format_instant(*since) : std::string();
        say(Verdict::paused,
            std::string("Nothing ") + (over ? "happened" : "will happen") + ": the schedule " + (over ? "was" : "is") +
                " paused" + from + behind(" by ", by) + behind(", because: ", reason) + ".",
            "Occurrences during a pause do not run later." + advice);
    }

    void is_completed() {
        const auto since = q_.then ? q_.then->since : std::nullopt;
        say(Verdict::completed, "Nothing happens any more: the schedule has no occurrence left" +
                                    (since ? " since " + format_instant(*since) : std::string()) + ".");
    }

    void is_deleted() {
        say(Verdict::deleted, "Nothing happens any more: the schedule was deleted" +
                                  (state().deleted_at ? " at " + format_instant(*state().deleted_at) : std::string()) +
                                  ".");
    }

    const WhyQuestion& q_;
    std::optional<spec::Spec> old_spec_;
    Why why_;
};

}  // namespace

std::string_view name_of(Verdict verdict) { return canonical_name<Verdict>(kVerdicts, verdict); }

std::vector<std::string> verdict_names() {
    std::vector<std::string> names;
    for (const auto& each : kVerdicts) names.emplace_back(each.name);
    return names;
}

std::string reason_in_words(SkipReason reason, const std::string& detail) {
    switch (reason) {
        case SkipReason::dispatch_disabled: return "dispatch was switched off" + behind(" for the ", detail);
        case SkipReason::status_not_triggerable: return "the schedule was not active" + behind(", but ", detail);
        case SkipReason::outside_window: return "it lies outside of the schedule's startAt and endAt";
        case SkipReason::remaining_actions_exhausted: return "maxRuns was used up";
        case SkipReason::schedule_slot_exists: return "the occurrence already has its run";
        case SkipReason::missed_run:
            return "no server could start it in time, and the missed-run policy drops it" + behind(": ", detail);
        case SkipReason::budget_exceeded: return "the budget was used up" + behind(": ", detail);
        case SkipReason::validation_failed: return "the target cannot be started" + behind(": ", detail);
        case SkipReason::cycle_detected: return "the target would start itself again" + behind(": ", detail);
        case SkipReason::overlap_in_flight:
            return "an earlier run was still in flight, and the overlap policy starts no second one" +
                   behind(": ", detail);
        case SkipReason::max_concurrency_reached:
            return "as many runs as maxConcurrency allows were in flight" + behind(": ", detail);
        case SkipReason::calendar: return "a calendar does not allow that date" + behind(": ", detail);
        case SkipReason::condition_failed: return "preDispatchCondition did not hold" + behind(": ", detail);
        case SkipReason::breaker_open: return "the breaker is open" + behind(" after ", detail);
        case SkipReason::buffer_full: return "the buffer was full";
    }
    return detail;
}

Why answer_why(const WhyQuestion& question) { return Judge(question).take(); }

}  // namespace belfry::decide
