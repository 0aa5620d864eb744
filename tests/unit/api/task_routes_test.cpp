// What a worker gets with one claim.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <set>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

using test::ApiWorld;
using test::at;

TEST(TaskRoutes, AClaimAnswersAboutFourMebibytesAndTheOthersStayReady) {
    for (const std::string store : {"memory", "sqlite"}) {
        const ApiWorld world(store);
        constexpr std::size_t kTasks = 30;
        const auto start = R"({"taskKind": "t", "input": ")" + std::string(250'000, 'x') + "\"}";
        for (std::size_t i = 0; i < kTasks; ++i) (void)world.post("/api/tenants/default/task-executions", start, 201);
        std::set<std::string> claimed;
        std::size_t claims = 0;
        for (; claimed.size() < kTasks && claims < kTasks; ++claims) {
            const auto answer =
                world.call("POST", "/api/tenants/default/tasks/claim", R"({"worker": "w", "limit": 1000})");
            ASSERT_EQ(answer.status, 200) << answer.body.substr(0, 500);
            EXPECT_LT(answer.body.size(), store::kPageBytesMax + 1'000'000) << store;
            const auto body = parse_json(answer.body, {.bytes_max = 2 * store::kPageBytesMax});
            ASSERT_TRUE(body) << body.error().message;
            const auto& tasks = body->at("items").as_array();
            ASSERT_FALSE(tasks.empty()) << store;
            for (const auto& task : tasks) {
                EXPECT_EQ(at(task, "/attempt"), "1");
                EXPECT_TRUE(claimed.insert(at(task, "/runId")).second) << "claimed twice";
            }
        }
        EXPECT_EQ(claimed.size(), kTasks);
        EXPECT_LE(claims, 5U) << "each answer is as full as it may be";
    }
}

}  // namespace belfry::api
