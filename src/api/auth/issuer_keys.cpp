#include "api/auth/issuer_keys.hpp"

#include <tuple>

#include "base/text/ascii.hpp"

namespace belfry::api::auth {

IssuerKeys::Current IssuerKeys::current() const {
    const MutexLock lock(mutex_);
    return {set_, fetching_};
}

bool IssuerKeys::begin_fetch(Need need) {
    if (url_.empty()) return false;
    const MutexLock lock(mutex_);
    const auto now = clock_->now();
    if (need == Need::age && read_at_ && now - *read_at_ < kJwksMaxAge) return false;
    if (tried_at_ && now - *tried_at_ < kJwksPause) return false;
    tried_at_ = now;  // set before the fetch, so that no other thread starts one
    return true;
}

Result<KeySet> IssuerKeys::fetch() const {
    if (!fetch_) return invalid("this server does not fetch keys");
    const auto text = fetch_(url_);
    if (!text) return text.error();
    return parse_jwks(*text, algorithm_);
}

void IssuerKeys::refresh() {
    if (url_.empty()) return;
    auto fetched = fetch();
    if (!fetched)
        return log_->warn("cannot fetch the keys of an issuer; the last ones stay",
                          {{"url", url_}, {"error", fetched.error().message}});
    auto fresh = std::make_shared<const KeySet>(std::move(*fetched));
    const MutexLock lock(mutex_);
    set_ = std::move(fresh);
    read_at_ = tried_at_ = clock_->now();
}

void IssuerKeys::refresh_soon() {
    if (!background_) return refresh();
    {
        const MutexLock lock(mutex_);
        fetching_ = true;
    }
    background_([self = shared_from_this()] {
        self->refresh();
        const MutexLock lock(self->mutex_);
        self->fetching_ = false;
    });
}

Result<IssuerKeys::Found> IssuerKeys::find(const std::optional<std::string>& kid) {
    if (begin_fetch(Need::age)) refresh_soon();
    const auto find_now = [&]() -> std::pair<Current, const SignatureKey*> {
        auto now = current();
        const auto* const key = now.set ? now.set->find(kid) : nullptr;
        return {std::move(now), key};
    };
    auto [keys, key] = find_now();
    if (key == nullptr && begin_fetch(Need::kid)) {
        refresh_soon();
        std::tie(keys, key) = find_now();
    }
    if (key != nullptr) return Found{std::move(keys.set), key};
    if (keys.fetching) return Error{ErrorCode::unavailable, "the keys of the issuer are being fetched; retry later"};
    if (!keys.set) return Error{ErrorCode::unavailable, "the keys of the issuer could not be fetched yet"};
    if (!kid) return Error{ErrorCode::unauthenticated, "it has no kid, and the issuer has several keys"};
    return Error{ErrorCode::unauthenticated, "the issuer has no key with the kid " + in_quotes(*kid)};
}

}  // namespace belfry::api::auth
