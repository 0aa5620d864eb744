#include <array>
#include <functional>

#include "engine/jobs/housekeeping.hpp"

namespace belfry::engine {

namespace {

constexpr Micros kDoubtedFor = std::chrono::hours{24};  // how long a step forward does not count for removals
constexpr Micros kWaitForLead = Seconds{1};             // how often a server that does not lead checks again

}  // namespace

Janitor::Janitor(store::HousekeepingStore& store, store::Registry& registry, Observer& observer, Leading leading,
                 Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), kWaitForLead,
                  FailureTracker("janitor", observer, std::move(random))),
      store_(store),
      registry_(registry),
      options_(options) {}

Result<Micros> Janitor::work(Instant now) {
    if (options_.clock != nullptr) now -= options_.clock->moved_within(kDoubtedFor);
    constexpr std::array kStages{&Janitor::forget_rows, &Janitor::bound_feed,      &Janitor::remove_schedules,
                                 &Janitor::prune_runs,  &Janitor::prune_workflows, &Janitor::shrink};
    for (; stage_ < kStages.size(); ++stage_) {
        const auto more = (this->*kStages[stage_])(now);
        if (!more) return more.error();
        if (*more) return options_.between;
    }
    stage_ = 0;
    return options_.every;
}

Result<bool> Janitor::forget_rows(Instant now) {
    const auto batch = options_.batch;
    const std::array<std::function<Result<std::int64_t>()>, 8> kinds{
        [&] { return store_.prune_requests(now - options_.keep_requests, batch); },
        [&] { return store_.prune_budgets(model::day_of(now) - options_.keep_budgets_for, batch); },
        [&] { return store_.prune_backfills(now - options_.keep_backfills_for, batch); },
        [&] {
            return options_.keep_letters_for ? store_.prune_letters(now - *options_.keep_letters_for, batch)
                                             : Result<std::int64_t>(0);
        },
        [&] {
            return options_.keep_archive_for ? store_.prune_archive(now - *options_.keep_archive_for, batch)
                                             : Result<std::int64_t>(0);
        },
        [&] { return registry_.prune_feed(now - options_.keep_feed_for, batch); },
        [&] { return registry_.prune_deliveries(now - options_.keep_deliveries_for, batch); },
        [&] { return registry_.prune_keys(now - options_.keep_keys_for, batch); }};
    bool more = false;
    for (const auto& forget : kinds) {
        const auto forgotten = forget();
        if (!forgotten) return forgotten.error();
        more = more || *forgotten == static_cast<std::int64_t>(batch);
    }
    return more;
}

// Measures in pages, then removes the oldest parts of the feeds that are too large. Items that a webhook has not taken
// stay, although they count.
Result<bool> Janitor::bound_feed(Instant) {
    const auto part_bytes = options_.feed_bytes_max / 64;  // smaller parts are joined, to save memory
    if (measured_to_) {
        const auto sizes = registry_.feed_sizes(*measured_to_, options_.batch);
        if (!sizes) return sizes.error();
        for (const auto& part : sizes->parts) {
            auto& [bytes, parts] = feeds_[part.tenant_key];
            bytes += part.bytes;
            if (parts.empty() || parts.back().bytes >= part_bytes) {
                parts.push_back(part);
            } else {
                parts.back() = {part.tenant_key, parts.back().bytes + part.bytes, part.last};
            }
        }
        measured_to_ = sizes->next_after;
        if (measured_to_) return true;
    }
    for (auto& [tenant, feed] : feeds_) {
        if (feed.bytes <= options_.feed_bytes_max) continue;
        const auto removed = registry_.prune_feed_to(tenant, feed.parts.front().last, options_.batch);
        if (!removed) return removed.error();
        if (std::cmp_equal(*removed, options_.batch)) return true;
        feed.bytes -= feed.parts.front().bytes;
        feed.parts.pop_front();
        return true;
    }
    feeds_.clear();
    measured_to_ = 0;
    return false;
}

Result<bool> Janitor::remove_schedules(Instant now) {
    if (!options_.keep_deleted_for) return false;
    const auto outcome = store_.remove_ended({.ended_before = now - *options_.keep_deleted_for,
                                              .keep_letters_since = letters_since(now),
                                              .after = removed_to_,
                                              .schedules = options_.batch,
                                              .limit = options_.batch});
    if (!outcome) return outcome.error();
    if (outcome->runs > 0) observer_.pruned(outcome->runs);
    if (outcome->schedules > 0) observer_.removed(outcome->schedules);
    removed_to_ = outcome->next_after.value_or(store::EndedPlace{});
    return outcome->next_after.has_value();
}

Result<bool> Janitor::prune_runs(Instant now) {
    store::PruneRequest request{.after_key = pruned_to_, .schedules = options_.batch, .limit = options_.batch};
    if (options_.keep_for) request.retention.occurred_before = now - *options_.keep_for;
    request.retention.keep_newest = options_.keep_newest;
    request.retention.keep_letters_since = letters_since(now);
    const auto outcome = store_.prune_some(request);
    if (!outcome) return outcome.error();
    if (outcome->removed > 0) observer_.pruned(outcome->removed);
    pruned_to_ = outcome->next_after.value_or(0);
    return outcome->next_after.has_value();
}

Result<bool> Janitor::prune_workflows(Instant) {
    const auto outcome = store_.prune_workflows(workflows_to_, options_.keep_workflow_versions, options_.batch);
    if (!outcome) return outcome.error();
    workflows_to_ = outcome->next_after.value_or(0);
    return outcome->next_after.has_value();
}

Result<bool> Janitor::shrink(Instant) { return store_.shrink(); }

// Without a limit, keeps all dead letters.
std::optional<Instant> Janitor::letters_since(Instant now) const {
    return options_.keep_letters_for ? now - *options_.keep_letters_for : kInstantMin;
}

}  // namespace belfry::engine
