#include "api/http_server.hpp"

#include <pthread.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <future>
#include <set>
#include <thread>

#include "api/problem.hpp"
#include "base/parse_integer.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr Micros kAcceptPause = std::chrono::milliseconds{100};  // after a failed accept: no file descriptor is free, for example
constexpr Micros kLingerTime = Seconds{2};                       // for a refused client to read the answer before the connection is cut
constexpr std::size_t kReadSome = std::size_t{4} << 10;          // of the first read of a request
constexpr int kVersion11 = 11;                                   // HTTP/1.1, as Beast counts

constexpr std::int64_t kPortMax = 65'535;

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

void name_thread(const std::string& name) { ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str()); }

// A loop that outlives what a library throws: one broken connection must not take the others along.
void run_to_the_end(asio::io_context& context) {
    for (;;) {
        try {
            context.run();
            return;
        } catch (const std::exception&) {
            continue;
        }
    }
}

Response answer(const Handler& handler, const Request& request) {
    try {
        return handler(request);
    } catch (const std::exception& exception) {
        return problem_response(Problem{500, "internal", std::string("the server failed: ") + exception.what(), {}});
    }
}

struct Address {
    std::string host;
    std::string port;
};

std::optional<Address> parse_address(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
    auto host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string::npos) {
        return std::nullopt;  // an IPv6 address without brackets: its last part is no port
    }
    auto port = text.substr(colon + 1);
    const auto number = parse_integer(port);  // the resolver would take 99999 for another port
    if (!number || *number < 0 || *number > kPortMax) return std::nullopt;
    return Address{std::move(host), std::move(port)};
}

std::string words_for(const error_code& code) {
    if (code == asio::error::address_in_use) return "the address is in use; stop the other program or choose another port";
    if (code == asio::error::access_denied) return "permission denied; ports below 1024 need a privilege";
    return code.message();
}

// What all connections share. Its members belong to the thread of `io`, apart from the two contexts.
struct Shared {
    Handler handler;
    HttpServerOptions options;
    bool draining = false;
    std::atomic<bool> abandoned = false;  // requests that no handler has begun are dropped
    std::set<class Session*> sessions = {};
    std::function<void()> on_empty = {};  // while draining
    // Last, so that they go first: what they still hold are sessions, which know the members above.
    asio::io_context io{1};
    asio::io_context work;   // where handlers run
    asio::io_context probe;  // where they run for the probe's path
};

