#include "api/http/http_session.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "api/http/pool/handler_client.hpp"
#include "api/http/response_head.hpp"
#include "base/time/clock.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr Micros kLingerTime = Seconds{2};                      // for a client to read the last response
constexpr Micros kLastLingerTime = Seconds{1};                  // the same when the server shuts down
constexpr std::size_t kReadHead = std::size_t{4} << 10;         // at once
constexpr std::size_t kDiscardAtOnce = std::size_t{256} << 10;  // of what a refused client sends
constexpr std::size_t kReadBody = std::size_t{16} << 10;        // at once
constexpr std::size_t kSmallAnswer = std::size_t{16} << 10;     // not counted: the limit on connections bounds these
constexpr Micros kProbeTime = Seconds{2};                       // for each step of a connection that is for probes only
// Checks after which the server tests whether the client of a queued request is still connected.
constexpr std::uint64_t kQueuedLooks = 2;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// An assignment would keep the capacity.
void free_memory(std::string& text) { std::string().swap(text); }

Problem no_room_for_body() {
    return {503,
            "body_memory_full",
            "the server has no memory for this body now (body_memory_mib); retry after a second",
            {}};
}

}  // namespace

Problem too_many_connections() {
    return {503, "too_many_connections", "too many connections are in use; close some, or retry after a second", {}};
}

HttpSession::HttpSession(HttpShared& shared, std::unique_ptr<Stream> stream, Peer peer,
                         ConnectionLimiter::Admission admission)
    : shared_(shared),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      probes_only_(admission == ConnectionLimiter::Admission::probes_only),
      buffer_(shared.options.header_max + kReadBody),
      parser_({shared.options.header_max, shared.options.body_max}) {
    shared_.sessions.insert(this);
    shared_.connections.add(*this, peer_.network, admission);
}

HttpSession::~HttpSession() {
    release_body();
    shared_.connections.remove(*this);
    shared_.sessions.erase(this);
    if (shared_.sessions.empty() && shared_.on_empty) shared_.on_empty();
}

void HttpSession::enter(State state, Micros at_most) {
    state_ = state;
    const bool in_head = state == State::reading && !checked_;
    if (in_head || state == State::opening || state == State::idle || state == State::finishing) {
        shared_.connections.wait_for_client(*this);
        if (probes_only_) at_most = std::min(at_most, kProbeTime);
    } else {
        shared_.connections.begin_work(*this);
    }
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
    // The request and response that a handler's thread uses are released when it returns.
    const bool lent = asking_ || state_ == State::handling || state_ == State::checking;
    state_ = State::closed;
    // A connection counts until its handler returns. Otherwise clients that disconnect could queue requests without a
    // bound.
    lent ? shared_.connections.begin_work(*this) : shared_.connections.remove(*this);
    gone_ = true;
    unread_.release();
    stream_->close();
    // Later, because the caller may be iterating over all sessions.
    if (kept_) asio::post(shared_.io, [kept = std::move(kept_)] {});
    if (lent) return;
    owed_.release();
    response_.next_chunk = {};
    response_.deferred = {};
}

void HttpSession::end_idle() {
    if (state_ == State::opening || state_ == State::streaming) return close();
    if (state_ == State::idle && !stream_->has_unread()) finish();
}

void HttpSession::look_at(Time now) {
    if (state_ == State::closed) return;
    if (now >= deadline_) return close();
    if (std::exchange(discard_later_, false)) read(kReadBody);
    if (state_ == State::handling && !begun_ && shared_.looks - handed_over_look_ >= kQueuedLooks &&
        stream_->peer_has_left())
        return close();
    if (state_ == State::streaming && now >= ask_at_) ask();
    if (state_ == State::waiting && !asking_ && now >= ask_at_) ask_again(true);
}

// Waits for the first bytes of a request. Pipelined bytes are already in the buffer.
void HttpSession::await_request() {
    parser_.reset();
    checked_ = read_twice_ = false;
    // Free the memory of a large request or response.
    free_memory(request_.body);
    free_memory(response_.body);
    if (buffer_.empty()) buffer_.shrink(kReadHead);
    if (!buffer_.empty()) {
        enter(State::reading, shared_.options.header_timeout);
        return advance();
    }
    if (shared_.grace_over) return finish();
    enter(State::idle, shared_.options.idle_timeout);
    read(kReadHead);
}

