// belfry-bench herd: how late runs are committed when many schedules, or a single one, are due in the same second.
#include <algorithm>
#include <ostream>

#include "bench/bench_options.hpp"
#include "bench/bench_schedules.hpp"
#include "bench/engine_bench.hpp"

namespace belfry::bench {

namespace {

struct HerdOptions {
    std::string address;
    std::size_t schedules = 10'000;
    std::size_t beside = 0;
    int rounds = 5;
    int every_s = 0;  // 0: long enough for a slow machine
    EngineShape engines;
    Format format = Format::table;
};

constexpr std::size_t kSample = 2'000;  // schedules that do not fire, to measure how fast this machine creates them
constexpr std::size_t kFiredPerSecond = 5'000;  // conservative: a round must end before the next one begins
constexpr Seconds kEngineStart{3};              // for the engine to start, beyond the time to read the schedules

Seconds pause_between_rounds(const HerdOptions& options) {
    if (options.every_s > 0) return Seconds{options.every_s};
    return Seconds{2 + options.schedules / kFiredPerSecond};
}

std::string milliseconds(Micros time) {
    const auto text = std::to_string(static_cast<double>(time.count()) / 1000.0);
    return text.substr(0, text.find('.') + 2);
}

OutputRow row_of(const std::string& name, std::vector<Micros> late) {
    std::ranges::sort(late);
    const auto at = [&late](double share) {
        return late[std::min(late.size() - 1, static_cast<std::size_t>(share * static_cast<double>(late.size())))];
    };
    const auto ms = [](Micros time) { return static_cast<double>(time.count()) / 1000.0; };
    return {
        {{"round", name},
         {"fires", late.size()},
         {"p50Ms", ms(at(0.5))},
         {"p99Ms", ms(at(0.99))},
         {"maxMs", ms(late.back())}},
        {name, std::to_string(late.size()), milliseconds(at(0.5)), milliseconds(at(0.99)), milliseconds(late.back())}};
}

Result<void> measure(const HerdOptions& options, const Console& console) {
    const BenchPlace place(options.address);
    auto store = place.open_empty_store(console.zones());
    if (!store) return store.error();
    const auto now = (*store)->now();
    if (!now) return now.error();
    const auto beside = std::max(options.beside, std::min(options.schedules, kSample));
    BenchSchedules idle{beside, *now};
    idle.edit = [](model::Schedule& schedule) {
        schedule.name = "beside-" + schedule.id;
        schedule.spec.cron = {"0 0 1 1 *"};
    };
    if (options.beside > 0) console.note("creating " + std::to_string(options.beside) + " schedules that do not fire…");
    if (auto created = create_schedules(**store, console.zones(), idle); !created) return created;
    const auto ready = (*store)->now();
    if (!ready) return ready.error();
    // All schedules must be created and then read before the first occurrence. A large database is slower than an
    // empty one.
    const auto to_create =
        (*ready - *now) * static_cast<std::int64_t>(options.schedules) / static_cast<std::int64_t>(beside);
    const auto to_read = Micros{(options.schedules + beside) * 50};
    const auto first = std::chrono::ceil<Seconds>(*ready + kEngineStart + 2 * to_create + to_read);
    const auto pause = pause_between_rounds(options);
    BenchSchedules wanted{options.schedules, *ready};
    wanted.edit = [&](model::Schedule& schedule) {
        for (int i = 0; i < options.rounds; ++i) schedule.spec.at.push_back(format_instant(first + i * pause));
    };
    if (auto created = create_schedules(**store, console.zones(), wanted); !created) return created;
    FireLedger ledger;
    EngineBench bench(place, console.zones(), ledger);
    engine::EngineOptions engine;
    engine.ticker.parallelism = options.engines.lanes;
    if (auto started = bench.start(options.engines.servers, engine); !started) return started;
    const auto begun = (*store)->now();
    if (!begun) return begun.error();
    if (*begun >= first)
        return Error{ErrorCode::unavailable,
                     "the machine is too slow: the first occurrence passed before all schedules were loaded"};
    if (auto done = ledger.wait_for(options.schedules * static_cast<std::size_t>(options.rounds), first - *begun);
        !done)
        return done;
    bench.stop();

    std::map<Instant, std::vector<Micros>> rounds;
    std::vector<Micros> total;
    for (const auto& fire : ledger.take()) {
        rounds[fire.occurrence].push_back(fire.late);
        total.push_back(fire.late);
    }
    std::vector<OutputRow> rows;
    int number = 0;
    for (auto& [occurrence, late] : rounds) {
        if (std::ranges::max(late) > pause)
            console.note("a round took longer than --every, so the next one waited for it");
        if (options.schedules > 1) rows.push_back(row_of(std::to_string(++number), std::move(late)));
    }
    rows.push_back(row_of("all", std::move(total)));
    print_rows(console, options.format, {"ROUND", "FIRES", "P50 MS", "P99 MS", "MAX MS"}, rows);
    return {};
}

}  // namespace

void add_bench_herd(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "herd", "Measure how late runs are committed when many schedules are due in the same second");
    auto options = std::make_shared<HerdOptions>();
    command->footer("  belfry-bench herd\n  belfry-bench herd --schedules 1 --rounds 100 --every 1");
    add_bench_store_option(*command, options->address);
    command->add_option("--schedules", options->schedules, "Number of schedules due at once [10000]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    command->add_option("--beside", options->beside, "Number of other schedules, which do not fire [0]")
        ->check(CLI::Range(0, 10'000'000))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of rounds [5]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_option("--every", options->every_s, "Seconds between rounds [long enough for the schedules]")
        ->check(CLI::Range(1, 60))
        ->type_name("S");
    add_engine_options(*command, options->engines);
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure);
}

}  // namespace belfry::bench
