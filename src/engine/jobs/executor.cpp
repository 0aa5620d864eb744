#include "engine/jobs/executor.hpp"

#include <algorithm>

#include "engine/outgoing/own_queues.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kClaimsPerStep = 64;  // so that leases are renewed in time, however many tenants there are

std::vector<std::string> names_of(const std::vector<Executor::Queue>& queues) {
    std::vector<std::string> names;
    for (const auto& queue : queues) names.push_back(queue.name);
    return names;
}

std::size_t places_of(const std::vector<Executor::Queue>& queues) {
    std::size_t places = 0;
    for (const auto& queue : queues) places += queue.places;
    return places;
}

}  // namespace

Executor::Executor(const Collaborators& with, std::string worker, std::vector<Queue> queues, ExecutorOptions options,
                   Backoff::Random random, std::function<void()> wake)
    : with_(with),
      worker_(std::move(worker)),
      queues_(std::move(queues)),
      options_(options),
      wake_(std::move(wake)),
      failures_("executor", with.observer, std::move(random)),
      watcher_(with.store, with.steady, names_of(queues_),
               {.look_every = options.look_every, .sweep_every = options.sweep_every}),
      pool_(places_of(queues_), "task") {
    for (const auto& queue : queues_) places_.emplace_back(queue.places);
}

Executor::~Executor() { finish(); }

Micros Executor::step() {
    watcher_.take_news();
    take_ended();
    std::optional<Error> failed;
    bool more = false;
    const auto meet = [&failed](const auto& result) {
        if (!result && !failed) failed = result.error();
        return static_cast<bool>(result);
    };
    meet(settle());
    meet(renew());
    const auto now = with_.store.now();
    if (meet(now) && meet(watcher_.sweep())) {
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            const auto claimed = claim(queue, *now);
            if (meet(claimed)) more = *claimed || more;
        }
    }
    if (failed) return failures_.on_error(*failed);
    failures_.on_success();
    return more ? Micros{0} : until_next(*now);
}

void Executor::take_ended() {
    const std::scoped_lock lock(mutex_);
    std::ranges::move(ended_, std::back_inserter(unsettled_));
    ended_.clear();
}

// --- Settle
// ------------------------------------------------------------------------------------------------------------

Result<void> Executor::settle() {
    std::map<std::string, std::vector<RunningPtr>> by_tenant;
    std::vector<RunningPtr> passed_on;
    for (const auto& each : std::exchange(unsettled_, {})) {
        if (each->lost || !each->end) {
            forget(each);
        } else if (std::holds_alternative<store::LeaseTransfer>(*each->end)) {
            passed_on.push_back(each);
        } else {
            by_tenant[each->task.tenant].push_back(each);
        }
    }
    std::optional<Error> failed;
    if (!passed_on.empty()) {
        if (const auto settled = settle_passed_on(passed_on); !settled) failed = settled.error();
    }
    for (const auto& [tenant, done] : by_tenant) {
        if (const auto settled = settle_ends(tenant, done); !settled && !failed) failed = settled.error();
    }
    if (failed) return *failed;
    return {};
}

Result<void> Executor::settle_ends(const std::string& tenant, const std::vector<RunningPtr>& done) {
    std::vector<Runs::AttemptReport> reports;
    for (const auto& each : done) reports.push_back({each->lease(), std::get<decide::AttemptEnd>(*each->end)});
    const auto ended = with_.runs.complete(tenant, reports);
    std::optional<Error> failed;
    for (std::size_t i = 0; i < done.size(); ++i) {
        std::optional<Error> error;
        if (!ended) {
            error = ended.error();
        } else if (!(*ended)[i]) {
            error = (*ended)[i].error();
        }
        if (!error || !is_transient(*error)) {
            forget(done[i]);  // after a conflict, the new holder of the lease reports the end
            continue;
        }
        unsettled_.push_back(done[i]);
        if (!failed) failed = error;
    }
    if (failed) return *failed;
    return {};
}

