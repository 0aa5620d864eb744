#include <hiredis/hiredis.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "brokers/reading_kinds.hpp"

namespace belfry::test {

namespace {

using Reply = std::unique_ptr<redisReply, void (*)(void*)>;

class Redis {
public:
    explicit Redis(const brokers::ConnectionOptions& options)
        : context_(redisConnect(options.host.c_str(), options.port), redisFree) {
        run({"AUTH", options.user, std::string(options.password.reveal())});
    }

    Reply run(const std::vector<std::string>& command) {
        std::vector<const char*> parts;
        std::vector<std::size_t> sizes;
        for (const auto& part : command) {
            parts.push_back(part.data());
            sizes.push_back(part.size());
        }
        Reply reply(static_cast<redisReply*>(
                        redisCommandArgv(context_.get(), static_cast<int>(parts.size()), parts.data(), sizes.data())),
                    freeReplyObject);
        if (!reply || reply->type == REDIS_REPLY_ERROR) {
            std::fprintf(stderr, "%s: %s\n", command[0].c_str(), reply ? reply->str : context_->errstr);
            std::exit(EXIT_FAILURE);
        }
        return reply;
    }

private:
    std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

}  // namespace

std::vector<Arrived> read_redis(const brokers::ConnectionOptions& options, const std::string& subject) {
    const auto reply = Redis(options).run(
        {"XRANGE", std::get<brokers::RedisOptions>(options.of_kind).stream + ":" + subject, "-", "+"});
    std::vector<Arrived> all;
    for (std::size_t i = 0; i < reply->elements; ++i) {
        const auto* fields = reply->element[i]->element[1];
        Arrived one;
        for (std::size_t j = 0; j + 1 < fields->elements; j += 2) {
            const std::string name(fields->element[j]->str, fields->element[j]->len);
            const std::string value(fields->element[j + 1]->str, fields->element[j + 1]->len);
            if (name == "key") one.key = value;
            if (name == "body") one.body = value;
            if (name == "contentType") one.content_type = value;
            if (name.starts_with("header.")) one.headers[name.substr(7)] = value;
        }
        all.push_back(std::move(one));
    }
    return all;
}

void run_redis(const brokers::ConnectionOptions& options, const std::vector<std::string>& command) {
    Redis(options).run(command);
}

}  // namespace belfry::test
