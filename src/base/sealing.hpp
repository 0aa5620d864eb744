// Secrets at rest: AES-256-GCM with a key that is kept outside of the store, bound to the tenant and the purpose that they
// are for. Whoever reads or copies rows of the store learns nothing, and cannot move a secret to another place.
//
// A sealed text is `v1.` and the base64url of nonce (12 bytes), ciphertext and tag (16 bytes). Keys are rotated by putting a
// new one first: the first seals, all of them open.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"

namespace belfry {

// What a secret is for. It opens only for the same.
struct SealFor {
    std::string_view tenant;
    std::string_view purpose;  // for example `webhook:018f…`
};

using SealingKey = std::string;  // 32 bytes
inline constexpr std::size_t kSealingKeyBytes = 32;

// One key a line, in hexadecimal or base64; blank lines and lines that begin with # are passed over. Errors show no key.
[[nodiscard]] Result<std::vector<SealingKey>> parse_sealing_keys(std::string_view text);

// The keys of a file. With `make`, a file that is not there is made with a new key, for its owner only; two who make it at the
// same time use the same.
enum class MissingKeyFile : bool { refuse, make };
[[nodiscard]] Result<std::vector<SealingKey>> read_sealing_keys(const std::string& path, MissingKeyFile missing);

// Thread-safe.
class Sealer {
public:
    // Where the keys come from; asked when they are first needed, and again until it has them.
    using Keys = std::function<Result<std::vector<SealingKey>>()>;
    explicit Sealer(Keys keys) : find_keys_(std::move(keys)) {}

    [[nodiscard]] Result<std::string> seal(std::string_view secret, const SealFor& use);
    // The error does not tell a wrong key from a changed text or another use: nobody can.
    [[nodiscard]] Result<std::string> open(std::string_view sealed, const SealFor& use);

    // A secret that is kept nowhere: it follows from a key and the use, and tells nothing of either. One of 32 bytes for every
    // key, in their order, so that what an older key made still counts.
    [[nodiscard]] Result<std::vector<std::string>> derive(const SealFor& use);

    // Whether there are keys; the error says what to set.
    [[nodiscard]] Result<void> check();

private:
    [[nodiscard]] Result<std::vector<SealingKey>> keys();

    Mutex mutex_;
    const Keys find_keys_;
    std::vector<SealingKey> keys_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
