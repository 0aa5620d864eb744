// The keys of an issuer: fixed ones from a file, or a set at a URL that is fetched regularly. Thread-safe.
//
// A fetched set is kept until a newer one is read, so tokens stay valid while the issuer is unreachable. No request
// waits for a fetch, which runs in the background. A token whose key may be in the set that is being fetched is
// `unavailable` until then.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/auth/jwks.hpp"
#include "base/concurrency/mutex.hpp"
#include "base/log.hpp"
#include "base/time/clock.hpp"

namespace belfry::api::auth {

using Fetch = std::function<Result<std::string>(const std::string& url)>;
// Runs a job on another thread, soon. Empty: the caller runs it and waits.
using Background = std::function<void(std::function<void()> job)>;

inline constexpr Micros kJwksMaxAge = std::chrono::minutes{10};
// Minimum time between fetches, even if tokens name unknown kids or the issuer is unreachable.
inline constexpr Micros kJwksPause = std::chrono::minutes{1};

class IssuerKeys : public std::enable_shared_from_this<IssuerKeys> {
public:
    explicit IssuerKeys(KeySet fixed) : set_(std::make_shared<const KeySet>(std::move(fixed))) {}
    // REQUIRES: the clock and the log outlive it; with a background, a shared pointer owns it.
    IssuerKeys(std::string url, JwtAlgorithm algorithm, Fetch fetch, const SteadyClock& clock, const Log& log,
               Background background = {})
        : url_(std::move(url)),
          algorithm_(algorithm),
          fetch_(std::move(fetch)),
          clock_(&clock),
          log_(&log),
          background_(std::move(background)) {}

    [[nodiscard]] const std::string& url() const { return url_; }  // empty: fixed
    [[nodiscard]] JwtAlgorithm algorithm() const { return algorithm_; }

    struct Found {
        std::shared_ptr<const KeySet> set;  // keeps the key alive
        const SignatureKey* key = nullptr;
    };
    // Errors: unauthenticated: there is no such key. unavailable: no set could be fetched yet, or one that may have the
    // key is being fetched.
    [[nodiscard]] Result<Found> find(const std::optional<std::string>& kid);

    // Fetches once, so that the first token does not have to wait. A failure changes nothing and is logged.
    void refresh();

private:
    enum class Need : std::uint8_t { age, kid };
    // Whether this thread must fetch now.
    [[nodiscard]] bool begin_fetch(Need need);
    void refresh_soon();
    [[nodiscard]] Result<KeySet> fetch() const;
    struct Current {
        std::shared_ptr<const KeySet> set;
        bool fetching = false;
    };
    [[nodiscard]] Current current() const;

    const std::string url_ = {};  // empty: fixed
    const JwtAlgorithm algorithm_ = JwtAlgorithm::rs256;
    const Fetch fetch_ = {};
    const SteadyClock* const clock_ = nullptr;
    const Log* const log_ = nullptr;
    const Background background_ = {};

    mutable Mutex mutex_;
    std::shared_ptr<const KeySet> set_ BELFRY_GUARDED_BY(mutex_);
    bool fetching_ BELFRY_GUARDED_BY(mutex_) = false;  // in the background
    std::optional<Micros> tried_at_ BELFRY_GUARDED_BY(mutex_);
    std::optional<Micros> read_at_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::api::auth
