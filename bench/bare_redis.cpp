#include <hiredis/hiredis.h>

#include <array>

#include "bench/bare_publisher.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

namespace {

struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
};

class BareRedis final : public BarePublisher {
public:
    BareRedis(redisContext* context, const RedisOptions& options) : context_(context), stream_(options.stream) {}

    [[nodiscard]] Result<void> log_in(const ConnectionOptions& options) {
        const std::string password(options.password.reveal());
        if (!password.empty()) append({"AUTH", options.user.empty() ? "default" : options.user, password});
        append({"SELECT", std::to_string(std::get<RedisOptions>(options.of_kind).database)});
        return take(password.empty() ? 1 : 2);
    }

    [[nodiscard]] Result<void> publish(std::span<const Message> messages) override {
        for (const auto& message : messages)
            append({"XADD", stream_ + ":" + message.subject, "*", "key", message.key, "body", message.body});
        return take(messages.size());
    }

private:
    void append(std::initializer_list<std::string_view> parts) {
        std::array<const char*, 8> texts{};
        std::array<std::size_t, 8> sizes{};
        int count = 0;
        for (const auto part : parts) {
            texts.at(static_cast<std::size_t>(count)) = part.data();
            sizes.at(static_cast<std::size_t>(count++)) = part.size();
        }
        redisAppendCommandArgv(context_.get(), count, texts.data(), sizes.data());
    }

    [[nodiscard]] Result<void> take(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            void* reply = nullptr;
            if (redisGetReply(context_.get(), &reply) != REDIS_OK)
                return unavailable(std::string("Redis: ") + context_->errstr);
            const bool refused = static_cast<redisReply*>(reply)->type == REDIS_REPLY_ERROR;
            freeReplyObject(reply);
            if (refused) return unavailable("Redis rejected a command");
        }
        return {};
    }

    const std::unique_ptr<redisContext, FreeContext> context_;
    const std::string stream_;
};

}  // namespace

OpenedBare open_bare_redis(const ConnectionOptions& options) {
    auto* const context = redisConnect(options.host.c_str(), options.port);
    if (context == nullptr) return unavailable("out of memory for a connection to Redis");
    auto made = std::make_unique<BareRedis>(context, std::get<RedisOptions>(options.of_kind));
    if (context->err != 0) return unavailable(std::string("Redis: ") + context->errstr);
    if (auto accepted = made->log_in(options); !accepted) return accepted.error();
    return std::unique_ptr<BarePublisher>(std::move(made));
}

OpenedBare open_bare(const ConnectionOptions& options) {
    switch (options.kind()) {
        case BrokerKind::redis: return open_bare_redis(options);
        case BrokerKind::rabbitmq: return open_bare_rabbitmq(options);
        case BrokerKind::nats: return open_bare_nats(options);
    }
    return invalid("unknown kind of broker");
}

}  // namespace belfry::brokers
