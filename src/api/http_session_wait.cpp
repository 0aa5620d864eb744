// The answer that comes later. While it waits it costs a connection and no thread. A read is pending all the time, so that a client that
// goes away is noticed: nothing is looked for in its name after that. What a client sends ahead is kept for its turn.
#include <algorithm>
#include <boost/asio/post.hpp>

#include "api/http_session.hpp"

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
    ask_at_ = response_.later->until;
    if (shared_.draining) return ask_again(true);
    read_ahead();
    // Not the session itself: its last reference must go where the sessions are kept.
    auto ring = [&io = shared_.io, weak = weak_from_this()] {
        asio::post(io, [weak] {
            if (const auto self = weak.lock()) self->on_rung();
        });
    };
    response_.later->listen(std::move(ring));
}

// Until the buffer is full: whoever sends so much ahead is not read on, and leaves unnoticed.
void HttpSession::read_ahead() {
    if (reading_ahead_ || buffer_.room(kReadAhead).size() < kReadAhead) return;
    ahead_.resize(kReadAhead);
    reading_ahead_ = true;
    stream_->read_some(ahead_, shared_from_this());
}

void HttpSession::on_read_ahead(const error_code& error, std::size_t bytes) {
    reading_ahead_ = false;
    const bool answering = state_ == State::handling || state_ == State::writing || state_ == State::continuing;
    if (error) {
        // Perhaps only this direction has ended and the client still reads: then its answer is written, and the next read meets the end again.
        if (!answering) close();
        return;
    }
    const auto room = buffer_.room(bytes);
    std::copy_n(ahead_.begin(), bytes, room.begin());
    buffer_.commit(bytes);
    if (state_ == State::waiting) return read_ahead();
    if (!answering) on_bytes();  // else the buffer is looked at afterwards
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
    asio::post(shared_.work, [self = shared_from_this(), last]() mutable {
        self->answer_again(last);
        auto& io = self->shared_.io;
        asio::post(io, [moved = std::move(self)] { moved->on_asked_again(); });
    });
}

void HttpSession::answer_again(bool last) {
    prepared_ = false;
    if (shared_.abandoned || gone_) return;
    try {
        if (auto answer = response_.later->again(request_, last)) {
            response_ = std::move(*answer);  // which ends the wait: the turn is somebody else's
            make_head();
        }
        prepared_ = true;
    } catch (const std::exception&) {
        return;  // out of memory: this connection is closed, the others go on
    }
}

void HttpSession::on_asked_again() {
    asking_ = false;
    if (state_ == State::closed || !prepared_ || !response_.later) {
        kept_.reset();  // not the last one: this was called through another
        return deliver();
    }
    if (std::chrono::steady_clock::now() >= ask_at_) return ask_again(true);
    if (woken_) ask_again(false);
}

}  // namespace belfry::api
