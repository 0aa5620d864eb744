#include "store/sqlite/notifier.hpp"

namespace belfry::store::sqlite {

void Notifier::listen(Listener listener) {
    const MutexLock listening(listening_);
    thread_ = {};  // requests a stop of the old thread, and joins it
    {
        const MutexLock lock(mutex_);
        active_ = static_cast<bool>(listener);
        // The new listener has missed what was not delivered to the old one.
        const bool lost = active_ && !waiting_.empty();
        waiting_.clear();
        if (lost) waiting_.emplace_back();
    }
    if (listener) {
        thread_ =
            std::jthread([this, heard = std::move(listener)](const std::stop_token& stop) { deliver(stop, heard); });
    }
}

void Notifier::notify(std::vector<std::string> texts) {
    if (texts.empty()) return;
    const MutexLock lock(mutex_);
    if (!active_) return;
    for (auto& text : texts) {
        if (waiting_.size() == kNotificationsMax) {
            waiting_.clear();
            waiting_.emplace_back();
        }
        waiting_.push_back(std::move(text));
    }
    arrived_.notify_one();
}

void Notifier::deliver(const std::stop_token& stop, const Listener& listener) {
    while (!stop.stop_requested()) {
        std::string text;
        {
            const MutexLock lock(mutex_);
            if (!arrived_.wait(mutex_, stop, [this]() BELFRY_REQUIRES(mutex_) { return !waiting_.empty(); })) return;
            text = std::move(waiting_.front());
            waiting_.pop_front();
        }
        listener(text);
    }
}

}  // namespace belfry::store::sqlite
