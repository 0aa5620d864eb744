#include "engine/deliverer.hpp"

#include <algorithm>
#include <set>

namespace belfry::engine {

namespace {

constexpr Seconds kPutOff{5};  // what waits behind others of its webhook, when there is more than one look can see

bool is_lost_race(const Error& error) { return error.code == ErrorCode::conflict || error.code == ErrorCode::not_found; }

}  // namespace

Deliverer::Deliverer(store::Store& store, Observer& observer, Leading leading, Outgoing outgoing, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, Trouble("deliverer", observer, random)),
      registry_(store.registry()),
      options_(options),
      random_(std::move(random)),
      sender_(outgoing.http, outgoing.sealer),
      lanes_(options.lanes, "webhook") {}

Result<Micros> Deliverer::work(Instant now) {
    const auto more_to_take = take(now);
    if (!more_to_take) return more_to_take.error();
    const auto more_to_send = send_due(now);
    if (!more_to_send) return more_to_send.error();
    const bool more = *more_to_take || *more_to_send;
    return more && !stop_.stop_requested() ? Micros{0} : options_.tick;
}

Result<bool> Deliverer::take(Instant now) {
    const auto all = registry_.all_webhooks(options_.webhooks);
    if (!all) return all.error();
    webhooks_.clear();
    for (const auto& [tenant, webhook] : *all) {
        if (webhook.enabled) webhooks_[{tenant, webhook.id}] = webhook;
    }
    std::erase_if(taken_, [this](const auto& each) { return !webhooks_.contains(each.first); });
    bool more = false;
    std::map<std::string, std::int64_t> newest;
    for (const auto& [ref, webhook] : webhooks_) {
        if (!newest.contains(ref.first)) {
            const auto bounds = registry_.feed_bounds(ref.first);
            if (!bounds) return bounds.error();
            newest[ref.first] = bounds->first;
        }
        const auto known = taken_.find(ref);
        if (known != taken_.end() && known->second == newest[ref.first]) continue;
        const auto taken = registry_.take_deliveries(ref.first, ref.second, now, options_.page);
        if (!taken && !is_lost_race(taken.error())) return taken.error();
        const bool all_taken = !taken || *taken < static_cast<std::int64_t>(options_.page);
        if (all_taken) taken_[ref] = newest[ref.first];
        more = more || !all_taken;
    }
    return more;
}

Result<bool> Deliverer::send_due(Instant now) {
    if (stop_.stop_requested()) return false;
    const auto due = registry_.due_deliveries(now, options_.page);
    if (!due) return due.error();
    auto sendings = choose(*due);
    std::vector<std::function<void()>> jobs;
    jobs.reserve(sendings.size());
    for (auto& sending : sendings) jobs.emplace_back([this, now, &sending] { send(sending, now); });
    lanes_.run(jobs);
    if (auto settled = settle(sendings); !settled) return settled.error();
    if (auto put = put_off(*due, sendings, now); !put) return put.error();
    return due->size() > sendings.size() && !sendings.empty();
}

// The longest due first, but no webhook and no tenant gets more than its part.
std::vector<Deliverer::Sending> Deliverer::choose(const std::vector<Due>& due) {
    std::vector<Sending> chosen;
    std::map<WebhookRef, std::size_t> calls;
    std::map<std::string, std::size_t> of_tenant;
    for (const auto& each : due) {
        if (chosen.size() == options_.calls_per_step) break;
        const auto webhook = webhooks_.find({each.first, each.second.webhook_id});
        if (webhook == webhooks_.end()) continue;  // newer than this step: the next one knows it
        if (of_tenant[each.first] >= options_.calls_per_tenant || calls[webhook->first] >= options_.calls_per_webhook) continue;
        ++of_tenant[each.first];
        ++calls[webhook->first];
        chosen.push_back({&each, &webhook->second, random_()});
    }
    return chosen;
}

// On any lane: changes nothing of the deliverer's own. Recorded at once, so that a crash repeats as little as can be.
void Deliverer::send(Sending& sending, Instant now) {
    const auto& [tenant, delivery] = *sending.due;
    const auto stop = stop_.get_token();
    if (stop.stop_requested()) return;
    const auto attempt = sender_.send(tenant, *sending.webhook, message_of(delivery.webhook_id, delivery.item), now, stop);
    if (stop.stop_requested() && !attempt.http_status) return;  // it was not the receiver who failed
    sending.after = decide::after_attempt(delivery, attempt, sending.random);
    sending.recorded = registry_.put_delivery(tenant, *sending.after);
}

Result<void> Deliverer::settle(const std::vector<Sending>& sendings) {
    std::map<WebhookRef, std::int64_t> gone;  // with the version that was called
    for (const auto& sending : sendings) {
        if (!sending.after || !sending.recorded) continue;
        const auto& tenant = sending.due->first;
        observer_.delivered(tenant, *sending.after);
        if (sending.after->last_http_status == decide::kHttpGone) gone[{tenant, sending.webhook->id}] = sending.webhook->version;
    }
    for (const auto& [ref, version] : gone) {
        if (auto off = switch_off(ref, version); !off) return off.error();
    }
    for (const auto& sending : sendings) {
        if (!sending.recorded && !is_lost_race(sending.recorded.error())) return sending.recorded.error();  // sent again, then
    }
    return {};
}

// A receiver that just failed would fail the others as well: they wait with what failed. And when a look is full, those who
// have had their turn make room, so that the next look finds the others.
Result<void> Deliverer::put_off(const std::vector<Due>& due, const std::vector<Sending>& sendings, Instant now) {
    std::map<WebhookRef, Instant> until;
    std::map<WebhookRef, std::size_t> calls;
    std::map<std::string, std::size_t> of_tenant;
    std::set<const Due*> sent;
    const bool full = due.size() == options_.page;
    for (const auto& sending : sendings) {
        sent.insert(sending.due);
        const WebhookRef ref{sending.due->first, sending.webhook->id};
        if (full && ++calls[ref] == options_.calls_per_webhook) until.try_emplace(ref, now + kPutOff);
        ++of_tenant[ref.first];
        if (sending.after && sending.after->next_try) until[ref] = *sending.after->next_try;
    }
    for (const auto& each : due) {
        if (sent.contains(&each)) continue;
        const auto found = until.find({each.first, each.second.webhook_id});
        const bool had_its_turn = full && of_tenant[each.first] >= options_.calls_per_tenant;
        if (found == until.end() && !had_its_turn) continue;
        auto later = each.second;
        later.next_try = found != until.end() ? found->second : now + kPutOff;
        if (auto put = registry_.put_delivery(each.first, later); !put && !is_lost_race(put.error())) return put.error();
    }
    return {};
}

Result<void> Deliverer::switch_off(const WebhookRef& ref, std::int64_t version) {
    auto webhook = registry_.webhook(ref.first, ref.second);
    if (!webhook) return is_lost_race(webhook.error()) ? Result<void>() : Result<void>(webhook.error());
    if (webhook->version != version) return {};  // somebody has changed it since, perhaps its URL: the next answer tells
    webhook->enabled = false;
    webhook->version += 1;
    if (auto put = registry_.put_webhook(ref.first, *webhook); !put && !is_lost_race(put.error())) return put.error();
    return {};
}

}  // namespace belfry::engine
