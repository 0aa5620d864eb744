#include "api/auth/access.hpp"

#include <algorithm>

#include "api/auth/api_key.hpp"

namespace belfry::api::auth {

namespace {

constexpr std::string_view kAuthorization = "Authorization";
constexpr std::string_view kKeyHeader = "X-API-Key";
constexpr std::string_view kBearer = "Bearer";

Error refused(std::string reason) { return {ErrorCode::unauthenticated, std::move(reason)}; }

// What a client hears. It says what to do, and nothing about what was wrong.
Error plainly(bool showed_something) {
    if (showed_something) return refused("this credential is not accepted: it is unknown, expired, revoked or not meant for this server");
    return refused("say who you are: send Authorization: Bearer with an API key or a token");
}

std::size_t count_headers(const Request& request, std::string_view name) {
    return static_cast<std::size_t>(
        std::ranges::count_if(request.headers, [&](const Header& header) { return same_ignoring_case(header.first, name); }));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// The programs whose name is in the certificate.
std::vector<const CertificateClient*> clients_of(const Request& request, const Trusted& trusted) {
    std::vector<const CertificateClient*> found;
    for (const auto& client : trusted.clients) {
        if (std::ranges::find(request.certificate_names, client.san) != request.certificate_names.end()) found.push_back(&client);
    }
    return found;
}

}  // namespace

Result<model::Principal> Access::authenticate(const Request& request) {
    if (options_.mode == AuthMode::off) return model::Principal{kLocalPrincipal, {{model::kEveryTenant, {model::Role::admin}}}};
    const auto trusted = trust_.current();
    // A certificate that nobody knows says nothing: in some networks every connection has one.
    const auto clients = clients_of(request, *trusted);
    const auto bearers = count_headers(request, kAuthorization);
    const auto keys = count_headers(request, kKeyHeader);
    const auto shown = bearers + keys + clients.size();
    const auto principal = shown > 1      ? Result<model::Principal>(refused("more than one credential was sent"))
                           : bearers == 1 ? by_bearer(request.header(kAuthorization), *trusted)
                           : keys == 1    ? by_key(trimmed(request.header(kKeyHeader)))
                           : shown == 1   ? model::Principal{"service:" + clients.front()->name, clients.front()->roles}
                                          : without_credential();
    if (principal || principal.error().code != ErrorCode::unauthenticated) return principal;
    if (auto slow = failures_.take(request.peer); !slow) return slow.error();
    log_.info("a request is refused", {{"reason", principal.error().message}, {"peer", request.peer}});
    return plainly(shown > 0);
}

Result<model::Principal> Access::by_bearer(std::string_view authorization, const Trusted& trusted) {
    const auto text = trimmed(authorization);
    const auto scheme = text.substr(0, text.find(' '));
    if (!same_ignoring_case(scheme, kBearer)) return refused("the scheme of Authorization is not Bearer");
    const auto credential = trimmed(text.substr(scheme.size()));
    if (credential.empty()) return refused("nothing stands after Bearer");
    if (credential.starts_with(kKeyPrefix)) return by_key(credential);
    auto principal = verify_token(credential, trusted.issuers, clocks_.wall.now());
    if (!principal && principal.error().code == ErrorCode::unauthenticated) return refused("the token is refused: " + principal.error().message);
    return principal;
}

Result<model::Principal> Access::by_key(std::string_view whole) {
    const auto id = key_id_of(whole);
    if (!id) return refused("this has not the form of an API key");
    const auto key = registry_.key(*id);
    if (!key) return key.error().code == ErrorCode::not_found ? refused("there is no key " + *id) : key.error();
    return check_key(*key, whole, clocks_.wall.now());
}

Result<model::Principal> Access::without_credential() {
    if (options_.mode != AuthMode::automatic || !options_.loopback || trust_.current()->configured) return refused("no credential was sent");
    const auto closed = any_key();
    if (!closed) return closed.error();
    if (*closed) return refused("no credential was sent");
    return model::Principal{kLocalPrincipal, {{model::kEveryTenant, {model::Role::admin}}}};
}

// Keys are never forgotten, only revoked: once there was one, there always is. So revoking the last key opens nothing.
Result<bool> Access::any_key() {
    if (seen_key_) return true;
    const auto now = clocks_.steady.now();
    if (now.count() < open_until_us_) return false;
    const auto keys = registry_.keys();
    if (!keys) return keys.error();
    if (!keys->empty()) {
        seen_key_ = true;
        return true;
    }
    open_until_us_ = (now + kOpenFor).count();
    return false;
}

}  // namespace belfry::api::auth
