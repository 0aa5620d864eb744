// Certificates for tests, made on the spot: an authority, and what it signs.
#pragma once

#include <memory>
#include <string>

namespace belfry::test {

// Both in PEM form.
struct Certificate {
    std::string certificate;
    std::string key;
};

class Authority {
public:
    explicit Authority(const std::string& name);
    ~Authority();
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;

    // Its own, as whoever trusts it needs it.
    [[nodiscard]] const std::string& certificate() const { return own_.certificate; }

    // Good for servers and clients. `names` as OpenSSL writes them: `DNS:localhost,URI:spiffe://belfry/worker`.
    [[nodiscard]] Certificate issue(const std::string& names) const;

private:
    struct Keys;
    std::unique_ptr<Keys> keys_;
    Certificate own_;
};

}  // namespace belfry::test
