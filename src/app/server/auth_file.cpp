#include "app/server/auth_file.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <filesystem>

#include "api/auth/exposure.hpp"
#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "app/cli/text_file.hpp"
#include "app/settings/toml_file.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"

namespace belfry::app {

namespace {

using api::Presence;
using api::auth::CertificateClient;
using api::auth::Issuer;
using api::auth::IssuerKeys;
using api::auth::JwtAlgorithm;
using api::auth::KeySet;
using api::auth::SignatureKey;

constexpr std::size_t kIssuersMax = 100;
constexpr std::size_t kClientsMax = 10'000;
constexpr std::size_t kRolesMax = 100;
constexpr std::array<std::string_view, 3> kSanKinds{"DNS:", "URI:", "email:"};

// Where the keys of an issuer are.
struct KeyPlace {
    const char* member;  // key_file, secret_file, jwks_file or jwks_url
    std::string text;
};

Error at_member(Error error, const char* member) { return in_field(std::move(error), pointer_step(member)); }

// Requires https, because anyone on the network path could replace a key set over http.
std::optional<Error> check_url(std::string_view text) {
    const auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty() || url->has_userinfo())
        return invalid("is not a URL such as https://login.example.org/keys");
    const auto host = url->host();
    if (url->scheme() == "https" || (url->scheme() == "http" && api::auth::is_loopback_host(host))) return std::nullopt;
    return invalid("use https://, so that an attacker on the network cannot replace the keys");
}

std::optional<Error> check_san(std::string_view text) {
    const auto kind = std::ranges::find_if(kSanKinds, [&](std::string_view each) { return text.starts_with(each); });
    if (kind == kSanKinds.end() || text.size() == kind->size())
        return invalid("put the kind before the name: DNS:…, URI:… or email:…");
    return api::check_name(text);
}

// --- The shape of the file ------------------------------------------------------------------------------------------

std::optional<Error> check_role(std::string_view text) { return api::parses<&model::parse_role>(text); }
std::optional<Error> check_algorithm(std::string_view text) {
    return api::parses<&api::auth::parse_jwt_algorithm>(text);
}

api::ShapePtr roles_shape() { return api::list_of(api::checked_text("role", &check_role), kRolesMax); }

api::ShapePtr issuer_shape() {
    return api::record("", {{"issuer", api::name_text(), "", Presence::required},
                            {"name", api::name_text(), ""},
                            {"audience", api::name_text(), "", Presence::required},
                            {"algorithm", api::checked_text("algorithm", &check_algorithm), "", Presence::required},
                            {"key_file", api::text(), ""},
                            {"secret_file", api::text(), ""},
                            {"jwks_file", api::text(), ""},
                            {"jwks_url", api::checked_text("url", &check_url), ""},
                            {"name_claim", api::name_text(), ""},
                            {"roles_claim", api::name_text(), ""},
                            {"tenant", api::name_text(), ""},
                            {"roles", roles_shape(), ""}});
}

api::ShapePtr client_shape() {
    return api::record("", {{"san", api::checked_text("san", &check_san), "", Presence::required},
                            {"name", api::name_text(), "", Presence::required},
                            {"roles", api::map_of(roles_shape()), "", Presence::required}});
}

const api::Shape& auth_file_shape() {
    static const auto shape = api::record("", {{"issuer", api::list_of(issuer_shape(), kIssuersMax), ""},
                                               {"client", api::list_of(client_shape(), kClientsMax), ""}});
    return *shape;
}

// --- Its content -----------------------------------------------------------------------------------------------------

// REQUIRES: the roles were validated.
std::set<model::Role> roles_in(const boost::json::array& list) {
    std::set<model::Role> roles;
    for (const auto& each : list) {
        if (const auto role = model::parse_role(std::string_view(each.get_string()))) roles.insert(*role);
    }
    return roles;
}

class Reader {
public:
    Reader(std::filesystem::path folder, const TrustTools& tools, const api::auth::Trusted& before)
        : folder_(std::move(folder)), tools_(tools), before_(before) {}

