// What one kind of broker does and the others do not.
#include <set>

#include "brokers/broker_world.hpp"

namespace belfry::test {
namespace {

struct Redis : testing::Test {
    BrokerWorld world{BrokerKind::redis};
    std::string subject = BrokerWorld::new_subject();
};

TEST_F(Redis, AKeyThatIsNoStreamFailsAlone) {
    run_redis(world.options(), {"SET", "belfry:taken", "x"});
    auto messages = batch(subject, 3);
    messages[1].subject = "taken";
    const auto receipts = world.broker()->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok"})) << errors_in(receipts);
    EXPECT_NE(errors_in(receipts).find("WRONGTYPE"), std::string::npos);
    EXPECT_EQ(world.keys_of(subject), (Words{messages[0].key, messages[2].key}));
}

TEST_F(Redis, WithoutMemoryIsUnavailable) {
    const auto broker = world.broker();
    run_redis(world.options(), {"CONFIG", "SET", "maxmemory", "1"});
    const auto receipts = broker->publish(batch(subject, 2), {});
    run_redis(world.options(), {"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"}) << errors_in(receipts);
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 2), {})), Words{"ok"});
}

TEST_F(Redis, KeepsAboutAsManyEntriesAsItIsTold) {
    const auto broker = world.broker(with(long_timeouts(), {{"maxLength", 100}}));
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 1'000), {})), Words{"ok"});
    const auto kept = world.keys_of(subject).size();
    EXPECT_GE(kept, 100U);
    EXPECT_LT(kept, 1'000U);
}

TEST_F(Redis, UsesItsDatabaseAndItsPrefix) {
    auto parsed = brokers::parse_connection(world.server().url() + "/3", {{"stream", "tasks"}});
    ASSERT_TRUE(parsed);
    ASSERT_EQ(outcomes((*brokers::make_broker(std::move(*parsed)))->publish(batch(subject, 1), {})), Words{"ok"});
    run_redis(world.options(), {"SWAPDB", "0", "3"});
    EXPECT_EQ(read_all(world.options({{"stream", "tasks"}}), subject).size(), 1U);
    run_redis(world.options(), {"SWAPDB", "0", "3"});
}

struct Rabbitmq : testing::Test {
    BrokerWorld world{BrokerKind::rabbitmq};
    std::string subject = BrokerWorld::new_subject();
};

TEST_F(Rabbitmq, AMessageThatNoQueueTakesFailsAlone) {
    make_queue(world.options(), subject);
    auto messages = batch(subject, 4);
    messages[1].subject = "nobody-listens";
    const auto receipts = world.broker(with(long_timeouts(), {{"create", false}}))->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok"})) << errors_in(receipts);
    EXPECT_EQ(world.keys_of(subject), (Words{messages[0].key, messages[2].key, messages[3].key}));
}

// It closes the channel, and with it the confirmations of all that went with it.
TEST_F(Rabbitmq, AMessageThatIsTooLongFailsAlone) {
    auto messages = batch(subject, 20);
    messages[7].body = std::string(500'000, 'x');
    messages[12].body = std::string(500'000, 'x');
    const auto broker = world.broker();
    const auto receipts = broker->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok", "invalid", "ok"})) << errors_in(receipts);
    std::set<std::string> there;
    for (const auto& key : world.keys_of(subject)) there.insert(key);
    EXPECT_EQ(there.size(), 18U);
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 3), {})), Words{"ok"});
}

TEST_F(Rabbitmq, AQueueThatWasDeletedIsDeclaredAgain) {
    const auto broker = world.broker();
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 1), {})), Words{"ok"});
    delete_queue(world.options(), subject);
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 1), {})), Words{"unavailable"});
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 1), {})), Words{"ok"});
}

TEST_F(Rabbitmq, AFullQueueIsUnavailableAndItsOtherPropertiesDoNotMatter) {
    make_queue(world.options(), subject, 2);
    const auto receipts = world.broker()->publish(batch(subject, 5), {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "unavailable"})) << errors_in(receipts);
    EXPECT_NE(errors_in(receipts).find("full"), std::string::npos) << errors_in(receipts);
}

TEST_F(Rabbitmq, AMissingExchangeIsUnavailable) {
    const auto broker = world.broker(with(long_timeouts(), {{"exchange", "nowhere"}}));
    for (int i = 0; i < 2; ++i) {
        const auto receipts = broker->publish(batch(subject, 3), {});
        EXPECT_EQ(outcomes(receipts), Words{"unavailable"}) << errors_in(receipts);
        EXPECT_NE(errors_in(receipts).find("nowhere"), std::string::npos) << errors_in(receipts);
    }
    EXPECT_TRUE(broker->check({}));
}

TEST_F(Rabbitmq, ShortOfMemoryIsUnavailable) {
    const auto broker = world.broker();
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 1, "before"), {})), Words{"ok"});
    world.server().starve();
    const auto receipts = broker->publish(batch(subject, 3, "while"), {});
    world.server().feed();
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"});
    EXPECT_NE(errors_in(receipts).find("short of memory"), std::string::npos) << errors_in(receipts);
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 3, "after"), {})), Words{"ok"});
}

struct Nats : testing::Test {
    BrokerWorld world{BrokerKind::nats};
    std::string subject = BrokerWorld::new_subject();
};

TEST_F(Nats, AMessageThatIsTooLongFailsAlone) {
    auto messages = batch(subject, 4);
    messages[2].body = std::string(100'000, 'x');
    const auto receipts = world.broker()->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok"})) << errors_in(receipts);
    EXPECT_EQ(world.keys_of(subject), (Words{messages[0].key, messages[1].key, messages[3].key}));
}

TEST_F(Nats, ASubjectThatIsNoneFailsAlone) {
    auto messages = batch(subject, 6);
    messages[1].subject = "a b";
    messages[2].subject = "all.>";
    messages[3].subject = "a..b";
    messages[4].subject = "*";
    const auto receipts = world.broker()->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok"})) << errors_in(receipts);
}

TEST_F(Nats, DropsARepeatByItsKeyAndAnswersWithTheFirst) {
    const auto messages = batch(subject, 3);
    const auto first = world.broker()->publish(messages, {});
    const auto second = world.broker()->publish(messages, {});
    ASSERT_EQ(outcomes(second), Words{"ok"}) << errors_in(second);
    for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(*first[i], *second[i]);
    EXPECT_EQ(world.keys_of(subject), keys_of(messages));
}

TEST_F(Nats, AMissingStreamIsUnavailableWhenItMayNotBeMade) {
    const boost::json::object there{{"stream", "OTHER"}, {"prefix", "other"}};
    const auto receipts =
        world.broker(with(with(long_timeouts(), there), {{"create", false}}))->publish(batch(subject, 2), {});
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"});
    EXPECT_NE(errors_in(receipts).find("OTHER"), std::string::npos) << errors_in(receipts);
    EXPECT_EQ(outcomes(world.broker(with(long_timeouts(), there))->publish(batch(subject, 2), {})), Words{"ok"});
}

TEST(MakeBroker, RefusesTlsToRedis) {
    auto options = brokers::parse_connection("rediss://example.com");
    ASSERT_TRUE(options);
    const auto made = brokers::make_broker(std::move(*options));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("TLS to Redis is not supported"), std::string::npos);
}

}  // namespace
}  // namespace belfry::test
