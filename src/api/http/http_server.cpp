#include "api/http/http_server.hpp"

#include <linux/filter.h>
#include <pthread.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <thread>

#include "api/http/http_session.hpp"
#include "api/http/listen_address.hpp"
#include "api/http/pool/handler_thread_pool.hpp"
#include "api/http/response_head.hpp"
#include "api/http/tls/tls_context.hpp"
#include "base/time/clock.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using WorkGuard = asio::executor_work_guard<asio::io_context::executor_type>;

// How long an idle connection may still send a request when the server shuts down: its client could not know yet.
constexpr Micros kLastRequestTime = std::chrono::milliseconds{500};
constexpr Micros kAcceptPause = std::chrono::milliseconds{100};  // after a failed accept
// The interval between two checks of all connections: a quarter of the shortest timeout, within these bounds.
constexpr Micros kLookMin = std::chrono::milliseconds{5};
constexpr Micros kLookMax = std::chrono::milliseconds{250};

void name_thread(const std::string& name) { ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str()); }

// Runs the context and catches exceptions of libraries: one broken connection must not affect the others.
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

std::string words_for(const error_code& code) {
    if (code == asio::error::address_in_use)
        return "the address is in use; stop the other program or choose another port";
    if (code == asio::error::access_denied) return "permission denied; ports below 1024 need a privilege";
    return code.message();
}

std::string network_of(const asio::ip::address& address) {
    if (address.is_v4()) return address.to_string();
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
    return asio::ip::address_v6(bytes).to_string();
}

// Converts an IPv4 address that came over an IPv6 socket to its IPv4 form.
Peer peer_of(const tcp::socket& socket) {
    error_code code;
    auto address = socket.remote_endpoint(code).address();
    if (code) return {};
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    return {address.to_string(), network_of(address)};
}

// Makes the kernel drop new connection attempts (a SYN, recognized by the flags of the TCP header). So between the last
// accepted connection and the end of the listener, no client's request is reset. The clients retry and are refused.
// Where the kernel does not support filters, the gap is a few microseconds.
void drop_newcomers(int listener) {
    constexpr std::uint32_t kFlags = 13;
    constexpr std::uint32_t kSyn = 0x02;
    std::array<sock_filter, 4> code{
        sock_filter{BPF_LD | BPF_B | BPF_ABS, 0, 0, kFlags}, sock_filter{BPF_JMP | BPF_JSET | BPF_K, 0, 1, kSyn},
        sock_filter{BPF_RET | BPF_K, 0, 0, 0}, sock_filter{BPF_RET | BPF_K, 0, 0, 0xffffffff}};
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    (void)::setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// The number of handlers that run at once without waiting: more would exceed the cores, and SQLite has four readers.
std::size_t awake_max() { return std::max(4U, std::thread::hardware_concurrency()); }

Micros look_pause(const HttpServerOptions& options) {
    const auto shortest = std::min({options.handshake_timeout, options.idle_timeout, options.header_timeout,
                                    options.body_timeout, options.write_timeout, options.stream_poll});
    return std::clamp(shortest / 4, kLookMin, kLookMax);
}

}  // namespace

class HttpServer::Core {
public:
    Core(Handler handler, Options options)
        : shared_(std::move(handler), std::move(options)),
          acceptor_(shared_.io),
          retry_(shared_.io),
          look_(shared_.io),
          grace_(shared_.io),
          deadline_(shared_.io) {}

    Result<void> start() {
        if (shared_.options.tls) {
            auto loaded = load_tls(*shared_.options.tls);
            if (!loaded) return loaded.error();
            tls_ = std::move(*loaded);
        }
        if (auto failed = listen())
            return Error{ErrorCode::unavailable, "cannot listen on " + shared_.options.listen + ": " + *failed};
        accept();
        run_thread("http-io", [this] { run_to_the_end(shared_.io); });
        run_thread("http-probe", [this] { run_to_the_end(shared_.probe); });
        for (int i = 0; i < std::max(1, shared_.options.threads); ++i)
            run_thread("http-" + std::to_string(i), [this] { pool_.run(shared_.work); });
        return {};
    }

    [[nodiscard]] unsigned short port() const { return port_; }

    Result<void> reload() {
        if (!shared_.options.tls) return {};
        auto loaded = load_tls(*shared_.options.tls);
        if (!loaded) return loaded.error();
        asio::post(shared_.io, [this, context = std::move(*loaded)] { tls_ = context; });
        return {};
    }

    void wake() {
        if (waking_.exchange(true)) return;  // they will be polled after this moment
        asio::post(shared_.io, [this] {
            waking_ = false;
            for (auto* const session : shared_.sessions) session->wake();
        });
    }

    void say_goodbye() {
        asio::post(shared_.io, [this] { shared_.closing = true; });
    }

    void stop(Micros drain) {
        if (threads_.empty()) return;
        asio::post(shared_.io, [this, drain] { begin_to_drain(drain); });
        drained_.get_future().wait();
        shared_.abandoned = true;
        work_guard_.reset();
        probe_guard_.reset();
        pool_.finish();
        for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
        // Only now, because the last responses of the handlers pass through the thread of `io`.
        io_guard_.reset();
        threads_[0].join();
        threads_.clear();
    }

private:
    void run_thread(const std::string& name, std::function<void()> run) {
        threads_.emplace_back([name, run = std::move(run)] {
            name_thread(name);
            run();
        });
    }

