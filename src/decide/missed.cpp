#include "decide/missed.hpp"

#include <algorithm>

namespace belfry::decide {

using model::MissedPolicy;

namespace {

// Late from its fire time or its own, whichever is later: what jitter fires early is not missed before its time has come.
// So nothing that is dropped lies in the future, where an update or a pause could bring it back.
bool is_missed(const CompiledSchedule& schedule, Instant occurrence, Instant cutoff) {
    return occurrence < cutoff && schedule.spec.fire_time(schedule.definition.id, occurrence) < cutoff;
}

// Jitter never carries a fire time past a neighbouring occurrence, so it is one of the last two before the cutoff.
Instant last_missed(const CompiledSchedule& schedule, Instant first, Instant cutoff) {
    const auto last = std::max(first, schedule.spec.previous(cutoff).value_or(first));
    if (is_missed(schedule, last, cutoff)) return last;
    return std::max(first, schedule.spec.previous(last).value_or(first));
}

SkippedRange range_between(const spec::Spec& spec, Instant first, Instant last) {
    const auto after_first = spec.count(first, last, kRangeCountMax);
    return {last, std::min(after_first + 1, kRangeCountMax), after_first == kRangeCountMax};
}

// The oldest of the newest `count` occurrences up to `last`, not before `first`.
Instant newest(const spec::Spec& spec, Instant first, Instant last, int count) { return spec.back(last, count - 1, first); }

}  // namespace

std::optional<MissedSplit> split_missed(const CompiledSchedule& schedule, Instant first, Instant now) {
    const auto& rules = schedule.definition.missed;
    const auto& spec = schedule.spec;
    const auto cutoff = now - rules.grace;
    if (!is_missed(schedule, first, cutoff)) return std::nullopt;
    const auto last = last_missed(schedule, first, cutoff);
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
