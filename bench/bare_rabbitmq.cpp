#include <sys/time.h>

#include "bench/bare_publisher.hpp"
#include "brokers/rabbitmq_connection.hpp"

namespace belfry::brokers {

namespace {

class BareRabbitmq final : public BarePublisher {
public:
    [[nodiscard]] Result<void> open(const ConnectionOptions& options) {
        return connection_.open(options, Deadline(options.connect_timeout, {}));
    }

    [[nodiscard]] Result<void> publish(std::span<const Message> messages) override {
        for (const auto& message : messages) {
            if (message.subject != declared_) declare(message.subject);
            amqp_basic_properties_t properties{};
            properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG;
            properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
            properties.message_id = amqp_bytes_of(message.key);
            const int status =
                amqp_basic_publish(connection_.state(), kChannel, amqp_empty_bytes, amqp_bytes_of(message.subject), 0,
                                   0, &properties, amqp_bytes_of(message.body));
            if (status != AMQP_STATUS_OK) return connection_.failure(status);
            ++sent_;
        }
        return wait_for_confirmations();
    }

private:
    void declare(const std::string& queue) {
        amqp_queue_declare(connection_.state(), kChannel, amqp_bytes_of(queue), 0, 1, 0, 0, amqp_empty_table);
        declared_ = queue;
    }

    [[nodiscard]] Result<void> wait_for_confirmations() {
        std::uint64_t single = 0;
        while (confirmed_ + single < sent_) {
            amqp_maybe_release_buffers(connection_.state());
            amqp_frame_t frame{};
            if (const int status = amqp_simple_wait_frame(connection_.state(), &frame); status != AMQP_STATUS_OK)
                return connection_.failure(status);
            if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
                return unavailable("RabbitMQ sent a frame that is not an acknowledgement");
            const auto* ack = static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded);
            if (ack->multiple == 0) {
                ++single;
            } else {
                // The acknowledgement includes the messages that were acknowledged one by one before it.
                confirmed_ = ack->delivery_tag;
                single = 0;
            }
        }
        confirmed_ = sent_;
        return {};
    }

    RabbitmqConnection connection_;
    std::string declared_;
    std::uint64_t sent_ = 0;
    std::uint64_t confirmed_ = 0;
};

}  // namespace

OpenedBare open_bare_rabbitmq(const ConnectionOptions& options) {
    auto made = std::make_unique<BareRabbitmq>();
    if (auto opened = made->open(options); !opened) return opened.error();
    return std::unique_ptr<BarePublisher>(std::move(made));
}

}  // namespace belfry::brokers
