#include "bench/bare_publisher.hpp"
#include "brokers/nats_handles.hpp"

namespace belfry::brokers {

namespace {

class BareNats final : public BarePublisher {
public:
    explicit BareNats(const NatsOptions& options) : prefix_(options.prefix + ".") {}

    [[nodiscard]] Result<void> open(const ConnectionOptions& options) {
        const Deadline deadline(options.connect_timeout, {});
        auto connection = connect_nats(options, deadline);
        if (!connection) return connection.error();
        connection_ = std::move(*connection);
        if (auto there = ensure_stream(connection_.get(), std::get<NatsOptions>(options.of_kind), deadline); !there)
            return there;
        jsCtx* stream = nullptr;
        if (const auto status = natsConnection_JetStream(&stream, connection_.get(), nullptr); status != NATS_OK)
            return nats_failure(status);
        stream_.reset(stream);
        return {};
    }

    [[nodiscard]] Result<void> publish(std::span<const Message> messages) override {
        for (const auto& message : messages) {
            jsPubOptions options;
            jsPubOptions_Init(&options);
            options.MsgId = message.key.c_str();
            const auto status = js_PublishAsync(stream_.get(), (prefix_ + message.subject).c_str(), message.body.data(),
                                                static_cast<int>(message.body.size()), &options);
            if (status != NATS_OK) return nats_failure(status);
        }
        const auto status = js_PublishAsyncComplete(stream_.get(), nullptr);
        return status == NATS_OK ? Result<void>() : Result<void>(nats_failure(status));
    }

private:
    const std::string prefix_;
    NatsConnection connection_;
    JetStream stream_;
};

}  // namespace

OpenedBare open_bare_nats(const ConnectionOptions& options) {
    auto made = std::make_unique<BareNats>(std::get<NatsOptions>(options.of_kind));
    if (auto opened = made->open(options); !opened) return opened.error();
    return std::unique_ptr<BarePublisher>(std::move(made));
}

}  // namespace belfry::brokers
