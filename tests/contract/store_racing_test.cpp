// Races: two servers on one place do the same at once, and the outcome is as if one had come after the other.
#include <latch>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "decide/schedule/tick.hpp"
#include "store_contract.hpp"

namespace belfry::store::store_racing_test {
namespace {

using model::OverlapPolicy;

class RaceContract : public StoreContract {
protected:
    // Both at the same moment, each on a handle of its own.
    template <typename Deed>
    auto both(const Deed& deed) {
        using Outcome = decltype(deed(*store, 0));
        std::array<std::optional<Outcome>, 2> outcomes;
        const std::array<Store*, 2> handles{store.get(), second.get()};
        std::latch start(2);
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < 2; ++i) {
                threads.emplace_back([&, i] {
                    start.arrive_and_wait();
                    outcomes[i] = deed(*handles[i], static_cast<int>(i));
                });
            }
        }
        return std::pair{std::move(*outcomes[0]), std::move(*outcomes[1])};
    }

    test::StorePtr second = world->open();
};
INSTANTIATE_TEST_SUITE_P(Every, RaceContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

constexpr int kRounds = 30;

// The same call again while the store says that it is busy: nothing was changed then.
template <typename Call>
auto persist(const Call& call) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    auto answer = call();
    while (!answer && answer.error().code == ErrorCode::unavailable && std::chrono::steady_clock::now() < deadline)
        answer = call();
    return answer;
}

// Exactly one succeeded; the other's error.
template <typename Pair>
std::optional<ErrorCode> loser(const Pair& results) {
    EXPECT_NE(results.first.has_value(), results.second.has_value()) << "one of them wins";
    return results.first ? code_of(results.second) : code_of(results.first);
}

TEST_P(RaceContract, TwoHandlesApplyTheSamePlanAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const auto schedule = create_named("s" + std::to_string(round));
        const auto facts = test::facts_at("2026-06-01T09:00:00Z", [&](auto& s) { s = schedule; });
        const std::vector plans{decide::plan_trigger(facts, {}, kTen).value()};
        const auto [a, b] = both([&](Store& handle, int) -> Result<void> {
            const auto applied = persist([&] { return handle.apply(plans); });
            if (!applied) return applied.error();
            if (applied->at(0)) return *applied->at(0);
            return {};
        });
        ASSERT_EQ(loser(std::pair{a, b}), ErrorCode::conflict);
        ASSERT_EQ(runs(schedule).size(), 1U);
        ASSERT_EQ(state(schedule), plans[0].state);
        test::expect_chain(record(schedule), events(schedule));
    }
}

TEST_P(RaceContract, TwoTickersNeverDecideTheSameScheduleTwice) {
    constexpr int kMinutes = 20;
    std::vector<model::Schedule> all;
    std::vector<std::int64_t> keys;
    for (int i = 0; i < 20; ++i) {
        all.push_back(create_named("s" + std::to_string(i), [](auto& s) {
            s.spec.cron = {"* * * * *"};
            s.overlap.policy = OverlapPolicy::allow_all;
            s.missed = {model::MissedPolicy::fire_all, 60s, 1000};
        }));
        keys.push_back(key_of(all.back()));
    }
    const auto [a, b] = both([&](Store& handle, int number) {
        std::vector<Plan> reported;
        for (int minute = 1; minute <= kMinutes; ++minute) {
            const bool by_scan = minute % 4 == 0;
            const auto told = number == 0 ? keys : std::vector(keys.rbegin(), keys.rend());
            const auto outcome = persist([&] {
                return test::tick(handle, kNine + minute * 1min, by_scan ? std::vector<std::int64_t>{} : told);
            });
            EXPECT_TRUE(outcome) << outcome.error().message;
            if (!outcome) break;
            EXPECT_TRUE(outcome->poisoned.empty());
            reported.insert(reported.end(), outcome->plans.begin(), outcome->plans.end());
        }
        return reported;
    });
    auto reported = a;
    reported.insert(reported.end(), b.begin(), b.end());
    const auto rest = tick(kNine + kMinutes * 1min).plans;  // what each passed over because of the other
    reported.insert(reported.end(), rest.begin(), rest.end());

    std::set<std::pair<std::string, std::int64_t>> decisions;
    std::map<std::string, int> told_runs;
    for (const auto& plan : reported) {
        EXPECT_TRUE(decisions.insert({plan.schedule_id, plan.revision}).second)
            << "each plan is reported by one of them";
        for (const auto& run : plan.runs) told_runs[run.id] += 1;
    }
    EXPECT_EQ(told_runs.size(), all.size() * kMinutes);
    for (const auto& schedule : all) {
        const auto rows = runs(schedule);
        ASSERT_EQ(rows.size(), static_cast<std::size_t>(kMinutes)) << "one row for every occurrence";
        for (const auto& row : rows) EXPECT_EQ(told_runs[row.id], 1);
        EXPECT_EQ(state(schedule).runs, kMinutes);
        test::expect_chain(record(schedule), events(schedule));
    }
}