// A lease that is no longer held counts as settled, too: its new holder reports the end.
Result<void> Executor::settle_passed_on(const std::vector<RunningPtr>& done) {
    std::vector<store::LeaseTransfer> leases;
    for (const auto& each : done) leases.push_back(std::get<store::LeaseTransfer>(*each->end));
    const auto held = with_.runs.transfer_lease(leases);
    for (const auto& each : done) held || !is_transient(held.error()) ? forget(each) : unsettled_.push_back(each);
    if (!held) return held.error();
    return {};
}

void Executor::forget(const RunningPtr& running) {
    std::erase(running_, running);
    const auto& tenant = running->task.tenant;
    auto& places = places_[running->queue];
    places.give_back(tenant, running->claimed_from);
    if (places.held_by(tenant) == 0) last_receivers_.erase({running->queue, tenant});
    watcher_.unblock(queues_[running->queue].name, tenant);
}

// --- Run
// ---------------------------------------------------------------------------------------------------------------

std::vector<model::LeaseRef> Executor::leases() const {
    std::vector<model::LeaseRef> leases;
    for (const auto& each : running_) {
        if (!each->lost) leases.push_back(each->lease());
    }
    return leases;
}

Result<void> Executor::renew() {
    const auto steady = with_.steady.now();
    const auto all = leases();
    if (all.empty() || steady < next_beat_) return {};
    const auto held = with_.runs.heartbeat(all, options_.lease);
    if (!held) return held.error();
    next_beat_ = steady + options_.lease / kBeatsPerLease;
    for (const auto& each : running_) {
        if (each->lost || std::ranges::find(*held, each->lease()) != held->end()) continue;
        each->lost = true;  // cancelled, timed out, or claimed by another worker: its result is void
        each->stop.request_stop();
    }
    return {};
}

void Executor::begin(const RunningPtr& running, Instant now) {
    if (running_.empty()) next_beat_ = with_.steady.now() + options_.lease / kBeatsPerLease;
    running_.push_back(running);
    pool_.run([this, running, now] {
        const auto& work = queues_[running->queue].work;
        running->end = work(running->task, now, running->stop.get_token());
        // Everything under the lock: when finish() sees the last task ended, no thread calls wake_() any more.
        const std::scoped_lock lock(mutex_);
        ended_.push_back(running);
        changed_.notify_all();
        wake_();
    });
}

// --- Claim
// -------------------------------------------------------------------------------------------------------------

// Once around, starting after the tenant that was served last.
Result<bool> Executor::claim(std::size_t queue, Instant now) {
    const auto& places = places_[queue];
    const auto free = [&places] { return places.places() - places.in_use(); };
    if (free() == 0) return false;
    auto due = watcher_.due(queues_[queue].name, last_served_[queue], now);
    std::erase_if(due, [&places](const auto& tenant) { return !places.has_room(tenant); });
    const auto turns = std::min(due.size(), kClaimsPerStep);
    bool more = due.size() > turns;
    for (std::size_t i = 0; i < turns; ++i) {
        const auto& tenant = due[i];
        const auto room = places.room_for(tenant);
        if (room == 0) continue;
        const auto part = (free() + turns - i - 1) / (turns - i);  // equal parts for the remaining tenants
        const auto left = claim_for(queue, tenant, std::min(room, part), now);
        if (!left) return left.error();
        last_served_[queue] = tenant;
        more = more || (*left && places.has_room(tenant));
    }
    return more && free() > 0;
}

Result<bool> Executor::claim_for(std::size_t queue, const std::string& tenant, std::size_t limit, Instant now) {
    const auto& name = queues_[queue].name;
    if (name == model::kHttpQueue) return claim_by_receiver(queue, tenant, limit, now);
    const auto got = claim_from(name, queue, tenant, limit, now);
    if (!got) return got.error();
    const bool more = *got == limit;
    watcher_.claimed(name, tenant, {.any = *got > 0, .more = more}, now);
    return more;
}

