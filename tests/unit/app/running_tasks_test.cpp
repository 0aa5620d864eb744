#include "app/worker/running_tasks.hpp"

#include <gtest/gtest.h>

#include <semaphore>

namespace belfry::app {
namespace {

using Leases = std::vector<TaskLease>;

ClaimedTask task(std::string run) {
    ClaimedTask made;
    made.lease = {std::move(run), "", 1};
    return made;
}

// Until it is asked to stop.
void wait_for_stop(const ClaimedTask& /*task*/, const std::stop_token& stop) {
    std::binary_semaphore asked(0);
    const std::stop_callback on_stop(stop, [&] { asked.release(); });
    asked.acquire();
}

TEST(RunningTasks, ThereIsRoomAgainWhenOneIsOver) {
    RunningTasks tasks;
    std::binary_semaphore go(0);
    EXPECT_EQ(tasks.wait_for_room(2, {}), 2U);
    tasks.start(task("a"), Micros{100}, &wait_for_stop);
    EXPECT_EQ(tasks.wait_for_room(2, {}), 1U);
    tasks.start(task("b"), Micros{100}, [&](const ClaimedTask&, const std::stop_token&) { go.acquire(); });
    EXPECT_EQ(tasks.leases(), (Leases{{"a", "", 1}, {"b", "", 1}}));
    go.release();
    EXPECT_EQ(tasks.wait_for_room(2, {}), 1U);
    EXPECT_EQ(tasks.leases(), (Leases{{"a", "", 1}}));
    tasks.stop_all();
    tasks.wait_for_all();
    EXPECT_EQ(tasks.leases(), Leases());
}

TEST(RunningTasks, NobodyWaitsForRoomOnceAStopWasAskedFor) {
    RunningTasks tasks;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(tasks.wait_for_room(1, stop.get_token()), 0U);
    tasks.start(task("a"), Micros{100}, &wait_for_stop);
    EXPECT_EQ(tasks.wait_for_room(1, stop.get_token()), 0U);
    tasks.stop_all();
}

TEST(RunningTasks, AHeartbeatProlongsThoseThatAreHeldAndStopsThoseThatAreNot) {
    RunningTasks tasks;
    const Leases both{{"a", "", 1}, {"b", "", 1}};
    tasks.start(task("a"), Micros{100}, &wait_for_stop);
    tasks.start(task("b"), Micros{100}, &wait_for_stop);
    EXPECT_TRUE(tasks.may_be_held(both[0], Micros{99}));
    EXPECT_FALSE(tasks.may_be_held(both[0], Micros{100}));
    EXPECT_EQ(tasks.keep(both, {both[0]}, Micros{200}), (Leases{both[1]}));
    EXPECT_TRUE(tasks.may_be_held(both[0], Micros{199}));
    EXPECT_FALSE(tasks.may_be_held(both[1], Micros{0}));
    EXPECT_EQ(tasks.wait_for_room(2, {}), 1U);
    EXPECT_EQ(tasks.leases(), (Leases{both[0]}));
    tasks.stop_all();
}

TEST(RunningTasks, OneThatBeganAfterAHeartbeatIsNotTouchedByItsAnswer) {
    RunningTasks tasks;
    tasks.start(task("new"), Micros{100}, &wait_for_stop);
    EXPECT_EQ(tasks.keep({{"old", "", 1}}, {}, Micros{200}), Leases());
    EXPECT_EQ(tasks.leases(), (Leases{{"new", "", 1}}));
    EXPECT_FALSE(tasks.may_be_held({"new", "", 1}, Micros{150}));
    tasks.stop_all();
}

}  // namespace
}  // namespace belfry::app