    Result<LoadedTrust> read(const Json& root) {
        if (auto errors = check(root, auth_file_shape()); !errors.empty()) return errors.front();
        const api::Values file(root);
        loaded_.trusted.configured = true;
        if (auto done = read_each(file.array("issuer"), "/issuer/", &Reader::read_issuer); !done) return done.error();
        if (auto done = read_each(file.array("client"), "/client/", &Reader::read_client); !done) return done.error();
        return std::move(loaded_);
    }

private:
    using ReadOne = Result<void> (Reader::*)(const Json&);

    Result<void> read_each(const boost::json::array& list, const std::string& prefix, ReadOne read_one) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (auto done = (this->*read_one)(list[i]); !done)
                return in_field(done.error(), prefix + std::to_string(i));
        }
        return {};
    }

    Result<void> read_issuer(const Json& json) {
        const api::Values values(json);
        Issuer issuer;
        issuer.issuer = values.text("issuer").value_or("");
        issuer.name = values.text("name").value_or(api::auth::usual_issuer_name(issuer.issuer));
        issuer.audience = values.text("audience").value_or("");
        issuer.algorithm = values.parsed("algorithm", &api::auth::parse_jwt_algorithm).value_or(issuer.algorithm);
        issuer.name_claim = values.text("name_claim").value_or(issuer.name_claim);
        issuer.roles_claim = values.text("roles_claim").value_or(issuer.roles_claim);
        issuer.tenant = values.text("tenant").value_or("");
        issuer.roles = roles_in(values.array("roles"));
        if (!issuer.roles.empty() && issuer.tenant.empty())
            return at_member(invalid("add tenant, the tenant in which these roles apply"), "roles");
        std::vector<KeyPlace> places;
        for (const auto* const member : {"key_file", "secret_file", "jwks_file", "jwks_url"}) {
            if (auto text = values.text(member)) places.push_back({member, std::move(*text)});
        }
        if (places.size() != 1)
            return at_member(invalid("set exactly one of key_file, secret_file, jwks_file and jwks_url"), "issuer");
        const auto same = [&](const Issuer& other) { return other.issuer == issuer.issuer; };
        if (std::ranges::any_of(loaded_.trusted.issuers, same))
            return at_member(invalid("this issuer is listed twice: keep one"), "issuer");
        if (auto named = check_issuer_name(issuer); !named)
            return at_member(named.error(), values.has("name") ? "name" : "issuer");
        auto keys = keys_at(places.front(), issuer.algorithm);
        if (!keys) return at_member(keys.error(), places.front().member);
        issuer.keys = std::move(*keys);
        loaded_.trusted.issuers.push_back(std::move(issuer));
        return {};
    }

    // With two issuers of the same name, or an @ in the name, one user could pass for another.
    [[nodiscard]] Result<void> check_issuer_name(const Issuer& issuer) const {
        if (issuer.name.find('@') != std::string::npos)
            return invalid("its users are user:<sub>@<name>, so the name must not contain @: set name");
        const auto same = [&](const Issuer& other) { return other.name == issuer.name; };
        if (std::ranges::any_of(loaded_.trusted.issuers, same))
            return invalid("another issuer has the name " + in_quotes(issuer.name) + ": set another name");
        return {};
    }

    Result<std::shared_ptr<IssuerKeys>> keys_at(const KeyPlace& place, JwtAlgorithm algorithm) {
        const std::string_view member = place.member;
        const bool shared = algorithm == JwtAlgorithm::hs256;
        if (shared != (member == "secret_file") && member != "jwks_file") {
            return invalid(std::string(name_of(algorithm)) +
                           (shared ? " requires a shared secret: use secret_file or jwks_file"
                                   : " requires a public key: use key_file, jwks_file or jwks_url"));
        }
        if (member == "jwks_url") return keys_from_url(place.text, algorithm);
        const auto path = (folder_ / place.text).string();
        auto text = read_text_file(path);
        if (!text) return text.error();
        if (shared) warn_about_secret(path, *text);
        auto set = key_set(member, std::move(*text), algorithm);
        if (!set) return invalid(path + ": " + set.error().message);
        return std::make_shared<IssuerKeys>(std::move(*set));
    }

    static Result<KeySet> key_set(std::string_view member, std::string text, JwtAlgorithm algorithm) {
        if (member == "jwks_file") return api::auth::parse_jwks(text, algorithm);
        auto key = member == "secret_file" ? SignatureKey::from_secret(Secret(std::move(text)))
                                           : SignatureKey::from_pem(text, algorithm);
        if (!key) return key.error();
        return KeySet(std::move(*key));
    }

    Result<std::shared_ptr<IssuerKeys>> keys_from_url(const std::string& url, JwtAlgorithm algorithm) {
        if (!tools_.fetch)
            return invalid("this server cannot fetch URLs: save the key set to a file and use jwks_file");
        for (const auto& issuer : before_.issuers) {
            if (issuer.keys->url() == url && issuer.keys->algorithm() == algorithm) return issuer.keys;
        }
        return std::make_shared<IssuerKeys>(url, algorithm, tools_.fetch, tools_.clock, tools_.log, tools_.background);
    }

    void warn_about_secret(const std::string& path, const std::string& text) {
        if (others_can_read(path))
            loaded_.warnings.push_back(path + " is readable by every user of this machine: chmod 600 " + path);
        if (text.ends_with('\n'))
            loaded_.warnings.push_back(path + " ends with a line break, which is part of the secret");
    }

    Result<void> read_client(const Json& json) {
        const api::Values values(json);
        CertificateClient client{.san = values.text("san").value_or(""), .name = values.text("name").value_or("")};
        for (const auto& each : values.any("roles")->get_object()) {
            const std::string tenant(std::string_view(each.key()));
            client.roles[tenant] = roles_in(each.value().get_array());
            if (client.roles[tenant].empty())
                return in_field(invalid("name at least one role"), "/roles" + pointer_step(tenant));
        }
        if (client.roles.empty()) return at_member(invalid("name at least one tenant with its roles"), "roles");
        const auto same = [&](const CertificateClient& other) { return other.san == client.san; };
        if (std::ranges::any_of(loaded_.trusted.clients, same))
            return at_member(invalid("this name is listed twice: keep one"), "san");
        loaded_.trusted.clients.push_back(std::move(client));
        return {};
    }

    const std::filesystem::path folder_;
    const TrustTools& tools_;
    const api::auth::Trusted& before_;
    LoadedTrust loaded_;
};

