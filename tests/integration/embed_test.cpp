// The library for other programs: the API without a socket, and functions that do tasks.
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

#include <belfry/scheduler.hpp>

#include "base/text/json.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::embed {
namespace {

constexpr std::chrono::seconds kLong{30};

// A scheduler on an empty file.
class Embedded : public testing::Test {
protected:
    void open(SchedulerOptions options = {}) {
        options.store = "sqlite:" + folder_.path() + "/belfry.db";
        auto opened = Scheduler::open(std::move(options));
        ASSERT_TRUE(opened.scheduler) << opened.error;
        scheduler_ = std::move(opened.scheduler);
    }

    Response create(const std::string& name, const std::string& more = "") {
        return scheduler_->create_schedule(R"({"name": ")" + name + R"(", "spec": {"cron": ["0 2 * * *"]},)" + more +
                                           R"("target": {"type": "task", "taskKind": "work", "input": {"n": 1}}})");
    }

    // The only run of the schedule, as soon as it has ended.
    Json ended_run(const std::string& name) {
        const auto latest = std::chrono::steady_clock::now() + kLong;
        while (std::chrono::steady_clock::now() < latest) {
            const auto page = parse_json(scheduler_->runs(name).body);
            const auto& items = page->get_object().at("items").get_array();
            if (items.size() == 1 && !items[0].get_object().at("completedAt").is_null()) return items[0];
            std::this_thread::yield();
        }
        ADD_FAILURE() << "no run of " << name << " has ended: " << scheduler_->runs(name).body;
        return boost::json::object{{"status", nullptr}, {"result", nullptr}, {"error", nullptr}};
    }

    static std::string member(const Json& run, std::string_view name) { return to_text(run.get_object().at(name)); }

    test::TempFolder folder_;
    std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(Embedded, AFunctionDoesTheTaskAndItsResultIsThatOfTheRun) {
    open();
    std::promise<Task> seen;
    scheduler_->on_task("work", [&seen](const Task& task) {
        seen.set_value(task);
        return succeed(R"({"done": true})");
    });
    scheduler_->start();
    ASSERT_EQ(create("nightly").status, 201);
    ASSERT_TRUE(scheduler_->trigger("nightly").ok());

    const auto task = seen.get_future().get();
    EXPECT_EQ(task.input, R"({"n":1})");
    EXPECT_EQ(task.schedule, "nightly");
    EXPECT_EQ(task.attempt, 1);
    EXPECT_FALSE(task.idempotency_key.empty());
    const auto run = ended_run("nightly");
    EXPECT_EQ(member(run, "status"), R"("succeeded")");
    EXPECT_EQ(member(run, "result"), R"({"done":true})");
}

TEST_F(Embedded, AnExceptionAnUnknownKindAndAResultThatIsNoJsonFailTheAttempt) {
    open();
    scheduler_->on_task("work", [](const Task& task) -> TaskResult {
        if (task.schedule == "throws") throw std::runtime_error("out of paper");
        return succeed("not json");
    });
    scheduler_->start();
    ASSERT_EQ(create("throws").status, 201);
    ASSERT_EQ(create("speaks").status, 201);
    ASSERT_EQ(scheduler_
                  ->create_schedule(R"({"name": "unknown", "spec": {"cron": ["0 2 * * *"]},
                                        "target": {"type": "task", "taskKind": "fly"}})")
                  .status,
              201);
    for (const auto* const name : {"throws", "speaks", "unknown"}) ASSERT_TRUE(scheduler_->trigger(name).ok());

    EXPECT_EQ(member(ended_run("throws"), "error"), R"("out of paper")");
    EXPECT_NE(member(ended_run("speaks"), "error").find("no JSON"), std::string::npos);
    EXPECT_NE(member(ended_run("unknown"), "error").find("no function for tasks of the kind fly"), std::string::npos);
}

TEST_F(Embedded, ACallIsCheckedAsOverHttp) {
    open();
    const auto wrong = scheduler_->create_schedule(R"({"name": "x", "spec": {"cron": ["61 * * * *"]},
                                                      "target": {"type": "task", "taskKind": "work"}})");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_NE(wrong.body.find("/spec/cron/0"), std::string::npos) << wrong.body;
    EXPECT_EQ(scheduler_->schedule("no such/name").status, 404);
    EXPECT_NE(scheduler_->call("GET", "/events").body.find("cannot return a stream"), std::string::npos);
    EXPECT_EQ(scheduler_->call("TEAPOT", "/schedules").status, 405);
}

TEST_F(Embedded, HistoryIsReadPageByPage) {
    open();
    ASSERT_EQ(create("nightly").status, 201);
    ASSERT_TRUE(scheduler_->pause("nightly", R"({"reason": "holidays"})").ok());
    ASSERT_TRUE(scheduler_->resume("nightly").ok());
    const auto first = parse_json(scheduler_->history("nightly", 2).body);
    EXPECT_EQ(first->get_object().at("items").get_array().size(), 2U);
    const auto rest = parse_json(scheduler_->history("nightly", 10, 2).body);
    ASSERT_EQ(rest->get_object().at("items").get_array().size(), 1U);
    EXPECT_EQ(to_text(rest->get_object().at("items").get_array()[0].get_object().at("sequence")), "3");
}

TEST_F(Embedded, ACancelledRunStopsItsFunction) {
    open({.lease = std::chrono::milliseconds{300}});
    std::promise<std::string> begun;
    std::promise<bool> stopped;
    scheduler_->on_task("work", [&](const Task& task) {
        begun.set_value(task.run_id);
        const auto latest = std::chrono::steady_clock::now() + kLong;
        while (!task.stop.stop_requested() && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
        stopped.set_value(task.stop.stop_requested());
        return fail("cancelled");
    });
    scheduler_->start();
    ASSERT_EQ(create("long").status, 201);
    ASSERT_TRUE(scheduler_->trigger("long").ok());
    const auto cancelled = scheduler_->call("POST", "/runs/" + begun.get_future().get() + "/cancel", "{}");
    ASSERT_TRUE(cancelled.ok()) << cancelled.body;
    EXPECT_TRUE(stopped.get_future().get());
    EXPECT_EQ(member(ended_run("long"), "status"), R"("cancelled")");
}

TEST_F(Embedded, StopWaitsForTheFunctionAndStoresItsResult) {
    open();
    std::promise<void> begun;
    scheduler_->on_task("work", [&begun](const Task& task) {
        begun.set_value();
        while (!task.stop.stop_requested()) std::this_thread::yield();
        return succeed("\"stopped early\"");
    });
    scheduler_->start();
    ASSERT_EQ(create("long").status, 201);
    ASSERT_TRUE(scheduler_->trigger("long").ok());
    begun.get_future().get();
    scheduler_->stop();
    EXPECT_EQ(member(ended_run("long"), "result"), R"("stopped early")");
}

TEST(EmbeddedOptions, SayWhatIsWrong) {
    EXPECT_NE(Scheduler::open({.store = "mysql://x"}).error.find("is not a store"), std::string::npos);
    EXPECT_NE(Scheduler::open({.concurrency = 0}).error.find("use 1 to 256"), std::string::npos);
    EXPECT_NE(Scheduler::open({.store = "sqlite:/no/such/folder/x.db"}).error, "");
}

}  // namespace
}  // namespace belfry::embed
