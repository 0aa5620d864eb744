// belfry bench store: what the store can do on this machine, beside what its database can do at most.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/store_bench.hpp"
#include "store/open.hpp"
#include "store/sql/migrations.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::app {

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

std::string rate_text(std::size_t count, double seconds) { return std::to_string(static_cast<std::int64_t>(static_cast<double>(count) / seconds)); }

std::string ratio_text(double ratio) {
    auto text = std::to_string(ratio);
    return text.substr(0, text.find('.') + 3);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

const store::sql::Statement kAnySnapshot("hold a snapshot", "SELECT count(*) FROM tenants");

// A folder of its own that goes when the measurement is over.
class BenchFolder {
public:
    BenchFolder() : path_(std::filesystem::temp_directory_path() / ("belfry-bench-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~BenchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;
    [[nodiscard]] std::string address(const char* file) const { return "sqlite:" + (path_ / file).string(); }

private:
    std::filesystem::path path_;
};

class StoreBench {
public:
    StoreBench(const BenchOptions& options, const Console& console) : options_(options), console_(console) {}

    Result<void> run() {
        if (auto opened = open(); !opened) return opened;
        FireBench fires(*store_, console_.zones());
        CeilingBench ceiling(*ceiling_);
        console_.note("creating " + std::to_string(options_.schedules) + " schedules…");
        if (auto created = fires.create(options_.schedules); !created) return created;
        if (auto created = ceiling.create(options_.schedules); !created) return created;
        if (!options_.hold) return rounds(fires, ceiling, [] { return Result<void>(); });
        // What happens beside a report that runs for hours: nothing can be cleaned up behind it.
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
        const auto own = options_.address.empty();
        auto first = store::open_database(own ? folder_.address("store.db") : options_.address);
        if (!first) return first.error();
        auto second = store::open_database(own ? folder_.address("ceiling.db") : options_.address);
        if (!second) return second.error();
        auto store = store::sql::open_store(std::move(*first), console_.zones());
        if (!store) return store.error();
        auto upcoming = (*store)->upcoming(0, 1);
        if (!upcoming) return upcoming.error();
        if (!upcoming->empty()) return invalid("the store has schedules: measure on an empty one");
        store_ = std::move(*store);
        ceiling_ = std::move(*second);
        if (own) {
            if (auto migrated = store::sql::migrate_up(*ceiling_, console_.now()); !migrated) return migrated.error();
        }
        return {};
    }

    // `keep_up` is called before every round.
    Result<void> rounds(FireBench& fires, CeilingBench& ceiling, const std::function<Result<void>()>& keep_up) {
        std::vector<OutputRow> rows;
        Times times;
        if (auto kept = keep_up(); !kept) return kept;
        // The first round compiles every schedule and fills the caches; it does not count.
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
        add_row(rows, "median", median(times.applied), median(times.applied) * median(times.ratios), median(times.ticked));
        print_rows(console_, options_.format, {"ROUND", "APPLIED/S", "BARE/S", "RATIO", "DECIDED+APPLIED/S", "RATIO"}, rows);
        if (options_.rounds > 1) console_.note("last round against the first: " + ratio_text(times.applied.front() / times.applied.back()));
        if (!options_.work_off) return {};
        auto worked = fires.work_off(options_.fires);
        if (!worked) return worked.error();
        console_.note("claimed and completed " + std::to_string(worked->second) + " tasks, " + rate_text(worked->second, worked->first) +
                      " a second");
        return {};
    }

    void add_row(std::vector<OutputRow>& rows, const std::string& round, double applied, double bare, double ticked) const {
        const auto fires = static_cast<double>(options_.fires);
        rows.push_back({{{"round", round},
                         {"appliedPerSecond", fires / applied},
                         {"barePerSecond", fires / bare},
                         {"decidedAndAppliedPerSecond", fires / ticked},
                         {"appliedRatio", bare / applied},
                         {"decidedAndAppliedRatio", bare / ticked}},
                        {round, rate_text(options_.fires, applied), rate_text(options_.fires, bare), ratio_text(bare / applied),
                         rate_text(options_.fires, ticked), ratio_text(bare / ticked)}});
    }

    struct Times {
        std::vector<double> applied;
        std::vector<double> ticked;
        std::vector<double> ratios;
    };

    const BenchOptions& options_;
    const Console& console_;
    BenchFolder folder_ = {};
    std::unique_ptr<store::Store> store_ = {};
    std::unique_ptr<store::sql::Database> ceiling_ = {};
};

}  // namespace

void add_bench_store(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("store", "Decided schedules applied per second, beside a bare loop that writes the same rows");
    auto options = std::make_shared<BenchOptions>();
    command->footer("  belfry bench store\n  belfry bench store --store postgres://me@localhost/empty --schedules 1000000 --fires 50000");
    command->add_option("--store", options->address, "An empty store: sqlite:PATH or postgres://…; by default a temporary SQLite file")
        ->type_name("STORE");
    command->add_option("--schedules", options->schedules, "How many there are [50000]")->check(CLI::Range(1, 10'000'000))->type_name("N");
    command->add_option("--fires", options->fires, "How many of them fire in each round [50000]")->check(CLI::Range(1, 10'000'000))->type_name("N");
    command->add_option("--rounds", options->rounds, "How often [5]")->check(CLI::Range(1, 1'000))->type_name("N");
    command->add_flag("--hold", options->hold, "Keep another transaction open all the time");
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

}  // namespace belfry::app
