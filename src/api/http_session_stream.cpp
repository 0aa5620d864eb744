// The answer without an end: after its head it is asked for more, on a handler's thread, and what it says is sent as it comes. While it
// has nothing to say it costs a connection and no thread. A read is always pending, so that a client that goes away is noticed.
#include <boost/asio/post.hpp>
#include <charconv>

#include "api/http_session.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kReadIgnored = std::size_t{1} << 10;  // at once, of what a client sends meanwhile
constexpr std::string_view kLastChunk = "0\r\n\r\n";

std::string chunk_size(std::size_t bytes) {
    std::array<char, 2 * sizeof bytes> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes, 16).ptr;
    return std::string(digits.data(), end) + "\r\n";
}

}  // namespace

void HttpSession::begin_stream() {
    enter(State::streaming, kForever);
    buffer_.clear();
    read(kReadIgnored);
    send_part();
}

// What stands in the head already, then the body as one chunk.
void HttpSession::send_part() {
    auto& text = response_.body;
    if (!parser_.is_version_10() && !text.empty()) {
        head_ += chunk_size(text.size());
        text += "\r\n";
    }
    ask_at_ = Time::max();
    deadline_ = Steady::now() + shared_.options.write_timeout;
    stream_->write(head_, text, shared_from_this());
}

void HttpSession::on_part_written() {
    deadline_ = Time::max();
    head_.clear();
    if (!response_.more) return finish();
    if (shared_.draining) return send_last_part();
    ask();
}

void HttpSession::send_last_part() {
    response_.more = {};
    response_.body.clear();
    if (parser_.is_version_10()) return finish();
    head_ = kLastChunk;
    send_part();
}

void HttpSession::end_stream() {
    // One that is asked or written hears of it afterwards.
    if (state_ == State::streaming && ask_at_ != Time::max()) send_last_part();
}

void HttpSession::ask() {
    asking_ = true;
    woken_ = false;
    ask_at_ = Time::max();
    asio::post(shared_.work, [self = shared_from_this()]() mutable {
        self->ask_more();
        auto& io = self->shared_.io;
        asio::post(io, [moved = std::move(self)] { moved->on_asked(); });
    });
}

// What throws has nothing more to say.
void HttpSession::ask_more() {
    next_.reset();
    if (shared_.abandoned) return;
    try {
        next_ = response_.more();
    } catch (const std::exception&) {
        next_.reset();
    }
}

void HttpSession::on_asked() {
    asking_ = false;
    if (state_ == State::closed) {
        response_.more = {};
        return;
    }
    if (!next_ || (next_->empty() && shared_.draining)) return send_last_part();
    if (next_->empty()) {
        if (woken_) return ask();
        ask_at_ = Steady::now() + shared_.options.stream_poll;
        return;
    }
    response_.body = std::move(*next_);
    send_part();
}

void HttpSession::wake() {
    if (state_ != State::streaming) return;
    woken_ = true;
    // Only one that waits: one that is asked hears of it afterwards, and one that writes is asked next anyway.
    if (ask_at_ != Time::max()) ask();
}

}  // namespace belfry::api
