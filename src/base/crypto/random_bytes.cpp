#include "base/crypto/random_bytes.hpp"

#include <openssl/rand.h>

#include <cstdlib>

namespace belfry {

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    // A predictable secret would be worse than none, so the program ends.
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) std::abort();
    return bytes;
}

}  // namespace belfry
