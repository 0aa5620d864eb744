#include "engine/jobs/broker_publisher.hpp"

#include <algorithm>

#include "base/time/duration.hpp"
#include "engine/outgoing/handover_message.hpp"
#include "engine/outgoing/http_launcher.hpp"
#include "engine/outgoing/own_queues.hpp"

namespace belfry::engine {

namespace {

using model::ExecutionStatus;
using model::FailureCategory;

constexpr Micros kWaryLook = Seconds{1};
constexpr Micros kReaperMost = Seconds{5};  // the longest time from the end of a lease until its task is ready again

std::string others_of(const std::string& connection) { return std::string(model::kPublisherMark) + connection + ":"; }

}  // namespace

BrokerPublisher::BrokerPublisher(const Collaborators& with, const Connection& connection, const std::string& server,
                                 BrokerPublisherOptions options, Backoff::Random random)
    : with_(with),
      connection_(connection),
      name_("publisher " + connection.name),
      queue_(std::string(model::kHandOverQueues) + connection.name),
      others_(others_of(connection.name)),
      worker_(others_ + server),
      options_(options),
      lease_(std::max(options.lease, 2 * connection.broker_call_max)),
      failures_(name_, with.observer, random),
      pauses_(std::move(random), options.pauses),
      watcher_(with.store, with.steady, {queue_},
               {.look_every = options.look_every, .sweep_every = options.sweep_every}),
      wary_until_(with.steady.now() + lease_ + kReaperMost) {}

void BrokerPublisher::share(const ShardAssignment& shares) {
    {
        const std::scoped_lock lock(mutex_);
        new_shares_ = shares;
    }
    watcher_.look_again();
}

bool BrokerPublisher::is_mine(const std::string& tenant) const {
    return shares_.mine(model::key_of(connection_.name + "\n" + tenant));
}

void BrokerPublisher::take_news() {
    watcher_.take_news();
    const std::scoped_lock lock(mutex_);
    if (new_shares_ == shares_) return;
    shares_ = new_shares_;
    wary_until_ = with_.steady.now() + lease_ + kReaperMost;
}

Micros BrokerPublisher::step() {
    take_news();
    std::optional<Error> failed;
    const auto meet = [&failed](const auto& result) {
        if (!result && !failed) failed = result.error();
        return static_cast<bool>(result);
    };
    if (!batch_.empty() && !is_mine(batch_.front().task.tenant)) give_back();
    meet(settle());
    meet(renew());
    const auto now = with_.store.now();
    bool more = false;
    if (meet(now) && !failed) {
        if (meet(watcher_.sweep()) && batch_.empty()) {
            const auto got = claim(*now);
            more = meet(got) && *got;
        }
        const bool paused = with_.steady.now() < paused_until_;
        if (!batch_.empty() && !paused) {
            publish(*now);
            more = !away_;
            meet(settle());
        } else if (away_ && !paused) {
            ask(*now);
        }
    }
    with_.stats.in_flight(connection_.name, static_cast<std::int64_t>(batch_.size()));
    if (failed) return failures_.on_error(*failed);
    failures_.on_success();
    return more ? Micros{0} : until_next(*now);
}

// --- Claim
// -------------------------------------------------------------------------------------------------------------

// Publishers have short leases, so this reads only a few of all leases.
Result<bool> BrokerPublisher::others_hold_some(Instant now) {
    const auto leases = with_.store.expired(now + lease_ + Seconds{1}, store::kPageMax);
    if (!leases) return leases.error();
    return std::ranges::any_of(*leases, [this](const model::Lease& lease) {
        return lease.worker.starts_with(others_) && lease.worker != worker_;
    });
}

Result<bool> BrokerPublisher::claim(Instant now) {
    const auto steady = with_.steady.now();
    const auto due = watcher_.due(queue_, last_served_, now);
    const auto found = std::ranges::find_if(due, [this](const auto& tenant) { return is_mine(tenant); });
    if (found == due.end()) return false;
    if (steady < wary_until_) {
        const auto held = others_hold_some(now);
        if (!held) return held.error();
        if (*held) {
            paused_until_ = std::max(paused_until_, steady + kWaryLook);
            return false;
        }
    }
    auto tasks = with_.runs.claim(
        {.tenant = *found, .queue = queue_, .worker = worker_, .limit = options_.batch, .lease = lease_});
    if (!tasks && tasks.error().code != ErrorCode::not_found) return tasks.error();
    const auto got = tasks ? tasks->size() : 0;  // a deleted tenant has none
    last_served_ = *found;
    watcher_.claimed(queue_, *found, {.any = got > 0, .more = got == options_.batch}, now);
    for (std::size_t i = 0; i < got; ++i) batch_.push_back({std::move((*tasks)[i])});
    next_beat_ = steady + lease_ / kBeatsPerLease;
    return true;
}

// --- Publish
// -----------------------------------------------------------------------------------------------------------

// Drops tasks whose lease is lost: they were cancelled or timed out meanwhile.
Result<void> BrokerPublisher::renew() {
    const auto steady = with_.steady.now();
    if (batch_.empty() || steady < next_beat_) return {};
    std::vector<model::LeaseRef> leases;
    for (const auto& item : batch_) leases.push_back(item.lease());
    const auto held = with_.runs.heartbeat(leases, lease_);
    if (!held) return held.error();
    next_beat_ = steady + lease_ / kBeatsPerLease;
    std::erase_if(batch_, [&held](const Item& item) { return std::ranges::find(*held, item.lease()) == held->end(); });
    return {};
}

// After a failure, publishes a single message first.
void BrokerPublisher::publish(Instant now) {
    std::vector<brokers::Message> messages;
    std::vector<Item*> items;
    for (auto& item : batch_) {
        if (item.done || (away_ && !items.empty())) continue;
        auto message = handover_message(item.task, connection_, with_.sealer);
        if (message) {
            messages.push_back(std::move(*message));
            items.push_back(&item);
            continue;
        }
        with_.stats.count(connection_.name, HandOver::refused);
        item.done = decide::AttemptEnd{.status = ExecutionStatus::failed,
                                       .category = FailureCategory::contract_violated,
                                       .error = connection_mark(connection_.name) + ": " + message.error().message,
                                       .final = true};
    }
    if (messages.empty()) return;
    const auto receipts = connection_.broker->publish(messages, stop_.get_token());
    std::string away;
    std::int64_t acknowledgements = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Result<std::string> none = Error{ErrorCode::unavailable, "the broker did not report on this message"};
        const auto& receipt = i < receipts.size() ? receipts[i] : none;
        auto& item = *items[i];
        if (receipt) {
            item.done = acknowledged(connection_, item.task, receipt_json(connection_, *receipt), now);
            ++acknowledgements;
        } else if (receipt.error().code == ErrorCode::invalid_argument) {
            with_.stats.count(connection_.name, HandOver::refused);
            item.done = decide::AttemptEnd{
                .status = ExecutionStatus::failed,
                .category = FailureCategory::contract_violated,
                .error = connection_mark(connection_.name) + " refused it: " + receipt.error().message,
                .final = true};
        } else if (away.empty()) {
            away = receipt.error().message;
        }
    }
    if (acknowledgements > 0) with_.stats.handed_over(connection_.name, now, acknowledgements);
    if (!away.empty()) return meet_failure(away, now);
    meet_success();
}