// One connection. Lives as long as one of its operations; runs on the thread of `io`.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(Shared& shared, tcp::socket socket) : shared_(shared), stream_(std::move(socket)), buffer_(shared.options.header_max + kReadSome) {
        shared_.sessions.insert(this);
    }
    ~Session() {
        shared_.sessions.erase(this);
        if (shared_.sessions.empty() && shared_.on_empty) shared_.on_empty();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start() {
        error_code ignored;
        stream_.socket().set_option(tcp::no_delay(true), ignored);
        wait();
    }

    // No request is in progress: nobody loses anything when it is closed.
    [[nodiscard]] bool idle() const { return idle_; }

    void close() {
        error_code ignored;
        stream_.socket().close(ignored);
        stream_.cancel();
    }

private:
    auto bind(void (Session::*next)(error_code, std::size_t)) {
        return [self = shared_from_this(), next](error_code code, std::size_t bytes) { ((*self).*next)(code, bytes); };
    }

    // For the first bytes of a request. What was sent ahead is there already.
    void wait() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(shared_.options.header_max));
        parser_->body_limit(shared_.options.body_max);
        if (buffer_.size() > 0) return read_header();
        if (shared_.draining) return close();
        idle_ = true;
        stream_.expires_after(shared_.options.idle_timeout);
        stream_.async_read_some(buffer_.prepare(kReadSome), bind(&Session::on_first_bytes));
    }

    void on_first_bytes(error_code code, std::size_t bytes) {
        idle_ = false;
        if (code) return close();
        buffer_.commit(bytes);
        read_header();
    }

    // One deadline for all headers and one for the body: a client that sends a byte now and then does not prolong them.
    void read_header() {
        stream_.expires_after(shared_.options.header_timeout);
        http::async_read_header(stream_, buffer_, *parser_, bind(&Session::on_header));
    }

    void on_header(error_code code, std::size_t) {
        if (code) return refuse(code);
        if (beast::iequals(parser_->get()[http::field::expect], "100-continue") && parser_->get().version() >= kVersion11) return say_continue();
        read_body();
    }

    void say_continue() {
        stream_.expires_after(shared_.options.write_timeout);
        continue_.emplace(http::status::continue_, kVersion11);
        http::async_write(stream_, *continue_, bind(&Session::on_continued));
    }

    void on_continued(error_code code, std::size_t) {
        if (code) return close();
        read_body();
    }

    void read_body() {
        stream_.expires_after(shared_.options.body_timeout);
        http::async_read(stream_, buffer_, *parser_, bind(&Session::on_request));
    }

    void on_request(error_code code, std::size_t) {
        if (code) return refuse(code);
        stream_.expires_never();
        auto message = parser_->release();
        keep_alive_ = message.keep_alive();
        head_ = message.method() == http::verb::head;
        auto received = request_of(std::move(message));
        auto& lane = received.path == shared_.options.probe ? shared_.probe : shared_.work;
        asio::post(lane, [self = shared_from_this(), request = std::move(received)]() mutable {
            // Moved back, not copied: the last reference must go where the sessions are kept.
            auto& shared = self->shared_;
            if (shared.abandoned) {
                asio::post(shared.io, [moved = std::move(self)] { moved->close(); });
                return;
            }
            auto response = answer(shared.handler, request);
            asio::post(shared.io, [moved = std::move(self), response = std::move(response)]() mutable { moved->write(std::move(response)); });
        });
    }

    static Request request_of(http::request<http::string_body> message) {
        Request request;
        request.method = text_of(message.method_string());
        auto target = text_of(message.target());
        // As a proxy writes it: http://host/path.
        if (const auto host = target.find("://"); host != std::string::npos && host < target.find('/')) {
            target = target.substr(std::min(target.find('/', host + 3), target.size()));
        }
        const auto question = std::min(target.find('?'), target.size());
        request.path = target.substr(0, question);
        if (question < target.size()) request.query = target.substr(question + 1);
        for (const auto& field : message) request.headers.emplace_back(text_of(field.name_string()), text_of(field.value()));
        request.body = std::move(message.body());
        return request;
    }

    // The request is no HTTP, or too large: says so, and does not read on.
    void refuse(error_code code) {
        if (code == http::error::body_limit) {
            return write_last(
                {413, "body_too_large", "the body has more than " + std::to_string(shared_.options.body_max) + " bytes; send less", {}});
        }
        if (code == http::error::header_limit || code == http::error::buffer_overflow) {
            return write_last({431, "headers_too_large", "the headers have more than " + std::to_string(shared_.options.header_max) + " bytes", {}});
        }
        const bool malformed = code.category() == http::make_error_code(http::error::bad_method).category() && code != http::error::end_of_stream &&
                               code != http::error::partial_message;
        if (malformed) return write_last({400, "malformed_request", "this is not an HTTP/1.1 request: " + code.message(), {}});
        close();
    }

    void write_last(const Problem& problem) {
        keep_alive_ = false;
        linger_ = true;
        head_ = false;
        write(problem_response(problem));
    }

    void write(Response response) {
        if (!stream_.socket().is_open()) return;
        if (shared_.draining) keep_alive_ = false;
        reply_.emplace(static_cast<http::status>(response.status), kVersion11);
        reply_->reason(std::string(reason_phrase(response.status)));
        for (const auto& [name, value] : response.headers) reply_->set(name, value);
        reply_->set(http::field::server, "belfry");
        reply_->keep_alive(keep_alive_);
        const auto size = response.body.size();
        if (!head_) reply_->body() = std::move(response.body);
        if (response.status != 204) reply_->content_length(size);
        serializer_.emplace(*reply_);
        stream_.expires_after(shared_.options.write_timeout);
        if (head_) {
            http::async_write_header(stream_, *serializer_, bind(&Session::on_written));
        } else {
            http::async_write(stream_, *serializer_, bind(&Session::on_written));
        }
    }

    void on_written(error_code code, std::size_t) {
        serializer_.reset();
        reply_.reset();
        if (code) return close();
        if (keep_alive_) return wait();
        error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        if (!linger_) return close();
        stream_.expires_after(kLingerTime);
        discard({}, 0);
    }

    // Closing with bytes unread would reset the connection, and the client might never see why it was refused.
    void discard(error_code code, std::size_t) {
        if (code) return close();
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(kReadSome), bind(&Session::discard));
    }

    Shared& shared_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::optional<http::response<http::empty_body>> continue_;
    std::optional<http::response<http::string_body>> reply_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    bool idle_ = false;
    bool keep_alive_ = true;
    bool head_ = false;
    bool linger_ = false;
};

}  // namespace

class HttpServer::Core {
public:
    Core(Handler handler, Options options) : acceptor_(shared_.io), retry_(shared_.io), deadline_(shared_.io) {
        shared_.handler = std::move(handler);
        shared_.options = std::move(options);
    }

