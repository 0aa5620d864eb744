#include "engine/signals.hpp"

#include <pthread.h>

#include <algorithm>

namespace belfry::engine {

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
    : http_(http), steady_(steady), options_(options), ready_(std::move(ready)) {}

Signals::~Signals() {
    for (auto& thread : threads_) thread.request_stop();
}

std::optional<Json> Signals::find(const model::Schedule& schedule, Instant due) {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(schedule.id);
    if (found != questions_.end() && found->second.due == due && found->second.signal == *schedule.signal) {
        const auto& question = found->second;
        if (!question.answer) return std::nullopt;
        if (steady_.now() - question.answered_at < options_.fresh) return question.answer;
    }
    if (found == questions_.end() && questions_.size() >= options_.questions_max) drop_stale();
    if (found == questions_.end() && questions_.size() >= options_.questions_max) return Json(nullptr);
    questions_[schedule.id] = {due, *schedule.signal};
    queue_.push_back(schedule.id);
    while (threads_.size() < options_.threads && threads_.size() < queue_.size()) {
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
    changed_.notify_one();
    return std::nullopt;
}

void Signals::forget(const std::string& schedule_id) {
    const std::lock_guard lock(mutex_);
    questions_.erase(schedule_id);
}

void Signals::drop_stale() {
    std::erase_if(questions_,
                  [now = steady_.now(), this](const auto& each) { return each.second.answer && now - each.second.answered_at >= options_.fresh; });
}

void Signals::work(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "signal");
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !queue_.empty(); })) {
        const auto id = std::move(queue_.front());
        queue_.pop_front();
        const auto asked = questions_.find(id);
        if (asked == questions_.end() || asked->second.answer) continue;  // decided by somebody else meanwhile
        const auto question = asked->second;
        lock.unlock();
        auto answer = ask_signal(http_, question.signal, stop);
        lock.lock();
        if (stop.stop_requested()) return;
        const auto still = questions_.find(id);
        if (still == questions_.end() || still->second.due != question.due || still->second.signal != question.signal) continue;
        still->second.answer = std::move(answer);
        still->second.answered_at = steady_.now();
        lock.unlock();
        ready_(id, question.due);
        lock.lock();
    }
}

}  // namespace belfry::engine
