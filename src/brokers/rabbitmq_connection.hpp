// A connection to RabbitMQ with a single channel in confirm mode. Only this file and rabbitmq_session.cpp use
// librabbitmq's types.
#pragma once

#include <amqp.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "brokers/connection_options.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

inline constexpr amqp_channel_t kChannel = 1;

[[nodiscard]] inline amqp_bytes_t amqp_bytes_of(std::string_view text) {
    // The library takes void* even for data that it only reads.
    return {text.size(), const_cast<char*>(text.data())};
}
[[nodiscard]] inline std::string_view text_of(amqp_bytes_t bytes) {
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

// Why the broker closed the channel. The connection stays usable: open another channel.
struct ChannelClosed {
    int code = 0;  // AMQP_NOT_FOUND, AMQP_PRECONDITION_FAILED…
    std::string text = {};
};

class RabbitmqConnection {
public:
    RabbitmqConnection() : state_(amqp_new_connection()) {}
    ~RabbitmqConnection();
    RabbitmqConnection(const RabbitmqConnection&) = delete;
    RabbitmqConnection& operator=(const RabbitmqConnection&) = delete;

    // Connects, authenticates and opens the channel.
    [[nodiscard]] Result<void> open(const ConnectionOptions& options, const Deadline& deadline);
    // Replaces a channel that the broker closed. Delivery tags start at 1 again.
    [[nodiscard]] Result<void> open_channel(const Deadline& deadline);

    // The outcome of the previous call: empty, the reason why the broker closed the channel, or an error if the
    // connection is no longer usable.
    [[nodiscard]] Result<std::optional<ChannelClosed>> outcome(const amqp_rpc_reply_t& reply);
    [[nodiscard]] Error failure(int status);
    [[nodiscard]] Error closed_by(const amqp_method_t& method);

    // The destructor will not close the connection with a handshake, because that would wait for the broker again.
    void abandon() { is_open_ = false; }

    [[nodiscard]] amqp_connection_state_t state() const { return state_; }

private:
    void limit_call(const Deadline& deadline);
    [[nodiscard]] Result<void> connect(const ConnectionOptions& options, const Deadline& deadline);
    [[nodiscard]] Result<void> log_in(const ConnectionOptions& options, const Deadline& deadline);
    // Like outcome(), for the calls that open the channel: a closed channel is an error.
    [[nodiscard]] Result<void> done();

    const amqp_connection_state_t state_;
    bool is_open_ = false;
};

}  // namespace belfry::brokers
