#include "engine/jobs/ticker.hpp"

#include <algorithm>
#include <unordered_set>

#include "engine/usecases/no_op_plan.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kInboxMax = 10'000;  // notifications kept between two steps; more cause a sweep
constexpr std::size_t kSweepPage = 1'000;  // cursors read at once, so that a sweep never delays a tick for long
constexpr int kBehindShare = 2;  // schedules with a backlog get this fraction of a transaction's time and runs
constexpr std::size_t kBatchesPerThread = 4;  // in one step: while one thread waits for the disk, another decides

}  // namespace

Ticker::Ticker(store::ScheduleStore& store, const SteadyClock& steady, Observer& observer, TickerOptions options,
               Backoff::Random random)
    : store_(store),
      steady_(steady),
      observer_(observer),
      options_(options),
      failures_("ticker", observer, std::move(random)),
      batches_(options.parallelism),
      quarantine_("ticker", observer, options.quarantine),
      batch_(options.batch) {}

Micros Ticker::step() {
    read_inbox();
    const auto now = store_.now();
    if (!now) return failures_.on_error(now.error());
    asked_at_ = steady_.now();
    const auto picked = pick(*now);
    if (!picked) return failures_.on_error(picked.error());
    if (auto ticked = tick(*picked, *now); !ticked) return failures_.on_error(ticked.error());
    if (sweeping_) {
        if (auto swept = sweep(*now); !swept) return failures_.on_error(swept.error());
    }
    failures_.on_success();
    note_standing(*now);
    return time_to_wait(*now + (steady_.now() - asked_at_));  // the step has taken a while
}

void Ticker::on_notification(const store::Notification& notification) {
    const MutexLock lock(mutex_);
    if (const auto* const moved = std::get_if<store::ScheduleMoved>(&notification)) {
        if (inbox_.moved.size() < kInboxMax) {
            inbox_.moved.push_back(*moved);
        } else {
            inbox_.look_again = true;
        }
    } else if (std::holds_alternative<store::Resync>(notification)) {
        inbox_.look_again = true;
    }
}

void Ticker::share(const ShardAssignment& shares) {
    const MutexLock lock(mutex_);
    inbox_.shares = shares;
}

void Ticker::read_inbox() {
    Inbox inbox;
    {
        const MutexLock lock(mutex_);
        std::swap(inbox, inbox_);
    }
    if (inbox.shares && *inbox.shares != shares_) {
        shares_ = *inbox.shares;
        const MutexLock lock(timers_mutex_);
        auto all = mine_.take_all();
        for (auto* const timer : {&others_, &behind_}) std::ranges::move(timer->take_all(), std::back_inserter(all));
        for (const auto& each : all) put(each.key, each.tenant, each.at);
    }
    for (const auto& moved : inbox.moved) {
        place(moved.key, moved.tenant, moved.next_fire);
        // A client changed the schedule, so its problem may be gone. If not, the next decision quarantines it again.
        quarantine_.release(std::to_string(moved.key));
    }
    if (inbox.look_again) sweep_again_ = true;
    const auto since = steady_.now() - sweep_began_;
    if (!sweeping_ && (since >= options_.sweep_every || (sweep_again_ && since >= options_.sweep_least))) {
        sweeping_ = true;
        sweep_again_ = false;
        sweep_after_ = 0;
        sweep_began_ = steady_.now();
    }
}

void Ticker::place(std::int64_t key, std::int64_t tenant, std::optional<Instant> at) {
    const MutexLock lock(timers_mutex_);
    put(key, tenant, at);
}

void Ticker::put(std::int64_t key, std::int64_t tenant, std::optional<Instant> at, bool behind) {
    if (tenant == 0) tenant = tenant_of(key);
    auto& home = !shares_.mine(key) ? others_ : (behind ? behind_ : mine_);
    for (auto* const timer : {&mine_, &others_, &behind_}) {
        if (timer != &home) timer->set(key, 0, std::nullopt);
    }
    home.set(key, tenant, at);
}

