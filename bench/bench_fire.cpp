// belfry-bench fire: durable fires per second through whole engines, compared with the database's upper bound.
#include <ostream>

#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/engine_bench.hpp"
#include "bench/store_bench.hpp"
#include "store/sql/schema/migrations.hpp"

namespace belfry::bench {

namespace {

struct FireOptions {
    std::string address;
    std::size_t schedules = 20'000;
    int rounds = 5;
    EngineShape engines;
    std::size_t batch = store::kTickBatchMax;
    Format format = Format::table;
};

// All schedules were due once a minute while no server ran; the engine catches up one occurrence of each after the
// other. Every fire is its own decision and row, as if it were on time.
Result<double> fires_per_second(const BenchPlace& place, store::Store& store, const FireOptions& options,
                                const Console& console) {
    const auto& zones = console.zones();
    const auto now = store.now();
    if (!now) return now.error();
    BenchSchedules wanted{options.schedules, *now - std::chrono::minutes{options.rounds + 1}};
    wanted.edit = [](model::Schedule& schedule) {
        schedule.spec.intervals = {{"PT1M"}};
        schedule.missed.grace = std::chrono::hours{24};
    };
    if (auto created = create_schedules(store, zones, wanted); !created) return created.error();
    engine::EngineOptions engine;
    engine.ticker.limits.catchup_per_tick = 1;
    engine.ticker.parallelism = options.engines.lanes;
    engine.ticker.batch = options.batch;
    FireLedger ledger;
    EngineBench bench(place, zones, ledger);
    if (auto started = bench.start(options.engines.servers, engine); !started) return started.error();
    const auto count = options.schedules * static_cast<std::size_t>(options.rounds + 1);
    if (auto done = ledger.wait_for(count); !done) return done.error();
    bench.stop();
    if (const auto failure = ledger.failure(); !failure.empty())
        console.note("the engine reported an error: " + failure);
    // The first round compiles every schedule and is not counted.
    const auto fires = ledger.take();
    const auto seconds =
        std::chrono::duration<double>(fires[count - 1].told_at - fires[options.schedules - 1].told_at).count();
    return static_cast<double>(count - options.schedules) / seconds;
}

Result<double> ceiling_per_second(CeilingBench& ceiling, const FireOptions& options) {
    std::vector<double> seconds;
    for (int round = 0; round < options.rounds; ++round) {
        auto took = ceiling.fire(options.schedules);
        if (!took) return took;
        seconds.push_back(*took);
    }
    return static_cast<double>(options.schedules) / median(std::move(seconds));
}

Result<void> measure(const FireOptions& options, const Console& console) {
    const BenchPlace place(options.address);
    auto store = place.open_empty_store(console.zones());
    if (!store) return store.error();
    auto database = place.open("ceiling.db");
    if (!database) return database.error();
    if (place.is_own()) {
        if (auto migrated = store::sql::migrate_up(**database, console.now()); !migrated) return migrated.error();
    }
    CeilingBench ceiling(**database);
    if (auto created = ceiling.create(options.schedules); !created) return created;
    const auto before = ceiling_per_second(ceiling, options);
    if (!before) return before.error();
    const auto fires = fires_per_second(place, **store, options, console);
    if (!fires) return fires.error();
    const auto after = ceiling_per_second(ceiling, options);
    if (!after) return after.error();
    const auto bare = (*before + *after) / 2;
    const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
    print_rows(console, options.format, {"SERVERS", "FIRES/S", "BARE/S", "RATIO"},
               {{{{"servers", options.engines.servers},
                  {"firesPerSecond", *fires},
                  {"barePerSecond", bare},
                  {"ratio", *fires / bare}},
                 {std::to_string(options.engines.servers), whole(*fires), whole(bare), ratio_text(*fires / bare)}}});
    return {};
}

}  // namespace

void add_bench_fire(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "fire", "Measure durable fires per second through the engine, against a bare loop that writes the same rows");
    auto options = std::make_shared<FireOptions>();
    command->footer("  belfry-bench fire\n  belfry-bench fire --store postgres://me@localhost/empty --servers 2");
    add_bench_store_option(*command, options->address);
    command->add_option("--schedules", options->schedules, "Number of schedules [20000]")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of fires per schedule [5]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    add_engine_options(*command, options->engines);
    command->add_option("--batch", options->batch, "Number of schedules per transaction [1000]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure);
}

}  // namespace belfry::bench
