// RabbitMQ. Each message is a persistent, mandatory publish. A batch is sent as a whole before the first confirmation
// is read; one confirmation can cover many messages (`multiple`). RabbitMQ returns an unroutable message before it
// confirms it.
//
// When RabbitMQ rejects a message, it closes the channel, and all outstanding confirmations are lost. The session
// then sends the remaining messages again one at a time, so that only the rejected message fails.
#include <poll.h>
#include <sys/time.h>

#include <map>
#include <set>

#include "base/text/ascii.hpp"
#include "brokers/rabbitmq_connection.hpp"
#include "brokers/session.hpp"
#include "brokers/tcp_socket.hpp"

namespace belfry::brokers {

namespace {

const std::string kRabbitmq = "RabbitMQ";
constexpr std::size_t kQueuesKnownMax = 10'000;

Error blocked() { return unavailable("RabbitMQ accepts no messages: it is short of memory or disk space"); }

class RabbitmqSession final : public Session {
public:
    explicit RabbitmqSession(const RabbitmqOptions& options) : options_(options) {}
    [[nodiscard]] Result<void> open(const ConnectionOptions& options, const Deadline& deadline) {
        return connection_.open(options, deadline);
    }

    [[nodiscard]] bool is_usable() override;
    [[nodiscard]] Result<void> publish(std::span<const Message* const> messages, Answers& answers,
                                       const Deadline& deadline) override;
    [[nodiscard]] Result<void> ping(const Deadline& deadline) override;

private:
    // Unconfirmed messages: delivery tag to the index of the message and its answer.
    using OnTheWay = std::map<std::uint64_t, std::size_t>;
    struct Batch {
        std::span<const Message* const> messages;
        Answers& answers;
        const Deadline& deadline;
        OnTheWay on_the_way = {};
        std::map<std::string, Error> returned = {};  // by key
    };
    enum class Channel : std::uint8_t { open, closed };

    [[nodiscard]] Result<void> declare(const std::string& queue, Batch& batch);
    [[nodiscard]] Result<void> send(Batch& batch, std::size_t index);
    [[nodiscard]] Result<void> wait_until_writable(const Deadline& deadline) const;
    // Sends a method that needs a response, and reads until it arrives.
    [[nodiscard]] Result<Channel> call(amqp_method_number_t method, void* decoded, Batch& batch);
    // Reads until every message has an answer.
    [[nodiscard]] Result<Channel> settle(Batch& batch);
    // Reads until the condition holds or the broker closes the channel (closed_ has the reason).
    template <typename Condition>
    [[nodiscard]] Result<Channel> read_until(const Condition& is_done, Batch& batch);
    [[nodiscard]] Result<Channel> take(const amqp_frame_t& frame, Batch& batch);
    void confirm(Batch& batch, std::uint64_t tag, bool multiple, const std::optional<Error>& refusal);
    void take_back(const amqp_basic_return_t& returned);
    [[nodiscard]] Result<void> reopen(const Deadline& deadline);
    [[nodiscard]] Result<void> publish_all(std::span<const Message* const> messages, Answers& answers,
                                           const Deadline& deadline);
    [[nodiscard]] Result<void> publish_singly(Batch& batch);

