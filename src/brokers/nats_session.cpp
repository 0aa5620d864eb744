// NATS JetStream. Each publish has its own inbox for the acknowledgement. A batch is sent as a whole before the first
// acknowledgement is read. The key is sent as `Nats-Msg-Id`, so the stream itself drops repeats within its duplicate
// window.
//
// The library's own reconnecting is off: it would buffer messages and send them at an unknown later time.
#include <nats/nats.h>

#include "base/text/ascii.hpp"
#include "base/text/json.hpp"
#include "base/text/parse_integer.hpp"
#include "brokers/nats_handles.hpp"
#include "brokers/session.hpp"

namespace belfry::brokers {

namespace {

const std::string kNats = "NATS";
constexpr std::int64_t kUnavailableCode = 500;  // JetStream uses HTTP's codes: from here on, the caller is not at fault

// Tokens separated by dots. Blanks would turn the subject into another command, and wildcards into another subject.
bool is_subject(std::string_view text) {
    const auto fits = [](char c) { return c > ' ' && c != '*' && c != '>' && c != '\x7f'; };
    return !text.starts_with('.') && !text.ends_with('.') && text.find("..") == std::string_view::npos &&
           std::ranges::all_of(text, [&](char c) { return static_cast<unsigned char>(c) > 0x7f || fits(c); });
}

class NatsSession final : public Session {
public:
    explicit NatsSession(const NatsOptions& options) : options_(options) {}
    [[nodiscard]] Result<void> open(const ConnectionOptions& options, const Deadline& deadline);

    [[nodiscard]] bool is_usable() override {
        return natsConnection_Status(connection_.get()) == NATS_CONN_STATUS_CONNECTED;
    }
    [[nodiscard]] Result<void> publish(std::span<const Message* const> messages, Answers& answers,
                                       const Deadline& deadline) override;
    [[nodiscard]] Result<void> ping(const Deadline& deadline) override;

private:
    [[nodiscard]] Result<void> open_inbox();
    [[nodiscard]] Result<void> send(const Message& message, std::size_t index, Answers& answers);
    [[nodiscard]] Result<NatsMessage> next(const Deadline& deadline);
    [[nodiscard]] Result<void> take(natsMsg* ack, Answers& answers);

