// A broker in memory: a test says what it does with messages, and looks at what arrived. Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "brokers/broker.hpp"

namespace belfry::test {

class FakeBroker final : public brokers::Broker {
public:
    brokers::Receipts publish(std::span<const brokers::Message> messages, std::stop_token) override {
        const std::scoped_lock lock(mutex_);
        ++calls_;
        brokers::Receipts receipts;
        bool broken = away_;
        for (const auto& message : messages) {
            if (broken) {
                receipts.emplace_back(gone());
            } else if (message.body.find(poison_) != std::string::npos) {
                receipts.emplace_back(Error{ErrorCode::invalid_argument, "too large"});
            } else {
                arrived_.push_back(message);
                // It has the message, and the connection breaks before anybody hears of it.
                if (loses_after_ && --*loses_after_ < 0) {
                    loses_after_.reset();
                    broken = true;
                    receipts.emplace_back(gone());
                } else {
                    receipts.emplace_back("m-" + std::to_string(arrived_.size()));
                }
            }
        }
        return receipts;
    }
    Result<void> check(std::stop_token) override {
        const std::scoped_lock lock(mutex_);
        if (away_) return gone();
        return {};
    }

    void go_away(bool away = true) {
        const std::scoped_lock lock(mutex_);
        away_ = away;
    }
    // Of the acknowledgements to come, so many arrive; the next is lost with the connection.
    void lose_acknowledgement_after(int count) {
        const std::scoped_lock lock(mutex_);
        loses_after_ = count;
    }
    void refuse(const std::string& poison) {
        const std::scoped_lock lock(mutex_);
        poison_ = poison;
    }
    std::vector<brokers::Message> arrived() const {
        const std::scoped_lock lock(mutex_);
        return arrived_;
    }
    int calls() const {
        const std::scoped_lock lock(mutex_);
        return calls_;
    }

private:
    static Error gone() { return {ErrorCode::unavailable, "the broker is away"}; }

    mutable std::mutex mutex_;
    std::vector<brokers::Message> arrived_;
    std::optional<int> loses_after_;
    std::string poison_ = "this text is in no message";
    bool away_ = false;
    int calls_ = 0;
};

}  // namespace belfry::test
