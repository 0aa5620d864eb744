// Requests that are repeated under an Idempotency-Key: one effect, whoever repeats them and whatever became of the
// first answer (invariant 13).
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "engine/usecases/backfills.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "store/sql/sql_store.hpp"
#include "support/fakes/faulty_database.hpp"
#include "support/oracles/store_verbs.hpp"
#include "support/oracles/stores.hpp"
#include "support/servers/postgres_cluster.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::test {
namespace {

using namespace std::chrono_literals;
using store::Store;

model::CommandContext under(const std::string& key, const std::string& fingerprint = "same") {
    model::CommandContext context;
    context.request = model::RequestKey{key, fingerprint};
    return context;
}

const store::ScheduleRef kReport{.tenant = "default", .name = "report"};

// What can be asked of one store, without the loops.
struct UseCases {
    explicit UseCases(Store& on) : store(on) {}
    Store& store;
    engine::Observer observer;
    UuidMaker ids{&system_random};
    engine::Schedules schedules{store, zones(), observer, ids, {}};
    engine::Runs runs{store, observer};
    engine::Backfills backfills{store, observer, ids};

    [[nodiscard]] decide::BackfillRequest two_days() {
        return {store.now().value() - 48h, store.now().value() - 1h, {}};
    }
    [[nodiscard]] std::size_t all_runs() { return test::all_runs(store, {.tenant = "default"}).size(); }
    [[nodiscard]] std::size_t all_schedules() { return test::all_schedules(store, {.tenant = "default"}).size(); }
};

class Requests : public testing::TestWithParam<StoreUnderTest> {
protected:
    std::unique_ptr<StoreWorld> place = GetParam().make();
    StorePtr store = place->open();
    UseCases use{*store};
};
INSTANTIATE_TEST_SUITE_P(Every, Requests, testing::ValuesIn(stores_under_test()),
                         [](const auto& tested) { return tested.param.name; });

const Edit kParallel = [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; };

TEST_P(Requests, ARepeatedCreationAnswersTheScheduleAsItIsNow) {
    const auto first = use.schedules.create(definition(), under("a"));
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(first->repeated);
    ASSERT_TRUE(use.schedules.pause(kReport, {"lunch", {}}, {}));
    const auto second = use.schedules.create(definition(), under("a"));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->repeated);
    EXPECT_EQ(second->definition, first->definition);
    EXPECT_EQ(second->state.status, model::ScheduleStatus::paused);
    ASSERT_TRUE(use.schedules.remove(kReport, "", {}));
    const auto third = use.schedules.create(definition(), under("a"));
    ASSERT_TRUE(third) << third.error().message;
    EXPECT_EQ(third->state.status, model::ScheduleStatus::deleted) << "it is not made again";
    EXPECT_FALSE(use.schedules.create(definition(), {})->repeated) << "without a key it is another request";
}

TEST_P(Requests, ARepeatedTriggerAnswersTheSameRun) {
    ASSERT_TRUE(use.schedules.create(definition(kParallel), {}));
    const auto first = use.schedules.trigger(kReport, {}, under("a"));
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(first->repeated);
    ASSERT_TRUE(use.runs.cancel("default", first->id, "asked"));
    const auto second = use.schedules.trigger(kReport, {}, under("a"));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->repeated);
    EXPECT_EQ(second->id, first->id);
    EXPECT_EQ(second->execution, model::ExecutionStatus::cancelled) << "as it is now";
    EXPECT_EQ(use.all_runs(), 1U);
    EXPECT_NE(use.schedules.trigger(kReport, {}, under("b"))->id, first->id);
}

TEST_P(Requests, ASkippedTriggerIsNotTriedAgain) {
    ASSERT_TRUE(use.schedules.create(definition(), {}));
    ASSERT_TRUE(use.schedules.pause(kReport, {"lunch", {}}, {}));
    const auto first = use.schedules.trigger(kReport, {}, under("a"));
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->dispatch, model::DispatchStatus::skipped);
    ASSERT_TRUE(use.schedules.resume(kReport, {}));
    const auto second = use.schedules.trigger(kReport, {}, under("a"));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->repeated);
    EXPECT_EQ(second->id, first->id);
    EXPECT_EQ(second->dispatch, model::DispatchStatus::skipped);
}

