// The HTTP client of the tests over TLS.
#pragma once

#include <memory>
#include <string>

#include "support/fakes/certificates.hpp"
#include "support/servers/http_client.hpp"

namespace belfry::test {

struct TlsClientOptions {
    std::string authority;         // PEM: who signs the server's certificate, which must be for localhost
    Certificate certificate = {};  // to show; none when empty
    int version_max = 0;           // TLS1_1_VERSION and the like; 0: any
};

class TlsClient final : public HttpClient {
public:
    TlsClient(unsigned short port, const TlsClientOptions& options);
    ~TlsClient() override;

    // The server could prove who it is. With TLS 1.3 a client that the server refuses hears of it only when it reads.
    [[nodiscard]] bool is_connected() const { return connected_; }
    // `TLSv1.3`
    [[nodiscard]] std::string version() const;
    // The number of the server's certificate.
    [[nodiscard]] std::string server_serial() const;

private:
    long write_some(std::string_view bytes) override;
    long read_some(std::string& into) override;

    struct Tls;
    std::unique_ptr<Tls> tls_;
    bool connected_ = false;
};

}  // namespace belfry::test
