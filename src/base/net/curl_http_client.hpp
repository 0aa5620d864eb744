// Outgoing HTTP/1.1 with libcurl, restricted so that it can safely call URLs that tenants configure:
//
//   - http and https only; no redirects, proxies, netrc or cookies; nothing is read from the environment
//   - the address of every socket is checked when it is opened, as a number (base/net/address.hpp). Earlier lookups
//     of the name do not count, so a name that changes its address between two lookups gains nothing
//   - the certificate is verified with the system's authorities or those of one file
//   - all times and sizes are bounded
#pragma once

#include <memory>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/log.hpp"
#include "base/net/http_client.hpp"

namespace belfry {

// Who reads the errors. Tenants get the same message for an unknown name and for a name with a private address.
enum class HttpAudience : bool { tenants, operators };

struct HttpClientOptions {
    std::vector<Network> permitted = {};  // besides public addresses: the setting outgoing_allow
    std::string authorities = {};         // PEM file; empty: the system's authorities
    HttpAudience audience = HttpAudience::tenants;
    const Log* log = nullptr;  // gets the details that tenants must not see; must outlive the client. Null: no log
};

class CurlHttpClient final : public HttpClient {
public:
    explicit CurlHttpClient(HttpClientOptions options = {});
    ~CurlHttpClient() override;

    [[nodiscard]] Result<HttpAnswer> send(const HttpCall& call) override;
    [[nodiscard]] Result<void> check(const Url& url) const override;

private:
    class Handle;
    // Takes an idle handle; its connections may still be open.
    [[nodiscard]] std::unique_ptr<Handle> take(const Url& url);
    void give_back(std::unique_ptr<Handle> handle);

    const HttpClientOptions options_;
    Mutex mutex_;
    std::vector<std::unique_ptr<Handle>> idle_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
