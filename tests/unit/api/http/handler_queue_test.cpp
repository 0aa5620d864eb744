#include "api/http/pool/handler_queue.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace belfry::api {

TEST(HandlerQueue, TenantsTakeTurnsAndTheWorkOfEachKeepsItsOrder) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    std::string order;
    const auto post = [&](const std::string& tenant, const std::string& name) {
        queue.post({tenant, "::1"}, [&order, name] { order += name + " "; });
    };
    for (const auto* const name : {"a1", "a2", "a3", "a4"}) post("a", name);
    post("b", "b1");
    post("c", "c1");
    post("b", "b2");
    context.run();
    EXPECT_EQ(order, "a1 b1 c1 a2 b2 a3 a4 ");
}

TEST(HandlerQueue, ATenantWithManyNetworksGetsNoMoreTurnsThanOneWithASingleNetwork) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    std::string order;
    for (const std::string network : {"1", "2", "3"}) {
        for (int i = 0; i < 2; ++i) queue.post({"many", network}, [&order, network] { order += network + " "; });
    }
    for (int i = 0; i < 3; ++i) queue.post({"one", "9"}, [&order] { order += "one "; });
    context.run();
    EXPECT_EQ(order, "1 one 2 one 3 one 1 2 3 ");
}

TEST(HandlerQueue, AClientThatComesBackWaitsBehindTheOthers) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    std::string order;
    queue.post({"a", "::1"}, [&] {
        order += "a1 ";
        queue.post({"a", "::1"}, [&] { order += "a2 "; });
    });
    queue.post({"b", "::1"}, [&] { order += "b1 "; });
    queue.post({"c", "::1"}, [&] { order += "c1 "; });
    context.run();
    EXPECT_EQ(order, "a1 b1 c1 a2 ");
}

TEST(HandlerQueue, AClientThatDoesNotReadRunsOneAtATime) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    HandlerQueue::Unread unread(queue, {"slow", "::1"}, HandlerQueue::kUnreadMax + 1);
    std::string order;
    queue.post({"slow", "::1"}, [&] {
        order += "slow1 ";
        context.poll();  // as another thread would: what may run beside this
        order += "end1 ";
    });
    queue.post({"slow", "::1"}, [&] { order += "slow2 "; });
    queue.post({"other", "::1"}, [&] { order += "other1 "; });
    queue.post({"other", "::1"}, [&] { order += "other2 "; });
    context.run();
    EXPECT_EQ(order, "slow1 other1 other2 end1 slow2 ");
}

TEST(HandlerQueue, AClientThatHasReadRunsInParallelAgain) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    HandlerQueue::Unread unread(queue, {"a", "::1"}, HandlerQueue::kUnreadMax + 1);
    std::string order;
    queue.post({"a", "::1"}, [&] {
        order += "a1 ";
        unread.release();
        context.poll();
        order += "end1 ";
    });
    queue.post({"a", "::1"}, [&] { order += "a2 "; });
    context.run();
    EXPECT_EQ(order, "a1 a2 end1 ");
}

TEST(HandlerQueue, DestroysWorkThatNeverStarted) {
    boost::asio::io_context context;
    HandlerQueue queue(context);
    auto unread = std::make_shared<HandlerQueue::Unread>(queue, HandlerQueue::Client{"a", "::1"}, 1);
    const std::weak_ptr<HandlerQueue::Unread> kept = unread;
    queue.post({"a", "::1"}, [held = std::move(unread)] {});
    queue.clear();
    EXPECT_TRUE(kept.expired());
}

}  // namespace belfry::api
