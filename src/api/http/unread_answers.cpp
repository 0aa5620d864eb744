#include "api/http/unread_answers.hpp"

#include <algorithm>
#include <utility>

namespace belfry::api {

UnreadAnswers::Hold UnreadAnswers::add(const std::string& tenant, std::size_t bytes, std::function<void()> close) {
    while (bytes_ > 0 && bytes_ + bytes > bytes_max_) close_one(tenant, bytes);
    auto& of = tenants_[tenant];
    of.name = tenant;
    of.bytes += bytes;
    bytes_ += bytes;
    Hold hold;
    hold.counter_ = this;
    hold.tenant_ = &of;
    hold.place_ = of.oldest_first.insert(of.oldest_first.end(), {bytes, std::move(close)});
    return hold;
}

// The new answer counts for its tenant.
void UnreadAnswers::close_one(const std::string& tenant, std::size_t more) {
    const auto weight = [&](const auto& entry) { return entry.second.bytes + (entry.first == tenant ? more : 0); };
    const auto largest = std::ranges::max_element(tenants_, {}, weight);
    if (on_close_) on_close_(largest->first);
    const auto close = largest->second.oldest_first.front().close;  // a copy: the entry is removed while this runs
    close();
}

UnreadAnswers::Hold& UnreadAnswers::Hold::operator=(Hold&& other) noexcept {
    if (this == &other) return *this;
    release();
    counter_ = std::exchange(other.counter_, nullptr);
    tenant_ = other.tenant_;
    place_ = other.place_;
    return *this;
}

void UnreadAnswers::Hold::release() {
    auto* const counter = std::exchange(counter_, nullptr);
    if (counter == nullptr) return;
    counter->bytes_ -= place_->bytes;
    tenant_->bytes -= place_->bytes;
    tenant_->oldest_first.erase(place_);
    if (tenant_->oldest_first.empty()) counter->tenants_.erase(tenant_->name);
}

}  // namespace belfry::api