TEST_P(Requests, ARepeatedBackfillBeginsOnce) {
    ASSERT_TRUE(use.schedules.create(definition(), {}));
    const auto request = use.two_days();
    const auto first = use.backfills.start(kReport, request, under("a"));
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(first->repeated);
    ASSERT_TRUE(use.backfills.cancel("default", first->id));
    const auto second = use.backfills.start(kReport, request, under("a"));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->repeated);
    EXPECT_EQ(second->id, first->id);
    EXPECT_EQ(second->status, model::BackfillStatus::cancelled);
    EXPECT_EQ(store->backfills(kReport).value().size(), 1U);
}

TEST_P(Requests, AKeyThatWasUsedForSomethingElseIsRefused) {
    ASSERT_TRUE(use.schedules.create(definition(kParallel), under("a", "create")));
    const auto refused = use.schedules.trigger(kReport, {}, under("a", "trigger"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (Error{ErrorCode::invalid_argument,
                                      "this key was used for another request; use a new one", "Idempotency-Key"}));
    EXPECT_EQ(use.all_runs(), 0U);
    EXPECT_EQ(use.schedules.create(definition(), under("")).error().field, "Idempotency-Key");
    EXPECT_EQ(use.schedules.create(definition(), under(std::string(256, 'k'))).error().field, "Idempotency-Key");
}

TEST_P(Requests, WhatWasRefusedMayBeRepeatedWithItsKey) {
    ASSERT_TRUE(use.schedules.create(definition(), {}));
    EXPECT_EQ(use.schedules.create(definition(), under("a")).error().code, ErrorCode::already_exists);
    ASSERT_TRUE(use.schedules.remove(kReport, "", {}));
    const auto created = use.schedules.create(definition(), under("a"));
    ASSERT_TRUE(created) << created.error().message;
    EXPECT_FALSE(created->repeated);
}

TEST_P(Requests, EqualRequestsThatRaceHaveOneEffectAndEqualAnswers) {
    constexpr int kCallers = 4;
    for (int round = 0; round < 5; ++round) {
        const auto name = "s" + std::to_string(round);
        std::latch together(kCallers);
        std::vector<std::string> schedules(kCallers);
        std::vector<std::string> runs(kCallers);
        std::atomic<int> made = 0;
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i < kCallers; ++i) {
            callers.emplace_back([&, i] {
                const auto own = place->open();
                UseCases mine(*own);
                const auto persist = [](const auto& ask) {
                    auto answer = ask();
                    for (int tries = 0; tries < 20 && !answer && answer.error().code == ErrorCode::unavailable; ++tries)
                        answer = ask();
                    return answer;
                };
                together.arrive_and_wait();
                const auto wanted =
                    definition([&](auto& s) { s.name = name, s.overlap.policy = model::OverlapPolicy::allow_all; });
                const auto created = persist([&] { return mine.schedules.create(wanted, under("create " + name)); });
                ASSERT_TRUE(created) << created.error().message;
                const auto run = persist([&] {
                    return mine.schedules.trigger({.tenant = "default", .name = name}, {}, under("trigger " + name));
                });
                ASSERT_TRUE(run) << run.error().message;
                schedules[i] = created->definition.id;
                runs[i] = run->id;
                made += created->repeated ? 0 : 1;
                made += run->repeated ? 0 : 1;
            });
        }
        for (auto& caller : callers) caller.join();
        EXPECT_EQ(schedules, std::vector(kCallers, schedules.front()));
        EXPECT_EQ(runs, std::vector(kCallers, runs.front()));
        EXPECT_EQ(made, 2) << "one created it and one triggered it";
        EXPECT_EQ(use.all_schedules(), static_cast<std::size_t>(round + 1));
        EXPECT_EQ(use.all_runs(), static_cast<std::size_t>(round + 1));
    }
}

