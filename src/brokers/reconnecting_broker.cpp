#include "brokers/reconnecting_broker.hpp"

#include "brokers/message_check.hpp"

namespace belfry::brokers {

Result<void> ReconnectingBroker::connect(const std::stop_token& stop) {
    if (session_ && session_->is_usable()) return {};
    session_.reset();
    auto opened = open_(options_, Deadline(options_.connect_timeout, stop));
    if (!opened) return opened.error();
    session_ = std::move(*opened);
    return {};
}

Result<void> ReconnectingBroker::settle(Result<void> outcome) {
    if (!outcome) session_.reset();
    return outcome;
}

Receipts ReconnectingBroker::publish(std::span<const Message> messages, std::stop_token stop) {
    Receipts receipts;
    receipts.reserve(messages.size());
    std::vector<const Message*> good;
    for (const auto& message : messages) {
        const auto checked = check_message(message);
        receipts.push_back(checked ? Result<std::string>(std::string()) : Result<std::string>(checked.error()));
        if (checked) good.push_back(&message);
    }
    if (good.empty()) return receipts;

    Answers answers(good.size());
    auto outcome = connect(stop);
    if (outcome) outcome = settle(session_->publish(good, answers, Deadline(options_.operation_timeout, stop)));

    auto answer = answers.begin();
    for (auto& receipt : receipts) {
        if (!receipt) continue;
        if (*answer) {
            receipt = std::move(**answer);
        } else {
            receipt = outcome ? unavailable("the broker did not respond to this message") : outcome.error();
        }
        ++answer;
    }
    return receipts;
}

Result<void> ReconnectingBroker::check(std::stop_token stop) {
    if (auto connected = connect(stop); !connected) return connected;
    return settle(session_->ping(Deadline(options_.operation_timeout, stop)));
}

Result<std::unique_ptr<Broker>> make_broker(ConnectionOptions options) {
    const auto kind = options.kind();
    if (options.tls && kind == BrokerKind::redis)
        return in_field(invalid("TLS to Redis is not supported by the client library: use redis:// through a tunnel or "
                                "on a trusted network"),
                        "/url");
    const auto open = kind == BrokerKind::redis ? open_redis : kind == BrokerKind::rabbitmq ? open_rabbitmq : open_nats;
    return std::unique_ptr<Broker>(std::make_unique<ReconnectingBroker>(std::move(options), open));
}

}  // namespace belfry::brokers
