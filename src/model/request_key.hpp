// An Idempotency-Key: the client's own name for one request. If the client lost the response and retries with the
// same key, the request takes effect only once. Plain data.
#pragma once

#include <cstddef>
#include <string>

namespace belfry::model {

inline constexpr std::size_t kRequestKeyMax = 255;                  // bytes in a key
inline constexpr const char* kRequestKeyField = "Idempotency-Key";  // the `field` of errors about a key

struct RequestKey {
    std::string key;
    std::string fingerprint;  // SHA-256 of the request, in hexadecimal; a key with another one is an error
    friend bool operator==(const RequestKey&, const RequestKey&) = default;
};

}  // namespace belfry::model