void HttpSession::read(std::size_t wanted) {
    if (reading_ahead_) return;  // the pending read delivers the bytes
    const auto room = buffer_.room(wanted);
    // Only the lines between the chunks of a body can be this long: the parser limits the head itself.
    if (room.empty())
        return refuse({400, "malformed_request", "a line between the chunks of the body is too long", {}});
    stream_->read_some(room, shared_from_this());
}

void HttpSession::on_read(const error_code& error, std::size_t bytes) {
    if (state_ == State::closed) return;
    if (reading_ahead_) return on_read_ahead(error, bytes);
    if (error) return close();
    buffer_.commit(bytes);
    on_bytes();
}

// Handles received bytes when no other read is pending.
void HttpSession::on_bytes() {
    if (state_ == State::streaming || state_ == State::finishing) {
        // Discard the bytes. Closing with unread bytes would reset the connection, and the client might never see the
        // response.
        discarded_ += buffer_.view().size();
        buffer_.clear();
        if (discarded_ < kDiscardAtOnce) return read(kReadBody);
        // A client that keeps sending is read only at intervals, because many of them would occupy the thread.
        discard_later_ = true;
        kept_ = shared_from_this();
        return;
    }
    // One deadline for all headers and one for the body, which a slow client cannot extend.
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
    // Continue with the bytes of the body that have arrived. Happens once, because the head is complete.
    if (in_head) return advance();
    if (checked_) return hold_body() ? read(kReadBody) : refuse(no_room_for_body());
    if (probes_only_) return refuse(too_many_connections());
    // The rest of a small body has often arrived together with the head. Then no separate check of the head is needed.
    if (!read_twice_ && !parser_.expects_continue() && stream_->has_unread()) {
        read_twice_ = true;
        return read(kReadBody);
    }
    if (shared_.pipeline.checks_heads()) return check_head();
    begin_body();
}

void HttpSession::identify(Request& request) const {
    request.peer = peer_.address;
    request.certificate_names = certificate_names_;
}

void HttpSession::lend(const Request& request, std::function<void(HttpSession&)> work, Step done) {
    auto task = [self = shared_from_this(), work = std::move(work), done]() mutable {
        work(*self);
        // Moved, not copied: the last reference must be released on the thread of `io`.
        auto& io = self->shared_.io;
        asio::post(io, [moved = std::move(self), done] { (*moved.*done)(); });
    };
    if (is_probe(request)) return asio::post(shared_.probe, std::move(task));
    shared_.queue.post(client_of(peer_.network, request), std::move(task));
}

void HttpSession::check_head() {
    enter(State::checking, kForever);
    identify(parser_.request());
    lend(parser_.request(), &HttpSession::decide, &HttpSession::on_checked);
}

void HttpSession::decide() {
    prepared_ = refused_ = false;
    if (shared_.abandoned || gone_) return;
    try {
        if (auto refusal = shared_.pipeline.check_head(parser_.request())) {
            response_ = std::move(*refusal);
            make_head();
            refused_ = true;
        }
        prepared_ = true;
    } catch (const std::exception&) {
        return;  // out of memory: only this connection is closed
    }
}

void HttpSession::on_checked() {
    if (state_ == State::closed || !prepared_) return close();
    if (!refused_) return begin_body();
    keeps_alive_ = false;  // its body is not read
    request_ = parser_.take();
    deliver();
}

void HttpSession::begin_body() {
    checked_ = true;
    if (!hold_body()) return refuse(no_room_for_body());
    parser_.reserve_body();
    if (parser_.expects_continue()) {
        enter(State::continuing, shared_.options.write_timeout);
        return stream_->write(kContinue, {}, shared_from_this());
    }
    enter(State::reading, shared_.options.body_timeout);
    advance();
}

