#include "decide/schedule/tick.hpp"

#include "decide/plan_builder.hpp"
#include "decide/schedule/lifecycle.hpp"
#include "decide/schedule/missed.hpp"

namespace belfry::decide {

namespace {

// The most that a spread counts to set its pace. With more occurrences, the first ones are closer together.
constexpr std::int64_t kSpreadCountMax = 1'000;

class Tick {
public:
    Tick(const Facts& facts, Instant now, const Limits& limits) : builder_(facts, now), limits_(limits) {
        builder_.know_signal();
    }

    Plan run() {
        decided_ += builder_.release_buffered(limits_.catchup_per_tick);
        decide_missed();
        decide_live();
        return builder_.take();
    }

private:
    [[nodiscard]] const CompiledSchedule& schedule() const { return *builder_.facts().schedule; }
    [[nodiscard]] bool goes_on() const { return decided_ < limits_.catchup_per_tick; }

    [[nodiscard]] std::optional<Instant> due() {
        const auto& state = builder_.state();
        if (builder_.is_over() || !state.next_fire || *state.next_fire > builder_.now()) return std::nullopt;
        return state.next_occurrence;
    }

    [[nodiscard]] bool spreads() const { return schedule().definition.missed.policy == model::MissedPolicy::spread; }

    void decide_missed() {
        if (goes_on() && due() && builder_.state().spread_until && go_on_spreading()) return;
        const auto first = goes_on() ? due() : std::nullopt;
        const auto split = first ? split_missed(schedule(), *first, builder_.now()) : std::nullopt;
        if (!split) return;
        const bool drop_comes_first =
            split->drop_first && (!split->keep_first || *split->drop_first < *split->keep_first);
        if (drop_comes_first) drop(*split);
        if (split->keep_first) spreads() ? spread(*split->keep_last) : keep(*split->keep_last);
        if (split->drop_first && !drop_comes_first) drop(*split);
    }

    void drop(const MissedSplit& split) {
        if (builder_.is_over()) return;
        const Candidate candidate{
            {model::RunCause::tick, *split.drop_first}, *builder_.state().next_fire, true, {}, {}};
        builder_.skip_range(candidate, split.drop);
        ++decided_;
        builder_.advance_past(split.drop.last);
    }

    [[nodiscard]] bool is_at_or_before(Instant last) {
        const auto& next = builder_.state().next_occurrence;
        return next && *next <= last;
    }

    // All at once.
    void keep(Instant last) {
        while (goes_on() && is_at_or_before(last)) decide_next(builder_.now());
    }

    // Decides each at its own time, evenly over the lookahead, neither now nor at its end. Until then the cursor
    // stays on it, with that time as its fire time. So no run is in flight before its time, and after a crash the row
    // has everything.
    void spread(Instant last) {
        if (!is_at_or_before(last)) return;
        builder_.state().spread_until = builder_.now() + limits_.lookahead;
        aim(builder_.now(), last);
    }

    void aim(Instant from, Instant last) {
        auto& state = builder_.state();
        const auto left = 1 + schedule().spec.count(*state.next_occurrence, last, kSpreadCountMax);
        state.next_fire = from + (*state.spread_until - from) / (left + 1);
    }

    // Returns false if the rest must be judged anew: the policy was changed, or no server came for a whole lookahead.
    // In the latter case it still decides one, so that the spread ends even if servers come rarely.
    bool go_on_spreading() {
        auto& state = builder_.state();
        const auto until = *state.spread_until;
        if (!spreads() || until + limits_.lookahead < builder_.now()) {
            if (spreads()) decide_next(*state.next_fire);
            state.spread_until.reset();
            return false;
        }
        // As of the start of the spread.
        const auto last = last_missed(schedule(), *state.next_occurrence, until - limits_.lookahead);
        while (goes_on() && is_at_or_before(last) && *state.next_fire <= builder_.now()) {
            const auto time = *state.next_fire;
            decide_next(time);
            if (is_at_or_before(last)) aim(time, last);
        }
        // Occurrences that came due after them are merely late.
        if (!is_at_or_before(last)) state.spread_until.reset();
        return true;
    }

    void decide_live() {
        while (goes_on() && due()) decide_next(*builder_.state().next_fire);
    }

    void decide_next(Instant fire_at) {
        const auto occurrence = *builder_.state().next_occurrence;
        builder_.decide({{model::RunCause::tick, occurrence}, fire_at, false, {}, {}});
        ++decided_;
        builder_.advance_past(occurrence);
    }

    PlanBuilder builder_;
    const Limits& limits_;
    int decided_ = 0;
};

}  // namespace

Plan plan_tick(const Facts& facts, Instant now, const Limits& limits) {
    const auto& state = facts.state;
    if (state.status == model::ScheduleStatus::paused && state.paused_until && *state.paused_until <= now) {
        return plan_resume(facts, now, {.source = "tick", .reason = "the pause has run out"}).value();
    }
    return Tick(facts, now, limits).run();
}

}  // namespace belfry::decide
