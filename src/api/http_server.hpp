// HTTP/1.1 on a socket: reads requests, has them answered on a pool of threads, writes the answers. Knows no routes.
//
// One thread does all input and output and never blocks; others run the handler, which may. A connection has one
// request in progress at a time: what a client sends ahead waits in its buffer, so answers keep their order. Whatever a
// client can do is bounded: connections, bytes, and the time for each part of a request. A handler that throws answers 500.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "api/message.hpp"
#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::api {

struct HttpServerOptions {
    std::string listen = "127.0.0.1:8642";           // HOST:PORT or [IPV6]:PORT; port 0 takes a free one
    int threads = 4;                                 // that run the handler
    std::string probe = "/health";                   // a path with a thread of its own: it answers while all others wait for the store
    std::size_t body_max = std::size_t{2} << 20;     // bytes; more is 413
    std::size_t header_max = std::size_t{16} << 10;  // bytes of the request line and all headers; more is 431
    std::size_t connections_max = 1'000;             // one more is answered 503 and closed
    Micros idle_timeout = Seconds{60};               // between two requests of a connection
    Micros header_timeout = Seconds{10};             // from the first byte to the end of the headers
    Micros body_timeout = Seconds{30};               // for the whole body
    Micros write_timeout = Seconds{30};              // for a whole answer
};

class HttpServer {
public:
    using Options = HttpServerOptions;

    explicit HttpServer(Handler handler, Options options = {});
    ~HttpServer();  // stops without a drain
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Listens and begins to answer. The error names the address and says what is wrong with it. Once.
    [[nodiscard]] Result<void> start();

    // The one it listens on; 0 before the start.
    [[nodiscard]] unsigned short port() const;

    // Accepts nobody from now on, lets the requests in progress finish within the drain time, then closes what is left.
    // Waits for the handlers that are running, whatever the drain says: they use what the caller is about to destroy. Again
    // is fine.
    void stop(Micros drain);

private:
    class Core;  // keeps Beast, which takes long to compile, out of here
    std::unique_ptr<Core> core_;
};

}  // namespace belfry::api