TEST_P(RaceContract, TwoClaimersNeverGetTheSameTask) {
    for (int i = 0; i < 60; ++i) create_named("s" + std::to_string(i));
    tick(kTen);
    const auto [a, b] = both([&](Store& handle, int number) {
        std::vector<model::Task> mine;
        for (int empty = 0; empty < 3;) {
            const auto tasks = persist([&] {
                return handle.claim({.tenant = "default",
                                     .worker = "w" + std::to_string(number),
                                     .limit = 3,
                                     .now = kTen,
                                     .lease = 30s});
            });
            EXPECT_TRUE(tasks) << tasks.error().message;
            if (!tasks || tasks->empty()) {
                ++empty;
                continue;
            }
            mine.insert(mine.end(), tasks->begin(), tasks->end());
        }
        return mine;
    });
    std::set<std::string> claimed;
    std::map<std::string, std::string> holders;
    for (const auto* const mine : {&a, &b}) {
        for (const auto& task : *mine) {
            EXPECT_TRUE(claimed.insert(task.run_id).second) << "11: one lease per task";
            EXPECT_EQ(task.attempt, 1);
            holders[task.run_id] = mine == &a ? "w0" : "w1";
        }
    }
    for (const auto& task : claim(kTen, 100)) claimed.insert(task.run_id);
    EXPECT_EQ(claimed.size(), 60U);
    for (const auto& lease : store->expired(kTen + 24h, 1000).value()) {
        if (!holders.contains(lease.ref.run_id)) continue;
        EXPECT_EQ(lease.worker, holders[lease.ref.run_id]);
    }
}

// Workers of one server share transactions: each still gets tasks of its own, and the answer to its own ending.
TEST_P(RaceContract, ManyWorkersOfOneHandleClaimAndEndOneTaskAtATime) {
    constexpr int kTasks = 120;
    for (int i = 0; i < kTasks; ++i) create_named("s" + std::to_string(i));
    tick(kTen);
    std::mutex mutex;
    std::map<std::string, std::string> done;  // by whom
    {
        std::vector<std::jthread> workers;
        for (int number = 0; number < 8; ++number) {
            workers.emplace_back([&, worker = "w" + std::to_string(number)] {
                while (true) {
                    const auto tasks = persist([&] {
                        return store->claim({.tenant = "default", .worker = worker, .now = kTen, .lease = 30s});
                    });
                    ASSERT_TRUE(tasks) << tasks.error().message;
                    if (tasks->empty()) return;
                    ASSERT_EQ(tasks->size(), 1U);
                    const auto& task = tasks->front();
                    const decide::AttemptEnd end{.result = Json{{"by", worker}}};
                    const auto ended = persist([&] {
                        return test::complete(*store, {lease_of(task), end}, kTen + 1s);
                    });
                    ASSERT_TRUE(ended) << ended.error().message;
                    EXPECT_EQ(code_of(persist([&] {
                                  return test::complete(*store, {lease_of(task), end}, kTen + 1s);
                              })),
                              ErrorCode::conflict);
                    const std::lock_guard lock(mutex);
                    EXPECT_TRUE(done.emplace(task.run_id, worker).second) << "11: one lease per task";
                }
            });
        }
    }
    EXPECT_EQ(done.size(), static_cast<std::size_t>(kTasks));
    for (const auto& [id, worker] : done) EXPECT_EQ(run(id).result, (Json{{"by", worker}}));
}

