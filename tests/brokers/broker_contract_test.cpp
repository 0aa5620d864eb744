// What every broker must do, on real servers.
#include <algorithm>
#include <thread>

#include "brokers/broker_world.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {
namespace {

class BrokerContract : public testing::TestWithParam<BrokerKind> {
protected:
    BrokerWorld world{GetParam()};
    std::string subject = BrokerWorld::new_subject();
};

INSTANTIATE_TEST_SUITE_P(On, BrokerContract, testing::Values(BrokerKind::redis, BrokerKind::rabbitmq, BrokerKind::nats),
                         [](const auto& kind) { return std::string(brokers::name_of(kind.param)); });

TEST_P(BrokerContract, KeepsTheOrderOfBatches) {
    const auto broker = world.broker();
    const auto first = batch(subject, 250, "a");
    const auto second = batch(subject, 250, "b");
    const auto receipts = broker->publish(first, {});
    ASSERT_EQ(receipts.size(), first.size());
    EXPECT_EQ(outcomes(receipts), Words{"ok"}) << errors_in(receipts);
    EXPECT_EQ(outcomes(broker->publish(second, {})), Words{"ok"});

    auto expected = keys_of(first);
    std::ranges::copy(keys_of(second), std::back_inserter(expected));
    EXPECT_EQ(world.keys_of(subject), expected);
}

TEST_P(BrokerContract, CarriesKeyBodyContentTypeAndHeaders) {
    const Message message{.key = "run 7/α",
                          .subject = subject,
                          .body = R"({"text":"line\nof ünicode","empty":""})",
                          .content_type = "application/cloudevents+json",
                          .headers = {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
                                      {"Tenant", "acme corp"}}};
    const auto receipts = world.broker()->publish({&message, 1}, {});
    ASSERT_EQ(outcomes(receipts), Words{"ok"}) << errors_in(receipts);
    EXPECT_FALSE(receipts[0]->empty());

    const auto arrived = read_all(world.options(), subject);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].key, message.key);
    EXPECT_EQ(arrived[0].body, message.body);
    EXPECT_EQ(arrived[0].content_type, message.content_type);
    EXPECT_EQ(arrived[0].headers, (std::map<std::string, std::string>(message.headers.begin(), message.headers.end())));
}

TEST_P(BrokerContract, AnswersForEveryMessageAlsoForNone) {
    EXPECT_TRUE(world.broker()->publish({}, {}).empty());
    EXPECT_TRUE(world.broker()->check({}));
}

TEST_P(BrokerContract, TakesAMessageWithoutBody) {
    const Message message{.key = subject, .subject = subject, .body = ""};
    EXPECT_EQ(outcomes(world.broker()->publish({&message, 1}, {})), Words{"ok"});
    const auto arrived = read_all(world.options(), subject);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].body, "");
}

TEST_P(BrokerContract, IsUnavailableWhileTheServerIsDownAndWorksAgainAfterwards) {
    const auto broker = world.broker();
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 3, "before"), {})), Words{"ok"});

    world.server().kill();
    const auto receipts = broker->publish(batch(subject, 3, "while"), {});
    const auto answer = broker->check({});
    const auto fresh = world.broker()->check({});
    world.server().start();

    EXPECT_EQ(outcomes(receipts), Words{"unavailable"}) << errors_in(receipts);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_FALSE(fresh);
    const auto after = broker->publish(batch(subject, 3, "after"), {});
    EXPECT_EQ(outcomes(after), Words{"ok"}) << errors_in(after);
    EXPECT_TRUE(broker->check({}));
}

TEST_P(BrokerContract, LosesNothingWhenTheServerRestartedWhileNothingWasPublished) {
    const auto broker = world.broker();
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 1, "before"), {})), Words{"ok"});
    world.server().kill();
    world.server().start();
    auto receipts = broker->publish(batch(subject, 1, "after"), {});
    // A client that has not noticed yet reports the message as not delivered, and the next call has a new connection.
    if (outcomes(receipts) == Words{"unavailable"}) receipts = broker->publish(batch(subject, 1, "after"), {});
    EXPECT_EQ(outcomes(receipts), Words{"ok"}) << errors_in(receipts);
}