// A receiver without room has a call in progress. So as many receivers as there are places include one with room, if
// any has one.
Result<bool> Executor::claim_by_receiver(std::size_t queue, const std::string& tenant, std::size_t limit, Instant now) {
    const auto& places = places_[queue];
    const auto has_room = [&](const std::string& receiver) { return places.has_room(tenant, receiver); };
    const auto last = last_receivers_.find({queue, tenant});
    const auto found =
        with_.store.receiver_queues({.tenant = tenant,
                                     .after = last == last_receivers_.end() ? std::string() : last->second,
                                     .limit = places.places(),
                                     .now = now});
    if (!found && found.error().code != ErrorCode::not_found) return found.error();
    std::vector<std::string> open;
    if (found) std::ranges::copy_if(*found, std::back_inserter(open), has_room);
    std::vector<std::string> left;  // those that may have more tasks
    bool any = false;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto part = (limit + open.size() - i - 1) / (open.size() - i);  // equal parts for the remaining receivers
        const auto most = std::min(part, places.room_for(tenant, open[i]));
        const auto got = most == 0 ? Result<std::size_t>(0) : claim_from(open[i], queue, tenant, most, now);
        if (!got) return got.error();
        if (*got == most) left.push_back(open[i]);
        if (*got > 0) last_receivers_[{queue, tenant}] = open[i];
        any = any || *got > 0;
        limit -= *got;
    }
    const bool found_all = !found || found->size() < places.places();
    const bool more = !found_all || !left.empty() || (found && open.size() < found->size());
    watcher_.claimed(queues_[queue].name, tenant, {.any = any, .more = more}, now);
    const bool blocked = more && found_all && std::ranges::none_of(left, has_room);
    if (blocked) watcher_.block(queues_[queue].name, tenant);
    return more && !blocked;
}

Result<std::size_t> Executor::claim_from(const std::string& from, std::size_t queue, const std::string& tenant,
                                         std::size_t limit, Instant now) {
    auto tasks =
        with_.runs.claim({.tenant = tenant, .queue = from, .worker = worker_, .limit = limit, .lease = options_.lease});
    if (!tasks && tasks.error().code != ErrorCode::not_found) return tasks.error();
    const auto got = tasks ? tasks->size() : 0;  // a deleted tenant has none
    for (std::size_t i = 0; i < got; ++i) {
        places_[queue].take(tenant, from);
        auto running = std::make_shared<Running>();
        running->task = std::move((*tasks)[i]);
        running->queue = queue;
        running->claimed_from = from;
        begin(running, now);
    }
    return got;
}

// Tenants without a free place do not count: the end of a task frees one and wakes the executor.
Micros Executor::until_next(Instant now) const {
    auto wait = std::min(kStepMost, watcher_.until_next(now, [](const auto&) { return true; }));
    if (!running_.empty()) wait = std::min(wait, next_beat_ - with_.steady.now());
    return std::max(wait, Micros{1});
}

// --- Shutdown
// ----------------------------------------------------------------------------------------------------------

void Executor::finish() {
    if (std::exchange(finished_, true)) return;
    const auto wait_for_ends = [this](std::optional<std::chrono::steady_clock::time_point> until) {
        std::unique_lock lock(mutex_);
        const auto all_ended = [this] { return ended_.size() + unsettled_.size() >= running_.size(); };
        if (until) {
            changed_.wait_until(lock, *until, all_ended);
        } else {
            changed_.wait(lock, all_ended);
        }
        std::ranges::move(ended_, std::back_inserter(unsettled_));
        ended_.clear();
    };
    if (running_.empty()) return;
    wait_for_ends(std::chrono::steady_clock::now() + options_.drain);
    if (const auto settled = settle(); !settled) failures_.on_error(settled.error());
    if (running_.empty()) return;
    for (const auto& each : running_) each->stop.request_stop();
    wait_for_ends(std::nullopt);
    std::vector<model::LeaseRef> given_up;
    for (const auto& each : unsettled_) {
        if (!each->lost && !each->end) given_up.push_back(each->lease());
    }
    if (const auto settled = settle(); !settled) failures_.on_error(settled.error());
    if (given_up.empty()) return;
    if (const auto gone = with_.runs.heartbeat(given_up, Micros{0}); !gone) failures_.on_error(gone.error());
}

}  // namespace belfry::engine
