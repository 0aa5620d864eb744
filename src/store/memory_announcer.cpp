#include "store/memory_announcer.hpp"

#include <algorithm>

namespace belfry::store {

void MemoryAnnouncer::listen(Listener listener) {
    const MutexLock lock(mutex_);
    listener_ = nullptr;
    told_.wait(mutex_, [this]() BELFRY_REQUIRES(mutex_) { return telling_ == 0; });
    if (listener) listener_ = std::make_shared<const Listener>(std::move(listener));
}

void MemoryAnnouncer::tell(const std::vector<Announcement>& news) {
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

MemoryNews::~MemoryNews() { announcer_.tell(all_); }

void MemoryNews::add(std::vector<Announcement> news) {
    for (auto& each : news) {
        if (std::ranges::find(all_, Announcement(LookAgain{})) != all_.end()) return;
        if (std::ranges::find(all_, each) != all_.end()) continue;
        if (all_.size() == kAnnouncedMax) {
            all_ = {LookAgain{}};
            return;
        }
        all_.push_back(std::move(each));
    }
}

}  // namespace belfry::store