    Result<void> start() {
        if (auto failed = listen()) return Error{ErrorCode::unavailable, "cannot listen on " + shared_.options.listen + ": " + *failed};
        accept();
        threads_.emplace_back([this] {
            name_thread("http-io");
            run_to_the_end(shared_.io);
        });
        threads_.emplace_back([this] {
            name_thread("http-probe");
            run_to_the_end(shared_.probe);
        });
        for (int i = 0; i < std::max(1, shared_.options.threads); ++i) {
            threads_.emplace_back([this, i] {
                name_thread("http-" + std::to_string(i));
                run_to_the_end(shared_.work);
            });
        }
        return {};
    }

    [[nodiscard]] unsigned short port() const { return port_; }

    void stop(Micros drain) {
        if (threads_.empty()) return;
        asio::post(shared_.io, [this, drain] { begin_to_drain(drain); });
        drained_.get_future().wait();
        shared_.abandoned = true;
        work_guard_.reset();
        probe_guard_.reset();
        for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
        // Only now: what the handlers answered last goes back through the thread of `io`.
        io_guard_.reset();
        threads_[0].join();
        threads_.clear();
    }

private:
    // What went wrong, in words.
    std::optional<std::string> listen() {
        const auto address = parse_address(shared_.options.listen);
        if (!address) return "use HOST:PORT, for example 127.0.0.1:8642 or [::1]:8642";
        error_code code;
        tcp::resolver resolver(shared_.io);
        const auto found = resolver.resolve(address->host, address->port, tcp::resolver::passive | tcp::resolver::numeric_service, code);
        if (code) return words_for(code);
        const auto endpoint = found.begin()->endpoint();
        acceptor_.open(endpoint.protocol(), code);
        if (!code) acceptor_.set_option(tcp::acceptor::reuse_address(true), code);
        if (!code) acceptor_.bind(endpoint, code);
        if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
        if (code) {
            error_code ignored;
            acceptor_.close(ignored);
            return words_for(code);
        }
        port_ = acceptor_.local_endpoint(code).port();
        return std::nullopt;
    }

    void accept() {
        acceptor_.async_accept([this](error_code code, tcp::socket socket) {
            if (!acceptor_.is_open()) return;
            if (code) return accept_later();
            if (shared_.sessions.size() >= shared_.options.connections_max) {
                turn_away(std::move(socket));
            } else {
                std::make_shared<Session>(shared_, std::move(socket))->start();
            }
            accept();
        });
    }

    void accept_later() {
        retry_.expires_after(kAcceptPause);
        retry_.async_wait([this](error_code code) {
            if (!code && acceptor_.is_open()) accept();
        });
    }

    // Without waiting for anything: a new connection has room for so few bytes.
    static void turn_away(tcp::socket socket) {
        const auto body = to_text(to_json(Problem{503, "too_many_connections", "too many connections are open; try again", {}}));
        const auto text =
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: application/problem+json\r\n"
            "Content-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(text), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
    }

    void begin_to_drain(Micros drain) {
        error_code ignored;
        acceptor_.close(ignored);
        retry_.cancel();
        shared_.draining = true;
        const std::set<Session*> all = shared_.sessions;  // closing one changes the set only later, when its operation ends
        for (auto* const session : all) {
            if (session->idle()) session->close();
        }
        deadline_.expires_after(drain);
        deadline_.async_wait([this](error_code) { finish(); });
        if (shared_.sessions.empty()) return finish();
        shared_.on_empty = [this] { finish(); };
    }

    // Once: when the last connection is closed, or when the time is over.
    void finish() {
        if (finished_) return;
        finished_ = true;
        deadline_.cancel();
        const std::set<Session*> all = shared_.sessions;
        for (auto* const session : all) session->close();
        drained_.set_value();
    }

    Shared shared_;
    tcp::acceptor acceptor_;
    asio::steady_timer retry_;
    asio::steady_timer deadline_;
    asio::executor_work_guard<asio::io_context::executor_type> io_guard_ = asio::make_work_guard(shared_.io);
    asio::executor_work_guard<asio::io_context::executor_type> work_guard_ = asio::make_work_guard(shared_.work);
    asio::executor_work_guard<asio::io_context::executor_type> probe_guard_ = asio::make_work_guard(shared_.probe);
    unsigned short port_ = 0;
    bool finished_ = false;
    std::promise<void> drained_;
    std::vector<std::thread> threads_;  // the first is the one of `io`
};

HttpServer::HttpServer(Handler handler, Options options) : core_(std::make_unique<Core>(std::move(handler), std::move(options))) {}
HttpServer::~HttpServer() { stop(Micros{0}); }

Result<void> HttpServer::start() { return core_->start(); }
unsigned short HttpServer::port() const { return core_->port(); }
void HttpServer::stop(Micros drain) { core_->stop(drain); }

}  // namespace belfry::api
