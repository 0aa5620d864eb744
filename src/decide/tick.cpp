#include "decide/tick.hpp"

#include "decide/lifecycle.hpp"
#include "decide/missed.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

namespace {

class Tick {
public:
    Tick(const Facts& facts, Instant now, const Limits& limits) : builder_(facts, now), limits_(limits) {}

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

    void decide_missed() {
        const auto first = goes_on() ? due() : std::nullopt;
        const auto split = first ? split_missed(schedule(), *first, builder_.now()) : std::nullopt;
        if (!split) return;
        const bool drop_comes_first = split->drop_first && (!split->keep_first || *split->drop_first < *split->keep_first);
        if (drop_comes_first) drop(*split);
        if (split->keep_first) keep(*split);
        if (split->drop_first && !drop_comes_first) drop(*split);
    }

    void drop(const MissedSplit& split) {
        if (builder_.is_over()) return;
        const Candidate candidate{{model::RunCause::tick, *split.drop_first}, *builder_.state().next_fire, true, {}, {}};
        builder_.skip_range(candidate, split.drop);
        ++decided_;
        builder_.advance_past(split.drop.last);
    }

    void keep(const MissedSplit& split) {
        const bool spread = schedule().definition.missed.policy == model::MissedPolicy::spread;
        const auto all =
            spread ? schedule().spec.between(*split.keep_first, *split.keep_last, static_cast<std::size_t>(limits_.catchup_per_tick)).size() : 1;
        for (std::int64_t i = 1; goes_on() && builder_.state().next_occurrence && *builder_.state().next_occurrence <= *split.keep_last; ++i) {
            // Spread evenly over what is to come, neither now nor at its end; everything else fires at once.
            decide_next(spread ? builder_.now() + limits_.lookahead * i / static_cast<std::int64_t>(all + 1) : builder_.now());
        }
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