    const RabbitmqOptions options_;
    RabbitmqConnection connection_;
    std::uint64_t last_tag_ = 0;
    bool is_blocked_ = false;   // the broker reported that it accepts nothing for now
    bool is_answered_ = false;  // whether the broker has responded to the latest call
    ChannelClosed closed_;
    std::optional<Error> coming_back_;  // why the broker returned the message whose properties come in the next frame
    std::set<std::string> declared_;
};

bool RabbitmqSession::is_usable() {
    constexpr timeval kAtOnce{0, 0};
    Answers no_answers;
    const Deadline at_once(std::chrono::milliseconds::zero(), {});
    Batch empty{{}, no_answers, at_once};
    while (true) {
        amqp_frame_t frame{};
        const int status = amqp_simple_wait_frame_noblock(connection_.state(), &frame, &kAtOnce);
        if (status == AMQP_STATUS_TIMEOUT) return true;
        if (status != AMQP_STATUS_OK) {
            static_cast<void>(connection_.failure(status));
            return false;
        }
        const auto channel = take(frame, empty);
        if (!channel || *channel == Channel::closed) return false;
    }
}

Result<void> RabbitmqSession::wait_until_writable(const Deadline& deadline) const {
    while (!deadline.is_over()) {
        pollfd socket{amqp_get_sockfd(connection_.state()), POLLOUT, 0};
        if (poll(&socket, 1, static_cast<int>(deadline.slice().count())) <= 0) continue;
        // The library itself would wait forever if the socket's buffer is full, as it is when the broker is short of
        // memory.
        set_send_timeout(socket.fd, std::max(deadline.left(), std::chrono::milliseconds{1}));
        return {};
    }
    return deadline.error(kRabbitmq);
}

// Ignores a failure: the queue may exist with other properties, or only another user may declare it. Whether it
// accepts the message shows when the message is sent.
Result<void> RabbitmqSession::declare(const std::string& queue, Batch& batch) {
    if (!options_.exchange.empty() || !options_.create || declared_.contains(queue)) return {};
    if (declared_.size() >= kQueuesKnownMax) declared_.clear();
    amqp_queue_declare_t durable{};
    durable.queue = amqp_bytes_of(queue);
    durable.durable = 1;
    const auto channel = call(AMQP_QUEUE_DECLARE_METHOD, &durable, batch);
    if (!channel) return channel.error();
    declared_.insert(queue);
    return *channel == Channel::closed ? reopen(batch.deadline) : Result<void>();
}

Result<void> RabbitmqSession::reopen(const Deadline& deadline) {
    last_tag_ = 0;
    return connection_.open_channel(deadline);
}

Result<void> RabbitmqSession::send(Batch& batch, std::size_t index) {
    const auto& message = *batch.messages[index];
    std::vector<amqp_table_entry_t> headers;
    for (const auto& [name, value] : message.headers) {
        headers.push_back({amqp_bytes_of(name), {}});
        headers.back().value.kind = AMQP_FIELD_KIND_UTF8;
        headers.back().value.value.bytes = amqp_bytes_of(value);
    }
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG |
                        AMQP_BASIC_HEADERS_FLAG;
    properties.content_type = amqp_bytes_of(message.content_type);
    properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    properties.message_id = amqp_bytes_of(message.key);
    properties.headers = {static_cast<int>(headers.size()), headers.data()};

    if (auto writable = wait_until_writable(batch.deadline); !writable) return writable;
    const int status =
        amqp_basic_publish(connection_.state(), kChannel, amqp_bytes_of(options_.exchange),
                           amqp_bytes_of(message.subject), 1, 0, &properties, amqp_bytes_of(message.body));
    if (status != AMQP_STATUS_OK) return connection_.failure(status);
    batch.on_the_way.emplace(++last_tag_, index);
    return {};
}

void RabbitmqSession::confirm(Batch& batch, std::uint64_t tag, bool multiple, const std::optional<Error>& refusal) {
    const auto begin = multiple ? batch.on_the_way.begin() : batch.on_the_way.lower_bound(tag);
    const auto end = batch.on_the_way.upper_bound(tag);
    for (auto each = begin; each != end; ++each) {
        const auto& key = batch.messages[each->second]->key;
        const auto returned = batch.returned.find(key);
        if (returned != batch.returned.end()) {
            batch.answers[each->second] = Result<std::string>(returned->second);
        } else {
            batch.answers[each->second] = refusal ? Result<std::string>(*refusal) : Result<std::string>(key);
        }
    }
    batch.on_the_way.erase(begin, end);
}

// The next frame identifies the message.
void RabbitmqSession::take_back(const amqp_basic_return_t& returned) {
    const std::string queue(text_of(returned.routing_key));
    const auto words = "no RabbitMQ queue accepts messages for " + in_quotes(queue) + " (" +
                       visible(text_of(returned.reply_text)) + ")";
    // This session declared the queue, so it was deleted since then: the next attempt declares it again.
    const bool was_declared = declared_.erase(queue) > 0;
    coming_back_ = was_declared ? unavailable(words) : invalid(words + ": create the queue or its binding");
}

Result<RabbitmqSession::Channel> RabbitmqSession::take(const amqp_frame_t& frame, Batch& batch) {
    if (frame.frame_type == AMQP_FRAME_HEADER && coming_back_) {
        const auto* properties = static_cast<const amqp_basic_properties_t*>(frame.payload.properties.decoded);
        batch.returned.insert_or_assign(std::string(text_of(properties->message_id)),
                                        *std::exchange(coming_back_, std::nullopt));
    }
    if (frame.frame_type != AMQP_FRAME_METHOD) return Channel::open;
    const auto& method = frame.payload.method;
    switch (method.id) {
        case AMQP_BASIC_ACK_METHOD: {
            const auto* ack = static_cast<const amqp_basic_ack_t*>(method.decoded);
            confirm(batch, ack->delivery_tag, ack->multiple != 0, std::nullopt);
            return Channel::open;
        }
        case AMQP_BASIC_NACK_METHOD: {
            const auto* nack = static_cast<const amqp_basic_nack_t*>(method.decoded);
            confirm(batch, nack->delivery_tag, nack->multiple != 0,
                    unavailable("RabbitMQ could not accept the message: its queue is full or failing"));
            return Channel::open;
        }
        case AMQP_BASIC_RETURN_METHOD:
            take_back(*static_cast<const amqp_basic_return_t*>(method.decoded));
            return Channel::open;
        case AMQP_QUEUE_DECLARE_OK_METHOD:
        case AMQP_BASIC_QOS_OK_METHOD: is_answered_ = true; return Channel::open;
        case AMQP_CONNECTION_BLOCKED_METHOD: is_blocked_ = true; return Channel::open;
        case AMQP_CONNECTION_UNBLOCKED_METHOD: is_blocked_ = false; return Channel::open;
        case AMQP_CHANNEL_CLOSE_METHOD: {
            const auto told = connection_.outcome({AMQP_RESPONSE_SERVER_EXCEPTION, method, 0});
            if (!told) return told.error();
            closed_ = **told;
            return Channel::closed;
        }
        case AMQP_CONNECTION_CLOSE_METHOD: return connection_.closed_by(method);
        default: return Channel::open;
    }
}

Result<RabbitmqSession::Channel> RabbitmqSession::settle(Batch& batch) {
    return read_until([&] { return batch.on_the_way.empty(); }, batch);
}

Result<RabbitmqSession::Channel> RabbitmqSession::call(amqp_method_number_t method, void* decoded, Batch& batch) {
    if (auto writable = wait_until_writable(batch.deadline); !writable) return writable.error();
    is_answered_ = false;
    if (const int status = amqp_send_method(connection_.state(), kChannel, method, decoded); status != AMQP_STATUS_OK)
        return connection_.failure(status);
    return read_until([&] { return is_answered_; }, batch);
}

template <typename Condition>
Result<RabbitmqSession::Channel> RabbitmqSession::read_until(const Condition& is_done, Batch& batch) {
    while (!is_done()) {
        if (is_blocked_) return blocked();
        if (batch.deadline.is_over()) return batch.deadline.error(kRabbitmq);
        amqp_maybe_release_buffers(connection_.state());
        const timeval slice{0, static_cast<suseconds_t>(std::chrono::microseconds(batch.deadline.slice()).count())};
        amqp_frame_t frame{};
        const int status = amqp_simple_wait_frame_noblock(connection_.state(), &frame, &slice);
        if (status == AMQP_STATUS_TIMEOUT) continue;
        if (status != AMQP_STATUS_OK) return connection_.failure(status);
        const auto channel = take(frame, batch);
        if (!channel || *channel == Channel::closed) return channel;
    }
    return Channel::open;
}

Result<void> RabbitmqSession::publish(std::span<const Message* const> messages, Answers& answers,
                                      const Deadline& deadline) {
    auto published = publish_all(messages, answers, deadline);
    if (!published) connection_.abandon();
    return published;
}

Result<void> RabbitmqSession::publish_all(std::span<const Message* const> messages, Answers& answers,
                                          const Deadline& deadline) {
    Batch batch{messages, answers, deadline};
    if (is_blocked_) return blocked();
    for (const auto* message : messages) {
        if (auto declared = declare(message->subject, batch); !declared) return declared;
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (auto sent = send(batch, i); !sent) return sent;
    }
    const auto channel = settle(batch);
    if (!channel) return channel.error();
    return *channel == Channel::open ? Result<void>() : publish_singly(batch);
}

// A missing exchange or permission may appear later (unavailable). The message itself cannot change (invalid).
Result<void> RabbitmqSession::publish_singly(Batch& batch) {
    for (std::size_t i = 0; i < batch.messages.size(); ++i) {
        if (batch.answers[i]) continue;
        if (!batch.on_the_way.empty()) {
            batch.on_the_way.clear();
            if (auto opened = reopen(batch.deadline); !opened) return opened;
        }
        if (auto sent = send(batch, i); !sent) return sent;
        const auto channel = settle(batch);
        if (!channel) return channel.error();
        if (*channel == Channel::open) continue;
        const auto words = "RabbitMQ rejected the message: " + closed_.text;
        batch.answers[i] =
            Result<std::string>(closed_.code == AMQP_PRECONDITION_FAILED ? invalid(words) : unavailable(words));
    }
    return batch.on_the_way.empty() ? Result<void>() : reopen(batch.deadline);
}

// Any method with a response works. This one sets no prefetch limit, which is already the case.
Result<void> RabbitmqSession::ping(const Deadline& deadline) {
    if (is_blocked_) return blocked();
    Answers no_answers;
    Batch empty{{}, no_answers, deadline};
    amqp_basic_qos_t unlimited{};
    const auto channel = call(AMQP_BASIC_QOS_METHOD, &unlimited, empty);
    if (channel && *channel == Channel::open) return {};
    connection_.abandon();
    return channel ? unavailable("RabbitMQ closed the channel: " + closed_.text) : channel.error();
}

}  // namespace

OpenedSession open_rabbitmq(const ConnectionOptions& options, const Deadline& deadline) {
    auto session = std::make_unique<RabbitmqSession>(std::get<RabbitmqOptions>(options.of_kind));
    if (auto opened = session->open(options, deadline); !opened) return opened.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace belfry::brokers