// Reserves memory for the body, as far as its size is known. Returns whether there is enough.
bool HttpSession::hold_body() {
    const auto bytes = parser_.body_bytes();
    if (bytes <= body_held_) return true;
    if (!shared_.bodies.has_room_for(peer_.network, bytes - body_held_)) return false;
    shared_.bodies.take(peer_.network, bytes - body_held_);
    body_held_ = bytes;
    return true;
}

void HttpSession::release_body() {
    if (body_held_ == 0) return;
    free_memory(request_.body);
    shared_.bodies.give_back(peer_.network, std::exchange(body_held_, 0));
}

bool HttpSession::is_probe(const Request& request) const {
    return std::ranges::find(shared_.options.probes, request.path) != shared_.options.probes.end();
}

void HttpSession::hand_over() {
    const bool probe = is_probe(parser_.request());
    if (probes_only_ && !probe) return refuse(too_many_connections());
    enter(State::handling, kForever);
    keeps_alive_ = parser_.keeps_alive();
    request_ = parser_.take();
    identify(request_);
    begun_ = false;
    handed_over_look_ = shared_.looks;
    lend(request_, &HttpSession::prepare, &HttpSession::deliver);
}

void HttpSession::prepare() {
    prepared_ = false;
    begun_ = true;
    if (shared_.abandoned || gone_) return;
    try {
        response_ = shared_.pipeline.answer(request_);
        if (!response_.deferred) make_head();
        count_unread();
        prepared_ = true;
    } catch (const std::exception&) {
        return;  // out of memory: only this connection is closed
    }
}

void HttpSession::count_unread() {
    const auto bytes = response_.body.size();
    if (bytes > kSmallAnswer) owed_ = {shared_.queue, client_of(peer_.network, request_), bytes};
}

void HttpSession::make_head() {
    const auto endless = parser_.is_version_10() ? Framing::until_close : Framing::chunked;
    head_ = response_head(response_, response_.next_chunk ? endless : Framing::length, SystemClock().now());
}

void HttpSession::deliver() {
    if (state_ == State::closed || !prepared_) return close();
    if (response_.deferred) return begin_wait();
    release_body();
    if (shared_.closing || response_.next_chunk || probes_only_) keeps_alive_ = false;
    head_ += last_lines(keeps_alive_, parser_.is_version_10());
    if (request_.method == "HEAD" || !has_body(response_.status)) response_.body.clear();
    if (response_.next_chunk) return begin_stream();
    enter(State::writing, shared_.options.write_timeout);
    write_answer();
}

// Writes the whole response, or the next part of a stream.
void HttpSession::write_answer() {
    const auto bytes = response_.body.size();
    if (bytes > kSmallAnswer) unread_ = shared_.unread.add(response_.tenant, bytes, [this] { close(); });
    stream_->write(head_, response_.body, shared_from_this());
}

// Rejects a request that is not HTTP or too large, and reads no further.
void HttpSession::refuse(const Problem& problem) {
    keeps_alive_ = false;
    response_ = shared_.pipeline.refuse(problem, peer_.address, parser_.request().path);
    head_ = response_head(response_, Framing::length, SystemClock().now());
    head_ += last_lines(false, false);
    parser_.reset();  // frees the partial body
    release_body();
    enter(State::writing, shared_.options.write_timeout);
    stream_->write(head_, response_.body, shared_from_this());
}

void HttpSession::on_written(const error_code& error) {
    if (state_ == State::closed) return;
    if (error) return close();
    unread_.release();
    owed_.release();
    if (state_ == State::continuing) {
        enter(State::reading, shared_.options.body_timeout);
        return advance();
    }
    if (state_ == State::streaming) return on_part_written();
    if (keeps_alive_) return await_request();
    finish();
}

// Shuts down the sending side and waits for the client to close, because the client may still be sending and read the
// response later.
void HttpSession::finish() {
    const bool reads = state_ == State::streaming || state_ == State::idle;
    enter(State::finishing, shared_.draining ? kLastLingerTime : kLingerTime);
    stream_->shutdown(shared_from_this());
    if (reads) return;
    buffer_.clear();
    read(kReadHead);
}

}  // namespace belfry::api
