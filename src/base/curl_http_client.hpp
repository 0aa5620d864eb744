// Outgoing HTTP/1.1 with libcurl, so narrow that a URL from a stranger can be called:
//
//   - http and https only; no redirects, proxies, netrc, cookies or caches of them; nothing is read from the environment
//   - the address of every socket is judged when it is opened, as a number (base/address.hpp). What a name resolved to before
//     does not matter, so a name that changes its mind between two looks gains nothing
//   - the certificate is checked against the system's authorities or those of one file
//   - times and sizes of everything have bounds
#pragma once

#include <memory>
#include <vector>

#include "base/http_client.hpp"
#include "base/mutex.hpp"

namespace belfry {

struct HttpClientOptions {
    std::vector<Network> permitted = {};  // beside public addresses: the setting outgoing_allow
    std::string authorities = {};         // a PEM file that replaces the system's; empty: the system's
};

class CurlHttpClient final : public HttpClient {
public:
    explicit CurlHttpClient(HttpClientOptions options = {});
    ~CurlHttpClient() override;

    [[nodiscard]] Result<HttpAnswer> send(const HttpCall& call) override;
    [[nodiscard]] Result<void> check(const Url& url) const override;

private:
    class Handle;
    // One that is not in use; its connections may still be open.
    [[nodiscard]] std::unique_ptr<Handle> take(const Url& url);
    void give_back(std::unique_ptr<Handle> handle);

    const HttpClientOptions options_;
    Mutex mutex_;
    std::vector<std::unique_ptr<Handle>> idle_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
