// An Idempotency-Key: a caller's own name for one request, so that asking again, because the first answer was lost, does
// nothing twice. Plain data.
#pragma once

#include <cstddef>
#include <string>

namespace belfry::model {

inline constexpr std::size_t kRequestKeyMax = 255;                  // bytes in a key
inline constexpr const char* kRequestKeyField = "Idempotency-Key";  // where errors about one point to

struct RequestKey {
    std::string key;
    std::string fingerprint;  // SHA-256, in hexadecimal, of what was asked: the same key with another one is a mistake
    friend bool operator==(const RequestKey&, const RequestKey&) = default;
};

}  // namespace belfry::model