std::int64_t Ticker::tenant_of(std::int64_t key) const {
    return std::max({mine_.tenant_of(key), others_.tenant_of(key), behind_.tenant_of(key)});
}

// Queues the schedule behind the others that have a backlog.
void Ticker::place_behind(std::int64_t key, std::int64_t tenant, Instant now) {
    const MutexLock lock(timers_mutex_);
    put(key, tenant, now, true);
}

// Another server is deciding the schedule, or it was deleted. A read without a lock finds out a moment later.
void Ticker::look_later(std::int64_t key, Instant now) {
    const MutexLock lock(timers_mutex_);
    const auto tenant = tenant_of(key);
    for (auto* const timer : {&mine_, &behind_}) timer->set(key, 0, std::nullopt);
    others_.set(key, tenant, now);
}

// The due schedules: first this server's shard, then those that other servers left, and beside them those with a
// backlog.
Result<Ticker::Picked> Ticker::pick(Instant now) {
    const auto most = options_.parallelism == 1 ? batch_ : batch_ * options_.parallelism * kBatchesPerThread;
    Picked picked;
    auto& keys = picked.fresh;
    std::vector<std::int64_t> left;
    {
        const MutexLock lock(timers_mutex_);
        picked.behind = behind_.take(now, std::min(most, behind_most()));
        keys = mine_.take(now, most);
        left = others_.take(now - options_.help_after, std::min(batch_, most - keys.size()));
    }
    if (left.empty()) return picked;
    const auto found = store_.peek_next_fires(left);
    if (!found) {
        for (const auto key : left) look_later(key, now);
        for (const auto key : keys) place(key, 0, now);
        for (const auto key : picked.behind) place_behind(key, 0, now);
        return found.error();
    }
    std::unordered_set<std::int64_t> gone(left.begin(), left.end());
    for (const auto& each : *found) {
        gone.erase(each.key);
        if (each.waits || (each.next_fire && *each.next_fire <= now)) {
            keys.push_back(each.key);
        } else {
            place(each.key, each.tenant, each.next_fire);
        }
    }
    const MutexLock lock(timers_mutex_);
    for (const auto key : gone) others_.set(key, 0, std::nullopt);
    return picked;
}

// The schedules with a backlog that one step decides: each may start as many runs as a tick allows, and all of them
// together as many as their share of a transaction. The others follow in turn.
std::size_t Ticker::behind_most() const {
    const auto runs_max = options_.runs_per_batch / kBehindShare;
    return static_cast<std::size_t>(std::max(1, runs_max / std::max(1, options_.limits.catchup_per_tick)));
}

void Ticker::add_batches(std::vector<Batch>& batches, const std::vector<std::int64_t>& keys, bool behind) const {
    // A few schedules may have many runs, so every thread gets a part.
    const auto part = (keys.size() + options_.parallelism - 1) / options_.parallelism;
    const auto size = behind ? std::min(batch_, part) : batch_;
    for (std::size_t from = 0; from < keys.size(); from += size) {
        const auto first = keys.begin() + static_cast<std::ptrdiff_t>(from);
        auto& batch = batches.emplace_back();
        batch.keys.assign(first, first + static_cast<std::ptrdiff_t>(std::min(size, keys.size() - from)));
        batch.behind = behind;
    }
}

// One transaction per batch, as many in parallel as the options allow.
Result<void> Ticker::tick(const Picked& picked, Instant now) {
    std::vector<Batch> batches;
    add_batches(batches, picked.fresh, false);
    add_batches(batches, picked.behind, true);
    if (batches.empty()) return {};
    std::vector<std::function<void()>> jobs;
    for (auto& batch : batches) {
        jobs.emplace_back([this, now, &batch] {
            decide(batch, now);
            // While one thread does this, the others decide.
            const MutexLock lock(settling_);
            settle(batch, now);
        });
    }
    batches_.run(jobs);
    resize(batches);
    const auto failed = std::ranges::find_if(batches, [](const Batch& batch) { return !batch.outcome; });
    if (failed != batches.end()) return failed->outcome.error();
    return {};
}