    const NatsOptions options_;
    NatsConnection connection_;
    std::string inbox_;
    NatsSubscription acks_;
    std::size_t first_ = 1;  // number of the batch's first message; an inbox ends with its message's number
};

Result<void> NatsSession::open(const ConnectionOptions& options, const Deadline& deadline) {
    auto connection = connect_nats(options, deadline);
    if (!connection) return connection.error();
    connection_ = std::move(*connection);
    if (auto there = ensure_stream(connection_.get(), options_, deadline); !there) return there;
    return open_inbox();
}

Result<void> NatsSession::open_inbox() {
    natsInbox* name = nullptr;
    if (const auto status = natsInbox_Create(&name); status != NATS_OK) return nats_failure(status);
    inbox_ = std::string(name) + ".";
    natsInbox_Destroy(name);
    natsSubscription* made = nullptr;
    if (const auto status = natsConnection_SubscribeSync(&made, connection_.get(), (inbox_ + "*").c_str());
        status != NATS_OK)
        return nats_failure(status);
    acks_.reset(made);
    return {};
}

Result<void> NatsSession::send(const Message& message, std::size_t index, Answers& answers) {
    const auto subject = options_.prefix + "." + message.subject;
    if (!is_subject(subject)) {
        answers[index] = Result<std::string>(invalid(
            "the subject " + in_quotes(subject) + " is not valid for NATS: remove blanks, wildcards and empty parts"));
        return {};
    }
    const auto reply = inbox_ + std::to_string(first_ + index);
    natsMsg* made = nullptr;
    auto status = natsMsg_Create(&made, subject.c_str(), reply.c_str(), message.body.data(),
                                 static_cast<int>(message.body.size()));
    const NatsMessage owner(made);
    if (status == NATS_OK) status = natsMsgHeader_Set(made, "Nats-Msg-Id", message.key.c_str());
    if (status == NATS_OK) status = natsMsgHeader_Set(made, "Content-Type", message.content_type.c_str());
    for (const auto& [name, value] : message.headers) {
        if (status == NATS_OK) status = natsMsgHeader_Add(made, name.c_str(), value.c_str());
    }
    if (status == NATS_OK) status = natsConnection_PublishMsg(connection_.get(), made);
    if (status == NATS_MAX_PAYLOAD) {
        answers[index] = Result<std::string>(invalid("the message is longer than the " +
                                                     std::to_string(natsConnection_GetMaxPayload(connection_.get())) +
                                                     " bytes that NATS accepts"));
        return {};
    }
    return status == NATS_OK ? Result<void>() : Result<void>(nats_failure(status));
}

Result<NatsMessage> NatsSession::next(const Deadline& deadline) {
    while (!deadline.is_over()) {
        natsMsg* found = nullptr;
        const auto status =
            natsSubscription_NextMsg(&found, acks_.get(), std::max<std::int64_t>(deadline.slice().count(), 1));
        if (status == NATS_OK) return NatsMessage(found);
        if (status != NATS_TIMEOUT) return nats_failure(status);
    }
    // NATS reports missing permissions as an error of the connection, not as a response to the message.
    auto error = deadline.error(kNats);
    const char* told = nullptr;
    if (natsConnection_GetLastError(connection_.get(), &told) != NATS_OK && told != nullptr && *told != '\0')
        error.message += ": " + visible(told);
    return error;
}

// {"stream":"BELFRY","seq":7,"duplicate":true} or {"error":{"code":503,"err_code":10077,"description":"…"}}
Result<void> NatsSession::take(natsMsg* ack, Answers& answers) {
    const auto number = parse_integer(std::string_view(natsMsg_GetSubject(ack)).substr(inbox_.size()));
    const auto index = static_cast<std::size_t>(number.value_or(0)) - first_;
    if (index >= answers.size() || answers[index]) return {};
    if (natsMsg_IsNoResponders(ack))
        return unavailable("no NATS stream accepts the subject: the stream " + options_.stream +
                           " is gone or has no leader");
    const auto parsed = parse_json({natsMsg_GetData(ack), static_cast<std::size_t>(natsMsg_GetDataLength(ack))});
    const auto* said = parsed ? parsed->if_object() : nullptr;
    if (said == nullptr) return unavailable("the response from NATS is not a JetStream acknowledgement");
    auto& answer = answers[index];
    if (const auto* error = said->if_contains("error"); error != nullptr && error->is_object()) {
        const auto& of_error = error->get_object();
        const auto* code = of_error.if_contains("code");
        const auto* description = of_error.if_contains("description");
        const auto words = "NATS rejected the message: " + (description != nullptr && description->is_string()
                                                                ? visible(std::string_view(description->get_string()))
                                                                : "no reason");
        const bool is_ours = code != nullptr && code->is_int64() && code->get_int64() < kUnavailableCode;
        answer = Result<std::string>(is_ours ? invalid(words) : unavailable(words));
    } else {
        const auto* sequence = said->if_contains("seq");
        if (sequence == nullptr) return unavailable("the response from NATS is not a JetStream acknowledgement");
        answer = Result<std::string>(to_text(*sequence));
    }
    return {};
}

Result<void> NatsSession::publish(std::span<const Message* const> messages, Answers& answers,
                                  const Deadline& deadline) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (deadline.is_over()) return deadline.error(kNats);
        if (auto sent = send(*messages[i], i, answers); !sent) return sent;
    }
    for (const auto& answer : answers) {
        while (!answer) {
            const auto ack = next(deadline);
            if (!ack) return ack.error();
            if (auto taken = take(ack->get(), answers); !taken) return taken;
        }
    }
    first_ += messages.size();
    return {};
}

Result<void> NatsSession::ping(const Deadline& deadline) {
    const auto status =
        natsConnection_FlushTimeout(connection_.get(), std::max<std::int64_t>(deadline.left().count(), 1));
    return status == NATS_OK ? Result<void>() : Result<void>(nats_failure(status));
}

}  // namespace

OpenedSession open_nats(const ConnectionOptions& options, const Deadline& deadline) {
    auto session = std::make_unique<NatsSession>(std::get<NatsOptions>(options.of_kind));
    if (auto opened = session->open(options, deadline); !opened) return opened.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace belfry::brokers
