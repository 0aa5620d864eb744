// belfry-bench tasks: tasks claimed and completed per second, compared with the database's upper bound, and how soon a
// waiting worker gets a task that becomes ready.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <thread>

#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/bench_place.hpp"
#include "bench/engine_bench.hpp"
#include "bench/store_bench.hpp"
#include "engine/usecases/long_poll_queue.hpp"
#include "store/sql/schema/migrations.hpp"

namespace belfry::bench {

namespace {

struct TaskOptions {
    std::string address;
    std::size_t tasks = 20'000;
    std::size_t batch = 100;
    std::size_t workers = 8;
    int rounds = 3;
    std::size_t waits = 200;
    Format format = Format::table;
};

// Runs the workers; each claims one task, completes it, and claims the next.
Result<double> one_by_one(const FireBench& fires, std::size_t tasks, std::size_t workers) {
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::optional<Error> failed;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < workers; ++i) {
        threads.emplace_back([&] {
            const auto worked = fires.work_off(tasks, 1);
            const std::lock_guard lock(mutex);
            if (!worked) failed = worked.error();
        });
    }
    for (auto& thread : threads) thread.join();
    if (failed) return *failed;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A worker that waits as in a long poll. Returns, for each trigger, the time from its request until the worker holds
// the task.
Result<std::vector<double>> wait_for_tasks(engine::Engine& engine, const std::string& schedule, std::size_t times) {
    std::mutex mutex;
    std::condition_variable changed;
    bool rung = false;
    std::vector<double> late;
    const engine::Runs::Claim claim{.tenant = model::kDefaultTenant, .queue = "waiting", .worker = "bench"};
    for (std::size_t i = 0; i < times; ++i) {
        const auto place = engine.long_polls().join(engine::line_key(claim.tenant, claim.queue));
        place->listen([&] {
            const std::lock_guard lock(mutex);
            rung = true;
            changed.notify_one();
        });
        std::optional<Error> failed;
        std::chrono::steady_clock::time_point asked;
        std::thread asking([&] {
            asked = std::chrono::steady_clock::now();
            const auto run = engine.schedules().trigger({.tenant = claim.tenant, .name = schedule}, {}, {});
            if (!run) failed = run.error();
        });
        bool found = false;
        while (!found) {
            {
                std::unique_lock lock(mutex);
                changed.wait_for(lock, std::chrono::seconds{5}, [&rung] { return rung; });
                rung = false;
            }
            place->look([&] {
                const auto tasks = engine.runs().claim(claim);
                if (!tasks) failed = tasks.error();
                found = !tasks || !tasks->empty();
                return found ? engine::LongPollQueue::Found::all_wanted : engine::LongPollQueue::Found::nothing;
            });
        }
        const auto had = std::chrono::steady_clock::now();
        asking.join();
        if (failed) return *failed;
        late.push_back(std::chrono::duration<double, std::milli>(had - asked).count());
    }
    return late;
}

class TaskBench {
public:
    TaskBench(const TaskOptions& options, const Console& console)
        : options_(options), console_(console), place_(options.address) {}