void Ticker::resize(const std::vector<Batch>& batches) {
    const auto too_long = [this](const Batch& batch) { return !batch.outcome && batch.took >= options_.planning; };
    if (std::ranges::any_of(batches, too_long)) {
        batch_ = std::max<std::size_t>(1, batch_ / 2);
    } else if (std::ranges::all_of(batches, [](const Batch& batch) { return batch.outcome.has_value(); })) {
        batch_ = std::min(options_.batch, batch_ * 2);
    }
}

// Runs on any thread and changes no member of the ticker.
void Ticker::decide(Batch& batch, Instant now) {
    const auto began = steady_.now();
    const int share = batch.behind ? kBehindShare : 1;
    int left = std::max(1, options_.runs_per_batch / share);
    std::optional<Micros> planning_since;  // counts from the first decision, so that even with a slow store one is made
    const SignalAnswer answer = [this, now](const decide::Facts& facts) -> std::optional<Json> {
        if (signals_ == nullptr) return Json(nullptr);
        return signals_->find(facts.schedule->definition, signal_due(facts, now));
    };
    const auto planner = [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const bool is_late = planning_since && steady_.now() - *planning_since > options_.planning / share;
        if (left <= 0 || is_late) return no_op_plan(facts);  // still due, and next in turn
        if (!planning_since) planning_since = steady_.now();
        auto limits = options_.limits;
        limits.catchup_per_tick = std::min(limits.catchup_per_tick, left);
        auto plan = plan_tick_with_signal(facts, now, limits, answer);
        if (!plan) {
            const auto& definition = facts.schedule->definition;
            // Then the ticker looks even without a notification.
            batch.waiting[model::key_of(definition.id)] = signal_wait_max(*definition.signal);
            return no_op_plan(facts);  // still due, until the answer has arrived
        }
        // The planner may have run before, on an older snapshot.
        if (!batch.waiting.empty()) batch.waiting.erase(model::key_of(facts.schedule->definition.id));
        left -= static_cast<int>(plan->runs.size());
        if (!plan->empty()) batch.decided.push_back(facts.schedule);
        return std::move(*plan);
    };
    batch.outcome = store_.tick({now, batch.keys}, planner);
    const auto ended = steady_.now();
    batch.took = ended - began;
    batch.committed_at = now + (ended - asked_at_);
}

void Ticker::settle(const Batch& batch, Instant now) {
    if (!batch.outcome) {
        // The result is unknown, so the schedules keep their place.
        for (const auto key : batch.keys) batch.behind ? place_behind(key, 0, now) : place(key, 0, now);
        return;
    }
    std::vector<std::int64_t> answered;
    answered.reserve(batch.keys.size());
    {
        const MutexLock lock(timers_mutex_);
        for (const auto& each : batch.outcome->upcoming) {
            answered.push_back(each.key);
            const auto waiting = batch.waiting.find(each.key);
            const bool behind = each.waits || (each.next_fire && *each.next_fire <= now);
            if (waiting != batch.waiting.end()) {
                put(each.key, each.tenant, now + waiting->second);
            } else {
                put(each.key, each.tenant, behind ? now : each.next_fire, behind);
            }
        }
    }
    if (quarantine_.size() > 0) {
        for (const auto key : answered) quarantine_.release(std::to_string(key));
    }
    for (const auto& each : batch.outcome->poisoned) {
        answered.push_back(each.key);
        const auto entry = quarantine_.add(std::to_string(each.key),
                                           {.key = each.key, .schedule_id = each.id, .error = each.error}, now);
        place(each.key, 0, entry.next_try);
    }
    std::ranges::sort(answered);
    std::size_t unanswered = 0;
    for (const auto key : batch.keys) {
        if (std::ranges::binary_search(answered, key)) continue;
        look_later(key, now);
        ++unanswered;
    }
    report(batch);
    observer_.ticked({batch.keys.size(), batch.outcome->plans.size(), unanswered, batch.took});
}