// The last name in a pointer that is not a number.
std::string member_of(const std::string& pointer) {
    const auto slash = pointer.rfind('/');
    if (slash == std::string::npos) return "";
    const auto name = pointer.substr(slash + 1);
    return name.find_first_not_of("0123456789") == std::string::npos ? member_of(pointer.substr(0, slash)) : name;
}

}  // namespace

Result<LoadedTrust> load_auth_file(const std::string& path, const TrustTools& tools, const api::auth::Trusted& before) {
    const auto tree = read_toml_tree(path);
    if (!tree) return tree.error();
    auto loaded = Reader(std::filesystem::path(path).parent_path(), tools, before).read(tree->root);
    if (loaded) return loaded;
    const auto& error = loaded.error();
    const auto member = member_of(error.field);
    return invalid(path + ", line " + std::to_string(tree->line_of(error.field)) +
                   (member.empty() ? "" : ", " + member) + ": " + error.message);
}

Result<void> AuthFile::load() {
    if (path_.empty()) return {};
    auto loaded = load_auth_file(path_, tools_, *trust_.current());
    if (!loaded) return loaded.error();
    for (const auto& warning : loaded->warnings) tools_.log.warn(warning);
    for (const auto& issuer : loaded->trusted.issuers) issuer.keys->refresh();
    tools_.log.info("loaded the auth_file",
                    {{"issuers", loaded->trusted.issuers.size()}, {"clients", loaded->trusted.clients.size()}});
    trust_.replace(std::move(loaded->trusted));
    return {};
}

void AuthFile::reload() {
    if (auto loaded = load(); !loaded) {
        tools_.log.error("cannot load the auth_file; the previous one stays in effect",
                         {{"error", loaded.error().message}});
    }
}

}  // namespace belfry::app
