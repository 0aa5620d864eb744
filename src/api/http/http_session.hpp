// One HTTP connection, and the state that all connections share.
//
// A session is always in one state. It belongs to the thread of `io` in all states but `checking` and `handling`, in
// which a handler's thread uses its request and response:
//
//   opening → idle → reading → checking → continuing
//               ↑       ↓ ↑        │ └────────│─┐
//               │       │ └────────┴──────────┘ │
//               │    handling → waiting         │
//               │       ↓          ↓            ↓
//               └─── writing or streaming ←─ (refused)
//                       ↓
//                    finishing → closed
//
// `checking`: the head has arrived and the body has not, so a handler's thread decides by the head whether to read the
// body. A request that is complete when its head is parsed skips this step.
//
// The operation in progress keeps a session alive: a read, a write, the handler or the wait. Every state has its own
// deadline, which no client can extend; `checking`, `handling` and a waiting stream have none. `waiting` is for a
// deferred response: a handler's thread uses it only while it polls, as with a stream. A session in `opening`, `idle`,
// `finishing`, or `reading` a head may be closed to make room for another connection.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "api/http/connection_limiter.hpp"
#include "api/http/http_server.hpp"
#include "api/http/pool/handler_queue.hpp"
#include "api/http/read_buffer.hpp"
#include "api/http/request_parser.hpp"
#include "api/http/response_pipeline.hpp"
#include "api/http/stream.hpp"
#include "api/http/unread_answers.hpp"
#include "base/concurrency/fair_share.hpp"

namespace belfry::api {

class HttpSession;

[[nodiscard]] Problem too_many_connections();

// Its members belong to the thread of `io`, except for the contexts and members that are atomic or thread-safe
// themselves.
struct HttpShared {
    HttpShared(Handler handler, HttpServerOptions with)
        : options(std::move(with)),
          pipeline(std::move(handler), {.secure = options.tls.has_value(),
                                        .streams_max = options.streams_max,
                                        .waits_max = std::min(options.waits_max, options.connections_max),
                                        .on_answer = options.on_answer,
                                        .on_problem = options.on_problem,
                                        .check_head = options.check_head}),
          connections({.connections_max = options.connections_max, .per_address = per_address(options)}),
          bodies(options.body_memory),
          unread(options.answer_memory, options.on_unread_closed) {}

    ~HttpShared() { queue.clear(); }  // its sessions use the contexts
    HttpShared(const HttpShared&) = delete;
    HttpShared& operator=(const HttpShared&) = delete;

    // One client leaves a quarter to others, as in every pool.
    static std::size_t per_address(const HttpServerOptions& options) {
        if (options.connections_per_address > 0) return options.connections_per_address;
        return std::max<std::size_t>(1, options.connections_max - options.connections_max / 4);
    }

