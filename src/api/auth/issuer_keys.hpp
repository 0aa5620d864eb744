// Where the keys of an issuer come from: fixed ones from a file, or a set at a URL that is fetched now and then. Thread-safe.
//
// A fetched set is kept until a newer one was read: while the issuer is away, its tokens are still known. One thread fetches;
// the others go on with what there is and wait for nobody.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/auth/jwks.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"

namespace belfry::api::auth {

using Fetch = std::function<Result<std::string>(const std::string& url)>;

inline constexpr Micros kJwksMaxAge = std::chrono::minutes{10};
// Whoever sends tokens with made-up kids makes us fetch no more often than this; nor does an issuer that is away.
inline constexpr Micros kJwksPause = std::chrono::minutes{1};

class IssuerKeys {
public:
    explicit IssuerKeys(KeySet fixed) : set_(std::make_shared<const KeySet>(std::move(fixed))) {}
    // REQUIRES: the clock and the log outlive it.
    IssuerKeys(std::string url, JwtAlgorithm algorithm, Fetch fetch, const SteadyClock& clock, const Log& log)
        : url_(std::move(url)), algorithm_(algorithm), fetch_(std::move(fetch)), clock_(&clock), log_(&log) {}

    [[nodiscard]] const std::string& url() const { return url_; }  // empty: fixed
    [[nodiscard]] JwtAlgorithm algorithm() const { return algorithm_; }

    struct Found {
        std::shared_ptr<const KeySet> set;  // keeps the key
        const SignatureKey* key = nullptr;
    };
    // unauthenticated: there is no such key. unavailable: no set could be fetched yet.
    [[nodiscard]] Result<Found> find(const std::optional<std::string>& kid);

    // Fetches once, so that the first token need not wait for it. A failure changes nothing and is logged.
    void refresh();

private:
    enum class Need : std::uint8_t { age, kid };
    // Whether it is this thread's turn to fetch.
    [[nodiscard]] bool begin_fetch(Need need);
    [[nodiscard]] Result<KeySet> fetch() const;
    [[nodiscard]] std::shared_ptr<const KeySet> set() const;

    const std::string url_ = {};  // empty: fixed
    const JwtAlgorithm algorithm_ = JwtAlgorithm::rs256;
    const Fetch fetch_ = {};
    const SteadyClock* const clock_ = nullptr;
    const Log* const log_ = nullptr;

    mutable Mutex mutex_;
    std::shared_ptr<const KeySet> set_ BELFRY_GUARDED_BY(mutex_);
    std::optional<Micros> tried_at_ BELFRY_GUARDED_BY(mutex_);
    std::optional<Micros> read_at_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::api::auth
