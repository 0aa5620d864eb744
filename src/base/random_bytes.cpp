#include "base/random_bytes.hpp"

#include <openssl/rand.h>

#include <cstdlib>

namespace belfry {

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    // A secret that is not random is none, and nothing could go on without it.
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) std::abort();
    return bytes;
}

}  // namespace belfry
