#include "engine/outgoing/signals.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <set>

#include "model/identity.hpp"
#include "support/fakes/fake_http.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/waiting.hpp"

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
                        world.ticker.on_notification(store::ScheduleMoved{.key = model::key_of(id), .next_fire = due});
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
    EXPECT_EQ(with.world.runs_of(),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z skipped condition_failed"}));
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
    Schedules schedules(*world.store, test::zones(), world.journal, world.ids,
                        {.min_interval = Seconds{1}, .http = &http});
    world.create(watched);
    world.clock.set(test::instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(schedules.tick_once(10).value().plans.size(), 1U);
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z dispatched"});
    EXPECT_EQ(http.take().size(), 1U);
}

// Receivers by their hosts: `silent…` says nothing until the test ends, any other answers at once.
class SlowSignals {
public:
    explicit SlowSignals(Signals::Options options)
        : signals(http, steady, options, [this](const std::string& id, Instant) {
              const MutexLock lock(mutex_);
              ready_.insert(id);
          }) {}
    ~SlowSignals() { silence_.count_down(); }

    // Asks for one; the answer comes later.
    void ask(const std::string& tenant, const std::string& host, int count = 1) {
        for (int i = 0; i < count; ++i) EXPECT_FALSE(find(tenant, host, i)) << tenant << i;
    }
    std::optional<Json> find(const std::string& tenant, const std::string& host, int i = 0) {
        model::Schedule schedule;
        schedule.id = tenant + host + std::to_string(i);
        schedule.tenant = tenant;
        schedule.signal = model::Signal{"https://" + host + "/", std::chrono::milliseconds{700}};
        return signals.find(schedule, test::instant("2026-06-01T10:00:00Z"));
    }
    bool is_answered(const std::string& tenant, const std::string& host, int i = 0) {
        return test::within_a_minute([&] {
            const MutexLock lock(mutex_);
            return ready_.contains(tenant + host + std::to_string(i));
        });
    }

private:
    std::latch silence_{1};
    Mutex mutex_;
    std::set<std::string> ready_;
    FakeHttp http{[this](const HttpCall& call) -> Result<HttpAnswer> {
        if (call.url.host.starts_with("silent")) silence_.wait();
        return HttpAnswer{.status = 200, .body = "{}"};
    }};
    SystemSteadyClock steady;

public:
    Signals signals;
};

TEST(Signals, SilentReceiversOfOneTenantLeaveRoomForAnother) {
    SlowSignals with({.calls = 4});
    for (int i = 0; i < 10; ++i) with.ask("a", "silent" + std::to_string(i) + ".example");
    with.ask("b", "alive.example");
    EXPECT_TRUE(with.is_answered("b", "alive.example"));
}

TEST(Signals, ASilentReceiverLeavesRoomForTheOthersOfItsTenant) {
    SlowSignals with({.calls = 8});
    with.ask("a", "silent.example", 100);
    with.ask("a", "alive.example", 20);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(with.is_answered("a", "alive.example", i)) << i;
}

TEST(Signals, ATenantWithTooManyQuestionsGetsNullAtOnceAndAnotherIsAsked) {
    SlowSignals with({.calls = 1, .questions_max = 8});
    with.ask("a", "silent.example", 6);
    EXPECT_EQ(with.find("a", "silent.example", 6), Json(nullptr));
    with.ask("b", "silent.example", 1);
}

// What a server does: the signals are asked while no thread waits for them.
TEST(Schedules, AChangeOfADueScheduleWaitsForNoSignalAndIsRepeatedWhenItHasAnswered) {
    std::latch answer(1);
    SignalsWorld with([&](const HttpCall&) -> Result<HttpAnswer> {
        answer.wait();
        return HttpAnswer{.status = 200, .body = R"({"load":4})"};
    });
    auto& world = with.world;
    world.schedules.ask(with.signals);
    const auto id = world.create(watched).definition.id;
    world.clock.set(test::instant("2026-06-01T10:00:00Z"));
    PendingWatch watch;
    const auto pause = [&] { return world.schedules.pause({.tenant = "default", .id = id}, {}, {}); };
    EXPECT_EQ(pause().error().code, ErrorCode::unavailable);
    EXPECT_EQ(world.runs_of(), Lines{}) << "nothing is decided, and nothing is changed";
    auto pending = watch.take();
    ASSERT_TRUE(pending);
    std::latch rung(1);
    const auto listening = pending->listen([&rung] { rung.count_down(); });
    answer.count_down();
    rung.wait();
    EXPECT_EQ(pause().value().state.status, model::ScheduleStatus::paused);
    EXPECT_FALSE(watch.take());
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z dispatched"}) << "with what the signal said";
    std::latch again(1);
    const auto late = pending->listen([&again] { again.count_down(); });
    again.wait();  // what is over rings at once
}

}  // namespace
}  // namespace belfry::engine