TEST_P(RaceContract, AWorkerAndTheReaperEndAnAttemptAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const auto schedule = create_named("s" + std::to_string(round));
        ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen));
        const auto task = claim_one(kTen);
        const auto now = kTen + 1min;
        const auto [worker, reaper] = both([&](Store& handle, int number) {
            const auto ending =
                number == 0 ? AttemptReport{lease_of(task), test::succeeded()} : test::reaped(lease_of(task), now);
            return persist([&] { return test::complete(handle, ending, now); });
        });
        ASSERT_EQ(loser(std::pair{worker, reaper}), ErrorCode::conflict);
        ASSERT_EQ(run(task.run_id).execution, worker ? ExecutionStatus::succeeded : ExecutionStatus::timed_out);
        ASSERT_EQ(state(schedule).in_flight, 0);
        ASSERT_EQ(state(schedule).failures, worker ? 0 : 1);
    }
}

TEST_P(RaceContract, ChangesOfOneScheduleWaitForEachOther) {
    constexpr int kEach = 25;
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    both([&](Store& handle, int number) {
        for (int i = 0; i < kEach; ++i) {
            const auto plan =
                persist([&] { return test::trigger(handle, ref_of(schedule), kTen + (2 * i + number) * 1ms); });
            EXPECT_TRUE(plan) << plan.error().message;
        }
        return true;
    });
    EXPECT_EQ(state(schedule).runs, 2 * kEach);
    EXPECT_EQ(state(schedule).in_flight, 2 * kEach);
    std::set<std::int64_t> numbers;
    for (const auto& row : runs(schedule)) numbers.insert(row.trigger_number);
    EXPECT_EQ(numbers.size(), 2U * kEach);
    test::expect_chain(record(schedule), events(schedule));
}

TEST_P(RaceContract, TwoCreateTheSameNameAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const std::array candidates{task_schedule(), task_schedule()};
        const auto [a, b] = both([&](Store& handle, int number) {
            return persist([&] { return test::create(handle, {candidates[static_cast<std::size_t>(number)]}, kNine); });
        });
        ASSERT_EQ(loser(std::pair{a, b}), ErrorCode::already_exists);
        ASSERT_EQ(store->schedule({.tenant = "default", .name = "report"}).value().definition.id,
                  candidates[a ? 0 : 1].id);
        ASSERT_TRUE(test::remove(*store, {.tenant = "default", .name = "report"}, kNine));
    }
}

TEST_P(RaceContract, OneNamesAnAssignmentThatTheOtherRemovesAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const auto id = "a" + std::to_string(round);
        ASSERT_TRUE(store->put_assignment("default", {.id = id, .workflow = "report", .assignee = {"agent", "bo"}}));
        const auto schedule = create_named("s" + std::to_string(round));
        const auto results = both([&](Store& handle, int number) -> Result<void> {
            if (number == 1) return persist([&] { return handle.remove_assignment("default", id); });
            const auto named = persist(
                [&] { return test::update(handle, ref_of(schedule), kNine, [&id](auto& s) { s.assignment = id; }); });
            if (!named) return named.error();
            return {};
        });
        const auto refused = loser(results);
        ASSERT_EQ(refused, results.first ? ErrorCode::conflict : ErrorCode::invalid_argument);
        ASSERT_EQ(record(schedule).definition.assignment, results.first ? id : "");
    }
}