// --- the answer was lost

class LostAnswers : public testing::TestWithParam<const char*> {
protected:
    // Asks once without a fault to learn its calls, and then, on a fresh database each time, with every commit lost.
    void lose_every_commit(const std::function<void(UseCases&)>& prepare,
                           const std::function<Result<std::string>(UseCases&)>& ask,
                           const std::function<std::size_t(UseCases&)>& effects) {
        const auto calls = try_with({}, prepare, ask, effects);
        std::size_t commits = 0;
        for (std::size_t number = 1; number <= calls.size(); ++number) {
            if (calls[number - 1].kind != CallKind::commit) continue;
            ++commits;
            for (const auto fault : {CallFault::unknown_committed, CallFault::unknown_not_committed}) {
                for (const std::size_t away : {std::size_t{0}, std::size_t{1'000}}) {
                    SCOPED_TRACE("commit " + std::to_string(commits) + " " + name_of(fault) +
                                 (away > 0 ? " and away" : ""));
                    try_with({number, fault, away}, prepare, ask, effects);
                }
            }
        }
        EXPECT_GT(commits, 0U);
    }

private:
    std::vector<Call> try_with(const Strike& strike, const std::function<void(UseCases&)>& prepare,
                               const std::function<Result<std::string>(UseCases&)>& ask,
                               const std::function<std::size_t(UseCases&)>& effects) {
        const TempFolder folder;
        std::unique_ptr<store::sql::Database> inner;
        if (std::string_view(GetParam()) == "sqlite") {
            inner = std::move(store::sql::open_sqlite(folder.file("belfry.db")).value());
        } else {
            inner = store::sql::open_postgres({.url = shared_cluster().new_database()});
        }
        const auto sound = store::sql::open_store(std::make_unique<BorrowedDatabase>(*inner), zones());
        if (!sound) std::abort();
        UseCases before(**sound);
        prepare(before);
        FaultyDatabase faulty(*inner, strike);
        store::sql::SqlStore store(std::make_unique<BorrowedDatabase>(faulty), zones());
        UseCases use(store);
        const auto first = ask(use);
        EXPECT_EQ(faulty.struck(), strike.call > 0);
        const auto calls = faulty.calls();
        faulty.heal();
        const auto again = ask(use);
        EXPECT_TRUE(again) << again.error().message;
        EXPECT_TRUE(!first || !again || *first == *again) << "another one";
        EXPECT_EQ(effects(before), 1U);
        return calls;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, LostAnswers, testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(LostAnswers, OfACreationAreFoundAgain) {
    lose_every_commit([](UseCases&) {},
                      [](UseCases& use) -> Result<std::string> {
                          const auto created = use.schedules.create(definition(), under("a"));
                          if (!created) return created.error();
                          return created->definition.id;
                      },
                      [](UseCases& use) { return use.all_schedules(); });
}

TEST_P(LostAnswers, OfATriggerAreFoundAgain) {
    lose_every_commit([](UseCases& use) { ASSERT_TRUE(use.schedules.create(definition(kParallel), {})); },
                      [](UseCases& use) -> Result<std::string> {
                          const auto run = use.schedules.trigger(kReport, {}, under("a"));
                          if (!run) return run.error();
                          return run->id;
                      },
                      [](UseCases& use) { return use.all_runs(); });
}

TEST_P(LostAnswers, OfABackfillAreFoundAgain) {
    lose_every_commit([](UseCases& use) { ASSERT_TRUE(use.schedules.create(definition(), {})); },
                      [](UseCases& use) -> Result<std::string> {
                          const auto backfill = use.backfills.start(kReport, use.two_days(), under("a"));
                          if (!backfill) return backfill.error();
                          return backfill->id;
                      },
                      [](UseCases& use) { return use.store.backfills(kReport).value().size(); });
}

}  // namespace
}  // namespace belfry::test
