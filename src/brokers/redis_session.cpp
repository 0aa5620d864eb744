// Redis Streams. Each message is one XADD. A batch is sent as a whole before the first reply is read. The server's
// persistence settings (appendfsync) decide what an acknowledged entry survives.
//
// hiredis only parses replies. It does not send, because its writes have no deadline for a whole batch and a broken
// connection raises SIGPIPE.
#include <hiredis/hiredis.h>

#include <array>
#include <charconv>

#include "base/text/ascii.hpp"
#include "brokers/session.hpp"
#include "brokers/tcp_socket.hpp"

namespace belfry::brokers {

namespace {

const std::string kRedis = "Redis";

struct FreeReader {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
};
struct FreeReply {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

std::string_view text_of(const redisReply& reply) { return {reply.str, reply.len}; }

// Appends to one string per batch, so that no part is copied twice.
void add_length(std::string& commands, char kind, std::size_t length) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), length).ptr;
    commands.append(1, kind).append(digits.begin(), end).append("\r\n");
}

void add_command(std::string& commands, std::span<const std::string_view> parts) {
    add_length(commands, '*', parts.size());
    for (const auto part : parts) {
        add_length(commands, '$', part.size());
        commands.append(part).append("\r\n");
    }
}

std::string command_of(const std::vector<std::string_view>& parts) {
    std::string command;
    add_command(command, parts);
    return command;
}

// Errors that go away when the server recovers or its operator changes something. The message is not at fault.
bool is_transient(std::string_view error) {
    constexpr std::array<std::string_view, 16> kWords{
        "OOM",  "READONLY", "LOADING",    "MOVED",  "ASK",    "CLUSTERDOWN", "MASTERDOWN",   "TRYAGAIN",
        "BUSY", "MISCONF",  "NOREPLICAS", "NOAUTH", "NOPERM", "UNKILLABLE",  "NOMASTERLINK", "EXECABORT"};
    return std::ranges::find(kWords, error.substr(0, error.find(' '))) != kWords.end() ||
           error.starts_with("ERR unknown command");
}

// Cuts off the arguments, which a server repeats when it does not know the command.
Error error_of(std::string_view text) {
    const auto shown =
        "Redis rejected the message: " + visible(whole_characters(text.substr(0, text.find(", with args")), 200));
    return is_transient(text) ? unavailable(shown) : invalid(shown);
}

class RedisSession final : public Session {
public:
    RedisSession(TcpSocket socket, const RedisOptions& options)
        : socket_(std::move(socket)), options_(options), reader_(redisReaderCreate()) {}

    [[nodiscard]] Result<void> greet(const ConnectionOptions& options, const Deadline& deadline);

    [[nodiscard]] bool is_usable() override { return socket_.is_quiet(); }
    [[nodiscard]] Result<void> publish(std::span<const Message* const> messages, Answers& answers,
                                       const Deadline& deadline) override;
    [[nodiscard]] Result<void> ping(const Deadline& deadline) override;

private:
    void add_xadd(std::string& commands, const Message& message) const;
    [[nodiscard]] Result<Reply> ask(const std::string& command, const Deadline& deadline);
    [[nodiscard]] Result<Reply> next_reply(const Deadline& deadline);

    const TcpSocket socket_;
    const RedisOptions options_;
    const std::unique_ptr<redisReader, FreeReader> reader_;
};

// Messages contain only the error's first word: a server without AUTH would repeat the password.
Result<void> RedisSession::greet(const ConnectionOptions& options, const Deadline& deadline) {
    if (!options.password.empty()) {
        std::vector<std::string_view> parts{"AUTH"};
        if (!options.user.empty()) parts.emplace_back(options.user);
        parts.push_back(options.password.reveal());
        const auto reply = ask(command_of(parts), deadline);
        if (!reply) return reply.error();
        if ((*reply)->type == REDIS_REPLY_ERROR) {
            const auto text = text_of(**reply);
            return unavailable("Redis rejected the user or the password (" + visible(text.substr(0, text.find(' '))) +
                               "): check the connection's URL");
        }
    }
    const auto reply = ask(command_of({"SELECT", std::to_string(options_.database)}), deadline);
    if (!reply) return reply.error();
    if ((*reply)->type == REDIS_REPLY_ERROR) return unavailable(error_of(text_of(**reply)).message);
    return {};
}

void RedisSession::add_xadd(std::string& commands, const Message& message) const {
    const auto stream = options_.stream + ":" + message.subject;
    const auto length = std::to_string(options_.max_length.value_or(0));
    std::vector<std::string> names;
    for (const auto& header : message.headers) names.push_back("header." + header.first);

    std::vector<std::string_view> parts{"XADD", stream};
    if (options_.max_length) parts.insert(parts.end(), {"MAXLEN", "~", length});
    parts.insert(parts.end(), {"*", "key", message.key, "contentType", message.content_type, "body", message.body});
    for (std::size_t i = 0; i < names.size(); ++i) parts.insert(parts.end(), {names[i], message.headers[i].second});
    add_command(commands, parts);
}

Result<Reply> RedisSession::next_reply(const Deadline& deadline) {
    std::array<char, 16'384> piece{};
    while (true) {
        void* found = nullptr;
        if (redisReaderGetReply(reader_.get(), &found) != REDIS_OK)
            return unavailable("the response from Redis does not follow its protocol");
        if (found != nullptr) return Reply(static_cast<redisReply*>(found));
        const auto got = socket_.receive(piece, deadline);
        if (!got) return got.error();
        if (redisReaderFeed(reader_.get(), piece.data(), *got) != REDIS_OK)
            return unavailable("the response from Redis is too large");
    }
}

Result<Reply> RedisSession::ask(const std::string& command, const Deadline& deadline) {
    if (auto sent = socket_.send(command, deadline); !sent) return sent.error();
    return next_reply(deadline);
}

Result<void> RedisSession::publish(std::span<const Message* const> messages, Answers& answers,
                                   const Deadline& deadline) {
    std::string commands;
    for (const auto* message : messages) add_xadd(commands, *message);
    if (auto sent = socket_.send(commands, deadline); !sent) return sent;
    for (auto& answer : answers) {
        const auto reply = next_reply(deadline);
        if (!reply) return reply.error();
        const auto text = text_of(**reply);
        if ((*reply)->type == REDIS_REPLY_STRING) {
            answer = Result<std::string>(std::string(text));
        } else if ((*reply)->type == REDIS_REPLY_ERROR) {
            answer = Result<std::string>(error_of(text));
        } else {
            return unavailable("the response from Redis to XADD is not an id");
        }
    }
    return {};
}

Result<void> RedisSession::ping(const Deadline& deadline) {
    const auto reply = ask(command_of({"PING"}), deadline);
    if (!reply) return reply.error();
    if ((*reply)->type == REDIS_REPLY_ERROR) return unavailable(error_of(text_of(**reply)).message);
    return {};
}

}  // namespace

OpenedSession open_redis(const ConnectionOptions& options, const Deadline& deadline) {
    auto socket = TcpSocket::connect(kRedis, options.host, options.port, deadline);
    if (!socket) return socket.error();
    auto session = std::make_unique<RedisSession>(std::move(*socket), std::get<RedisOptions>(options.of_kind));
    if (auto greeted = session->greet(options, deadline); !greeted) return greeted.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace belfry::brokers