// Whoever compiled the schedule in between must notice.
TEST_P(RaceContract, OneNamesAnAssignmentThatTheOtherMakesStricterAndNothingBeginsUnapproved) {
    for (int round = 0; round < kRounds; ++round) {
        const auto id = "a" + std::to_string(round);
        model::WorkflowAssignment record{.id = id, .workflow = "report", .assignee = {"agent", "bo"}};
        ASSERT_TRUE(store->put_assignment("default", record));
        const auto schedule =
            create_named("s" + std::to_string(round), [](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
        record.version = 2;
        record.approval.requires_approval = true;
        const auto [named, stricter] = both([&](Store& handle, int number) -> Result<void> {
            if (number == 1) return persist([&] { return handle.put_assignment("default", record); });
            const auto done = persist(
                [&] { return test::update(handle, ref_of(schedule), kNine, [&id](auto& s) { s.assignment = id; }); });
            if (!done) return done.error();
            const auto ticked = persist([&] { return test::tick(handle, kTen, {key_of(schedule)}); });
            if (!ticked) return ticked.error();
            return {};
        });
        ASSERT_TRUE(named) << named.error().message;
        ASSERT_TRUE(stricter) << stricter.error().message;
        int hour = 1;
        for (auto* const handle : {store.get(), second.get()}) {
            ASSERT_TRUE(test::tick(*handle, kTen + hour * 1h, {key_of(schedule)}));
            ASSERT_EQ(runs(schedule).front().execution, ExecutionStatus::awaiting_approval);
            ++hour;
        }
    }
}

TEST_P(RaceContract, TwoWantTheLastPlaceOfATenantAndOneGetsIt) {
    for (int round = 0; round < kRounds; ++round) {
        const auto tenant = "t" + std::to_string(round);
        ASSERT_TRUE(store->put_tenant({.name = tenant, .schedules_max = 1}));
        const auto [a, b] = both([&](Store& handle, int number) {
            const auto schedule = decide::plan_create(test::compiled(test::definition([&](auto& s) {
                                                          s.id = "id-" + tenant + "-" + std::to_string(number);
                                                          s.tenant = tenant;
                                                          s.name = "s" + std::to_string(number);
                                                      })),
                                                      kNine);
            return persist([&] { return handle.create(std::vector{*schedule}); });
        });
        ASSERT_EQ(loser(std::pair{a, b}), ErrorCode::exhausted);
        ASSERT_EQ(test::all_schedules(*store, {.tenant = tenant}).size(), 1U);
    }
}

TEST_P(RaceContract, TwoChangeATenantAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const auto [a, b] = both([&](Store& handle, int number) {
            return persist([&] {
                return handle.put_tenant({.name = "acme", .description = std::to_string(number), .version = round + 1});
            });
        });
        ASSERT_EQ(loser(std::pair{a, b}), ErrorCode::conflict);
        ASSERT_EQ(store->tenant("acme").value().description, a ? "0" : "1");
    }
}

TEST_P(RaceContract, TwoTickersNeverSpendMoreThanTheBudget) {
    ASSERT_TRUE(store->put_tenant({.name = "acme", .runs_per_day = 7}));
    std::vector<std::int64_t> keys;
    for (int i = 0; i < 20; ++i)
        keys.push_back(key_of(create_named("s" + std::to_string(i), [](auto& s) { s.tenant = "acme"; })));
    both([&](Store& handle, int number) {
        for (std::size_t i = 0; i < 10; ++i) {
            const auto key = keys[2 * i + static_cast<std::size_t>(number)];
            const auto outcome = persist([&] { return test::tick(handle, kTen, {key}); });
            EXPECT_TRUE(outcome) << outcome.error().message;
        }
        return true;
    });
    tick(kTen);
    EXPECT_EQ(test::all_runs(*store, {.tenant = "acme", .state = RunState::queued}).size(), 7U);
    EXPECT_EQ(test::all_runs(*store, {.tenant = "acme", .state = RunState::skipped}).size(), 13U);
}

// Ticks, triggers and ends of an assignee's runs on two servers at once.
TEST_P(RaceContract, TwoServersNeverTakeMoreOfAnAssigneesBudgetThanThereIs) {
    constexpr model::Credits kCap{1'500'000};
    constexpr model::Credits kPerDay{10'000'000};
    ASSERT_TRUE(
        store->put_assignee("default", {.id = "bo", .policies = {.spending_limit = kCap, .credits_per_day = kPerDay}}));
    std::vector<model::Schedule> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(create_named("s" + std::to_string(i), [](auto& s) {
            s.assignee = model::Assignee{"agent", "bo"};
            s.overlap.policy = OverlapPolicy::allow_all;
        }));
    }
    const auto day = model::day_of(kTen);
    const auto overdrawn = [&](Store& handle) {
        const auto taken = handle.budget("default", "bo", day).value();
        return taken.spent + taken.reserved > kPerDay;
    };
    both([&](Store& handle, int number) {
        for (std::size_t i = 0; i < 10; ++i) {
            const auto& schedule = all[2 * i + static_cast<std::size_t>(number)];
            const auto ticked = persist([&] { return test::tick(handle, kTen, {key_of(schedule)}); });
            EXPECT_TRUE(ticked) << ticked.error().message;
            const auto triggered =
                persist([&] { return test::trigger(handle, ref_of(schedule), kTen + static_cast<int>(i) * 1s); });
            EXPECT_TRUE(triggered) << triggered.error().message;
            EXPECT_FALSE(overdrawn(handle));
            // Every other round ends what there is, having used a third of it.
            if (i % 2 == 0) continue;
            const auto tasks = persist([&] {
                return handle.claim(
                    {.tenant = "default", .worker = "w", .limit = 2, .now = kTen + 1h, .lease = 1h, .assignee = "bo"});
            });
            for (const auto& task : tasks.value()) {
                decide::AttemptEnd end = test::succeeded();
                end.usage = model::Usage{.credits = {500'000}};
                const auto done = persist([&] { return test::complete(handle, {lease_of(task), end}, kTen + 1h); });
                EXPECT_TRUE(done) << done.error().message;
            }
            EXPECT_FALSE(overdrawn(handle));
        }
        return true;
    });
    // What the last ends have left is there for whoever comes next, and no more.
    const auto next = [&](int i) {
        return test::trigger(*store, ref_of(all.front()), kTen + 2h + i * 1s).value().runs.front().dispatch;
    };
    int more = 0;
    while (more < 20 && next(more) == DispatchStatus::dispatched) ++more;
    const auto taken = store->budget("default", "bo", day).value();
    EXPECT_LE(taken.spent + taken.reserved, kPerDay);
    EXPECT_GT(taken.spent + taken.reserved + kCap, kPerDay) << "nobody was refused what was left";
    std::int64_t dispatched = 0;
    model::BudgetDay sum;
    for (const auto& run : test::all_runs(*store, {.tenant = "default"})) {
        if (run.dispatch != DispatchStatus::dispatched) continue;
        ++dispatched;
        if (is_terminal(run.execution)) {
            sum.spent += run.used.value().credits;
        } else {
            sum.reserved += kCap;
        }
    }
    EXPECT_EQ(taken, (model::BudgetDay{dispatched, sum.reserved, sum.spent}));
}

TEST_P(RaceContract, AWorkerAndAPersonEndARunAndItIsSettledOnce) {
    constexpr model::Credits kCap{3'000'000};
    ASSERT_TRUE(store->put_assignee("default", {.id = "bo", .policies = {.spending_limit = kCap}}));
    std::int64_t spent = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto schedule = create_named("s" + std::to_string(round), [](auto& s) {
            s.assignee = model::Assignee{"agent", "bo"};
        });
        ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen));
        const auto task =
            store->claim({.tenant = "default", .worker = "w", .now = kTen, .assignee = "bo"}).value().front();
        const auto [worker, person] = both([&](Store& handle, int number) {
            if (number == 1)
                return persist([&] { return test::cancel(handle, ref_of(schedule), task.run_id, kTen); }).has_value();
            decide::AttemptEnd end = test::succeeded();
            end.usage = model::Usage{.credits = {1'000'000}};
            return persist([&] { return test::complete(handle, {lease_of(task), end}, kTen); }).has_value();
        });
        ASSERT_NE(worker, person);
        if (worker) spent += 1'000'000;
        ASSERT_EQ(store->budget("default", "bo", model::day_of(kTen)).value(),
                  (model::BudgetDay{round + 1, {}, {spent}}));
    }
}

