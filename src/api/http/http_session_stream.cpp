// Streams: after the head, a handler's thread polls the response for more, and the session sends each part as it comes.
// An idle stream costs a connection and no thread. A read is always pending, so that the server notices when the client
// disconnects.
#include <boost/asio/post.hpp>
#include <charconv>

#include "api/http/http_session.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kReadIgnored = std::size_t{1} << 10;  // at once, of what a client sends in the meantime
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

// Sends what is in the head, then the body as one chunk.
void HttpSession::send_part() {
    auto& text = response_.body;
    if (!parser_.is_version_10() && !text.empty()) {
        head_ += chunk_size(text.size());
        text += "\r\n";
    }
    ask_at_ = Time::max();
    deadline_ = Steady::now() + shared_.options.write_timeout;
    write_answer();
}

void HttpSession::on_part_written() {
    deadline_ = Time::max();
    head_.clear();
    if (!response_.next_chunk) return finish();
    if (shared_.draining) return send_last_part();
    ask();
}

void HttpSession::send_last_part() {
    response_.next_chunk = {};
    response_.body.clear();
    if (parser_.is_version_10()) return finish();
    head_ = kLastChunk;
    send_part();
}

void HttpSession::end_stream() {
    // A stream that is being polled or written ends afterwards.
    if (state_ == State::streaming && ask_at_ != Time::max()) send_last_part();
}

void HttpSession::ask() {
    asking_ = true;
    woken_ = false;
    ask_at_ = Time::max();
    lend(request_, &HttpSession::ask_more, &HttpSession::on_asked);
}

// If the poll throws, the stream ends.
void HttpSession::ask_more() {
    next_.reset();
    if (shared_.abandoned) return;
    try {
        next_ = response_.next_chunk();
    } catch (const std::exception&) {
        next_.reset();
    }
}

void HttpSession::on_asked() {
    asking_ = false;
    if (state_ == State::closed) {
        response_.next_chunk = {};
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
    // Polls only a waiting stream: one that is being polled checks woken_ afterwards, and one that writes is polled
    // next anyway.
    if (ask_at_ != Time::max()) ask();
}

}  // namespace belfry::api
