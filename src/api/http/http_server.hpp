// An HTTP/1.1 server on a socket, with or without TLS: it reads requests, runs the handler on a thread pool, and writes
// the responses. It knows no routes.
//
// One thread does all input and output and never blocks; other threads run the handler, which may. A connection has one
// request in progress at a time. Pipelined requests wait in its buffer, so responses keep their order. Everything that
// a client can use is bounded: connections, bytes, and the time for each part of a request. If a handler throws, the
// response is 500. A request that no handler has started is dropped when its client disconnects. Streams
// (Response::next_chunk) and deferred responses (Response::deferred) hold no thread while they wait.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/message.hpp"
#include "api/http/response_pipeline.hpp"
#include "api/http/tls/tls_options.hpp"
#include "api/http/unread_answers.hpp"
#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

struct HttpServerOptions {
    std::string listen = "127.0.0.1:8642";                // HOST:PORT or [IPV6]:PORT; port 0 takes a free one
    int threads = 4;                                      // that run the handler
    std::size_t body_max = std::size_t{2} << 20;          // bytes; more is 413
    std::size_t header_max = std::size_t{16} << 10;       // bytes of the request line and all headers; more is 431
    std::size_t body_memory = std::size_t{64} << 20;      // bytes of bodies in progress; more is 503; fair by address
    std::size_t answer_memory = std::size_t{256} << 20;   // bytes of unread responses (unread_answers.hpp)
    std::size_t connections_max = 1'000;                  // one more closes the longest idle, or gets 503
    std::size_t connections_per_address = 0;              // of one client; 0: three quarters of them
    std::size_t streams_max = 256;                        // one more gets 503; fair by tenant and caller
    std::size_t waits_max = 4'096;                        // deferred responses; likewise
    Micros handshake_timeout = Seconds{5};                // of TLS: two round trips, with time for two lost packets
    Micros idle_timeout = Seconds{60};                    // between two requests of a connection
    Micros header_timeout = Seconds{10};                  // from the first byte to the end of the headers
    Micros body_timeout = Seconds{30};                    // for the whole body
    Micros write_timeout = Seconds{30};                   // for a whole response, and for each part of a stream
    Micros stream_poll = std::chrono::milliseconds{250};  // interval between two polls of a stream
    // Paths with their own thread: they respond even while all other handlers wait for the store.
    std::vector<std::string> probes = {"/health", "/healthz", "/readyz"};
    std::optional<TlsOptions> tls = {};
    AnswerHook on_answer = {};
    ProblemHook on_problem = {};
    UnreadAnswers::OnClose on_unread_closed = {};  // on the thread of input and output: must not block
    HeadCheck check_head = {};                     // decides by the head whether to read the body; none: always
};

class HttpServer {
public:
    using Options = HttpServerOptions;

    explicit HttpServer(Handler handler, Options options = {});
    ~HttpServer();  // stops without draining
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Listens and starts to serve. The error names the address or the file, and the problem. Call it once.
    [[nodiscard]] Result<void> start();

    // The port on which the server listens; 0 before the start.
    [[nodiscard]] unsigned short port() const;

    // Reads the certificates again, for new connections. After an error, the old ones stay. On any thread.
    [[nodiscard]] Result<void> reload();

    // Polls the streams now, instead of at their next interval. On any thread.
    void wake();

    // From now on, responses ask clients to close the connection. The server still accepts and serves connections as
    // before. On any thread.
    void say_goodbye();

    // Stops accepting connections, lets requests in progress finish within the drain time, then closes the rest. An
    // idle connection may send one more request for a moment, because its client cannot know; then the server shuts it
    // down. Streams end at once, and deferred responses are polled for the last time. The call always waits for running
    // handlers, because they use objects that the caller is about to destroy. Repeated calls have no effect.
    void stop(Micros drain);

private:
    class Core;  // keeps Asio, which takes long to compile, out of this header
    std::unique_ptr<Core> core_;
};

}  // namespace belfry::api
