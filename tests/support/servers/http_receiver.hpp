// A small HTTP server on loopback that answers as a test says, byte by byte, and remembers what it was sent.
// Thread-safe; a thread for every connection.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/net/http_client.hpp"
#include "support/fakes/tls_identity.hpp"

namespace belfry::test {

struct Received {
    std::string method;
    std::string target;
    std::vector<HttpHeader> headers;  // names in lower case
    std::string body;
    [[nodiscard]] std::string header(std::string_view name) const;
    [[nodiscard]] std::size_t count(std::string_view name) const;
};

class HttpReceiver {
public:
    // The bytes of the answer, after which the connection is closed unless they say otherwise; nothing: never a word.
    using Answer = std::function<std::optional<std::string>(const Received&)>;
    // With an identity it speaks TLS. REQUIRES: the identity outlives it.
    explicit HttpReceiver(Answer answer, const TlsIdentity* identity = nullptr);
    ~HttpReceiver();
    HttpReceiver(const HttpReceiver&) = delete;
    HttpReceiver& operator=(const HttpReceiver&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // `http://127.0.0.1:PORT/path`
    [[nodiscard]] std::string url(const std::string& path = "/") const;
    [[nodiscard]] std::vector<Received> received() const;
    [[nodiscard]] int connections() const;

private:
    struct Link {
        int socket = -1;
        std::jthread thread;
    };
    void accept_all();
    void serve(int socket);

    const Answer answer_;
    const TlsIdentity* const identity_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    mutable Mutex mutex_;
    std::vector<Received> received_ BELFRY_GUARDED_BY(mutex_);
    std::list<Link> links_ BELFRY_GUARDED_BY(mutex_);
    bool ending_ BELFRY_GUARDED_BY(mutex_) = false;
    std::jthread thread_;  // last: it uses all the others
};

// `HTTP/1.1 200 …` with its length; headers end with \r\n each.
[[nodiscard]] std::string http_answer(int status, const std::string& body = {}, const std::string& headers = {});

}  // namespace belfry::test