TEST_P(RaceContract, TwoBackfillsBeginAndOneWins) {
    for (int round = 0; round < kRounds; ++round) {
        const auto schedule = create_named("s" + std::to_string(round));
        const std::array wanted{test::new_backfill(schedule, kNine - 5h, kNine, kTen),
                                test::new_backfill(schedule, kNine - 9h, kNine, kTen)};
        const auto [a, b] = both([&](Store& handle, int number) {
            return persist([&] { return handle.create_backfill("default", wanted[static_cast<std::size_t>(number)]); });
        });
        ASSERT_EQ(loser(std::pair{a, b}), ErrorCode::conflict);
        ASSERT_EQ(store->backfills(ref_of(schedule)).value().size(), 1U);
    }
}

TEST_P(RaceContract, TwoSteppersNeverRunAnOccurrenceTwice) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    const auto backfill = test::new_backfill(schedule, kNine - 40h, kNine - 1h, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    const auto [a, b] = both([&](Store& handle, int) {
        std::int64_t dispatched = 0;
        for (int i = 0; i < 60; ++i) {
            const auto done = persist([&] { return test::step(handle, "default", backfill, kNine, 2); });
            if (!done) {
                EXPECT_EQ(done.error().code, ErrorCode::conflict) << done.error().message;
                if (handle.backfill("default", backfill.id).value().status != model::BackfillStatus::running) break;
                continue;
            }
            dispatched += static_cast<std::int64_t>(done->plan.runs.size());
        }
        return dispatched;
    });
    EXPECT_EQ(a + b, 40);
    EXPECT_EQ(runs(schedule).size(), 40U);
    EXPECT_EQ(store->backfill("default", backfill.id).value().dispatched, 40);
    test::expect_chain(record(schedule), events(schedule));
}

}  // namespace
}  // namespace belfry::store::store_racing_test
