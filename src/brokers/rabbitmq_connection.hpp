// A connection to RabbitMQ with its one channel, in which every publish is confirmed. librabbitmq's types stay here and in
// rabbitmq_session.cpp.
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
    // The library takes what it only reads as void*, too.
    return {text.size(), const_cast<char*>(text.data())};
}
[[nodiscard]] inline std::string_view text_of(amqp_bytes_t bytes) { return {static_cast<const char*>(bytes.bytes), bytes.len}; }

// Why the broker closed the channel, after which the connection can go on with another.
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

    // Connects, logs in and opens the channel.
    [[nodiscard]] Result<void> open(const ConnectionOptions& options, const Deadline& deadline);
    // In place of one that the broker has closed. Delivery tags begin with 1 again.
    [[nodiscard]] Result<void> open_channel(const Deadline& deadline);

    // The outcome of the call that was just made: nothing, the reason why the channel is closed, or an error for a connection that
    // cannot be used any more.
    [[nodiscard]] Result<std::optional<ChannelClosed>> outcome(const amqp_rpc_reply_t& reply);
    [[nodiscard]] Error failure(int status);
    [[nodiscard]] Error closed_by(const amqp_method_t& method);

    // It is not closed politely in the end, which would mean waiting for the broker once more.
    void abandon() { is_open_ = false; }

    [[nodiscard]] amqp_connection_state_t state() const { return state_; }

private:
    void limit_call(const Deadline& deadline);
    [[nodiscard]] Result<void> connect(const ConnectionOptions& options, const Deadline& deadline);
    [[nodiscard]] Result<void> log_in(const ConnectionOptions& options, const Deadline& deadline);
    // The same for calls by which the channel comes to be.
    [[nodiscard]] Result<void> done();

    const amqp_connection_state_t state_;
    bool is_open_ = false;
};

}  // namespace belfry::brokers
