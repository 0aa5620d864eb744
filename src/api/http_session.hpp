// One connection that speaks HTTP, and what all of them share.
//
// A session is always in one state, and belongs to the thread of `io` in all of them but `handling`, when its request and its answer
// are in the hands of a handler's thread:
//
//   opening → idle → reading ⇄ continuing
//               ↑       ↓
//               │    handling → waiting
//               │       ↓          ↓
//               └─── writing or streaming → finishing → closed
//
// What keeps it alive is the operation that is under way: a read, a write, the handler that works for it, or the wait. Every state has a
// deadline of its own, which no client can prolong; `handling` and a stream that waits have none. `waiting` is for an answer that comes
// later: a handler's thread has it only while it is asked, as it has a stream.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "api/answerer.hpp"
#include "api/http_server.hpp"
#include "api/read_buffer.hpp"
#include "api/request_parser.hpp"
#include "api/stream.hpp"

namespace belfry::api {

class HttpSession;

// Its members belong to the thread of `io`, apart from the contexts and what is atomic or thread-safe itself.
struct HttpShared {
    HttpShared(Handler handler, HttpServerOptions with)
        : options(std::move(with)),
          answerer(std::move(handler), {.secure = options.tls.has_value(),
                                        .streams_max = options.streams_max,
                                        .waits_max = options.waits_max,
                                        .on_answer = options.on_answer}) {}

    const HttpServerOptions options;
    Answerer answerer;
    bool closing = false;                 // every answer is the last of its connection
    bool draining = false;                // nobody is let in any more
    bool grace_over = false;              // and connections without a request end
    std::atomic<bool> abandoned = false;  // requests that no handler has begun are dropped
    std::set<HttpSession*> sessions = {};
    std::function<void()> on_empty = {};  // while draining
    // Last, so that they go first: what they still hold are sessions, which know the members above.
    boost::asio::io_context io{1};
    boost::asio::io_context work;      // where handlers run
    boost::asio::io_context probe{1};  // where they run for the paths of probes
};

class HttpSession final : public StreamUser, public std::enable_shared_from_this<HttpSession> {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr Micros kForever = Micros::max();  // as a deadline: none

    HttpSession(HttpShared& shared, std::unique_ptr<Stream> stream, std::string peer);
    ~HttpSession() override;
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    void start();

    // Closes what is beyond its deadline, and asks a stream again that has waited long enough.
    void look_at(Time now);

    // There may be something for the streams to say.
    void wake();

    // Ends a connection without a request, and one whose client does not read the end of an answer without an end.
    void end_idle();

    // The answer that comes later comes now, and the one without an end ends: the server does.
    void end_wait();
    void end_stream();

    void close();

private:
    enum class State : std::uint8_t { opening, idle, reading, continuing, handling, waiting, writing, streaming, finishing, closed };

    void on_open(const boost::system::error_code& error) override;
    void on_read(const boost::system::error_code& error, std::size_t bytes) override;
    void on_written(const boost::system::error_code& error) override;

    void enter(State state, Micros at_most);
    void await_request();
    void read(std::size_t wanted);
    void on_bytes();
    void advance();
    void hand_over();
    void prepare();    // on a handler's thread
    void make_head();  // likewise
    void deliver();
    void refuse(const Problem& problem);
    void finish();

    // The answer without an end.
    void begin_stream();
    void send_part();
    void on_part_written();
    void send_last_part();
    void ask();
    void ask_more();  // on a handler's thread
    void on_asked();

    // The answer that comes later.
    void begin_wait();
    void read_ahead();
    void on_read_ahead(const boost::system::error_code& error, std::size_t bytes);
    void on_rung();
    void ask_again(bool last);
    void answer_again(bool last);  // on a handler's thread
    void on_asked_again();

    HttpShared& shared_;
    std::unique_ptr<Stream> stream_;
    const std::string peer_;
    std::vector<std::string> certificate_names_;
    State state_ = State::opening;
    Time deadline_ = Time::max();
    ReadBuffer buffer_;
    RequestParser parser_;
    Request request_;
    Response response_;
    std::string head_;         // as it is written before the body
    bool prepared_ = false;    // a handler has answered
    bool keeps_alive_ = true;  // the connection, after this answer

    bool asking_ = false;              // a handler's thread has `more`, or `later`
    bool woken_ = false;               // since it was asked
    std::optional<std::string> next_;  // what it said
    Time ask_at_ = Time::max();        // again; never while it is asked or written

    // A read that began during a wait may end long after it, so its bytes have a place of their own until they are taken.
    std::vector<char> ahead_;
    bool reading_ahead_ = false;
    std::shared_ptr<HttpSession> kept_;  // by itself while it waits: a full buffer ends the reads
    std::atomic<bool> gone_ = false;     // nobody is there to be answered
};

}  // namespace belfry::api
