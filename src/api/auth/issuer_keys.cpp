#include "api/auth/issuer_keys.hpp"

#include "base/ascii.hpp"

namespace belfry::api::auth {

std::shared_ptr<const KeySet> IssuerKeys::set() const {
    const MutexLock lock(mutex_);
    return set_;
}

bool IssuerKeys::begin_fetch(Need need) {
    if (url_.empty()) return false;
    const MutexLock lock(mutex_);
    const auto now = clock_->now();
    if (need == Need::age && read_at_ && now - *read_at_ < kJwksMaxAge) return false;
    if (tried_at_ && now - *tried_at_ < kJwksPause) return false;
    tried_at_ = now;  // before it is done: nobody else begins meanwhile
    return true;
}

Result<KeySet> IssuerKeys::fetch() const {
    if (!fetch_) return invalid("this server fetches nothing");
    const auto text = fetch_(url_);
    if (!text) return text.error();
    return parse_jwks(*text, algorithm_);
}

void IssuerKeys::refresh() {
    if (url_.empty()) return;
    auto fetched = fetch();
    if (!fetched)
        return log_->warn("the keys of an issuer cannot be fetched; the last ones stay", {{"url", url_}, {"error", fetched.error().message}});
    auto fresh = std::make_shared<const KeySet>(std::move(*fetched));
    const MutexLock lock(mutex_);
    set_ = std::move(fresh);
    read_at_ = tried_at_ = clock_->now();
}

Result<IssuerKeys::Found> IssuerKeys::find(const std::optional<std::string>& kid) {
    if (begin_fetch(Need::age)) refresh();
    auto keys = set();
    const auto* key = keys ? keys->find(kid) : nullptr;
    if (key == nullptr && begin_fetch(Need::kid)) {
        refresh();
        keys = set();
        key = keys ? keys->find(kid) : nullptr;
    }
    if (key != nullptr) return Found{std::move(keys), key};
    if (!keys) return Error{ErrorCode::unavailable, "the keys of the issuer could not be fetched yet"};
    if (!kid) return Error{ErrorCode::unauthenticated, "it has no kid, and the issuer has several keys"};
    return Error{ErrorCode::unauthenticated, "the issuer has no key with the kid " + in_quotes(*kid)};
}

}  // namespace belfry::api::auth