    Result<void> run() {
        auto store = place_.open_empty_store(console_.zones());
        if (!store) return store.error();
        auto second = place_.open("ceiling.db");
        if (!second) return second.error();
        if (place_.is_own()) {
            if (auto migrated = store::sql::migrate_up(**second, console_.now()); !migrated) return migrated.error();
        }
        FireBench fires(**store, console_.zones());
        CeilingBench ceiling(**second);
        console_.note("creating " + std::to_string(options_.tasks) + " schedules…");
        if (auto created = fires.create(options_.tasks); !created) return created;
        if (auto created = ceiling.create(options_.tasks); !created) return created;
        if (auto measured = rounds(fires, ceiling); !measured) return measured;
        return waits(**store);
    }

private:
    Result<void> rounds(FireBench& fires, CeilingBench& ceiling) {
        const auto few = std::max<std::size_t>(1, options_.tasks / 4);  // fewer, because one by one takes longer
        std::vector<OutputRow> rows;
        std::vector<double> batched;
        std::vector<double> single;
        std::vector<double> ratios;
        // The first round warms the caches and is not counted.
        for (int round = 0; round <= options_.rounds; ++round) {
            if (auto fired = fires.fire(options_.tasks); !fired) return fired.error();
            const auto worked = fires.work_off(options_.tasks, options_.batch);
            if (!worked) return worked.error();
            if (auto fired = ceiling.fire(options_.tasks); !fired) return fired.error();
            const auto bare = ceiling.work_off(options_.tasks, options_.batch);
            if (!bare) return bare.error();
            if (auto fired = fires.fire(few); !fired) return fired.error();
            const auto alone = one_by_one(fires, few, options_.workers);
            if (!alone) return alone.error();
            if (round == 0) continue;
            batched.push_back(static_cast<double>(options_.tasks) / worked->first);
            single.push_back(static_cast<double>(few) / *alone);
            ratios.push_back(*bare / worked->first);
            add_row(rows, std::to_string(round), batched.back(), batched.back() / ratios.back(), ratios.back(),
                    single.back());
        }
        const auto ratio = median(ratios);
        add_row(rows, "median", median(batched), median(batched) / ratio, ratio, median(single));
        print_rows(console_, options_.format, {"ROUND", "IN BATCHES/S", "BARE/S", "RATIO", "ONE BY ONE/S"}, rows);
        return {};
    }

    static void add_row(std::vector<OutputRow>& rows, const std::string& round, double batched, double bare,
                        double ratio, double single) {
        const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
        rows.push_back({{{"round", round},
                         {"batchedPerSecond", batched},
                         {"barePerSecond", bare},
                         {"ratio", ratio},
                         {"singlePerSecond", single}},
                        {round, whole(batched), whole(bare), ratio_text(ratio), whole(single)}});
    }

    Result<void> waits(store::Store& store) {
        if (options_.waits == 0) return {};
        engine::Observer nobody;
        engine::Engine engine(store, console_.zones(), nobody, {});
        model::Schedule schedule;
        schedule.tenant = model::kDefaultTenant;
        schedule.name = "waiting";
        schedule.spec.cron = {"0 0 1 1 *"};
        schedule.target = {.type = model::TargetType::task, .kind = "bench", .queue = "waiting"};
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
        if (auto created = engine.schedules().create(schedule, {}); !created) return created.error();
        engine.start();
        auto late = wait_for_tasks(engine, schedule.name, options_.waits);
        engine.stop();
        if (!late) return late.error();
        std::ranges::sort(*late);
        const auto at = [&late](std::size_t share) {
            return ratio_text((*late)[std::min(late->size() - 1, late->size() * share / 100)]);
        };
        console_.note("from a trigger to the waiting worker, including both commits: p50 " + at(50) + " ms, p90 " +
                      at(90) + " ms, p99 " + at(99) + " ms");
        return {};
    }

    const TaskOptions& options_;
    const Console& console_;
    BenchPlace place_;
};

Result<void> measure_tasks(const TaskOptions& options, const Console& console) {
    return TaskBench(options, console).run();
}

}  // namespace

void add_bench_tasks(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "tasks",
        "Measure tasks claimed and completed per second, against a bare loop, and the delay until a worker has one");
    auto options = std::make_shared<TaskOptions>();
    command->footer("  belfry-bench tasks\n  belfry-bench tasks --store postgres://me@localhost/empty --workers 16");
    add_bench_store_option(*command, options->address);
    command->add_option("--tasks", options->tasks, "Number of tasks per round [20000]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--batch", options->batch, "Number of tasks per claim [100]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_option("--workers", options->workers, "Number of parallel workers that claim one task at a time [8]")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of rounds [3]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_option("--waits", options->waits, "Number of triggers for the waiting worker [200]; 0: none")
        ->check(CLI::Range(0, 100'000))
        ->type_name("N");
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure_tasks);
}

}  // namespace belfry::bench
