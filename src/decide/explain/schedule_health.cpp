#include "decide/explain/schedule_health.hpp"

#include <algorithm>
#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::decide {

using model::ScheduleStatus;

namespace {

constexpr std::array kHealthVerdicts{EnumName{HealthVerdict::ok, "ok"}, EnumName{HealthVerdict::warning, "warning"},
                                     EnumName{HealthVerdict::failing, "failing"},
                                     EnumName{HealthVerdict::paused, "paused"}};
constexpr std::array kBreakers{EnumName{BreakerState::none, "none"}, EnumName{BreakerState::closed, "closed"},
                               EnumName{BreakerState::open, "open"}, EnumName{BreakerState::half_open, "half_open"}};

constexpr Micros kLate = Seconds{60};  // the default grace period of the missed-run policies
constexpr int kFailuresInARow = 3;     // one or two may be chance

class Judgement {
public:
    void add(HealthVerdict verdict, std::string sentence) {
        worst_ = std::max(worst_, verdict);
        sentences_.push_back(std::move(sentence));
    }
    [[nodiscard]] HealthVerdict worst() const { return worst_; }
    [[nodiscard]] std::vector<std::string> take() { return std::move(sentences_); }

private:
    HealthVerdict worst_ = HealthVerdict::ok;
    std::vector<std::string> sentences_;
};

void measure_lateness(std::span<const model::Run> runs, ScheduleHealth& health) {
    std::vector<Micros> late;
    for (const auto& run : runs) {
        if (run.slot.cause == model::RunCause::tick) late.push_back(std::max(Micros{0}, run.decided_at - run.fire_at));
    }
    if (late.empty()) return;
    std::ranges::sort(late);
    health.lateness_median = late[late.size() / 2];
    health.lateness_most = late.back();
}

}  // namespace

std::string_view name_of(HealthVerdict verdict) { return canonical_name<HealthVerdict>(kHealthVerdicts, verdict); }
std::string_view name_of(BreakerState state) { return canonical_name<BreakerState>(kBreakers, state); }

std::vector<std::string> breaker_state_names() {
    std::vector<std::string> names;
    for (const auto& [value, name] : kBreakers) names.emplace_back(name);
    return names;
}

BreakerState breaker_of(const model::Schedule& schedule, const model::ScheduleState& state, Instant now) {
    if (!schedule.breaker_failures) return BreakerState::none;
    if (!is_breaker_open(schedule, state)) return BreakerState::closed;
    const auto& wait = schedule.breaker_retry_after;
    return wait && state.breaker_opened_at.value_or(Instant{}) + *wait <= now ? BreakerState::half_open
                                                                              : BreakerState::open;
}

ScheduleHealth judge_health(const HealthQuestion& question) {
    const auto& state = question.state;
    ScheduleHealth health;
    Judgement judgement;
    measure_lateness(question.runs, health);
    const auto failures = state.consecutive_failures;
    health.breaker = breaker_of(question.schedule, state, question.now);
    if (!question.quarantined_because.empty())
        judgement.add(HealthVerdict::failing, "it cannot be decided: " + question.quarantined_because);
    if (is_breaker_open(question.schedule, state)) {
        judgement.add(HealthVerdict::failing,
                      "the breaker is open after " + std::to_string(failures) +
                          (failures == 1 ? " failure" : " failures in a row") +
                          (health.breaker == BreakerState::half_open ? ": the next run decides whether it closes"
                                                                     : ": resume the schedule or change its target"));
    } else if (failures >= kFailuresInARow) {
        judgement.add(HealthVerdict::failing, "its last " + std::to_string(failures) + " runs failed" +
                                                  (state.last_error.empty() ? "" : ": " + state.last_error));
    } else if (failures > 0) {
        judgement.add(HealthVerdict::warning,
                      "its last run failed" + (state.last_error.empty() ? "" : ": " + state.last_error));
    }
    if (question.missed_last_day > 0) {
        judgement.add(HealthVerdict::warning,
                      std::to_string(question.missed_last_day) + " occurrences were missed in the last day");
    }
    if (state.status == ScheduleStatus::active && state.next_fire && *state.next_fire + kLate < question.now) {
        health.overdue = question.now - *state.next_fire;
        judgement.add(HealthVerdict::failing,
                      "it has been due since " + format_instant(*state.next_fire) + ", and no server has decided it");
    }
    if (health.lateness_most && *health.lateness_most > kLate) {
        judgement.add(HealthVerdict::warning,
                      "one of its last runs was decided " +
                          std::to_string(std::chrono::duration_cast<Seconds>(*health.lateness_most).count()) +
                          " s late");
    }
    if (state.buffered > 0)
        judgement.add(HealthVerdict::warning, std::to_string(state.buffered) + " occurrences wait for a run to end");
    health.verdict = judgement.worst();
    health.reasons = judgement.take();
    if (state.status == ScheduleStatus::paused) {
        health.verdict = HealthVerdict::paused;
        health.reasons.insert(health.reasons.begin(),
                              "it is paused" + (state.pause_reason.empty() ? "" : ": " + state.pause_reason));
    }
    return health;
}

}  // namespace belfry::decide
