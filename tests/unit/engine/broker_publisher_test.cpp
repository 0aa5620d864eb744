#include "engine/jobs/broker_publisher.hpp"

#include <gtest/gtest.h>

#include "engine/jobs/housekeeping.hpp"
#include "engine/usecases/callback_token.hpp"
#include "engine/usecases/callbacks.hpp"
#include "support/fakes/fake_broker.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using model::ExecutionStatus;

constexpr const char* kStart = "2026-06-01T10:00:00Z";

class BrokerPublisherTest : public testing::Test {
protected:
    BrokerPublisherTest() {
        auto& connection = connections["orders"];
        connection.name = "orders";
        connection.kind = "nats";
        connection.broker = broker;
        world.store->listen([this](const store::Notification& notification) {
            if (const auto* const ready = std::get_if<store::TasksReady>(&notification); ready != nullptr && publisher)
                publisher->on_notification(*ready);
        });
        schedule = world.create([](model::Schedule& made) {
            made.target.connection = "orders";
            made.target.queue = "billing";
            made.overlap.policy = model::OverlapPolicy::allow_all;
            made.created_by = "ann";
            made.target.metadata = {{"team", "a"}};
        });
    }
    ~BrokerPublisherTest() override { world.store->listen({}); }

    void start(BrokerPublisherOptions options = {}) {
        book.emplace(connections);
        publisher = std::make_unique<BrokerPublisher>(
            BrokerPublisher::Collaborators{*world.store, world.runs, world.journal, world.steady, *book, &sealer},
            connections.at("orders"), "s1", options, [] { return std::uint64_t{0}; });
    }
    std::vector<std::string> trigger(int times = 1) {
        std::vector<std::string> runs;
        for (int i = 0; i < times; ++i) {
            const auto run = world.schedules.trigger({"default", schedule.definition.id}, {}, {});
            EXPECT_TRUE(run) << run.error().message;
            runs.push_back(run->id);
        }
        return runs;
    }
    // Steps until it wants to wait.
    Micros settle() {
        while (true) {
            if (const auto wait = publisher->step(); wait > Micros{0}) return wait;
        }
    }
    void reap() {
        Reaper reaper(
            *world.store, world.journal, [] { return true; }, {}, [] { return std::uint64_t{0}; });
        reaper.step();
    }
    model::Run read(const std::string& run_id) { return world.store->run("default", run_id).value(); }
    ExecutionStatus status(const std::string& run_id) { return read(run_id).execution; }
    std::vector<std::string> arrived_runs() {
        std::vector<std::string> runs;
        for (const auto& message : broker->arrived())
            runs.push_back(std::string(parse_json(message.body)->at("runId").as_string()));
        return runs;
    }
    // In the order in which they first arrived.
    std::vector<std::string> first_arrivals() {
        std::vector<std::string> runs;
        for (const auto& run : arrived_runs()) {
            if (std::ranges::find(runs, run) == runs.end()) runs.push_back(run);
        }
        return runs;
    }
    std::set<std::string> keys_of(const std::string& run_id) {
        std::set<std::string> keys;
        for (const auto& message : broker->arrived()) {
            if (std::string_view(parse_json(message.body)->at("runId").as_string()) == run_id) keys.insert(message.key);
        }
        return keys;
    }

    test::EngineWorld world{kStart};
    std::shared_ptr<test::FakeBroker> broker = std::make_shared<test::FakeBroker>();
    Connections connections;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    std::optional<ConnectionStats> book;
    store::ScheduleRecord schedule;
    std::unique_ptr<BrokerPublisher> publisher;
};

TEST_F(BrokerPublisherTest, WhatTheBrokerHasIsDone) {
    start();
    const auto runs = trigger(250);
    settle();
    EXPECT_EQ(arrived_runs(), runs);
    for (const auto& run : runs) EXPECT_EQ(status(run), ExecutionStatus::succeeded);
    EXPECT_EQ(to_text(read(runs[0]).result), R"({"connection":"orders","messageId":"m-1"})");
    const auto reading = book->read().front();
    EXPECT_EQ(reading.outcomes.at(HandOver::acknowledged), 250);
    EXPECT_FALSE(reading.unavailable_since);
    EXPECT_EQ(reading.in_flight, 0);
}

