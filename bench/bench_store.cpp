// belfry-bench store: the store's speed on this machine, compared with its database's upper bound.
#include <algorithm>
#include <ostream>

#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/bench_place.hpp"
#include "bench/store_bench.hpp"
#include "store/sql/schema/migrations.hpp"

namespace belfry::bench {

namespace {

struct BenchOptions {
    std::string address;
    std::size_t schedules = 50'000;
    std::size_t fires = 50'000;
    int rounds = 5;
    bool hold = false;
    bool work_off = false;
    Format format = Format::table;
};

const store::sql::Statement kAnySnapshot("hold a snapshot", "SELECT count(*) FROM tenants");

class StoreBench {
public:
    StoreBench(const BenchOptions& options, const Console& console)
        : options_(options), console_(console), place_(options.address) {}

    Result<void> run() {
        if (auto opened = open(); !opened) return opened;
        FireBench fires(*store_, console_.zones());
        CeilingBench ceiling(*ceiling_);
        console_.note("creating " + std::to_string(options_.schedules) + " schedules…");
        if (auto created = fires.create(options_.schedules); !created) return created;
        if (auto created = ceiling.create(options_.schedules); !created) return created;
        if (!options_.hold) return rounds(fires, ceiling, [] { return Result<void>(); });
        // An open snapshot, like that of an hour-long report, keeps the database from cleaning up old rows.
        return ceiling_->read([&](store::sql::Session& session) -> Result<void> {
            return rounds(fires, ceiling, [&session]() -> Result<void> {
                auto seen = session.run(kAnySnapshot, {});
                if (!seen) return seen.error();
                return {};
            });
        });
    }

private:
    Result<void> open() {
        auto store = place_.open_empty_store(console_.zones());
        if (!store) return store.error();
        auto second = place_.open("ceiling.db");
        if (!second) return second.error();
        store_ = std::move(*store);
        ceiling_ = std::move(*second);
        if (place_.is_own()) {
            if (auto migrated = store::sql::migrate_up(*ceiling_, console_.now()); !migrated) return migrated.error();
        }
        return {};
    }

    // Calls `keep_up` before every round.
    Result<void> rounds(FireBench& fires, CeilingBench& ceiling, const std::function<Result<void>()>& keep_up) {
        std::vector<OutputRow> rows;
        Times times;
        if (auto kept = keep_up(); !kept) return kept;
        // The first round compiles every schedule and warms the caches; it is not counted.
        if (auto warm = fires.fire(options_.fires); !warm) return warm.error();
        if (auto warm = ceiling.fire(options_.fires); !warm) return warm.error();
        for (int round = 1; round <= options_.rounds; ++round) {
            if (auto kept = keep_up(); !kept) return kept;
            auto applied = fires.apply(options_.fires);
            if (!applied) return applied.error();
            auto bare = ceiling.fire(options_.fires);
            if (!bare) return bare.error();
            auto ticked = fires.fire(options_.fires);
            if (!ticked) return ticked.error();
            times.applied.push_back(*applied);
            times.ratios.push_back(*bare / *applied);
            times.ticked.push_back(*ticked);
            add_row(rows, std::to_string(round), *applied, *bare, *ticked);
        }
        add_row(rows, "median", median(times.applied), median(times.applied) * median(times.ratios),
                median(times.ticked));
        print_rows(console_, options_.format, {"ROUND", "APPLIED/S", "BARE/S", "RATIO", "DECIDED+APPLIED/S", "RATIO"},
                   rows);
        if (options_.rounds > 1)
            console_.note("last round compared with the first: " +
                          ratio_text(times.applied.front() / times.applied.back()));
        if (!options_.work_off) return {};
        auto worked = fires.work_off(options_.fires);
        if (!worked) return worked.error();
        console_.note("claimed and completed " + std::to_string(worked->second) + " tasks, " +
                      rate_text(worked->second, worked->first) + " per second");
        return {};
    }

    void add_row(std::vector<OutputRow>& rows, const std::string& round, double applied, double bare,
                 double ticked) const {
        const auto fires = static_cast<double>(options_.fires);
        rows.push_back({{{"round", round},
                         {"appliedPerSecond", fires / applied},
                         {"barePerSecond", fires / bare},
                         {"decidedAndAppliedPerSecond", fires / ticked},
                         {"appliedRatio", bare / applied},
                         {"decidedAndAppliedRatio", bare / ticked}},
                        {round, rate_text(options_.fires, applied), rate_text(options_.fires, bare),
                         ratio_text(bare / applied), rate_text(options_.fires, ticked), ratio_text(bare / ticked)}});
    }

    struct Times {
        std::vector<double> applied;
        std::vector<double> ticked;
        std::vector<double> ratios;
    };

    const BenchOptions& options_;
    const Console& console_;
    BenchPlace place_;
    std::unique_ptr<store::Store> store_ = {};
    std::unique_ptr<store::sql::Database> ceiling_ = {};
};

}  // namespace

void add_bench_store(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "store", "Measure decided schedules applied per second, against a bare loop that writes the same rows");
    auto options = std::make_shared<BenchOptions>();
    command->footer(
        "  belfry-bench store\n  belfry-bench store --store postgres://me@localhost/empty --schedules 1000000 --fires "
        "50000");
    add_bench_store_option(*command, options->address);
    command->add_option("--schedules", options->schedules, "Number of schedules [50000]")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--fires", options->fires, "Number of schedules that fire per round [50000]")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of rounds [5]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_flag("--hold", options->hold, "Keep another transaction open during the benchmark");
    command->add_flag("--work-off", options->work_off, "Claim and complete the tasks afterwards");
    add_format(*command, options->format);
    command->callback([options, &chosen] {
        chosen.action = [options](const Console& console) {
            options->fires = std::min(options->fires, options->schedules);
            const auto done = StoreBench(*options, console).run();
            return done ? ExitCode::ok : console.fail(done.error());
        };
    });
}

}  // namespace belfry::bench
