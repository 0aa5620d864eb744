#include "brokers/rabbitmq_connection.hpp"

#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <openssl/ssl.h>
#include <sys/time.h>

#include <array>

#include "base/text/ascii.hpp"

namespace belfry::brokers {

namespace {

// The client sends no heartbeats while it publishes nothing, so the interval is long. is_usable() notices when the
// broker has closed the connection.
constexpr int kHeartbeatSeconds = 60;
constexpr timeval kFarewell{1, 0};

timeval timeval_of(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    return {static_cast<time_t>(seconds.count()),
            static_cast<suseconds_t>(std::chrono::microseconds(time - seconds).count())};
}

std::string shown(amqp_bytes_t text) { return visible(whole_characters(text_of(text), 200)); }

// Unless it is configured otherwise, the library trusts no certificate.
bool trust(amqp_socket_t* socket, const std::string& authorities) {
    if (!authorities.empty()) return amqp_ssl_socket_set_cacert(socket, authorities.c_str()) == AMQP_STATUS_OK;
    return SSL_CTX_set_default_verify_paths(static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket))) == 1;
}

amqp_table_entry_t entry(const char* key, amqp_table_t* table) {
    amqp_table_entry_t made{amqp_cstring_bytes(key), {}};
    made.value.kind = AMQP_FIELD_KIND_TABLE;
    made.value.value.table = *table;
    return made;
}

amqp_table_entry_t entry(const char* key, bool value) {
    amqp_table_entry_t made{amqp_cstring_bytes(key), {}};
    made.value.kind = AMQP_FIELD_KIND_BOOLEAN;
    made.value.value.boolean = value ? 1 : 0;
    return made;
}

amqp_table_entry_t entry(const char* key, const char* value) {
    amqp_table_entry_t made{amqp_cstring_bytes(key), {}};
    made.value.kind = AMQP_FIELD_KIND_UTF8;
    made.value.value.bytes = amqp_cstring_bytes(value);
    return made;
}

}  // namespace

RabbitmqConnection::~RabbitmqConnection() {
    if (is_open_) {
        // Without this, the broker would log that the client disconnected unexpectedly.
        amqp_set_rpc_timeout(state_, &kFarewell);
        amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    }
    amqp_destroy_connection(state_);
}

Error RabbitmqConnection::failure(int status) {
    is_open_ = false;
    return unavailable(std::string("the connection to RabbitMQ broke: ") + amqp_error_string2(status));
}

Error RabbitmqConnection::closed_by(const amqp_method_t& method) {
    is_open_ = false;
    if (method.id != AMQP_CONNECTION_CLOSE_METHOD) return unavailable("RabbitMQ sent an unexpected method");
    return unavailable("RabbitMQ closed the connection: " +
                       shown(static_cast<const amqp_connection_close_t*>(method.decoded)->reply_text));
}

Result<std::optional<ChannelClosed>> RabbitmqConnection::outcome(const amqp_rpc_reply_t& reply) {
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) return std::optional<ChannelClosed>();
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) return failure(reply.library_error);
    if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION) return failure(AMQP_STATUS_CONNECTION_CLOSED);
    if (reply.reply.id != AMQP_CHANNEL_CLOSE_METHOD) return closed_by(reply.reply);
    const auto* closed = static_cast<const amqp_channel_close_t*>(reply.reply.decoded);
    ChannelClosed told{closed->reply_code, shown(closed->reply_text)};
    amqp_channel_close_ok_t agreed{};
    if (const int status = amqp_send_method(state_, kChannel, AMQP_CHANNEL_CLOSE_OK_METHOD, &agreed);
        status != AMQP_STATUS_OK)
        return failure(status);
    return std::optional(std::move(told));
}

Result<void> RabbitmqConnection::done() {
    auto told = outcome(amqp_get_rpc_reply(state_));
    if (!told) return told.error();
    if (*told) return unavailable("RabbitMQ rejected the channel: " + (*told)->text);
    return {};
}

void RabbitmqConnection::limit_call(const Deadline& deadline) {
    const auto left = timeval_of(std::max(deadline.left(), std::chrono::milliseconds{1}));
    amqp_set_rpc_timeout(state_, &left);
}

Result<void> RabbitmqConnection::connect(const ConnectionOptions& options, const Deadline& deadline) {
    auto* const socket = options.tls ? amqp_ssl_socket_new(state_) : amqp_tcp_socket_new(state_);
    if (socket == nullptr) return unavailable("out of memory for a connection to RabbitMQ");
    if (options.tls && !trust(socket, options.authorities))
        return unavailable(
            "cannot read the certificates of the authorities for RabbitMQ: check the option authorities");
    const auto left = timeval_of(deadline.left());
    if (const int status = amqp_socket_open_noblock(socket, options.host.c_str(), options.port, &left);
        status != AMQP_STATUS_OK)
        return unavailable(std::string("RabbitMQ cannot be reached: ") + amqp_error_string2(status));
    return {};
}

Result<void> RabbitmqConnection::log_in(const ConnectionOptions& options, const Deadline& deadline) {
    const auto left = timeval_of(std::max(deadline.left(), std::chrono::milliseconds{1}));
    amqp_set_handshake_timeout(state_, &left);
    auto blocked = entry("connection.blocked", true);
    amqp_table_t capabilities{1, &blocked};
    std::array entries{entry("capabilities", &capabilities), entry("connection_name", "belfry")};
    const amqp_table_t properties{static_cast<int>(entries.size()), entries.data()};
    const std::string password(options.password.reveal());
    const auto& vhost = std::get<RabbitmqOptions>(options.of_kind).vhost;
    const auto reply =
        amqp_login_with_properties(state_, vhost.c_str(), 0, AMQP_DEFAULT_FRAME_SIZE, kHeartbeatSeconds, &properties,
                                   AMQP_SASL_METHOD_PLAIN, options.user.c_str(), password.c_str());
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) return {};
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION && reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
        const auto* closed = static_cast<const amqp_connection_close_t*>(reply.reply.decoded);
        if (closed->reply_code == AMQP_ACCESS_REFUSED)
            return unavailable("RabbitMQ rejected the user or the password: check the connection's URL");
        return unavailable("RabbitMQ rejected the connection: " + shown(closed->reply_text));
    }
    return unavailable(std::string("the login to RabbitMQ failed: ") + amqp_error_string2(reply.library_error));
}

Result<void> RabbitmqConnection::open_channel(const Deadline& deadline) {
    limit_call(deadline);
    amqp_channel_open(state_, kChannel);
    if (auto opened = done(); !opened) return opened;
    amqp_confirm_select(state_, kChannel);
    return done();
}

Result<void> RabbitmqConnection::open(const ConnectionOptions& options, const Deadline& deadline) {
    if (auto connected = connect(options, deadline); !connected) return connected;
    if (auto accepted = log_in(options, deadline); !accepted) return accepted;
    is_open_ = true;
    return open_channel(deadline);
}

}  // namespace belfry::brokers
