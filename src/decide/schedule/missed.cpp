#include "decide/schedule/missed.hpp"

#include <algorithm>

namespace belfry::decide {

using model::MissedPolicy;

namespace {

// Neither jitter nor half of the time to the next occurrence passes a neighbouring occurrence. So the last missed one
// is among the last three before the shortest grace period.
constexpr int kStepsBackMax = 3;

// Counts from the fire time or the occurrence, whichever is later: an occurrence that jitter fires early is not
// missed before its own time. So no dropped occurrence lies in the future, where an update or a pause could bring it
// back.
bool is_missed(const CompiledSchedule& schedule, Instant occurrence, Instant now) {
    const auto& grace = schedule.definition.missed.grace;
    const auto late = now - std::max(occurrence, schedule.spec.fire_time(schedule.definition.id, occurrence));
    // The shortest grace first, so that an occurrence on time need not search for the next one.
    return late > grace.value_or(kAutoGraceLeast) && (grace || late > grace_of(schedule, occurrence));
}

Instant step_back(const CompiledSchedule& schedule, Instant first, Instant from) {
    return std::max(first, schedule.spec.previous(from).value_or(first));
}

SkippedRange range_between(const spec::Spec& spec, Instant first, Instant last) {
    const auto after_first = spec.count(first, last, kRangeCountMax);
    return {last, std::min(after_first + 1, kRangeCountMax), after_first == kRangeCountMax};
}

// The oldest of the newest `count` occurrences up to `last`, not before `first`.
Instant newest(const spec::Spec& spec, Instant first, Instant last, int count) {
    return spec.back(last, count - 1, first);
}

}  // namespace

Micros grace_of(const CompiledSchedule& schedule, Instant occurrence) {
    if (const auto& grace = schedule.definition.missed.grace) return *grace;
    const auto next = schedule.spec.next(occurrence);
    return next ? std::clamp<Micros>((*next - occurrence) / 2, kAutoGraceLeast, kAutoGraceMost) : kAutoGraceMost;
}

Instant last_missed(const CompiledSchedule& schedule, Instant first, Instant now) {
    auto last = step_back(schedule, first, now - schedule.definition.missed.grace.value_or(kAutoGraceLeast));
    for (int i = 0; i < kStepsBackMax && last > first && !is_missed(schedule, last, now); ++i)
        last = step_back(schedule, first, last);
    return last;
}

SkippedRange overdue(const CompiledSchedule& schedule, Instant first, Instant now) {
    auto last = step_back(schedule, first, now + Micros{1});
    const auto is_due = [&](Instant at) { return schedule.spec.fire_time(schedule.definition.id, at) <= now; };
    if (!is_due(last)) last = step_back(schedule, first, last);
    // Jitter may put fire times before their occurrences.
    for (auto next = schedule.spec.next(last); next && is_due(*next); next = schedule.spec.next(last)) last = *next;
    return range_between(schedule.spec, first, last);
}

std::optional<MissedSplit> split_missed(const CompiledSchedule& schedule, Instant first, Instant now) {
    const auto& rules = schedule.definition.missed;
    const auto& spec = schedule.spec;
    if (!is_missed(schedule, first, now)) return std::nullopt;
    const auto last = last_missed(schedule, first, now);
    MissedSplit split;
    const auto drop = [&](Instant from, Instant to) {
        split.drop_first = from;
        split.drop = range_between(spec, from, to);
    };
    const auto keep = [&split](Instant from, Instant to) {
        split.keep_first = from;
        split.keep_last = to;
    };
    switch (rules.policy) {
        case MissedPolicy::skip: drop(first, last); break;
        case MissedPolicy::fire_once:
            keep(first, first);
            if (first < last) drop(spec.next(first).value_or(last), last);
            break;
        case MissedPolicy::fire_all:
        case MissedPolicy::spread: {
            const auto from = newest(spec, first, last, std::clamp(rules.max_backfill, 1, kMaxBackfillMax));
            keep(from, last);
            if (first < from) drop(first, spec.previous(from).value_or(first));
            break;
        }
    }
    return split;
}

}  // namespace belfry::decide