TEST_P(BrokerContract, DoesNotWaitForAFrozenServerBeyondItsTimeouts) {
    const auto broker = world.broker(short_timeouts());
    ASSERT_TRUE(world.broker()->check({}));
    static_cast<void>(broker->publish(batch(subject, 1, "first"), {}));

    world.server().freeze();
    const auto receipts = broker->publish(batch(subject, 10), {});
    const auto answer = broker->check({});
    world.server().thaw();

    EXPECT_EQ(outcomes(receipts), Words{"unavailable"}) << errors_in(receipts);
    EXPECT_FALSE(answer);
    // With the short timeouts a busy machine may need more than one attempt.
    EXPECT_TRUE(
        within_a_minute([&] { return outcomes(broker->publish(batch(subject, 1, "after"), {})) == Words{"ok"}; }));
}

// The batch does not fit into what the kernel keeps, so that sending waits.
TEST_P(BrokerContract, DoesNotWaitForAServerThatTakesNoMoreBytes) {
    const auto broker = world.broker(short_timeouts());
    static_cast<void>(broker->publish(batch(subject, 1, "first"), {}));
    world.server().freeze();
    const auto receipts = broker->publish(batch(subject, 500, "long", 60'000), {});
    world.server().thaw();
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"});
    EXPECT_TRUE(within_a_minute([&] { return broker->check({}).has_value(); }));
}

TEST_P(BrokerContract, StopsWaitingWhenItIsToldTo) {
    const auto broker = world.broker();
    ASSERT_TRUE(broker->check({}));
    world.server().freeze();
    std::stop_source stop;
    std::thread stopping([&] { stop.request_stop(); });
    const auto receipts = broker->publish(batch(subject, 10), stop.get_token());
    stopping.join();
    world.server().thaw();
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"});
    EXPECT_NE(errors_in(receipts).find("stopping"), std::string::npos) << errors_in(receipts);
}

// Killed while batches are on their way. Redis here keeps nothing on disk, so what survives is asked of the others.
TEST_P(BrokerContract, KeepsWhatItAcknowledgedWhenTheServerIsKilledInTheMiddle) {
    const auto broker = world.broker();
    ASSERT_EQ(outcomes(broker->publish(batch(subject, 1, "first"), {})), Words{"ok"});
    std::vector<std::string> acknowledged;
    std::atomic<int> rounds = 0;
    std::thread killing([&] {
        EXPECT_TRUE(within_a_minute([&] { return rounds.load() >= 3; }));
        world.server().kill();
    });
    Receipts receipts;
    do {
        const auto messages = batch(subject, 200, std::to_string(rounds.load()) + "-", 2'000);
        receipts = broker->publish(messages, {});
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (receipts[i]) acknowledged.push_back(messages[i].key);
        }
        ++rounds;
    } while (outcomes(receipts) == Words{"ok"});
    killing.join();
    world.server().start();

    EXPECT_EQ(outcomes(receipts).back(), "unavailable") << errors_in(receipts);
    EXPECT_EQ(outcomes(broker->publish(batch(subject, 1, "last"), {})), Words{"ok"});
    if (GetParam() == BrokerKind::redis) return;
    auto there = world.keys_of(subject);
    std::ranges::sort(there);
    std::ranges::sort(acknowledged);
    EXPECT_GE(acknowledged.size(), 600U);
    EXPECT_TRUE(std::ranges::includes(there, acknowledged));
}

TEST_P(BrokerContract, RefusesWhatNoBrokerCarriesAndSendsTheRest) {
    auto messages = batch(subject, 6);
    messages[1].key = "";
    messages[2].headers = {{"a", "b\r\nNats-Rollup: all"}};
    messages[3].headers = {{"Nats-Rollup", "all"}};
    messages[4].subject = std::string(300, 'q');
    const auto receipts = world.broker()->publish(messages, {});
    EXPECT_EQ(outcomes(receipts), (Words{"ok", "invalid", "ok"})) << errors_in(receipts);
    EXPECT_EQ(world.keys_of(subject), (Words{messages[0].key, messages[5].key}));
}

TEST_P(BrokerContract, SaysThatAPasswordIsWrongWithoutSayingIt) {
    auto options = world.options();
    options.password = Secret("not-the-password");
    const auto broker = brokers::make_broker(std::move(options));
    const auto receipts = (*broker)->publish(batch(subject, 2), {});
    EXPECT_EQ(outcomes(receipts), Words{"unavailable"});
    EXPECT_NE(errors_in(receipts).find("rejected the user or the password"), std::string::npos) << errors_in(receipts);
    EXPECT_EQ(errors_in(receipts).find("not-the-password"), std::string::npos);
}

TEST_P(BrokerContract, SaysThatNobodyListens) {
    auto options = world.options(short_timeouts());
    options.port = 1;
    const auto answer = (*brokers::make_broker(std::move(options)))->check({});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_FALSE(answer.error().message.empty());
}

}  // namespace
}  // namespace belfry::test
