// Tokens: no text breaks the check, every refusal has a reason that holds nothing of the token's signature, and nothing
// is accepted that the issuer did not sign. An input with a line break is a header and a payload, which are then
// signed: the claims are read only behind a good signature.
#include "api/auth/jwt.hpp"
#include "base/text/base64.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"
#include "support/fakes/token_maker.hpp"

using namespace belfry;
using namespace belfry::api::auth;

namespace {

const test::TokenMaker& secret_holder() {
    static const auto maker = test::TokenMaker::hs256();
    return maker;
}

Issuer issuer(const std::string& name, JwtAlgorithm algorithm, const test::TokenMaker& maker) {
    return {.issuer = name,
            .audience = "belfry",
            .algorithm = algorithm,
            .keys = std::make_shared<IssuerKeys>(KeySet(maker.checker()))};
}

// One whose secret the inputs know, and others whose keys nobody has any more.
const std::vector<Issuer>& issuers() {
    static const std::vector<Issuer> all{issuer("known", JwtAlgorithm::hs256, secret_holder()),
                                         issuer("ed", JwtAlgorithm::eddsa, test::TokenMaker::eddsa()),
                                         issuer("ec", JwtAlgorithm::es256, test::TokenMaker::es256())};
    return all;
}

Result<model::Principal> check(const std::string& token) {
    static const auto now = parse_instant("2026-11-15T12:00:00Z").value();
    auto principal = verify_token(token, issuers(), now);
    if (principal) {
        fuzz::require(principal->name.starts_with("user:") && principal->name.size() > 5,
                      "whoever is accepted has a name", token);
        return principal;
    }
    fuzz::require(principal.error().code == ErrorCode::unauthenticated, "a refusal says that nobody is known", token);
    fuzz::require(!principal.error().message.empty(), "a refusal has a reason", token);
    const auto signature = token.substr(std::min(token.rfind('.'), token.size() - 1) + 1);
    const bool leaks =
        signature.size() >= 40 && principal.error().message.find(signature.substr(0, 40)) != std::string::npos;
    fuzz::require(!leaks, "a reason holds nothing of the signature", token);
    return principal;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    if (text.empty()) return 0;
    const auto line = text.find('\n');
    if (line == std::string::npos) {
        static_cast<void>(check(text));
        return 0;
    }
    auto token = secret_holder().token(text.substr(0, line), text.substr(line + 1));
    if (!check(token)) return 0;
    // What was accepted is refused once a single letter of it is another one.
    const auto at = size % token.size();
    token[at] = token[at] == 'A' ? 'B' : 'A';
    fuzz::require(!check(token), "a changed token is refused", token);
    return 0;
}
