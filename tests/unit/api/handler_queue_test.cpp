#include "api/http/pool/handler_queue.hpp"

#include <gtest/gtest.h>

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

TEST(HandlerQueue, WorkThatNeverStartedIsDestroyedWithIt) {
    boost::asio::io_context context;
    const auto kept = std::make_shared<int>(1);
    {
        HandlerQueue queue(context);
        queue.post("a", [kept] {});
        EXPECT_EQ(kept.use_count(), 2);
    }
    EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace belfry::api
