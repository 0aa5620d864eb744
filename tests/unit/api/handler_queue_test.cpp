#include "api/http/pool/handler_queue.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace belfry::api {

TEST(HandlerQueue, ClientsTakeTurnsAndTheWorkOfEachKeepsItsOrder) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    std::string order;
    const auto post = [&](const std::string& client, const std::string& name) {
        queue.post(client, [&order, name] { order += name + " "; });
    };
    for (const auto* const name : {"a1", "a2", "a3", "a4"}) post("a", name);
    post("b", "b1");
    post("c", "c1");
    post("b", "b2");
    context.run();
    EXPECT_EQ(order, "a1 b1 c1 a2 b2 a3 a4 ");
}

TEST(HandlerQueue, AClientThatComesBackWaitsBehindTheOthers) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    std::string order;
    queue.post("a", [&] {
        order += "a1 ";
        queue.post("a", [&] { order += "a2 "; });
    });
    queue.post("b", [&] { order += "b1 "; });
    queue.post("c", [&] { order += "c1 "; });
    context.run();
    EXPECT_EQ(order, "a1 b1 c1 a2 ");
}

TEST(HandlerQueue, AClientThatDoesNotReadRunsOneAtATime) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    HandlerQueue::Unread unread(queue, "slow", HandlerQueue::kUnreadMax + 1);
    std::string order;
    queue.post("slow", [&] {
        order += "slow1 ";
        context.poll();  // as another thread would: what may run beside this
        order += "end1 ";
    });
    queue.post("slow", [&] { order += "slow2 "; });
    queue.post("other", [&] { order += "other1 "; });
    queue.post("other", [&] { order += "other2 "; });
    context.run();
    EXPECT_EQ(order, "slow1 other1 other2 end1 slow2 ");
}

TEST(HandlerQueue, AClientThatHasReadRunsInParallelAgain) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    HandlerQueue::Unread unread(queue, "a", HandlerQueue::kUnreadMax + 1);
    std::string order;
    queue.post("a", [&] {
        order += "a1 ";
        unread.release();
        context.poll();
        order += "end1 ";
    });
    queue.post("a", [&] { order += "a2 "; });
    context.run();
    EXPECT_EQ(order, "a1 a2 end1 ");
}

TEST(HandlerQueue, DestroysWorkThatNeverStarted) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    auto unread = std::make_shared<HandlerQueue::Unread>(queue, "a", 1);
    const std::weak_ptr<HandlerQueue::Unread> kept = unread;
    queue.post("a", [held = std::move(unread)] {});
    queue.clear();
    EXPECT_TRUE(kept.expired());
}

}  // namespace belfry::api
