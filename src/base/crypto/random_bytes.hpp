// Unpredictable bytes from OpenSSL's generator, for keys, secrets and nonces. Thread-safe.
#pragma once

#include <string>

namespace belfry {

[[nodiscard]] std::string random_bytes(std::size_t count);

}  // namespace belfry
