// Seals secrets in the store with AES-256-GCM. The key is kept outside of the store, and each secret is bound to its
// tenant and purpose. A person who reads or copies rows of the store learns nothing, and cannot move a secret to
// another place.
//
// A sealed text is `v1.` and the base64url of nonce (12 bytes), ciphertext and tag (16 bytes). To rotate keys, put a
// new one first: the first key seals, all keys open.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/result.hpp"

namespace belfry {

// What a secret is for. It opens only for the same tenant and purpose.
struct SealFor {
    std::string_view tenant;
    std::string_view purpose;  // for example `webhook:018f…`
};

using SealingKey = std::string;  // 32 bytes
inline constexpr std::size_t kSealingKeyBytes = 32;

// Parses one key per line, in hexadecimal or base64; ignores blank lines and lines that start with #. Errors show no
// key.
[[nodiscard]] Result<std::vector<SealingKey>> parse_sealing_keys(std::string_view text);

// Reads the keys of a file. With `make`, it creates a missing file with a new key, for its owner only; two processes
// that create it at the same time use the same key.
enum class MissingKeyFile : bool { refuse, make };
[[nodiscard]] Result<std::vector<SealingKey>> read_sealing_keys(const std::string& path, MissingKeyFile missing);

// Thread-safe.
class Sealer {
public:
    // Loads the keys on first use, and again until it succeeds.
    using Keys = std::function<Result<std::vector<SealingKey>>()>;
    explicit Sealer(Keys keys) : find_keys_(std::move(keys)) {}

    [[nodiscard]] Result<std::string> seal(std::string_view secret, const SealFor& use);
    // The error does not distinguish a wrong key from a changed text or another use: the cipher cannot.
    [[nodiscard]] Result<std::string> open(std::string_view sealed, const SealFor& use);

    // Derives a secret that is stored nowhere from each key and the use; it reveals neither. Returns 32 bytes per key,
    // in the order of the keys, so that secrets from older keys stay valid.
    [[nodiscard]] Result<std::vector<std::string>> derive(const SealFor& use);

    // Whether keys are available; the error names the setting.
    [[nodiscard]] Result<void> check();

private:
    [[nodiscard]] Result<std::vector<SealingKey>> keys();

    Mutex mutex_;
    const Keys find_keys_;
    std::vector<SealingKey> keys_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