void BrokerPublisher::ask(Instant now) {
    const auto answers = connection_.broker->check(stop_.get_token());
    answers ? meet_success() : meet_failure(answers.error().message, now);
}

void BrokerPublisher::meet_success() {
    away_ = false;
    pauses_.reset();
    with_.stats.works(connection_.name);
}

void BrokerPublisher::meet_failure(const std::string& error, Instant now) {
    away_ = true;
    with_.stats.fails(connection_.name, error, now);
    with_.stats.count(connection_.name, HandOver::unavailable);
    paused_until_ = with_.steady.now() + pauses_.next();
    for (auto& item : batch_) {
        if (item.done || now - item.task.ready_at < connection_.retry_for) continue;
        with_.stats.count(connection_.name, HandOver::expired);
        item.done = decide::AttemptEnd{.status = ExecutionStatus::failed,
                                       .category = FailureCategory::provider_error,
                                       .error = connection_mark(connection_.name) + " did not take it within " +
                                                format_duration(connection_.retry_for) + ": " + error,
                                       .final = true};
    }
}

// --- Settle
// ------------------------------------------------------------------------------------------------------------

Result<void> BrokerPublisher::settle() {
    std::vector<Runs::AttemptReport> reports;
    std::vector<store::LeaseTransfer> passed_on;
    for (const auto& item : batch_) {
        if (!item.done) continue;
        if (const auto* const end = std::get_if<decide::AttemptEnd>(&*item.done)) {
            reports.push_back({item.lease(), *end});
        } else {
            passed_on.push_back(std::get<store::LeaseTransfer>(*item.done));
        }
    }
    std::vector<model::LeaseRef> over;
    std::optional<Error> failed;
    if (!reports.empty()) {
        const auto ended = with_.runs.complete(batch_.front().task.tenant, reports);
        if (!ended) failed = ended.error();
        for (std::size_t i = 0; ended && i < ended->size(); ++i) {
            const auto& each = (*ended)[i];
            // After a conflict, the new holder of the lease reports the end.
            if (each || !is_transient(each.error())) over.push_back(reports[i].lease);
            if (!each && is_transient(each.error())) failed = each.error();
        }
    }
    if (!passed_on.empty()) {
        const auto held = with_.runs.transfer_lease(passed_on);
        if (held) {
            for (const auto& each : passed_on) over.push_back(each.lease);
        } else {
            failed = held.error();
        }
    }
    std::erase_if(batch_, [&over](const Item& item) { return std::ranges::find(over, item.lease()) != over.end(); });
    if (failed) return *failed;
    return {};
}

void BrokerPublisher::give_back() {
    if (const auto settled = settle(); !settled) failures_.on_error(settled.error());
    std::vector<Runs::AttemptReport> reports;
    for (const auto& item : batch_) {
        if (item.done) continue;  // acknowledged, but the store is unavailable: the lease will run out
        reports.push_back(
            {item.lease(),
             {.status = ExecutionStatus::failed, .error = "another server delivers the task", .put_back = true}});
    }
    if (!reports.empty()) {
        if (const auto ended = with_.runs.complete(batch_.front().task.tenant, reports); !ended)
            failures_.on_error(ended.error());
    }
    batch_.clear();
}

void BrokerPublisher::finish() { give_back(); }

Micros BrokerPublisher::until_next(Instant now) const {
    const auto steady = with_.steady.now();
    auto wait = std::min(kStepMost, watcher_.until_next(now, [this](const auto& tenant) { return is_mine(tenant); }));
    if (!batch_.empty()) wait = std::min(wait, next_beat_ - steady);
    if (paused_until_ > steady) return std::clamp(paused_until_ - steady, Micros{1}, std::max(wait, Micros{1}));
    return std::max(wait, Micros{1});
}

}  // namespace belfry::engine