// The plans are in the order of the decisions, so the next one is mostly the one after the last.
void Ticker::report(const Batch& batch) {
    auto last = batch.decided.begin();
    for (const auto& plan : batch.outcome->plans) {
        const auto decided_it = [&plan](const decide::CompiledPtr& each) {
            return each->definition.id == plan.schedule_id;
        };
        auto found = std::find_if(last, batch.decided.end(), decided_it);
        if (found == batch.decided.end()) found = std::find_if(batch.decided.begin(), found, decided_it);
        if (found == batch.decided.end()) continue;
        if (signals_ != nullptr) signals_->forget(plan.schedule_id);
        observer_.decided((*found)->definition, plan, batch.committed_at);
        last = found;
    }
}

Result<void> Ticker::sweep(Instant now) {
    // Until the first sweep ends, most schedules wait for it and not for a tick.
    const auto rows = swept_once_ ? kSweepPage : 10 * kSweepPage;
    const auto page = store_.upcoming(sweep_after_, rows);
    if (!page) return page.error();
    const bool anything_quarantined = quarantine_.size() > 0;
    for (const auto& each : *page) {
        if (anything_quarantined && quarantine_.waits(std::to_string(each.key), now)) continue;
        place(each.key, each.tenant, each.waits ? now : each.next_fire);
    }
    if (!page->empty()) sweep_after_ = page->back().key;
    if (page->size() == rows) return {};
    sweeping_ = false;
    swept_once_ = true;
    return {};
}

Micros Ticker::time_to_wait(Instant now) {
    if (sweeping_) return Micros{0};
    auto wait = options_.tick;
    if (const auto next = mine_.next()) wait = std::min(wait, std::max(Micros{0}, *next - now));
    if (const auto next = others_.next()) wait = std::min(wait, std::max(Micros{0}, *next + options_.help_after - now));
    if (behind_.size() > 0) return Micros{0};
    return wait;
}

void Ticker::note_standing(Instant now) {
    const auto mine = mine_.next();
    const auto others = others_.next();
    const MutexLock lock(mutex_);
    standing_.schedules = mine_.size() + others_.size() + behind_.size();
    standing_.complete = swept_once_;
    standing_.last_step = now;
    stepped_at_ = steady_.now();
    standing_.next_fire = mine && others ? std::min(*mine, *others) : (mine ? mine : others);
    if (behind_.size() > 0) standing_.next_fire = now;
}

std::vector<store::Upcoming> Ticker::upcoming(std::int64_t tenant, const std::optional<store::Upcoming>& after,
                                              std::optional<Instant> until, std::size_t limit) const {
    const auto sooner = [](const store::Upcoming& a, const store::Upcoming& b) {
        return std::pair(a.next_fire, a.key) < std::pair(b.next_fire, b.key);
    };
    std::vector<store::Upcoming> found;
    auto last = until.value_or(kInstantMax);  // later schedules cannot be among the first `limit`
    const auto note = [&](std::int64_t key, std::int64_t of, Instant at) {
        if (of != tenant || at > last) return;
        const store::Upcoming each{key, at, of};
        if (!after || sooner(*after, each)) found.push_back(each);
    };
    // A key is always in the same part of every timer, so none is seen twice or missed while the ticker changes the
    // timers.
    for (std::size_t part = 0; part < Timer::kParts; ++part) {
        {
            const MutexLock lock(timers_mutex_);
            mine_.for_each(part, note);
            others_.for_each(part, note);
            behind_.for_each(part, note);
        }
        if (found.size() <= 2 * limit) continue;
        std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(limit), sooner);
        found.resize(limit);
        if (limit > 0) last = *std::ranges::max_element(found, sooner)->next_fire;
    }
    std::ranges::sort(found, sooner);
    if (found.size() > limit) found.resize(limit);
    return found;
}

Ticker::Standing Ticker::standing() const {
    const MutexLock lock(mutex_);
    auto standing = standing_;
    if (standing.last_step) standing.silent_for = steady_.now() - stepped_at_;
    return standing;
}

}  // namespace belfry::engine
