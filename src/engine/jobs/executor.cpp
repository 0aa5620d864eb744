#include "engine/jobs/executor.hpp"

#include <algorithm>

#include "engine/outgoing/own_queues.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kClaimsPerStep = 64;  // so that leases are renewed in time, however many tenants there are

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
      pool_(places_of(queues_), "task") {
    for (const auto& queue : queues_) places_.emplace_back(queue.places);
}

Executor::~Executor() { finish(); }

void Executor::on_notification(const store::TasksReady& ready) {
    const std::scoped_lock lock(mutex_);
    if (heard_.size() < kHeardMax) {
        heard_.push_back(ready);
    } else {
        missed_some_ = true;
    }
}

void Executor::look_again() {
    const std::scoped_lock lock(mutex_);
    missed_some_ = true;
}

Micros Executor::step() {
    take_news();
    std::optional<Error> failed;
    bool more = false;
    const auto meet = [&failed](const auto& result) {
        if (!result && !failed) failed = result.error();
        return static_cast<bool>(result);
    };
    meet(settle());
    meet(renew());
    const auto now = with_.store.now();
    if (meet(now) && meet(find_lines())) {
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            const auto claimed = claim(queue, *now);
            if (meet(claimed)) more = *claimed || more;
        }
    }
    forget_idle_lines();
    if (failed) return failures_.on_error(*failed);
    failures_.on_success();
    return more ? Micros{0} : until_next(*now);
}

void Executor::take_news() {
    std::vector<store::TasksReady> heard;
    {
        const std::scoped_lock lock(mutex_);
        heard.swap(heard_);
        std::ranges::move(ended_, std::back_inserter(unsettled_));
        ended_.clear();
        if (missed_some_) {
            sweep_again_ = !sweep_after_.empty();
            next_sweep_ = std::min(next_sweep_, last_sweep_ ? *last_sweep_ + kSweepLeast : Micros{0});
            for (auto& [key, line] : lines_) line.next_look = Micros{0};
        }
        missed_some_ = false;
    }
    for (const auto& ready : heard) {
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            if (queues_[queue].name != model::without_receiver(ready.queue)) continue;
            auto& line = lines_[{queue, ready.tenant}];
            line.blocked = false;  // the new task may be for another receiver
            auto& times = line.ready;
            times.insert(ready.ready_at.value_or(Instant::min()));
            if (times.size() > kReadyTimesMax) times.erase(std::prev(times.end()));
        }
    }
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
    std::vector<Runs::Ending> endings;
    for (const auto& each : done) endings.push_back({each->lease(), std::get<decide::AttemptEnd>(*each->end)});
    const auto ended = with_.runs.complete(tenant, endings);
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
    places_[running->queue].give_back(running->task.tenant, running->claimed_from);
    const auto line = lines_.find({running->queue, running->task.tenant});
    if (line != lines_.end()) line->second.blocked = false;
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

// Reads one page of tenants with every step, until it has read all of them.
Result<void> Executor::find_lines() {
    const auto steady = with_.steady.now();
    if (steady < next_sweep_) return {};
    std::vector<std::string> names;
    for (const auto& queue : queues_) names.push_back(queue.name);
    const auto found = with_.store.waiting_lines(names, {.after = sweep_after_, .limit = store::kPageMax});
    if (!found) return found.error();
    sweep_after_ = found->next;
    last_sweep_ = steady;
    if (!found->next.empty()) {
        next_sweep_ = steady;
    } else {
        next_sweep_ = steady + (std::exchange(sweep_again_, false) ? kSweepLeast : options_.sweep_every);
    }
    for (const auto& each : found->items) {
        const auto queue = static_cast<std::size_t>(std::ranges::find(names, each.queue) - names.begin());
        auto& line = lines_[{queue, each.tenant}];
        line.known_until = steady + kKnownFor;  // a delayed task may be ready before the next sweep
        line.blocked = false;
        line.ready.insert(Instant::min());
    }
    return {};
}

bool Executor::is_due(const Line& line, Instant now) const {
    if (!line.blocked && !line.ready.empty() && *line.ready.begin() <= now) return true;
    const auto steady = with_.steady.now();
    return line.known_until > steady && line.next_look <= steady;
}

