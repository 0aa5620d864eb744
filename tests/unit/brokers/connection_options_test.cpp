#include "brokers/connection_options.hpp"

#include <gtest/gtest.h>

#include "base/text/json.hpp"

namespace belfry::brokers {
namespace {

ConnectionOptions parsed(std::string_view url, const boost::json::object& options = {}) {
    auto made = parse_connection(url, options);
    EXPECT_TRUE(made) << url << ": " << made.error().message;
    return made ? std::move(*made) : ConnectionOptions{};
}

struct Read {
    const char* url;
    const char* described;
    const char* password;
};

class ConnectionUrls : public testing::TestWithParam<Read> {};

TEST_P(ConnectionUrls, AreReadInTheirParts) {
    const auto options = parsed(GetParam().url);
    EXPECT_EQ(describe(options), GetParam().described);
    EXPECT_EQ(options.password.reveal(), GetParam().password);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ConnectionUrls,
    testing::Values(
        Read{"redis://localhost", "redis://localhost:6379/0", ""},                       // the usual port and database
        Read{"redis://:secret@localhost:7000/2", "redis://localhost:7000/2", "secret"},  // a password without a user
        Read{"redis://me:s%40%2Fx@[2001:DB8::1]:7000", "redis://me@[2001:db8::1]:7000/0", "s@/x"},  // encoded, IPv6
        Read{"REDISS://host", "rediss://host:6379/0", ""},                 // refused later, by make_broker
        Read{"amqp://host", "amqp://guest@host:5672", "guest"},            // RabbitMQ's own user
        Read{"amqp://me:pw@host/", "amqp://me@host:5672", "pw"},           // the default vhost
        Read{"amqps://me:pw@host/%2F", "amqps://me@host:5671", "pw"},      // the same, said in full
        Read{"amqp://me:pw@host/jobs", "amqp://me@host:5672/jobs", "pw"},  //
        Read{"nats://host", "nats://host:4222", ""},                       //
        Read{"nats://t0ken@host", "nats://host:4222", "t0ken"},            // a token is no user
        Read{"tls://me:pw@host:4443/", "tls://me@host:4443", "pw"},        //
        Read{"nats://me:p%25@host", "nats://me@host:4222", "p%"}));

TEST(ConnectionOptions, KeepAPasswordThatComesApartFromTheUrl) {
    auto made = parse_connection("nats://me@host", {}, Secret("kept"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->user, "me");
    EXPECT_EQ(made->password.reveal(), "kept");
    auto own = parse_connection("redis://me:own@host", {}, Secret("kept"));
    ASSERT_TRUE(own);
    EXPECT_EQ(own->password.reveal(), "own");
}

TEST(ConnectionOptions, AreReadFromJson) {
    const auto redis =
        parsed("redis://h",
               {{"stream", "tasks"}, {"maxLength", 1000}, {"connectTimeout", "PT2S"}, {"operationTimeout", "1500ms"}});
    EXPECT_EQ(std::get<RedisOptions>(redis.of_kind).stream, "tasks");
    EXPECT_EQ(std::get<RedisOptions>(redis.of_kind).max_length, 1'000);
    EXPECT_EQ(redis.longest_call(), std::chrono::milliseconds{3'500});

    const auto rabbitmq = parsed("amqp://h", {{"exchange", "jobs"}, {"create", false}});
    EXPECT_EQ(std::get<RabbitmqOptions>(rabbitmq.of_kind).exchange, "jobs");
    EXPECT_FALSE(std::get<RabbitmqOptions>(rabbitmq.of_kind).create);

    const auto nats = parsed(
        "tls://h",
        {{"stream", "JOBS"}, {"prefix", "jobs.new"}, {"duplicateWindow", "PT10M"}, {"authorities", "/etc/ca.pem"}});
    EXPECT_EQ(std::get<NatsOptions>(nats.of_kind).stream, "JOBS");
    EXPECT_EQ(std::get<NatsOptions>(nats.of_kind).prefix, "jobs.new");
    EXPECT_EQ(std::get<NatsOptions>(nats.of_kind).duplicate_window, std::chrono::minutes{10});
    EXPECT_EQ(nats.authorities, "/etc/ca.pem");
}

TEST(ConnectionOptions, TellAllMistakesAtOnceWithTheirFields) {
    const auto made = parse_connection(
        "redis://h/first", {{"maxLength", 0}, {"stream", ""}, {"operationTimeout", "PT1H"}, {"exchange", "x"}});
    ASSERT_FALSE(made);
    std::vector<std::string> fields{made.error().field};
    for (const auto& other : made.error().more) fields.push_back(other.field);
    EXPECT_EQ(fields, (std::vector<std::string>{"/url", "/options/stream", "/options/maxLength",
                                                "/options/operationTimeout", "/options/exchange"}));
}

TEST(ConnectionOptions, RefuseNamesThatNatsWouldReadAsSomethingElse) {
    for (const auto* prefix : {"a b", "a..b", ".a", "a.", "*", "a.>", "a\r\nPUB x"})
        EXPECT_FALSE(parse_connection("nats://h", {{"prefix", prefix}})) << prefix;
    for (const auto* stream : {"a.b", "a b", "*"})
        EXPECT_FALSE(parse_connection("nats://h", {{"stream", stream}})) << stream;
}

struct Refused {
    const char* url;
    const char* reason;
};

class ConnectionUrlRefusals : public testing::TestWithParam<Refused> {};

// Whatever the mistake is, `hunter2` is a part of the password.
TEST_P(ConnectionUrlRefusals, SayWhyAndNoPassword) {
    const auto made = parse_connection(GetParam().url);
    ASSERT_FALSE(made) << GetParam().url << " was read as " << describe(*made);
    EXPECT_EQ(made.error().field, "/url");
    EXPECT_NE(made.error().message.find(GetParam().reason), std::string::npos) << made.error().message;
    EXPECT_EQ(made.error().message.find("hunter2"), std::string::npos) << made.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ConnectionUrlRefusals,
    testing::Values(
        Refused{"", "cannot be read"}, Refused{"localhost:6379", "cannot be read"},
        Refused{"http://h", "use redis, amqp"}, Refused{"redis://", "no host"}, Refused{"redis://h:0", "port"},
        Refused{"redis://h:x", "port"}, Refused{"redis://h/a", "database"}, Refused{"redis://h/-1", "database"},
        Refused{"nats://h/path", "no path"}, Refused{"redis://h?db=1", "no query"}, Refused{"redis://127.1", "IPv4"},
        Refused{"redis://me:hunter2@x@h", "percent-encoded"}, Refused{"redis://me:hunter2/x@h", "percent-encoded"},
        Refused{"redis://me:x#hunter2@h", "percent-encoded"}, Refused{"redis://me:%zzhunter2@h", "percent-encoded"},
        Refused{"redis://me:hunter2%00@h", "percent-encoded"}, Refused{"redis://me:hunter2@", "no host"},
        Refused{"amqp://h/a\xff", "cannot be read"}, Refused{"amqp://h/a%ff", "cannot be read"},
        Refused{"amqp://h/a%0a", "cannot be read"}, Refused{"amqp://m\x01:hunter2@h", "percent-encoded"}));

}  // namespace
}  // namespace belfry::brokers
