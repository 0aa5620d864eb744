#include <amqp.h>
#include <amqp_tcp_socket.h>

#include <cstdio>
#include <cstdlib>

#include "brokers/reading_kinds.hpp"

namespace belfry::test {

namespace {

std::string text(amqp_bytes_t bytes) { return {static_cast<const char*>(bytes.bytes), bytes.len}; }

class Rabbitmq {
public:
    explicit Rabbitmq(const brokers::ConnectionOptions& options) : state_(amqp_new_connection()) {
        const std::string password(options.password.reveal());
        if (amqp_socket_open(amqp_tcp_socket_new(state_), options.host.c_str(), options.port) != AMQP_STATUS_OK)
            give_up("connect");
        expect(amqp_login(state_, "/", 0, AMQP_DEFAULT_FRAME_SIZE, 0, AMQP_SASL_METHOD_PLAIN, options.user.c_str(),
                          password.c_str()),
               "log in");
        amqp_channel_open(state_, 1);
        expect(amqp_get_rpc_reply(state_), "open a channel");
    }
    ~Rabbitmq() {
        amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
        amqp_destroy_connection(state_);
    }
    Rabbitmq(const Rabbitmq&) = delete;
    Rabbitmq& operator=(const Rabbitmq&) = delete;

    std::vector<Arrived> take_all(const std::string& queue) {
        std::vector<Arrived> all;
        while (true) {
            const auto reply = amqp_basic_get(state_, 1, amqp_cstring_bytes(queue.c_str()), 1);
            expect(reply, "get");
            if (reply.reply.id != AMQP_BASIC_GET_OK_METHOD) return all;
            amqp_message_t message{};
            expect(amqp_read_message(state_, 1, &message, 0), "read");
            Arrived one{
                text(message.properties.message_id), text(message.body), text(message.properties.content_type), {}};
            for (int i = 0; i < message.properties.headers.num_entries; ++i) {
                const auto& entry = message.properties.headers.entries[i];
                one.headers[text(entry.key)] = text(entry.value.value.bytes);
            }
            if (message.properties.delivery_mode != AMQP_DELIVERY_PERSISTENT) one.key += " (not persistent)";
            amqp_destroy_message(&message);
            all.push_back(std::move(one));
        }
    }

    void remove(const std::string& queue) {
        amqp_queue_delete(state_, 1, amqp_cstring_bytes(queue.c_str()), 0, 0);
        expect(amqp_get_rpc_reply(state_), "delete");
    }

    // More than `length_max` messages are refused, if it is not 0.
    void make(const std::string& queue, int length_max) {
        amqp_table_entry_t entries[2]{{amqp_cstring_bytes("x-max-length"), {}}, {amqp_cstring_bytes("x-overflow"), {}}};
        entries[0].value.kind = AMQP_FIELD_KIND_I32;
        entries[0].value.value.i32 = length_max;
        entries[1].value.kind = AMQP_FIELD_KIND_UTF8;
        entries[1].value.value.bytes = amqp_cstring_bytes("reject-publish");
        const amqp_table_t table{length_max > 0 ? 2 : 0, entries};
        amqp_queue_declare(state_, 1, amqp_cstring_bytes(queue.c_str()), 0, 1, 0, 0, table);
        expect(amqp_get_rpc_reply(state_), "declare");
    }

private:
    [[noreturn]] static void give_up(const char* what) {
        std::fprintf(stderr, "the test's own RabbitMQ client cannot %s\n", what);
        std::exit(EXIT_FAILURE);
    }
    static void expect(const amqp_rpc_reply_t& reply, const char* what) {
        if (reply.reply_type != AMQP_RESPONSE_NORMAL) give_up(what);
    }

    const amqp_connection_state_t state_;
};

}  // namespace

std::vector<Arrived> read_rabbitmq(const brokers::ConnectionOptions& options, const std::string& subject) {
    return Rabbitmq(options).take_all(subject);
}

void delete_queue(const brokers::ConnectionOptions& options, const std::string& queue) {
    Rabbitmq(options).remove(queue);
}

void make_queue(const brokers::ConnectionOptions& options, const std::string& queue, int length_max) {
    Rabbitmq(options).make(queue, length_max);
}

}  // namespace belfry::test
