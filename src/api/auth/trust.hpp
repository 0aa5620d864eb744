// The configured sources of trust besides API keys: token issuers, and programs with a client certificate. The
// configuration is replaced as a whole while the server handles requests. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/auth/jwt.hpp"
#include "base/concurrency/mutex.hpp"
#include "model/tenant/access.hpp"

namespace belfry::api::auth {

// A program that is identified by a name in its certificate.
struct CertificateClient {
    std::string san;   // `DNS:worker.example.org`, `URI:spiffe://…`, exactly
    std::string name;  // of its principal: `service:<name>`
    model::Roles roles = {};
};

struct Trusted {
    bool configured = false;  // there is an auth_file, even if it is empty
    std::vector<Issuer> issuers = {};
    std::vector<CertificateClient> clients = {};
};

class Trust {
public:
    [[nodiscard]] std::shared_ptr<const Trusted> current() const {
        const MutexLock lock(mutex_);
        return current_;
    }
    void replace(Trusted trusted) {
        auto fresh = std::make_shared<const Trusted>(std::move(trusted));
        const MutexLock lock(mutex_);
        current_ = std::move(fresh);
    }

private:
    mutable Mutex mutex_;
    std::shared_ptr<const Trusted> current_ BELFRY_GUARDED_BY(mutex_) = std::make_shared<const Trusted>();
};

}  // namespace belfry::api::auth