TEST_F(BrokerPublisherTest, AMessageSaysAllThatItsReceiverNeeds) {
    start();
    const auto run = read(trigger()[0]);
    settle();
    ASSERT_EQ(broker->arrived().size(), 1U);
    const auto message = broker->arrived()[0];
    const auto key = model::idempotency_key(run.schedule_id, run.slot);
    EXPECT_EQ(message.key, key);
    EXPECT_EQ(message.subject, "billing");
    const auto body = parse_json(message.body).value();
    EXPECT_EQ(body.at("tenant"), Json("default"));
    EXPECT_EQ(body.at("runId"), Json(run.id));
    EXPECT_EQ(body.at("user_id"), Json("ann"));
    EXPECT_EQ(body.at("idempotency_key"), Json(key));
    EXPECT_EQ(body.at("scheduled_for"), Json(format_instant(run.slot.occurrence)));
    EXPECT_EQ(to_text(body.at("meta")), R"({"source":"schedule","user_id":"ann","scheduled_for":")" +
                                            format_instant(run.slot.occurrence) + R"(","idempotency_key":")" + key +
                                            R"("})");
    EXPECT_EQ(to_text(body.at("metadata")), R"({"team":"a"})");
    EXPECT_EQ(body.at("attempt"), Json(1));
    EXPECT_TRUE(body.at("callback").is_null());
}

// A broker drops messages with a key that it has seen, and another tenant may have a schedule of the same name.
TEST_F(BrokerPublisherTest, AKeyMadeOfANameIsForTheReceiverAndNotForTheBroker) {
    start();
    schedule = world.create([](model::Schedule& made) {
        made.name = "named";
        made.run_key_name = "named";
        made.target.connection = "orders";
    });
    const auto run = read(trigger()[0]);
    settle();
    const auto message = broker->arrived()[0];
    EXPECT_EQ(message.key, model::idempotency_key(run.schedule_id, run.slot));
    EXPECT_EQ(parse_json(message.body)->at("idempotency_key"), Json(model::idempotency_key("named", run.slot)));
}

TEST_F(BrokerPublisherTest, WhileTheBrokerIsAwayTasksWaitInOrderAndOneAsksForAll) {
    start();
    broker->go_away();
    const auto runs = trigger(150);
    settle();
    EXPECT_TRUE(arrived_runs().empty());
    EXPECT_TRUE(book->read().front().unavailable_since);
    for (int i = 0; i < 20; ++i) {
        world.clock.pass(10s);
        settle();
        reap();
    }
    EXPECT_EQ(status(runs[0]), ExecutionStatus::running);
    EXPECT_EQ(status(runs[149]), ExecutionStatus::queued);
    broker->go_away(false);
    world.clock.pass(20s);
    settle();
    EXPECT_EQ(arrived_runs(), runs);
    EXPECT_EQ(status(runs[149]), ExecutionStatus::succeeded);
    EXPECT_EQ(read(runs[0]).attempts, 1) << "waiting costs no attempt";
    EXPECT_FALSE(book->read().front().unavailable_since);
}

