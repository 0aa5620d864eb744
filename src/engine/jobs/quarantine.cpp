#include "engine/jobs/quarantine.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr int kQuarantineDoublingsMax = 10;
constexpr int kConflictsMax = 5;  // in a row: a race would end sooner, so the stored rows must be inconsistent

}  // namespace

Quarantined Quarantine::add(const std::string& item, Quarantined about, Instant now) {
    {
        const MutexLock lock(mutex_);
        const auto found = entries_.find(item);
        const int tries = found == entries_.end() ? 0 : found->second.tries;
        const auto wait = waits_.first * (std::int64_t{1} << std::min(tries, kQuarantineDoublingsMax));
        about.worker = worker_;
        about.since = found == entries_.end() ? now : found->second.since;
        about.tries = tries + 1;
        about.next_try = now + std::min(wait, waits_.most);
        if (found == entries_.end() && entries_.size() >= kQuarantinedMax) return about;
        entries_.insert_or_assign(item, about);
    }
    observer_.quarantined(about);
    return about;
}

bool Quarantine::holds(const std::string& item) const {
    const MutexLock lock(mutex_);
    return !entries_.empty() && entries_.contains(item);
}

bool Quarantine::waits(const std::string& item, Instant now) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(item);
    if (found == entries_.end()) return false;
    // A longer wait than the maximum comes from a clock that was set back since.
    return found->second.next_try > now && found->second.next_try <= now + waits_.most;
}

void Quarantine::release(const std::string& item) {
    std::optional<Quarantined> entry;
    {
        const MutexLock lock(mutex_);
        const auto found = entries_.find(item);
        if (found == entries_.end()) return;
        entry = std::move(found->second);
        entries_.erase(found);
    }
    observer_.released(*entry);
}

void Quarantine::release_all_but(const std::set<std::string>& items) {
    std::vector<Quarantined> gone;
    {
        const MutexLock lock(mutex_);
        std::erase_if(entries_, [&](const auto& each) {
            if (items.contains(each.first)) return false;
            gone.push_back(each.second);
            return true;
        });
    }
    for (const auto& entry : gone) observer_.released(entry);
}

std::size_t Quarantine::size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
}

std::vector<Quarantined> Quarantine::all() const {
    std::vector<Quarantined> all;
    {
        const MutexLock lock(mutex_);
        for (const auto& [item, entry] : entries_) all.push_back(entry);
    }
    std::ranges::stable_sort(all, {}, &Quarantined::key);
    return all;
}

void Backlog::begin(std::size_t found, std::size_t reach, Instant now) {
    now_ = now;
    whole_ = found < reach;
    progress_ = false;
    seen_.clear();
}

bool Backlog::takes(const std::string& item) {
    seen_.insert(item);
    return !quarantine_.waits(item, now_);
}

std::optional<Error> Backlog::note(const std::string& item, const Quarantined& about, const Result<void>& done) {
    if (done) {
        conflicts_.erase(item);
        quarantine_.release(item);
        progress_ = true;
        return std::nullopt;
    }
    const auto& error = done.error();
    if (error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown) return error;
    const bool outrun = error.code == ErrorCode::conflict || error.code == ErrorCode::not_found;
    if (outrun && !quarantine_.holds(item) && ++conflicts_[item] < kConflictsMax) return std::nullopt;
    auto failed = about;
    failed.error = error;
    quarantine_.add(item, std::move(failed), now_);
    if (quarantine_.holds(item)) progress_ = true;
    return std::nullopt;
}

bool Backlog::end() {
    if (whole_) {
        quarantine_.release_all_but(seen_);
        std::erase_if(conflicts_, [this](const auto& each) { return !seen_.contains(each.first); });
    }
    return !whole_ && progress_;
}

void Backlog::leave() {
    quarantine_.release_all_but({});
    conflicts_.clear();
}

}  // namespace belfry::engine
