// Key sets: no text breaks the reader, every refusal has a reason, and a key that was read accepts no signature of
// nothing.
#include "api/auth/jwks.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;
using namespace belfry::api::auth;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const std::string about(text);
    for (const auto algorithm : {JwtAlgorithm::hs256, JwtAlgorithm::rs256, JwtAlgorithm::es256, JwtAlgorithm::eddsa}) {
        const auto set = parse_jwks(text, algorithm);
        if (!set) {
            fuzz::require(!set.error().message.empty(), "a refusal has a reason", about);
            continue;
        }
        fuzz::require(set->size() > 0 && set->size() <= kJwksKeysMax, "a set has keys, and not too many", about);
        const auto* const only = set->find(std::nullopt);
        fuzz::require((only != nullptr) == (set->size() == 1), "a token without a kid is fine where there is one key",
                      about);
        if (only == nullptr) continue;
        fuzz::require(only->algorithm() == algorithm, "a key is for the algorithm that was asked for", about);
        fuzz::require(!only->verify("text", "") && !only->verify("text", std::string(64, '\0')),
                      "nothing is no signature", about);
    }
    return 0;
}
