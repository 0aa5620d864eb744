// JSON Web Tokens of issuers that the configuration names, in the compact form of JWS (RFC 7515, 7519, 8725).
//
// Nothing about how a token is checked comes from the token: the issuer's entry fixes the algorithm, the key and the
// audience. The header may only name the algorithm that we expect and a key that we already have; whatever tells us to look
// elsewhere (jku, x5u, jwk, x5c) or to understand more than we do (crit) ends it.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/auth/issuer_keys.hpp"
#include "model/access.hpp"

namespace belfry::api::auth {

inline constexpr std::size_t kTokenMax = std::size_t{8} << 10;  // bytes
inline constexpr Seconds kTokenLeeway{60};                      // how far the issuer's clock may be from ours

struct Issuer {
    std::string issuer;    // `iss`, exactly
    std::string audience;  // must be among `aud`
    JwtAlgorithm algorithm = JwtAlgorithm::rs256;
    std::string name_claim = "sub";      // a member of the payload, or `/a/b`, a pointer into it
    std::string roles_claim = "belfry";  // the same: {"tenant": ["role"]}, or ["role"] with the `tenant` below
    std::string tenant = {};             // the only one that it may speak for; empty: whatever a token says
    std::set<model::Role> roles = {};    // in that tenant, for a token that does not say
    std::shared_ptr<IssuerKeys> keys = {};
};

// Whoever the token speaks of. The error's message is a reason for the log: it may quote names out of the token, never the
// token. unavailable: the issuer's keys are not there, so nobody can tell.
[[nodiscard]] Result<model::Principal> verify_token(std::string_view token, std::span<const Issuer> issuers, Instant now);

}  // namespace belfry::api::auth
