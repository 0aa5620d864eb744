#include "api/http/unread_answers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace belfry::api {

namespace {

// Connections that hold responses; closing one releases its hold.
class Connections {
public:
    explicit Connections(std::size_t bytes_max)
        : unread_(bytes_max, [this](const auto& of) { closed_of.push_back(of); }) {}

    void add(const std::string& name, const std::string& tenant, std::size_t bytes) {
        auto hold = std::make_shared<UnreadAnswers::Hold>();
        *hold = unread_.add(tenant, bytes, [this, name, hold] {
            closed.push_back(name);
            hold->release();
        });
        holds_.push_back(hold);
    }
    ~Connections() {
        for (const auto& hold : holds_) hold->release();
    }

    [[nodiscard]] std::size_t bytes() const { return unread_.bytes(); }

    std::vector<std::string> closed;
    std::vector<std::string> closed_of;  // tenants

private:
    UnreadAnswers unread_;
    std::vector<std::shared_ptr<UnreadAnswers::Hold>> holds_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST(UnreadAnswers, ClosesTheOldestOfTheTenantThatHoldsMost) {
    Connections connections(100);
    connections.add("small", "quiet", 10);
    connections.add("first", "greedy", 40);
    connections.add("second", "greedy", 40);
    EXPECT_EQ(connections.closed, Texts{});
    connections.add("other", "quiet", 20);
    EXPECT_EQ(connections.closed, Texts{"first"});
    EXPECT_EQ(connections.closed_of, Texts{"greedy"});
    EXPECT_EQ(connections.bytes(), 70U);
}

TEST(UnreadAnswers, ANewResponseCountsForItsTenant) {
    Connections connections(100);
    connections.add("a", "one", 50);
    connections.add("b", "two", 40);
    connections.add("c", "two", 30);
    EXPECT_EQ(connections.closed, Texts{"b"});
}

TEST(UnreadAnswers, AResponseAboveTheLimitIsAloneInMemory) {
    Connections connections(100);
    connections.add("a", "one", 50);
    connections.add("huge", "two", 500);
    EXPECT_EQ(connections.closed, Texts{"a"});
    EXPECT_EQ(connections.bytes(), 500U);
}

}  // namespace belfry::api
