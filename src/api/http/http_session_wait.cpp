// Deferred responses. While one waits, it costs a connection and no thread. A read is always pending, so that the
// server notices when the client disconnects and stops working for it. Pipelined requests stay in the buffer.
#include <algorithm>
#include <boost/asio/post.hpp>

#include "api/http/http_session.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kReadAhead = std::size_t{4} << 10;  // at once

}  // namespace

void HttpSession::begin_wait() {
    enter(State::waiting, kForever);
    kept_ = shared_from_this();
    asking_ = woken_ = false;
    ask_at_ = response_.deferred->until;
    if (shared_.draining) return ask_again(true);
    read_ahead();
    // Captures a weak pointer: the last reference must be released on the thread of `io`.
    auto ring = [&io = shared_.io, weak = weak_from_this()] {
        asio::post(io, [weak] {
            if (const auto self = weak.lock()) self->on_rung();
        });
    };
    response_.deferred->listen(std::move(ring));
}

// Reads until the buffer is full. The server then does not notice when that client disconnects.
void HttpSession::read_ahead() {
    if (reading_ahead_ || buffer_.room(kReadAhead).size() < kReadAhead) return;
    ahead_.resize(kReadAhead);
    reading_ahead_ = true;
    stream_->read_some(ahead_, shared_from_this());
}

void HttpSession::on_read_ahead(const error_code& error, std::size_t bytes) {
    reading_ahead_ = false;
    const bool answering = state_ == State::checking || state_ == State::handling || state_ == State::writing ||
                           state_ == State::continuing;
    if (error) {
        // The client may have closed only its sending side and still read. Then its response is written, and the next
        // read sees the end again.
        if (!answering) close();
        return;
    }
    const auto room = buffer_.room(bytes);
    std::copy_n(ahead_.begin(), bytes, room.begin());
    buffer_.commit(bytes);
    if (state_ == State::waiting) return read_ahead();
    if (!answering) on_bytes();  // otherwise the buffer is processed afterwards
}

void HttpSession::on_rung() {
    if (state_ != State::waiting) return;
    woken_ = true;
    if (!asking_) ask_again(false);
}

void HttpSession::end_wait() {
    if (state_ != State::waiting) return;
    ask_at_ = Time::min();
    if (!asking_) ask_again(true);
}

void HttpSession::ask_again(bool last) {
    asking_ = true;
    woken_ = false;
    if (last) ask_at_ = Time::max();
    lend(
        request_, [last](HttpSession& self) { self.answer_again(last); }, &HttpSession::on_asked_again);
}

void HttpSession::answer_again(bool last) {
    prepared_ = false;
    if (shared_.abandoned || gone_) return;
    try {
        if (auto answer = response_.deferred->poll(request_, last)) {
            response_ = std::move(*answer);  // destroys the deferred response, which frees its place for another client
            make_head();
            count_unread();
        }
        prepared_ = true;
    } catch (const std::exception&) {
        return;  // out of memory: only this connection is closed
    }
}

void HttpSession::on_asked_again() {
    asking_ = false;
    if (state_ == State::closed || !prepared_ || !response_.deferred) {
        kept_.reset();  // not the last reference: the caller holds another
        return deliver();
    }
    if (std::chrono::steady_clock::now() >= ask_at_) return ask_again(true);
    if (woken_) ask_again(false);
}

}  // namespace belfry::api
