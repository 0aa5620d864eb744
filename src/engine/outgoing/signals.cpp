#include "engine/outgoing/signals.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "decide/schedule/tick.hpp"
#include "engine/jobs/round_robin.hpp"

namespace belfry::engine {

namespace {

constexpr Micros kSignalSlack = Seconds{1};  // beyond its timeout

}  // namespace

bool needs_signal(const decide::Facts& facts) {
    return facts.switches.all() && asks_signal(facts.schedule->definition);
}

Instant signal_due(const decide::Facts& facts, Instant now) {
    const auto& next = facts.state.next_fire;
    return next && *next <= now ? *next : facts.state.last_completed_at.value_or(Instant{});
}

std::optional<decide::Plan> plan_tick_with_signal(const decide::Facts& facts, Instant now, const decide::Limits& limits,
                                                  const SignalAnswer& answer) {
    if (!needs_signal(facts)) return decide::plan_tick(facts, now, limits);
    auto result = answer(facts);
    if (!result) return std::nullopt;
    auto told = facts;
    told.signal_result = std::move(*result);
    return decide::plan_tick(told, now, limits);
}

Micros signal_wait_max(const model::Signal& signal) {
    return std::min(signal.timeout, kSignalTimeoutMax) + kSignalSlack;
}

Json ask_signal(HttpClient& http, const model::Signal& signal, const std::stop_token& stop) {
    const auto url = parse_url(signal.url);
    if (!url) return nullptr;
    HttpCall call{.url = *url, .timeout = std::min(signal.timeout, kSignalTimeoutMax), .stop = stop};
    call.own_headers = {{"Accept", "application/json"}};
    const auto answer = http.send(call);
    if (!answer || answer->status < 200 || answer->status >= 300) return nullptr;
    auto value = parse_json(answer->body);
    return value ? std::move(*value) : Json(nullptr);
}

Signals::Signals(HttpClient& http, const SteadyClock& steady, Options options, Ready ready)
    : http_(http),
      steady_(steady),
      options_(options),
      ready_(std::move(ready)),
      asked_(options.questions_max),
      calls_(options.calls),
      pool_(options.calls, "signal") {}

Signals::~Signals() { stop_.request_stop(); }

std::optional<Json> Signals::find(const model::Schedule& schedule, Instant due) {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(schedule.id);
    if (found != questions_.end() && found->second.due == due && found->second.signal == *schedule.signal) {
        const auto& question = found->second;
        if (!question.answer) return std::nullopt;
        if (steady_.now() - question.answered_at < options_.fresh) return question.answer;
    }
    if (found == questions_.end()) {
        if (!make_room(schedule.tenant)) return Json(nullptr);
        asked_.take(schedule.tenant);
    }
    questions_[schedule.id] = {schedule.tenant, due, *schedule.signal};
    tenants_[schedule.tenant].queues[receiver_of(schedule.signal->url)].push_back(schedule.id);
    start_calls();
    return std::nullopt;
}

void Signals::forget(const std::string& schedule_id) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = questions_.find(schedule_id);
        if (found == questions_.end()) return;
        erase(found);
    }
    listeners_.ring(schedule_id);
}

Pending Signals::pending(const model::Schedule& schedule) {
    return {.listen = [this, id = schedule.id](std::function<void()> ring) { return listen(id, std::move(ring)); },
            .until = std::chrono::steady_clock::now() + signal_wait_max(*schedule.signal)};
}

Listeners::Handle Signals::listen(const std::string& schedule_id, Listeners::Ring ring) {
    auto handle = listeners_.add(schedule_id, std::move(ring));
    // The answer may have arrived before.
    bool is_over = false;
    {
        const std::lock_guard lock(mutex_);
        const auto found = questions_.find(schedule_id);
        is_over = found == questions_.end() || found->second.answer;
    }
    if (is_over) listeners_.ring(schedule_id);
    return handle;
}

bool Signals::make_room(const std::string& tenant) {
    if (asked_.room_for(tenant) > 0) return true;
    const auto now = steady_.now();
    for (auto each = questions_.begin(); each != questions_.end();) {
        const auto& question = each->second;
        const bool is_stale = question.answer && now - question.answered_at >= options_.fresh;
        each = is_stale ? erase(each) : std::next(each);
    }
    return asked_.room_for(tenant) > 0;
}

Signals::Questions::iterator Signals::erase(Questions::iterator question) {
    asked_.give_back(question->second.tenant);
    return questions_.erase(question);
}

void Signals::start_calls() {
    while (start_next()) {
    }
}

// Starts the call of the next receiver of the next tenant in turn. Returns false if none waits, or all that wait have
// used up their share.
bool Signals::start_next() {
    std::optional<std::pair<std::string, std::string>> picked;  // tenant, receiver
    go_round(tenants_, served_, [&](auto& tenant) {
        if (!calls_.has_room(tenant.first)) return false;
        go_round(tenant.second.queues, tenant.second.served, [&](auto& queue) {
            if (calls_.has_room(tenant.first, queue.first)) picked.emplace(tenant.first, queue.first);
            return picked.has_value();
        });
        return picked.has_value();
    });
    if (!picked) return false;
    const auto& [name, receiver] = *picked;
    auto& tenant = tenants_.at(name);
    const auto queue = tenant.queues.find(receiver);
    const auto id = std::move(queue->second.front());
    queue->second.pop_front();
    served_ = name;
    tenant.served = receiver;
    if (queue->second.empty()) tenant.queues.erase(queue);
    if (tenant.queues.empty()) tenants_.erase(name);
    const auto asked = questions_.find(id);
    // The schedule was decided meanwhile, or its signal has changed and waits in another queue.
    if (asked == questions_.end() || asked->second.called || receiver_of(asked->second.signal.url) != receiver)
        return true;
    asked->second.called = true;
    calls_.take(name, receiver);
    pool_.run([this, id, question = asked->second, receiver = receiver] { call(id, question, receiver); });
    return true;
}

// Runs on a pool thread.
void Signals::call(const std::string& schedule_id, const Question& question, const std::string& receiver) {
    auto answer = stop_.stop_requested() ? Json(nullptr) : ask_signal(http_, question.signal, stop_.get_token());
    if (stop_.stop_requested()) return;
    {
        const std::lock_guard lock(mutex_);
        calls_.give_back(question.tenant, receiver);
        start_calls();
        const auto still = questions_.find(schedule_id);
        if (still == questions_.end() || still->second.due != question.due || still->second.signal != question.signal)
            return;
        still->second.answer = std::move(answer);
        still->second.answered_at = steady_.now();
    }
    ready_(schedule_id, question.due);
    listeners_.ring(schedule_id);
}

}  // namespace belfry::engine
