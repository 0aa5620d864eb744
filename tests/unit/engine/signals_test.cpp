#include "engine/signals.hpp"

#include <gtest/gtest.h>

#include <latch>

#include "model/identity.hpp"
#include "support/engine_world.hpp"
#include "support/fake_http.hpp"

namespace belfry::engine {
namespace {

using test::EngineWorld;
using test::FakeHttp;
using test::Lines;

FakeHttp::Answer says(std::string body, int status = 200) {
    return [body = std::move(body), status](const HttpCall&) { return HttpAnswer{.status = status, .body = body}; };
}

void watched(model::Schedule& schedule) {
    schedule.spec.cron = {"0 * * * *"};
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    schedule.condition = test::json(R"({"/signal_rpc_result/load":{"lt":5}})");
    schedule.signal = model::Signal{"https://kpi.example/health", std::chrono::milliseconds{700}};
}

TEST(Signal, IsAskedOnlyForAConditionThatLooksAtIt) {
    model::Schedule schedule;
    watched(schedule);
    EXPECT_TRUE(asks_signal(schedule));
    schedule.condition = test::json(R"({"/signal_rpc_result":{"neq":null}})");
    EXPECT_TRUE(asks_signal(schedule));
    schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
    EXPECT_FALSE(asks_signal(schedule));
    schedule.condition = nullptr;
    EXPECT_FALSE(asks_signal(schedule));
    watched(schedule);
    schedule.signal.reset();
    EXPECT_FALSE(asks_signal(schedule));
}

TEST(Signal, IsNullUnlessItAnswersWithJson) {
    const model::Signal signal{"https://kpi.example/health", std::chrono::hours{1}};
    FakeHttp http(says(R"({"load":3})"));
    EXPECT_EQ(ask_signal(http, signal), test::json(R"({"load":3})"));
    EXPECT_EQ(http.take().at(0).timeout, kSignalTimeoutMax);
    http.answer(says("busy"));
    EXPECT_TRUE(ask_signal(http, signal).is_null());
    http.answer(says("{}", 500));
    EXPECT_TRUE(ask_signal(http, signal).is_null());
    http.answer([](const HttpCall&) { return Error{ErrorCode::unavailable, "no answer within 700 ms"}; });
    EXPECT_TRUE(ask_signal(http, signal).is_null());
    EXPECT_TRUE(ask_signal(http, {"nowhere"}).is_null());
}

// A ticker whose signals answer on their own threads; `ready` is heard as the engine hears it.
class SignalsWorld {
public:
    explicit SignalsWorld(FakeHttp::Answer answer) : http(std::move(answer)) { world.ticker.ask(signals); }

    // Waits for so many answers, as the engine's thread would, and steps.
    void wait_for_answers(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return answers_ >= count; });
        lock.unlock();
        world.settle();
    }

    EngineWorld world{"2026-06-01T09:30:00Z"};
    FakeHttp http;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int answers_ = 0;

public:
    Signals signals{http, world.steady, {}, [this](const std::string& id, Instant due) {
                        world.ticker.hear(store::ScheduleMoved{.key = model::key_of(id), .next_fire = due});
                        const std::lock_guard lock(mutex_);
                        ++answers_;
                        changed_.notify_all();
                    }};
};

TEST(Ticker, DecidesWithWhatTheSignalSaysNow) {
    SignalsWorld with(says(R"({"load":4})"));
    with.world.create(watched);
    with.world.play("2026-06-01T10:00:00Z");
    with.wait_for_answers(1);
    with.http.answer(says(R"({"load":6})"));
    with.world.play("2026-06-01T11:00:00Z");
    with.wait_for_answers(2);
    EXPECT_EQ(with.world.runs_of(), (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z skipped condition_failed"}));
    EXPECT_EQ(with.http.take().size(), 2U) << "asked anew for every decision, and once for each";
}

TEST(Ticker, ASignalThatDoesNotAnswerHoldsUpNobodyElse) {
    std::latch answer(1);
    SignalsWorld with([&](const HttpCall&) -> Result<HttpAnswer> {
        answer.wait();
        return Error{ErrorCode::unavailable, "no answer within 700 ms"};
    });
    with.world.create(watched);
    with.world.create([](auto& schedule) {
        schedule.name = "other";
        schedule.spec.cron = {"0 * * * *"};
    });
    with.world.play("2026-06-01T10:00:00Z");
    EXPECT_EQ(with.world.runs_of("other"), Lines{"tick 2026-06-01T10:00:00Z dispatched"});
    EXPECT_EQ(with.world.runs_of(), Lines{});
    answer.count_down();
    with.wait_for_answers(1);
    EXPECT_EQ(with.world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z skipped condition_failed"});
}

TEST(Schedules, ATickByHandAsksTheSignalsOutsideOfTheTransaction) {
    EngineWorld world("2026-06-01T09:30:00Z");
    FakeHttp http(says(R"({"load":4})"));
    Schedules schedules(*world.store, test::zones(), world.journal, world.ids, {.min_interval = Seconds{1}, .http = &http});
    world.create(watched);
    world.clock.set(test::instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(schedules.tick_once(10).value().plans.size(), 1U);
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z dispatched"});
    EXPECT_EQ(http.take().size(), 1U);
}

}  // namespace
}  // namespace belfry::engine
