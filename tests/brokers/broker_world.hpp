// A broker under test beside the server that it speaks to.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "brokers/broker.hpp"
#include "brokers/reading.hpp"
#include "support/servers/private_broker.hpp"

namespace belfry::test {

using brokers::BrokerKind;
using brokers::ConnectionOptions;
using brokers::Message;
using brokers::Receipts;

// Short where a test waits for it to pass.
inline boost::json::object short_timeouts() { return {{"connectTimeout", "PT1S"}, {"operationTimeout", "PT1S"}}; }
// Long where it must not: a busy machine is no fault.
inline boost::json::object long_timeouts() { return {{"connectTimeout", "PT1M"}, {"operationTimeout", "PT1M"}}; }

inline boost::json::object with(boost::json::object options, const boost::json::object& more) {
    for (const auto& [name, value] : more) options[name] = value;
    return options;
}

class BrokerWorld {
public:
    explicit BrokerWorld(BrokerKind kind) : server_(shared_broker(kind)) {}

    [[nodiscard]] PrivateBroker& server() { return server_; }
    [[nodiscard]] ConnectionOptions options(const boost::json::object& more = long_timeouts()) const {
        auto parsed = brokers::parse_connection(server_.url(), more);
        EXPECT_TRUE(parsed) << parsed.error().message;
        return std::move(*parsed);
    }
    [[nodiscard]] std::unique_ptr<brokers::Broker> broker(const boost::json::object& more = long_timeouts()) const {
        auto made = brokers::make_broker(options(more));
        EXPECT_TRUE(made) << made.error().message;
        return std::move(*made);
    }
    // A queue that no other test uses.
    [[nodiscard]] static std::string new_subject() {
        static int last = 0;
        return "q" + std::to_string(++last);
    }
    [[nodiscard]] std::vector<std::string> keys_of(const std::string& subject) const {
        std::vector<std::string> keys;
        for (const auto& each : read_all(options(), subject)) keys.push_back(each.key);
        return keys;
    }

private:
    PrivateBroker& server_;
};

inline std::vector<Message> batch(const std::string& subject, std::size_t count, const std::string& prefix = "key-",
                                  std::size_t bytes = 10) {
    std::vector<Message> messages;
    for (std::size_t i = 0; i < count; ++i) {
        messages.push_back({.key = subject + "-" + prefix + std::to_string(i),
                            .subject = subject,
                            .body = "\"" + std::string(bytes, 'x') + "\""});
    }
    return messages;
}

inline std::vector<std::string> keys_of(const std::vector<Message>& messages) {
    std::vector<std::string> keys;
    for (const auto& each : messages) keys.push_back(each.key);
    return keys;
}

// "ok", "unavailable" or "invalid", once for each run of the same.
inline std::vector<std::string> outcomes(const Receipts& receipts) {
    std::vector<std::string> all;
    for (const auto& receipt : receipts) {
        const std::string word = receipt                                          ? "ok"
                                 : receipt.error().code == ErrorCode::unavailable ? "unavailable"
                                                                                  : "invalid";
        if (all.empty() || all.back() != word) all.push_back(word);
    }
    return all;
}

inline std::string errors_in(const Receipts& receipts) {
    std::string text;
    for (const auto& receipt : receipts) {
        if (!receipt) text += receipt.error().message + "\n";
    }
    return text;
}

using Words = std::vector<std::string>;

}  // namespace belfry::test
