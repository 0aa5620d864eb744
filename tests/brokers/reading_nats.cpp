#include <nats/nats.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "brokers/reading_kinds.hpp"

namespace belfry::test {

namespace {

void expect(natsStatus status, const char* what) {
    if (status == NATS_OK) return;
    std::fprintf(stderr, "the test's own NATS client cannot %s: %s\n", what, natsStatus_GetText(status));
    std::exit(EXIT_FAILURE);
}

class Nats {
public:
    explicit Nats(const brokers::ConnectionOptions& options) {
        natsOptions* how = nullptr;
        const std::string password(options.password.reveal());
        expect(natsOptions_Create(&how), "begin");
        expect(natsOptions_SetURL(how, ("nats://127.0.0.1:" + std::to_string(options.port)).c_str()), "take the URL");
        expect(natsOptions_SetUserInfo(how, options.user.c_str(), password.c_str()), "take the password");
        expect(natsConnection_Connect(&connection_, how), "connect");
        natsOptions_Destroy(how);
        expect(natsConnection_JetStream(&stream_, connection_, nullptr), "use JetStream");
    }
    ~Nats() {
        jsCtx_Destroy(stream_);
        natsConnection_Destroy(connection_);
    }
    Nats(const Nats&) = delete;
    Nats& operator=(const Nats&) = delete;

    std::vector<Arrived> read_all(const std::string& stream, const std::string& subject) {
        jsStreamInfo* state = nullptr;
        expect(js_GetStreamInfo(&state, stream_, stream.c_str(), nullptr, nullptr), "find the stream");
        std::vector<Arrived> all;
        for (auto sequence = state->State.FirstSeq; sequence <= state->State.LastSeq; ++sequence) {
            natsMsg* message = nullptr;
            expect(js_GetMsg(&message, stream_, stream.c_str(), sequence, nullptr, nullptr), "read a message");
            if (natsMsg_GetSubject(message) == subject) all.push_back(arrived(message));
            natsMsg_Destroy(message);
        }
        jsStreamInfo_Destroy(state);
        return all;
    }

private:
    static Arrived arrived(natsMsg* message) {
        Arrived one{header(message, "Nats-Msg-Id"),
                    {natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))},
                    header(message, "Content-Type"),
                    {}};
        const char** names = nullptr;
        int count = 0;
        expect(natsMsgHeader_Keys(message, &names, &count), "read headers");
        for (int i = 0; i < count; ++i) {
            const std::string name = names[i];
            if (name != "Nats-Msg-Id" && name != "Content-Type") one.headers[name] = header(message, names[i]);
        }
        free(static_cast<void*>(names));
        return one;
    }
    static std::string header(natsMsg* message, const char* name) {
        const char* value = nullptr;
        return natsMsgHeader_Get(message, name, &value) == NATS_OK ? value : "";
    }

    natsConnection* connection_ = nullptr;
    jsCtx* stream_ = nullptr;
};

}  // namespace

std::vector<Arrived> read_nats(const brokers::ConnectionOptions& options, const std::string& subject) {
    const auto& nats = std::get<brokers::NatsOptions>(options.of_kind);
    return Nats(options).read_all(nats.stream, nats.prefix + "." + subject);
}

std::vector<Arrived> read_all(const brokers::ConnectionOptions& options, const std::string& subject) {
    switch (options.kind()) {
        case brokers::BrokerKind::redis: return read_redis(options, subject);
        case brokers::BrokerKind::rabbitmq: return read_rabbitmq(options, subject);
        case brokers::BrokerKind::nats: return read_nats(options, subject);
    }
    return {};
}

}  // namespace belfry::test
