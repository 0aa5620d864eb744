#include "store/memory/memory_notifier.hpp"

#include <algorithm>

namespace belfry::store {

void MemoryNotifier::listen(Listener listener) {
    const MutexLock lock(mutex_);
    listener_ = nullptr;
    told_.wait(mutex_, [this]() BELFRY_REQUIRES(mutex_) { return telling_ == 0; });
    if (listener) listener_ = std::make_shared<const Listener>(std::move(listener));
}

void MemoryNotifier::tell(const std::vector<Notification>& news) {
    if (news.empty()) return;
    std::shared_ptr<const Listener> listener;
    {
        const MutexLock lock(mutex_);
        if (!listener_) return;
        listener = listener_;
        ++telling_;
    }
    for (const auto& each : news) (*listener)(each);
    {
        const MutexLock lock(mutex_);
        --telling_;
    }
    told_.notify_all();
}

MemoryNews::~MemoryNews() { notifier_.tell(all_); }

void MemoryNews::add(std::vector<Notification> news) {
    for (auto& each : news) {
        if (std::ranges::find(all_, Notification(Resync{})) != all_.end()) return;
        if (std::ranges::find(all_, each) != all_.end()) continue;
        if (all_.size() == kNotifiedMax) {
            all_ = {Resync{}};
            return;
        }
        all_.push_back(std::move(each));
    }
}

}  // namespace belfry::store
