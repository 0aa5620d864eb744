#include "api/http_session.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "api/response_head.hpp"
#include "base/clock.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr Micros kLingerTime = Seconds{2};                // for a client to read the answer before the connection is cut
constexpr Micros kLastLingerTime = Seconds{1};            // the same when the server ends
constexpr std::size_t kReadHead = std::size_t{4} << 10;   // at once
constexpr std::size_t kReadBody = std::size_t{16} << 10;  // at once
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpSession::HttpSession(HttpShared& shared, std::unique_ptr<Stream> stream, std::string peer)
    : shared_(shared),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      buffer_(shared.options.header_max + kReadBody),
      parser_({shared.options.header_max, shared.options.body_max}) {
    shared_.sessions.insert(this);
}

HttpSession::~HttpSession() {
    shared_.sessions.erase(this);
    if (shared_.sessions.empty() && shared_.on_empty) shared_.on_empty();
}

void HttpSession::enter(State state, Micros at_most) {
    state_ = state;
    deadline_ = at_most == kForever ? Time::max() : Steady::now() + at_most;
}

void HttpSession::start() {
    enter(State::opening, shared_.options.handshake_timeout);
    stream_->open(shared_from_this());
}

void HttpSession::on_open(const error_code& error) {
    if (error) return close();
    certificate_names_ = stream_->certificate_names();
    await_request();
}

void HttpSession::close() {
    // What a handler's thread has in its hands is let go of when it comes back.
    const bool lent = asking_ || state_ == State::handling;
    state_ = State::closed;
    gone_ = true;
    stream_->close();
    // Later: whoever goes through all sessions must not lose this one under its hands.
    if (kept_) asio::post(shared_.io, [kept = std::move(kept_)] {});
    if (lent) return;
    response_.more = {};
    response_.later = {};
}

void HttpSession::end_idle() {
    if (state_ == State::opening || state_ == State::streaming) return close();
    if (state_ == State::idle && !stream_->has_unread()) finish();
}

void HttpSession::look_at(Time now) {
    if (state_ == State::closed) return;
    if (now >= deadline_) return close();
    if (state_ == State::streaming && now >= ask_at_) ask();
    if (state_ == State::waiting && !asking_ && now >= ask_at_) ask_again(true);
}

// For the first bytes of a request. What was sent ahead is there already.
void HttpSession::await_request() {
    parser_.reset();
    if (!buffer_.empty()) {
        enter(State::reading, shared_.options.header_timeout);
        return advance();
    }
    if (shared_.grace_over) return finish();
    enter(State::idle, shared_.options.idle_timeout);
    read(kReadHead);
}

void HttpSession::read(std::size_t wanted) {
    if (reading_ahead_) return;  // what comes is taken when it ends
    const auto room = buffer_.room(wanted);
    // Only the lines between the chunks of a body can be so long: the parser has its own limit for a head.
    if (room.empty()) return refuse({400, "malformed_request", "a line between the chunks of the body is too long", {}});
    stream_->read_some(room, shared_from_this());
}

void HttpSession::on_read(const error_code& error, std::size_t bytes) {
    if (state_ == State::closed) return;
    if (reading_ahead_) return on_read_ahead(error, bytes);
    if (error) return close();
    buffer_.commit(bytes);
    on_bytes();
}

// Some have come, and this is the only read.
void HttpSession::on_bytes() {
    if (state_ == State::streaming || state_ == State::finishing) {
        // Nobody waits for it. Closing with bytes unread would reset the connection, and the client might never see the answer.
        buffer_.clear();
        return read(kReadHead);
    }
    // One deadline for all headers and one for the body: a client that sends a byte now and then does not prolong them.
    if (state_ == State::idle) enter(State::reading, shared_.options.header_timeout);
    advance();
}

void HttpSession::advance() {
    using Progress = RequestParser::Progress;
    const bool in_head = parser_.progress() == Progress::head;
    if (!buffer_.empty()) buffer_.consume(parser_.put(buffer_.view()));
    switch (parser_.progress()) {
        case Progress::refused: return refuse(parser_.refusal());
        case Progress::complete: return hand_over();
        case Progress::head: return read(kReadHead);
        case Progress::body: break;
    }
    if (!in_head) return read(kReadBody);
    if (parser_.expects_continue()) {
        enter(State::continuing, shared_.options.write_timeout);
        return stream_->write(kContinue, {}, shared_from_this());
    }
    enter(State::reading, shared_.options.body_timeout);
    advance();  // with what has come of the body; once, because the head is over
}

void HttpSession::hand_over() {
    enter(State::handling, kForever);
    keeps_alive_ = parser_.keeps_alive();
    request_ = parser_.take();
    request_.peer = peer_;
    request_.certificate_names = certificate_names_;
    const bool probe = std::ranges::find(shared_.options.probes, request_.path) != shared_.options.probes.end();
    asio::post(probe ? shared_.probe : shared_.work, [self = shared_from_this()]() mutable {
        self->prepare();
        // Moved, not copied: the last reference must go where the sessions are kept.
        auto& io = self->shared_.io;
        asio::post(io, [moved = std::move(self)] { moved->deliver(); });
    });
}

void HttpSession::prepare() {
    prepared_ = false;
    if (shared_.abandoned) return;
    try {
        response_ = shared_.answerer.answer(request_);
        if (!response_.later) make_head();
        prepared_ = true;
    } catch (const std::exception&) {
        return;  // out of memory: this connection is closed, the others go on
    }
}

void HttpSession::make_head() {
    const auto endless = parser_.is_version_10() ? Framing::until_close : Framing::chunked;
    head_ = response_head(response_, response_.more ? endless : Framing::length, SystemClock().now());
}

void HttpSession::deliver() {
    if (state_ == State::closed || !prepared_) return close();
    if (response_.later) return begin_wait();
    if (shared_.closing || response_.more) keeps_alive_ = false;
    head_ += last_lines(keeps_alive_, parser_.is_version_10());
    if (request_.method == "HEAD" || !has_body(response_.status)) response_.body.clear();
    if (response_.more) return begin_stream();
    enter(State::writing, shared_.options.write_timeout);
    stream_->write(head_, response_.body, shared_from_this());
}

// The request is no HTTP, or too large: says so, and does not read on.
void HttpSession::refuse(const Problem& problem) {
    keeps_alive_ = false;
    response_ = shared_.answerer.refuse(problem, peer_);
    head_ = response_head(response_, Framing::length, SystemClock().now());
    head_ += last_lines(false, false);
    enter(State::writing, shared_.options.write_timeout);
    stream_->write(head_, response_.body, shared_from_this());
}

void HttpSession::on_written(const error_code& error) {
    if (state_ == State::closed) return;
    if (error) return close();
    if (state_ == State::continuing) {
        enter(State::reading, shared_.options.body_timeout);
        return advance();
    }
    if (state_ == State::streaming) return on_part_written();
    if (keeps_alive_) return await_request();
    finish();
}

// Says that this was all and waits for the client to close: it may still be sending, and reads the answer later.
void HttpSession::finish() {
    const bool reads = state_ == State::streaming || state_ == State::idle;
    enter(State::finishing, shared_.draining ? kLastLingerTime : kLingerTime);
    stream_->shutdown(shared_from_this());
    if (reads) return;
    buffer_.clear();
    read(kReadHead);
}

}  // namespace belfry::api
