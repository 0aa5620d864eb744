// JSON Web Tokens of configured issuers, in the compact form of JWS (RFC 7515, 7519, 8725).
//
// No part of a token controls how it is verified: the issuer's entry fixes the algorithm, the key and the audience. The
// header may only name the expected algorithm and a key that is already known. Headers that point to other keys (jku,
// x5u, jwk, x5c) or require extensions (crit) cause a rejection.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/auth/issuer_keys.hpp"
#include "model/tenant/access.hpp"

namespace belfry::api::auth {

inline constexpr std::size_t kTokenMax = std::size_t{8} << 10;  // bytes
inline constexpr Seconds kTokenLeeway{60};                      // between the issuer's clock and the server's

struct Issuer {
    std::string issuer;     // `iss`, exactly
    std::string name = {};  // after the @ of its users; unique among the issuers, without an @
    std::string audience;   // must be among `aud`
    JwtAlgorithm algorithm = JwtAlgorithm::rs256;
    std::string name_claim = "sub";      // a member of the payload, or `/a/b`, a pointer into it
    std::string roles_claim = "belfry";  // likewise: {"tenant": ["role"]}, or ["role"] with the `tenant` below
    std::string tenant = {};             // the only tenant for which the issuer may grant roles; empty: any
    std::set<model::Role> roles = {};    // in that tenant, for a token without roles
    std::shared_ptr<IssuerKeys> keys = {};
};

// The default name of an issuer, after the @ of its users: `iss` without https://.
[[nodiscard]] std::string usual_issuer_name(std::string_view issuer);

// Returns the principal of the token: `user:<sub>@<issuer's name>`. The last @ ends the user's part, so that a user of
// one issuer can never have the name of another's. The error's message is for the log: it may quote names from the
// token, but never the token itself. unavailable: the issuer's keys are not available, so the token cannot be verified.
[[nodiscard]] Result<model::Principal> verify_token(std::string_view token, std::span<const Issuer> issuers,
                                                    Instant now);

}  // namespace belfry::api::auth
