#include "api/auth/jwt.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>

#include "api/contract/shape.hpp"
#include "base/text/ascii.hpp"
#include "base/text/base64.hpp"
#include "base/text/json.hpp"
#include "base/text/json_pointer.hpp"

namespace belfry::api::auth {

namespace {

constexpr std::size_t kClaimsDepthMax = 8;  // of the claims; ours need three
constexpr std::array<std::string_view, 5> kRefusedHeaders{"crit", "jku", "jwk", "x5c", "x5u"};

Error refused_token(std::string reason) { return {ErrorCode::unauthenticated, std::move(reason)}; }

// --- Reading ---------------------------------------------------------------------------------------------------------

// The parts of a token, not verified yet.
struct Parts {
    std::string_view signed_text;  // header and payload as they were sent
    Json header;
    Json payload;
    std::string signature;
};

Result<Json> json_part(std::string_view text, const char* what) {
    const auto bytes = from_base64url(text);
    if (!bytes) return refused_token(std::string("its ") + what + " is not base64url without padding");
    auto json = parse_json(*bytes, {.depth_max = kClaimsDepthMax, .bytes_max = kTokenMax});
    // The parser's message may quote the token.
    if (!json) return refused_token(std::string("its ") + what + " is not strict JSON");
    if (!json->is_object()) return refused_token(std::string("its ") + what + " is not an object");
    return json;
}

Result<Parts> take_apart(std::string_view token) {
    if (token.size() > kTokenMax) return refused_token("it is longer than " + std::to_string(kTokenMax) + " bytes");
    const auto first = token.find('.');
    const auto last = token.rfind('.');
    if (first == std::string_view::npos || first == last || token.find('.', first + 1) != last)
        return refused_token("it does not have three parts");
    auto header = json_part(token.substr(0, first), "header");
    if (!header) return header.error();
    auto payload = json_part(token.substr(first + 1, last - first - 1), "payload");
    if (!payload) return payload.error();
    auto signature = from_base64url(token.substr(last + 1));
    if (!signature) return refused_token("its signature is not base64url without padding");
    if (signature->empty()) return refused_token("it has no signature");
    return Parts{token.substr(0, last), std::move(*header), std::move(*payload), std::move(*signature)};
}

// Finds a member by name or, if the name begins with a slash, by JSON pointer.
const Json* claim(const Json& payload, const std::string& name) {
    if (!name.starts_with('/')) return payload.get_object().if_contains(name);
    const auto pointer = JsonPointer::parse(name);
    return pointer ? pointer->find(payload) : nullptr;
}

std::optional<std::string> text_claim(const Json& payload, const std::string& name) {
    const auto* const value = claim(payload, name);
    const auto* const text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::nullopt : std::optional(std::string(std::string_view(*text)));
}

// --- What must hold --------------------------------------------------------------------------------------------------

Result<void> check_header(const Json& header, JwtAlgorithm algorithm) {
    for (const auto name : kRefusedHeaders) {
        if (header.get_object().contains(name)) return refused_token("its header has " + std::string(name));
    }
    const auto named = text_claim(header, "alg");
    if (!named || !is_name_of(algorithm, *named)) {
        return refused_token("its alg is " + (named ? in_quotes(*named) : "missing") + ", but this issuer signs with " +
                             std::string(name_of(algorithm)));
    }
    // Tokens for other purposes (dpop+jwt, logout+jwt) may have the same issuer and signature.
    if (header.get_object().contains("typ")) {
        const auto type = lower_case(text_claim(header, "typ").value_or("?"));
        if (type != "jwt" && type != "at+jwt" && type != "application/at+jwt")
            return refused_token("its typ " + in_quotes(type) + " is not for access");
    }
    return {};
}

Result<void> check_signature(const Parts& parts, const Issuer& issuer) {
    const auto* const named = parts.header.get_object().if_contains("kid");
    if (named != nullptr && (!named->is_string() || named->get_string().size() > kKidMax))
        return refused_token("its kid is not a short text");
    const auto found = issuer.keys->find(text_claim(parts.header, "kid"));
    if (!found) return found.error();
    // The key is bound to its algorithm as well: a second check of the same property.
    if (found->key->algorithm() != issuer.algorithm) return refused_token("the key is not for its alg");
    if (!found->key->verify(parts.signed_text, parts.signature)) return refused_token("its signature is wrong");
    return {};
}

bool is_for(const Json& payload, const std::string& audience) {
    const auto* const named = payload.get_object().if_contains("aud");
    if (named == nullptr) return false;
    const auto same = [&](const Json& each) {
        return each.is_string() && std::string_view(each.get_string()) == audience;
    };
    return named->is_array() ? std::ranges::any_of(named->get_array(), same) : same(*named);
}

// Seconds since 1970, possibly with decimals.
std::optional<double> date_claim(const Json& value) {
    boost::json::error_code code;
    const auto number = value.to_number<double>(code);
    return kind_of(value) == JsonKind::number && !code ? std::optional(number) : std::nullopt;
}

Result<void> check_times(const Json& payload, Instant now) {
    const auto now_s = static_cast<double>(epoch_us(now)) / 1e6;
    const auto leeway_s = static_cast<double>(kTokenLeeway.count());
    const auto* const exp = payload.get_object().if_contains("exp");
    const auto ends = exp == nullptr ? std::nullopt : date_claim(*exp);
    if (!ends) return refused_token("it has no numeric exp");
    if (now_s >= *ends + leeway_s) return refused_token("it has expired");
    if (const auto* const nbf = payload.get_object().if_contains("nbf")) {
        const auto begins = date_claim(*nbf);
        if (!begins) return refused_token("its nbf is not a number");
        if (now_s < *begins - leeway_s) return refused_token("it is not valid yet");
    }
    return {};
}

// --- Principal -------------------------------------------------------------------------------------------------------

// Ignores unknown roles: issuers list the roles of all their programs together.
Result<std::set<model::Role>> known_roles(const Json& list) {
    if (!list.is_array()) return refused_token("its roles are not a list");
    std::set<model::Role> roles;
    for (const auto& each : list.get_array()) {
        if (!each.is_string()) return refused_token("its roles are not a list of texts");
        if (const auto role = model::parse_role(std::string_view(each.get_string()))) roles.insert(*role);
    }
    return roles;
}

Result<model::Roles> roles_by_tenant(const boost::json::object& tenants, const Issuer& issuer) {
    model::Roles roles;
    for (const auto& each : tenants) {
        const std::string tenant(std::string_view(each.key()));
        auto known = known_roles(each.value());
        if (!known) return known.error();
        if (issuer.tenant.empty() || issuer.tenant == tenant) roles[tenant] = std::move(*known);
    }
    return roles;
}

Result<model::Roles> roles_of(const Json& payload, const Issuer& issuer) {
    const auto* const said = claim(payload, issuer.roles_claim);
    if (said == nullptr || said->is_null())
        return issuer.roles.empty() ? model::Roles{} : model::Roles{{issuer.tenant, issuer.roles}};
    if (kind_of(*said) == JsonKind::object) return roles_by_tenant(said->get_object(), issuer);
    if (issuer.tenant.empty()) return refused_token("its roles name no tenant, and neither does the issuer's entry");
    auto known = known_roles(*said);
    if (!known) return known.error();
    return model::Roles{{issuer.tenant, std::move(*known)}};
}

}  // namespace

std::string usual_issuer_name(std::string_view issuer) {
    constexpr std::string_view kHttps = "https://";
    return std::string(issuer.starts_with(kHttps) ? issuer.substr(kHttps.size()) : issuer);
}

Result<model::Principal> verify_token(std::string_view token, std::span<const Issuer> issuers, Instant now) {
    const auto parts = take_apart(token);
    if (!parts) return parts.error();
    const auto iss = text_claim(parts->payload, "iss");
    const auto issuer = std::ranges::find_if(issuers, [&](const Issuer& each) { return iss && each.issuer == *iss; });
    if (issuer == issuers.end())
        return refused_token("its issuer " + in_quotes(iss.value_or("")) + " is not configured");
    if (auto checked = check_header(parts->header, issuer->algorithm); !checked) return checked.error();
    if (auto checked = check_signature(*parts, *issuer); !checked) return checked.error();
    // From here on, the content is verified to come from the issuer.
    if (!is_for(parts->payload, issuer->audience))
        return refused_token("it is not for the audience " + in_quotes(issuer->audience));
    if (auto checked = check_times(parts->payload, now); !checked) return checked.error();
    const auto name = text_claim(parts->payload, issuer->name_claim);
    if (!name || check_name(*name))
        return refused_token("its claim " + in_quotes(issuer->name_claim) + " is not a valid name");
    auto roles = roles_of(parts->payload, *issuer);
    if (!roles) return roles.error();
    return model::Principal{.name = "user:" + *name + "@" + issuer->name, .roles = std::move(*roles)};
}

}  // namespace belfry::api::auth