TEST_F(BrokerPublisherTest, AnAcknowledgementThatIsLostIsAskedForAgainUnderTheSameKey) {
    start();
    broker->lose_acknowledgement_after(2);
    const auto runs = trigger(5);
    settle();
    EXPECT_EQ(status(runs[1]), ExecutionStatus::succeeded);
    EXPECT_EQ(status(runs[2]), ExecutionStatus::running);
    world.clock.pass(20s);
    settle();
    EXPECT_EQ(first_arrivals(), runs);
    EXPECT_EQ(arrived_runs().size(), 6U);
    EXPECT_EQ(keys_of(runs[2]).size(), 1U);
    for (const auto& run : runs) EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(BrokerPublisherTest, ATaskThatWaitsLongerThanTheConnectionAllowsHasFailedForGood) {
    connections.at("orders").retry_for = 1min;
    start();
    broker->go_away();
    const auto run = trigger()[0];
    settle();
    world.clock.pass(61s);
    settle();
    const auto failed = read(run);
    EXPECT_EQ(failed.execution, ExecutionStatus::failed);
    EXPECT_EQ(failed.error, "connection orders did not take it within PT1M: the broker is away");
    EXPECT_EQ(book->read().front().outcomes.at(HandOver::expired), 1);
    // It is asked without a task, too, so that everybody sees when it is back.
    broker->go_away(false);
    world.clock.pass(20s);
    settle();
    EXPECT_FALSE(book->read().front().unavailable_since);
}

TEST_F(BrokerPublisherTest, OneThatTheBrokerRefusesFailsAloneWithoutARetry) {
    start();
    const auto first = trigger()[0];
    const auto poisoned =
        world.schedules.trigger({"default", schedule.definition.id}, {.input = Json("poison")}, {})->id;
    const auto last = trigger()[0];
    broker->refuse("poison");
    settle();
    EXPECT_EQ(status(first), ExecutionStatus::succeeded);
    EXPECT_EQ(status(last), ExecutionStatus::succeeded);
    EXPECT_EQ(read(poisoned).error, "connection orders refused it: too large");
}

TEST_F(BrokerPublisherTest, WhatADeadCourierHeldGoesBackAndIsCarriedInOrderByTheNext) {
    start();
    broker->go_away();
    const auto runs = trigger(3);
    settle();
    ASSERT_EQ(status(runs[0]), ExecutionStatus::running);
    broker->go_away(false);
    // Another server, after the first one died: it waits for those that come first.
    BrokerPublisher other({*world.store, world.runs, world.journal, world.steady, *book, &sealer},
                          connections.at("orders"), "s2", {}, [] { return std::uint64_t{0}; });
    publisher.reset();
    const auto later = trigger()[0];
    const auto play = [&](BrokerPublisher& carrier) {
        for (int i = 0; i < 50; ++i) {
            while (carrier.step() == Micros{0}) {
            }
            world.clock.pass(1s);
            reap();
        }
    };
    play(other);
    auto all = runs;
    all.push_back(later);
    EXPECT_EQ(arrived_runs(), all);
    for (const auto& run : all) EXPECT_EQ(status(run), ExecutionStatus::succeeded);
    EXPECT_EQ(read(runs[0]).attempts, 2);
}

TEST_F(BrokerPublisherTest, OneThatEndsGivesBackWhatItHolds) {
    start();
    broker->go_away();
    const auto run = trigger()[0];
    settle();
    publisher->finish();
    EXPECT_EQ(status(run), ExecutionStatus::queued);
}

TEST_F(BrokerPublisherTest, TheTasksOfATenantAreCarriedByTheServerWhoseShareItIs) {
    start();
    const auto run = trigger()[0];
    const auto key = model::key_of("orders\ndefault");
    const std::size_t mine = ShardAssignment{0, 2}.mine(key) ? 0 : 1;
    publisher->share({1 - mine, 2});
    settle();
    EXPECT_TRUE(arrived_runs().empty());
    publisher->share({mine, 2});
    settle();
    EXPECT_EQ(arrived_runs(), std::vector{run});
}

TEST_F(BrokerPublisherTest, ARunThatWasCancelledIsNotCarriedAnyMore) {
    start();
    broker->go_away();
    const auto runs = trigger(2);
    settle();
    ASSERT_TRUE(world.runs.cancel("default", runs[0], "enough"));
    broker->go_away(false);
    world.clock.pass(20s);
    settle();
    EXPECT_EQ(arrived_runs(), std::vector{runs[1]});
    EXPECT_EQ(status(runs[0]), ExecutionStatus::cancelled);
}

TEST_F(BrokerPublisherTest, ATenantThatMayNotUseTheConnectionIsToldSo) {
    connections.at("orders").tenants = {"acme"};
    start();
    const auto run = trigger()[0];
    settle();
    EXPECT_EQ(read(run).error, "connection orders: tenant default may not use this connection");
    EXPECT_TRUE(arrived_runs().empty());
}

// --- Callbacks -------------------------------------------------------------------------------------------------------

class CallbacksTest : public BrokerPublisherTest {
protected:
    CallbacksTest() {
        connections.at("orders").callbacks = true;
        connections.at("orders").callback_timeout = 1h;
    }
    Result<model::Run> tell(const std::string& run_id, Callback::Status status, std::optional<int> attempt = {},
                            const std::string& tenant = "default") {
        Callback callback{.run_id = run_id, .attempt = attempt, .status = status};
        callback.end.status = status == Callback::Status::failed ? ExecutionStatus::failed : ExecutionStatus::succeeded;
        callback.end.result = "told";
        return Callbacks(*world.store, world.runs, connections, {}).report(tenant, callback);
    }
    std::vector<std::string> events_of(const std::string& run_id) {
        std::vector<std::string> types;
        for (const auto& event : world.store->run_events("default", run_id, 0, 100).value())
            types.push_back(event.type);
        return types;
    }
    using Status = Callback::Status;
};

TEST_F(CallbacksTest, ATaskEndsWithWhatItsReceiverTells) {
    start();
    const auto runs = trigger(2);
    settle();
    EXPECT_EQ(status(runs[0]), ExecutionStatus::running);
    EXPECT_TRUE(tell(runs[0], Status::started));
    EXPECT_TRUE(tell(runs[0], Status::started));
    EXPECT_EQ(events_of(runs[0]), (std::vector<std::string>{"node.handed_over", "node.started"}));
    EXPECT_TRUE(tell(runs[0], Status::success));
    EXPECT_EQ(status(runs[0]), ExecutionStatus::succeeded);
    EXPECT_EQ(read(runs[0]).result, Json("told"));
    EXPECT_TRUE(tell(runs[1], Status::failed));
    EXPECT_EQ(status(runs[1]), ExecutionStatus::failed);
}

TEST_F(CallbacksTest, TheSameAgainChangesNothingAndTheContraryIsAConflict) {
    start();
    const auto run = trigger()[0];
    settle();
    ASSERT_TRUE(tell(run, Status::success));
    EXPECT_TRUE(tell(run, Status::success));
    EXPECT_TRUE(tell(run, Status::started)) << "it is only late";
    EXPECT_EQ(tell(run, Status::failed).error().code, ErrorCode::conflict);
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(CallbacksTest, AStatusMayComeBeforeTheAcknowledgement) {
    start();
    broker->lose_acknowledgement_after(0);
    const auto run = trigger()[0];
    settle();
    ASSERT_EQ(arrived_runs().size(), 1U);
    EXPECT_TRUE(tell(run, Status::success));
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
    world.clock.pass(20s);
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(CallbacksTest, WhileATaskWaitsToBeHandedOverItIsToldLater) {
    start();
    broker->go_away();
    const auto run = trigger()[0];
    EXPECT_EQ(tell(run, Status::success).error().code, ErrorCode::unavailable);
}

TEST_F(CallbacksTest, AReceiverThatTellsNothingHasTimedOut) {
    start();
    const auto run = trigger()[0];
    settle();
    world.clock.pass(59min);
    reap();
    EXPECT_EQ(status(run), ExecutionStatus::running);
    world.clock.pass(2min);
    reap();
    EXPECT_EQ(status(run), ExecutionStatus::timed_out);
}

TEST_F(CallbacksTest, AFailureOfAnEarlierAttemptDoesNotEndALaterOne) {
    schedule.definition.retry.max_retries = 2;
    ASSERT_TRUE(world.schedules.update({"default", schedule.definition.id}, {},
                                       [](const model::Schedule& before) -> Result<model::Schedule> {
                                           auto after = before;
                                           after.retry.max_retries = 2;
                                           after.retry.backoff = 1000ms;
                                           return after;
                                       },
                                       {}));
    start();
    const auto run = trigger()[0];
    settle();
    ASSERT_TRUE(tell(run, Status::failed, 1));
    EXPECT_EQ(status(run), ExecutionStatus::queued);
    world.clock.pass(10s);
    settle();
    ASSERT_EQ(status(run), ExecutionStatus::running);
    EXPECT_EQ(tell(run, Status::failed, 1).error().code, ErrorCode::conflict);
    EXPECT_TRUE(tell(run, Status::success, 2));
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(CallbacksTest, WhatIsAnotherTenantsIsNotFound) {
    start();
    ASSERT_TRUE(world.store->put_tenant({.name = "acme"}));
    const auto run = trigger()[0];
    settle();
    EXPECT_EQ(tell(run, Status::success, {}, "acme").error().code, ErrorCode::not_found);
}

TEST_F(CallbacksTest, ATokenIsOfOneTaskOfOneRunOfOneTenant) {
    const auto token = callback_token(sealer, "default", "r-1", "a").value();
    EXPECT_TRUE(is_callback_token(sealer, token, "default", "r-1", "a").value());
    EXPECT_FALSE(is_callback_token(sealer, token, "default", "r-1", "").value());
    EXPECT_FALSE(is_callback_token(sealer, token, "default", "r-2", "a").value());
    EXPECT_FALSE(is_callback_token(sealer, token, "acme", "r-1", "a").value());
    EXPECT_FALSE(is_callback_token(sealer, "", "default", "r-1", "a").value());
    Sealer rotated{[]() -> Result<std::vector<SealingKey>> {
        return std::vector{SealingKey(kSealingKeyBytes, 'n'), SealingKey(kSealingKeyBytes, 'k')};
    }};
    EXPECT_TRUE(is_callback_token(rotated, token, "default", "r-1", "a").value());
}

}  // namespace
}  // namespace belfry::engine