// Once around, starting after the tenant that was served last.
Result<bool> Executor::claim(std::size_t queue, Instant now) {
    const auto& places = places_[queue];
    const auto free = [&places] { return places.places() - places.in_use(); };
    if (free() == 0) return false;
    std::vector<std::map<LineKey, Line>::iterator> due;
    const auto from = lines_.upper_bound({queue, last_served_[queue]});
    const auto add = [&](auto first, auto last) {
        for (auto line = first; line != last; ++line) {
            const auto& [in, tenant] = line->first;
            if (in == queue && places.room_for(tenant) > 0 && is_due(line->second, now)) due.push_back(line);
        }
    };
    add(from, lines_.end());
    add(lines_.begin(), from);
    const auto turns = std::min(due.size(), kClaimsPerStep);
    bool more = due.size() > turns;
    for (std::size_t i = 0; i < turns; ++i) {
        auto& [key, line] = *due[i];
        const auto room = places.room_for(key.second);
        if (room == 0) continue;
        const auto part = (free() + turns - i - 1) / (turns - i);  // equal parts for the remaining tenants
        const auto limit = std::min(room, part);
        const auto left = claim_for(key, line, limit, now);
        if (!left) return left.error();
        last_served_[queue] = key.second;
        more = more || (*left && !line.blocked && places.has_room(key.second));
    }
    return more && free() > 0;
}

Result<bool> Executor::claim_for(const LineKey& key, Line& line, std::size_t limit, Instant now) {
    const auto& queue = queues_[key.first].name;
    Result<bool> left = false;
    if (queue == model::kHttpQueue) {
        left = claim_by_receiver(key, line, limit, now);
    } else {
        const auto got = claim_from(queue, key, line, limit, now);
        left = got ? Result<bool>(*got == limit) : Result<bool>(got.error());
    }
    if (!left) return left;
    line.next_look = with_.steady.now() + options_.look_every;
    // Later times stay known.
    line.ready.erase(line.ready.begin(), line.ready.upper_bound(now));
    if (*left) line.ready.insert(Instant::min());
    return left;
}

// A receiver without room has a call in progress. So as many receivers as there are places include one with room, if
// any has one.
Result<bool> Executor::claim_by_receiver(const LineKey& key, Line& line, std::size_t limit, Instant now) {
    const auto& tenant = key.second;
    const auto& places = places_[key.first];
    const auto found =
        with_.store.receiver_queues({.tenant = tenant, .after = line.receiver, .limit = places.places(), .now = now});
    if (!found && found.error().code != ErrorCode::not_found) return found.error();
    line.blocked = false;
    if (!found || found->empty()) return false;
    std::vector<std::string> open;
    std::ranges::copy_if(*found, std::back_inserter(open),
                         [&](const auto& receiver) { return places.has_room(tenant, receiver); });
    std::vector<std::string> left;  // those that may have more tasks
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto part = (limit + open.size() - i - 1) / (open.size() - i);  // equal parts for the remaining receivers
        const auto most = std::min(part, places.room_for(tenant, open[i]));
        const auto got = most == 0 ? Result<std::size_t>(0) : claim_from(open[i], key, line, most, now);
        if (!got) return got.error();
        if (*got == most) left.push_back(open[i]);
        if (*got > 0) line.receiver = open[i];
        limit -= *got;
    }
    const bool found_all = found->size() < places.places();
    line.blocked = found_all &&
                   std::ranges::none_of(left, [&](const auto& receiver) { return places.has_room(tenant, receiver); });
    return !found_all || !left.empty() || open.size() < found->size();
}

Result<std::size_t> Executor::claim_from(const std::string& queue, const LineKey& key, Line& line, std::size_t limit,
                                         Instant now) {
    auto tasks = with_.runs.claim(
        {.tenant = key.second, .queue = queue, .worker = worker_, .limit = limit, .lease = options_.lease});
    if (!tasks && tasks.error().code != ErrorCode::not_found) return tasks.error();
    const auto got = tasks ? tasks->size() : 0;  // a deleted tenant has none
    if (got > 0) line.known_until = with_.steady.now() + kKnownFor;
    for (std::size_t i = 0; i < got; ++i) {
        places_[key.first].take(key.second, queue);
        auto running = std::make_shared<Running>();
        running->task = std::move((*tasks)[i]);
        running->queue = key.first;
        running->claimed_from = queue;
        begin(running, now);
    }
    return got;
}

void Executor::forget_idle_lines() {
    const auto steady = with_.steady.now();
    std::erase_if(lines_, [this, steady](const auto& each) {
        const auto& [key, line] = each;
        return line.ready.empty() && places_[key.first].held_by(key.second) == 0 && line.known_until <= steady;
    });
}

// Lines without a free place do not count: the end of a task frees one and wakes the executor.
Micros Executor::until_next(Instant now) const {
    const auto steady = with_.steady.now();
    auto wait = std::min(kStepMost, next_sweep_ - steady);
    if (!running_.empty()) wait = std::min(wait, next_beat_ - steady);
    for (const auto& [key, line] : lines_) {
        const auto next = line.ready.upper_bound(now);
        if (next != line.ready.end()) wait = std::min(wait, *next - now);
        if (line.known_until > steady && line.next_look > steady) wait = std::min(wait, line.next_look - steady);
    }
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
