#include "api/auth/access.hpp"

#include <algorithm>
#include <array>

#include "api/auth/api_key.hpp"

namespace belfry::api::auth {

namespace {

constexpr std::string_view kAuthorization = "Authorization";
constexpr std::string_view kKeyHeader = "X-API-Key";
// The header of Supabase clients. Together with another credential it is ignored: those clients send the key of their
// project here and that of the user as Authorization.
constexpr std::string_view kProjectKeyHeader = "apikey";
constexpr std::string_view kBearer = "Bearer";

Error refused(std::string reason) { return {ErrorCode::unauthenticated, std::move(reason)}; }

// The error that a client receives. It states the fix, but not what exactly was wrong.
Error generic_auth_error(bool showed_something) {
    if (showed_something)
        return refused("this credential is not accepted; it is unknown, expired, revoked or not meant for this server");
    return refused("authentication required; send Authorization: Bearer with an API key or a token");
}

std::size_t count_headers(const Request& request, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        request.headers, [&](const Header& header) { return same_ignoring_case(header.first, name); }));
}

// The programs whose name is in the certificate.
std::vector<const CertificateClient*> clients_of(const Request& request, const Trusted& trusted) {
    std::vector<const CertificateClient*> found;
    for (const auto& client : trusted.clients) {
        if (std::ranges::find(request.certificate_names, client.san) != request.certificate_names.end())
            found.push_back(&client);
    }
    return found;
}

bool shows_credential(const Request& request, const Trusted& trusted) {
    return count_headers(request, kAuthorization) + count_headers(request, kKeyHeader) +
               count_headers(request, kProjectKeyHeader) + clients_of(request, trusted).size() >
           0;
}

// Returns the header that shows that the request came through a proxy, or an empty text.
std::string_view proxy_header(const Request& request) {
    constexpr std::string_view kForwardedPrefix = "X-Forwarded-";
    constexpr std::array<std::string_view, 8> kNames{"Forwarded",
                                                     "Via",
                                                     "X-Forwarded",
                                                     "X-Real-IP",
                                                     "X-Original-Forwarded-For",
                                                     "X-Envoy-External-Address",
                                                     "CF-Connecting-IP",
                                                     "True-Client-IP"};
    const auto is_one = [&](const Header& header) {
        const std::string_view name = header.first;
        return same_ignoring_case(name.substr(0, kForwardedPrefix.size()), kForwardedPrefix) ||
               std::ranges::any_of(kNames, [name](std::string_view known) { return same_ignoring_case(name, known); });
    };
    const auto found = std::ranges::find_if(request.headers, is_one);
    return found == request.headers.end() ? std::string_view() : std::string_view(found->first);
}

// A proxy on this machine makes every client look local to an open server.
Result<model::Principal> owner(const Request& request) {
    if (const auto header = proxy_header(request); !header.empty()) {
        return Error{
            ErrorCode::forbidden,
            "this server is open to this machine only, and the request came through a proxy (it has the header " +
                std::string(header) +
                "); create a key with belfry token create admin --role admin, and do not set auth to off"};
    }
    return model::Principal{kLocalPrincipal, {{model::kEveryTenant, {model::Role::admin}}}};
}

}  // namespace

Result<model::Principal> Access::authenticate(const Request& request) {
    const auto trusted = trust_.current();
    // A caller with a credential may use the first key, which was created a moment ago: check the store again.
    if (shows_credential(request, *trusted)) open_until_us_ = 0;
    const auto open = is_open();
    if (!open) return open.error();
    // There is nothing to compare a credential with, so it is ignored.
    if (*open) return owner(request);
    // An unknown certificate is ignored, because in some networks every connection has one.
    const auto clients = clients_of(request, *trusted);
    const auto bearers = count_headers(request, kAuthorization);
    const auto keys = count_headers(request, kKeyHeader);
    const auto others = bearers + keys + clients.size();
    const auto project_keys = others == 0 ? count_headers(request, kProjectKeyHeader) : 0;
    const auto shown = others + project_keys;
    const auto principal = shown > 1           ? Result<model::Principal>(refused("more than one credential was sent"))
                           : bearers == 1      ? by_bearer(request.header(kAuthorization), *trusted)
                           : keys == 1         ? by_key(trimmed(request.header(kKeyHeader)))
                           : project_keys == 1 ? by_credential(trimmed(request.header(kProjectKeyHeader)), *trusted)
                           : shown == 1 ? model::Principal{"service:" + clients.front()->name, clients.front()->roles}
                                        : Result<model::Principal>(refused("no credential was sent"));
    if (principal || principal.error().code != ErrorCode::unauthenticated) return principal;
    if (auto slow = failures_.take(request.peer); !slow) return slow.error();
    log_.info("rejected a request", {{"reason", principal.error().message}, {"peer", request.peer}});
    return generic_auth_error(shown > 0);
}

Result<model::Principal> Access::by_bearer(std::string_view authorization, const Trusted& trusted) {
    const auto text = trimmed(authorization);
    const auto scheme = text.substr(0, text.find(' '));
    if (!same_ignoring_case(scheme, kBearer)) return refused("the scheme of Authorization is not Bearer");
    const auto credential = trimmed(text.substr(scheme.size()));
    if (credential.empty()) return refused("there is no credential after Bearer");
    return by_credential(credential, trusted);
}

Result<model::Principal> Access::by_credential(std::string_view credential, const Trusted& trusted) {
    if (credential.starts_with(kKeyPrefix)) return by_key(credential);
    auto principal = verify_token(credential, trusted.issuers, clocks_.wall.now());
    if (!principal && principal.error().code == ErrorCode::unauthenticated)
        return refused("the token is rejected: " + principal.error().message);
    return principal;
}

Result<model::Principal> Access::by_key(std::string_view whole) {
    const auto id = key_id_of(whole);
    if (!id) return refused("this does not have the form of an API key");
    const auto key = registry_.key(*id);
    if (!key) return key.error().code == ErrorCode::not_found ? refused("there is no key " + *id) : key.error();
    seen_key_ = true;
    return check_key(*key, whole, clocks_.wall.now());
}

std::optional<model::Principal> Access::recognize(const Request& request) {
    const bool shows = shows_credential(request, *trust_.current());
    if (!shows && !may_be_open()) return std::nullopt;
    auto principal = shows ? authenticate(request) : owner(request);
    return principal ? std::optional(std::move(*principal)) : std::nullopt;
}

bool Access::may_be_open() const {
    if (options_.mode == AuthMode::off) return true;
    return options_.mode == AuthMode::automatic && options_.loopback && !trust_.current()->configured && !seen_key_;
}

Result<bool> Access::is_open() {
    if (!may_be_open() || options_.mode == AuthMode::off) return may_be_open();
    const auto closed = any_key();
    if (!closed) return closed.error();
    return !*closed;
}

// Keys are never deleted, only revoked. So revoking the last key does not open the server.
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
