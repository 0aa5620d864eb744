#include "brokers/message_check.hpp"

#include <gtest/gtest.h>

namespace belfry::brokers {
namespace {

Message good() { return {.key = "run-1", .subject = "high", .body = "{}", .headers = {{"traceparent", "00-1-2-01"}}}; }

std::string refusal(const Message& message) {
    const auto checked = check_message(message);
    return checked ? "" : checked.error().message;
}

TEST(CheckMessage, AcceptsWhatEveryBrokerCarries) {
    EXPECT_EQ(refusal(good()), "");
    auto longest = good();
    longest.key = std::string(kShortTextMax, 'k');
    longest.subject = std::string(kShortTextMax, 's');
    longest.headers = {{std::string(kHeaderNameMax, 'h'), ""}};
    longest.body = std::string(1 << 20, ' ');
    EXPECT_EQ(refusal(longest), "");
}

TEST(CheckMessage, RefusesTextsThatAreMissingOrTooLong) {
    auto message = good();
    message.key = "";
    EXPECT_EQ(refusal(message), "the message has no key");
    message = good();
    message.subject = "";
    EXPECT_EQ(refusal(message), "the message has no subject");
    message.subject = std::string(kShortTextMax + 1, 's');
    EXPECT_EQ(refusal(message), "the subject is longer than 255 bytes");
    message = good();
    message.content_type = "";
    EXPECT_EQ(refusal(message), "the message has no content type");
}

TEST(CheckMessage, RefusesWhatBreaksOutOfItsPlace) {
    auto message = good();
    message.key = "a\r\nPUB other 0";
    EXPECT_EQ(refusal(message), "the key has control characters");
    message = good();
    message.headers = {{"a", "b\nc: d"}};
    EXPECT_NE(refusal(message), "");
    message.headers = {{"a: b", "c"}};
    EXPECT_NE(refusal(message), "");
}

TEST(CheckMessage, RefusesHeadersThatGiveOrdersToNats) {
    auto message = good();
    message.headers = {{"NATS-Rollup", "all"}};
    EXPECT_EQ(refusal(message), "the header NATS-Rollup is reserved for NATS: use another name");
}

TEST(CheckMessage, RefusesMoreHeadersThanFitIntoAFrame) {
    auto message = good();
    for (int i = 0; i < 5; ++i) message.headers.emplace_back("h" + std::to_string(i), std::string(8'000, 'x'));
    EXPECT_EQ(refusal(message), "the headers are longer than 32768 bytes");
    message.headers = {{std::string(kHeaderNameMax + 1, 'h'), ""}};
    EXPECT_EQ(refusal(message), "a header's name is longer than 128 bytes");
}

}  // namespace
}  // namespace belfry::brokers
