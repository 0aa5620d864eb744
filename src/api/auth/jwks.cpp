#include "api/auth/jwks.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/text/ascii.hpp"
#include "base/text/base64.hpp"
#include "base/text/json.hpp"

namespace belfry::api::auth {

namespace {

using boost::json::object;

constexpr std::size_t kDepthMax = 8;  // a set needs four

struct KeyType {
    std::string_view kty;
    std::string_view crv;  // empty: has none
};

KeyType type_for(JwtAlgorithm algorithm) {
    switch (algorithm) {
        case JwtAlgorithm::hs256: return {"oct", ""};
        case JwtAlgorithm::rs256: return {"RSA", ""};
        case JwtAlgorithm::es256: return {"EC", "P-256"};
        case JwtAlgorithm::eddsa: return {"OKP", "Ed25519"};
    }
    return {};
}

std::optional<std::string> text_of(const object& key, std::string_view name) {
    const auto* const value = key.if_contains(name);
    const auto* const text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::nullopt : std::optional(std::string(std::string_view(*text)));
}

// If the member is present, it must have this text.
bool agrees(const object& key, std::string_view name, std::string_view text) {
    return !key.contains(name) || text_of(key, name) == text;
}

bool may_verify(const object& key) {
    const auto* const operations = key.if_contains("key_ops");
    if (operations == nullptr) return true;
    return operations->is_array() &&
           std::ranges::any_of(operations->get_array(), [](const Json& each) { return each == Json("verify"); });
}

// Returns why the key is for another purpose, or an empty text if it is for this algorithm.
std::string other_purpose(const object& key, JwtAlgorithm algorithm) {
    const auto type = type_for(algorithm);
    const auto name = std::string(name_of(algorithm));
    if (text_of(key, "kty") != type.kty)
        return "its kty is not " + std::string(type.kty) + ", which " + name + " needs";
    if (!type.crv.empty() && text_of(key, "crv") != type.crv)
        return "its crv is not " + std::string(type.crv) + ", which " + name + " needs";
    if (const auto alg = text_of(key, "alg"); key.contains("alg") && !(alg && is_name_of(algorithm, *alg)))
        return "its alg is not " + name;
    if (!agrees(key, "use", "sig") || !may_verify(key)) return "it is not for verifying signatures";
    return {};
}

Result<std::string> bytes_in(const object& key, std::string_view name) {
    const auto text = text_of(key, name);
    auto bytes = text ? from_base64url(*text) : std::nullopt;
    if (!bytes || bytes->empty()) return invalid("its " + std::string(name) + " is not base64url without padding");
    return std::move(*bytes);
}

Result<SignatureKey> key_in(const object& key, JwtAlgorithm algorithm) {
    if (auto reason = other_purpose(key, algorithm); !reason.empty()) return invalid(std::move(reason));
    const auto first = bytes_in(key, algorithm == JwtAlgorithm::hs256   ? "k"
                                     : algorithm == JwtAlgorithm::rs256 ? "n"
                                                                        : "x");
    if (!first) return first.error();
    switch (algorithm) {
        case JwtAlgorithm::hs256: return SignatureKey::from_secret(Secret(*first));
        case JwtAlgorithm::eddsa: return SignatureKey::from_ed25519(*first);
        case JwtAlgorithm::rs256:
        case JwtAlgorithm::es256: break;
    }
    const auto second = bytes_in(key, algorithm == JwtAlgorithm::rs256 ? "e" : "y");
    if (!second) return second.error();
    return algorithm == JwtAlgorithm::rs256 ? SignatureKey::from_rsa(*first, *second)
                                            : SignatureKey::from_p256(*first, *second);
}

}  // namespace

KeySet::KeySet(SignatureKey only) : nameless_(true) { keys_.emplace("", std::move(only)); }

const SignatureKey* KeySet::find(const std::optional<std::string>& kid) const {
    if (nameless_ || (!kid && keys_.size() == 1)) return &keys_.begin()->second;
    if (!kid || kid->empty()) return nullptr;
    const auto found = keys_.find(*kid);
    return found == keys_.end() ? nullptr : &found->second;
}

Result<KeySet> parse_jwks(std::string_view text, JwtAlgorithm algorithm) {
    const auto json = parse_json(text, {.depth_max = kDepthMax, .bytes_max = kJwksBytesMax});
    if (!json) return json.error();
    const auto* const members = json->is_object() ? json->get_object().if_contains("keys") : nullptr;
    if (members == nullptr || !members->is_array())
        return invalid("a key set must be an object with an array \"keys\"");
    const auto& list = members->get_array();
    if (list.size() > kJwksKeysMax) {
        return invalid("the set has " + std::to_string(list.size()) + " keys; at most " + std::to_string(kJwksKeysMax) +
                       " are read");
    }
    std::map<std::string, SignatureKey> keys;
    std::string why = "it is empty";
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_object()) return invalid("the element " + std::to_string(i) + " of \"keys\" is not an object");
        const auto& key = list[i].get_object();
        auto usable = key_in(key, algorithm);
        if (!usable) {
            if (why == "it is empty") why = "of the first, " + usable.error().message;
            continue;
        }
        const auto kid = text_of(key, "kid").value_or("");
        if (kid.size() > kKidMax) return invalid("a kid is longer than " + std::to_string(kKidMax) + " bytes");
        if (!keys.emplace(kid, std::move(*usable)).second)
            return invalid("the kid " + in_quotes(kid) + " names two keys of the set");
    }
    if (keys.empty()) return invalid("no key of the set can verify " + std::string(name_of(algorithm)) + ": " + why);
    return KeySet(std::move(keys));
}

}  // namespace belfry::api::auth
