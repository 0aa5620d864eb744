// HTTP/1.1 on a socket, with or without TLS: reads requests, has them answered on a pool of threads, writes the answers. Knows no
// routes.
//
// One thread does all input and output and never blocks; others run the handler, which may. A connection has one
// request in progress at a time: what a client sends ahead waits in its buffer, so answers keep their order. Whatever a
// client can do is bounded: connections, bytes, and the time for each part of a request. A handler that throws answers 500.
// Answers without an end (Response::more) hold no thread while there is nothing to say, nor do those that come later (Response::later).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answerer.hpp"
#include "api/message.hpp"
#include "api/tls_options.hpp"
#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::api {

struct HttpServerOptions {
    std::string listen = "127.0.0.1:8642";                // HOST:PORT or [IPV6]:PORT; port 0 takes a free one
    int threads = 4;                                      // that run the handler
    std::size_t body_max = std::size_t{2} << 20;          // bytes; more is 413
    std::size_t header_max = std::size_t{16} << 10;       // bytes of the request line and all headers; more is 431
    std::size_t connections_max = 1'000;                  // one more is answered 503 and closed
    std::size_t streams_max = 256;                        // answers without an end; one more is 503
    std::size_t waits_max = 4'096;                        // answers that come later (Response::later); one more is 503
    Micros handshake_timeout = Seconds{10};               // of TLS
    Micros idle_timeout = Seconds{60};                    // between two requests of a connection
    Micros header_timeout = Seconds{10};                  // from the first byte to the end of the headers
    Micros body_timeout = Seconds{30};                    // for the whole body
    Micros write_timeout = Seconds{30};                   // for a whole answer, and for each part of one without an end
    Micros stream_poll = std::chrono::milliseconds{250};  // how long one without an end waits before it is asked again
    // Paths with a thread of their own: they answer while all others wait for the store.
    std::vector<std::string> probes = {"/health", "/healthz", "/readyz"};
    std::optional<TlsOptions> tls = {};
    AnswerHook on_answer = {};
};

class HttpServer {
public:
    using Options = HttpServerOptions;

    explicit HttpServer(Handler handler, Options options = {});
    ~HttpServer();  // stops without a drain
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Listens and begins to answer. The error names the address, or the file, and says what is wrong with it. Once.
    [[nodiscard]] Result<void> start();

    // The one it listens on; 0 before the start.
    [[nodiscard]] unsigned short port() const;

    // Reads the certificates again, for connections that come from now on. After an error all stays as it was. On any thread.
    [[nodiscard]] Result<void> reload();

    // Asks the answers without an end now, not when their time has come. On any thread.
    void wake();

    // Answers from now on tell their clients to close the connection; everybody is accepted and served as before. On any thread.
    void say_goodbye();

    // Accepts nobody from now on, lets the requests in progress finish within the drain time, then closes what is left. A connection
    // without a request may bring one for a moment still, since its client cannot know; then it is told that nothing more follows.
    // Answers without an end are ended at once, those that come later are asked for the last time. Waits for the handlers that are running, whatever
    // the drain says: they use what the caller is about to destroy. Again is fine.
    void stop(Micros drain);

private:
    class Core;  // keeps Asio, which takes long to compile, out of here
    std::unique_ptr<Core> core_;
};

}  // namespace belfry::api