    const HttpServerOptions options;
    ResponsePipeline pipeline;
    ConnectionLimiter connections;
    FairShare bodies;                     // bytes of bodies that are read or handled, by the client's address
    UnreadAnswers unread;                 // responses that are being written
    std::uint64_t looks = 0;              // number of checks of all connections so far
    bool closing = false;                 // every response is the last on its connection
    bool draining = false;                // no new connections are accepted
    bool grace_over = false;              // also closes connections without a request
    std::atomic<bool> abandoned = false;  // requests that no handler has started are dropped
    std::set<HttpSession*> sessions = {};
    std::function<void()> on_empty = {};  // while draining
    HandlerQueue queue{work};             // what waits for `work`
    // Last, so that they are destroyed first: they still hold sessions, which use the members above.
    boost::asio::io_context io{1};
    boost::asio::io_context work;      // where handlers run
    boost::asio::io_context probe{1};  // where handlers run for the paths of probes
};

struct Peer {
    std::string address;  // without a port
    // The key of its share: an IPv4 address, or the /64 of an IPv6 address, which belongs to one client.
    std::string network;
};

class HttpSession final : public StreamUser,
                          public ConnectionLimiter::Connection,
                          public std::enable_shared_from_this<HttpSession> {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr Micros kForever = Micros::max();  // no deadline

    // REQUIRES: the limiter has admitted the connection as this.
    HttpSession(HttpShared& shared, std::unique_ptr<Stream> stream, Peer peer, ConnectionLimiter::Admission admission);
    ~HttpSession() override;
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    void start();

    // Closes the session if its deadline has passed, or if its client has left before a handler started the request.
    // Polls a stream whose interval has passed.
    void look_at(Time now);

    // Notifies the streams that there may be something to send.
    void wake();

    // Ends a connection without a request, and one whose client does not read the end of a stream.
    void end_idle();

    // Completes the deferred response now, and ends the stream, because the server shuts down.
    void end_wait();
    void end_stream();

    void close() override;

private:
    enum class State : std::uint8_t {
        opening,
        idle,
        reading,
        checking,
        continuing,
        handling,
        waiting,
        writing,
        streaming,
        finishing,
        closed
    };

    void on_open(const boost::system::error_code& error) override;
    void on_read(const boost::system::error_code& error, std::size_t bytes) override;
    void on_written(const boost::system::error_code& error) override;

    void enter(State state, Micros at_most);
    void await_request();
    void read(std::size_t wanted);
    void on_bytes();
    void advance();
    [[nodiscard]] bool is_probe(const Request& request) const;
    void identify(Request& request) const;
    // Runs `work` on a handler's thread, then `done` on the thread of `io`.
    using Step = void (HttpSession::*)();
    void lend(const Request& request, std::function<void(HttpSession&)> work, Step done);
    void check_head();
    void decide();  // on a handler's thread
    void on_checked();
    void begin_body();
    [[nodiscard]] bool hold_body();
    void release_body();
    void hand_over();
    void prepare();    // on a handler's thread
    void make_head();  // likewise
    void count_unread();
    void deliver();
    void write_answer();
    void refuse(const Problem& problem);
    void finish();

    // Streams.
    void begin_stream();
    void send_part();
    void on_part_written();
    void send_last_part();
    void ask();
    void ask_more();  // on a handler's thread
    void on_asked();

    // Deferred responses.
    void begin_wait();
    void read_ahead();
    void on_read_ahead(const boost::system::error_code& error, std::size_t bytes);
    void on_rung();
    void ask_again(bool last);
    void answer_again(bool last);  // on a handler's thread
    void on_asked_again();

    HttpShared& shared_;
    std::unique_ptr<Stream> stream_;
    const Peer peer_;
    const bool probes_only_;
    std::vector<std::string> certificate_names_;
    State state_ = State::opening;
    Time deadline_ = Time::max();
    ReadBuffer buffer_;
    RequestParser parser_;
    Request request_;
    Response response_;
    UnreadAnswers::Hold unread_;  // while a large response is written
    HandlerQueue::Unread owed_;   // from when it is ready; belongs to the thread that has the response
    std::string head_;            // as written before the body
    bool prepared_ = false;       // a handler has responded
    bool checked_ = false;        // the head was checked, and the body is to be read
    bool refused_ = false;        // by the check of the head
    bool read_twice_ = false;     // the body did not fully arrive with the head
    std::size_t body_held_ = 0;   // bytes reserved in the share of bodies
    std::uint64_t handed_over_look_ = 0;
    std::atomic<bool> begun_ = false;  // a handler has started the request
    bool keeps_alive_ = true;          // keep the connection after this response

    std::size_t discarded_ = 0;   // bytes that came after the last response
    bool discard_later_ = false;  // discard the next bytes at the next check

    bool asking_ = false;              // a handler's thread polls the stream or the deferred response
    bool woken_ = false;               // since the last poll
    std::optional<std::string> next_;  // the result of the poll
    Time ask_at_ = Time::max();        // next poll; never while it is polled or written

    // A read that started during a wait may end long after it, so its bytes have their own buffer until then.
    std::vector<char> ahead_;
    bool reading_ahead_ = false;
    std::shared_ptr<HttpSession> kept_;  // keeps itself alive while it waits: a full buffer ends the reads
    std::atomic<bool> gone_ = false;     // the client has left
};

}  // namespace belfry::api