    // Returns the error message, if listening failed.
    std::optional<std::string> listen() {
        const auto address = parse_listen_address(shared_.options.listen);
        if (!address) return "use HOST:PORT, for example 127.0.0.1:8642 or [::1]:8642";
        error_code code;
        tcp::resolver resolver(shared_.io);
        const auto found = resolver.resolve(address->host, address->port,
                                            tcp::resolver::passive | tcp::resolver::numeric_service, code);
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
        acceptor_.async_accept([this](const error_code& code, tcp::socket socket) {
            // Accept a connection that came just before the shutdown, too: its client may have sent a request.
            if (!code && !finished_) let_in(std::move(socket));
            if (!acceptor_.is_open()) return;
            if (code) return accept_later();
            accept();
        });
    }

    void let_in(tcp::socket socket) {
        auto peer = peer_of(socket);
        const auto admission = shared_.connections.admit(peer.network);
        if (admission == ConnectionLimiter::Admission::refused) return turn_away(std::move(socket), peer.address);
        welcome(std::move(socket), std::move(peer), admission);
    }

    // Accepts the connections that the kernel has already established: closing the listener would reset what they have
    // sent.
    void let_in_the_last() {
        drop_newcomers(acceptor_.native_handle());
        error_code code;
        acceptor_.non_blocking(true, code);
        for (int i = 0; !code && i < asio::socket_base::max_listen_connections; ++i) {
            tcp::socket socket(shared_.io);
            acceptor_.accept(socket, code);
            if (!code) let_in(std::move(socket));
        }
    }

    void accept_later() {
        retry_.expires_after(kAcceptPause);
        retry_.async_wait([this](const error_code& code) {
            if (!code && acceptor_.is_open()) accept();
        });
    }

    void welcome(tcp::socket socket, Peer peer, ConnectionLimiter::Admission admission) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        auto stream = tls_ ? make_tls_stream(std::move(socket), *tls_) : make_tcp_stream(std::move(socket));
        const auto session = std::make_shared<HttpSession>(shared_, std::move(stream), std::move(peer), admission);
        if (shared_.sessions.size() == 1) look();
        session->start();
    }

    // Sends the refusal without waiting: the send buffer of a new connection has room for it. Over TLS, no response is
    // possible before the handshake.
    void turn_away(tcp::socket socket, const std::string& peer) {
        if (tls_) return;
        const auto answer = shared_.pipeline.refuse(too_many_connections(), peer);
        auto text = response_head(answer, Framing::length, SystemClock().now());
        text += last_lines(false, false);
        text += answer.body;
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(text), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
    }

    // One timer checks the deadlines of all connections. Setting and cancelling a timer for every part of every request
    // costs more.
    void look() {
        look_.expires_after(look_pause(shared_.options));
        look_.async_wait([this](const error_code& code) {
            if (code || shared_.sessions.empty()) return;
            const auto now = std::chrono::steady_clock::now();
            shared_.looks += 1;
            for (auto* const session : shared_.sessions) session->look_at(now);  // the set changes only later
            look();
        });
    }

    void begin_to_drain(Micros drain) {
        let_in_the_last();
        error_code ignored;
        acceptor_.close(ignored);
        retry_.cancel();
        shared_.closing = shared_.draining = true;
        for (auto* const session : shared_.sessions) {
            session->end_wait();
            session->end_stream();
        }
        grace_.expires_after(std::min(kLastRequestTime, drain));
        grace_.async_wait([this](const error_code& code) {
            // Post it behind what was already read: a busy server handles the timer and earlier requests late.
            if (!code) asio::post(shared_.io, [this] { end_idle(); });
        });
        deadline_.expires_after(drain);
        deadline_.async_wait([this](const error_code&) { finish(); });
        shared_.on_empty = [this] { finish(); };
        // After a connection that is about to be accepted.
        asio::post(shared_.io, [this] {
            if (shared_.sessions.empty()) finish();
        });
    }

    void end_idle() {
        shared_.grace_over = true;
        for (auto* const session : shared_.sessions) session->end_idle();  // the set changes only later
    }

    // Runs once: when the last connection is closed, or when the drain time has passed.
    void finish() {
        if (finished_) return;
        finished_ = true;
        deadline_.cancel();
        grace_.cancel();
        look_.cancel();
        for (auto* const session : shared_.sessions) session->close();
        drained_.set_value();
    }

    HttpShared shared_;
    HandlerThreadPool pool_{awake_max()};
    std::shared_ptr<TlsContext> tls_;  // for new connections
    tcp::acceptor acceptor_;
    asio::steady_timer retry_;
    asio::steady_timer look_;
    asio::steady_timer grace_;
    asio::steady_timer deadline_;
    WorkGuard io_guard_ = asio::make_work_guard(shared_.io);
    WorkGuard work_guard_ = asio::make_work_guard(shared_.work);
    WorkGuard probe_guard_ = asio::make_work_guard(shared_.probe);
    unsigned short port_ = 0;
    std::atomic<bool> waking_ = false;
    bool finished_ = false;
    std::promise<void> drained_;
    std::vector<std::thread> threads_;  // the first is the one of `io`
};

HttpServer::HttpServer(Handler handler, Options options)
    : core_(std::make_unique<Core>(std::move(handler), std::move(options))) {}
HttpServer::~HttpServer() { stop(Micros{0}); }

Result<void> HttpServer::start() { return core_->start(); }
unsigned short HttpServer::port() const { return core_->port(); }
Result<void> HttpServer::reload() { return core_->reload(); }
void HttpServer::wake() { core_->wake(); }
void HttpServer::say_goodbye() { core_->say_goodbye(); }
void HttpServer::stop(Micros drain) { core_->stop(drain); }

}  // namespace belfry::api
