// belfry-bench api: requests per second through the whole server, compared with a request that does nothing.
#include <algorithm>
#include <ctime>

#include "api/contract/cursor.hpp"
#include "app/server/server.hpp"
#include "app/settings/settings_load.hpp"
#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/bench_place.hpp"
#include "bench/bench_schedules.hpp"
#include "bench/http_load.hpp"

namespace belfry::bench {

namespace {

struct ApiBenchOptions {
    std::string address;
    std::vector<std::size_t> schedules = {1'000};
    std::size_t connections = 8;
    int rounds = 5;
    int round_ms = 500;
    std::optional<int> threads = {};  // empty: the server's default
    std::string only = {};            // measure only requests whose name starts with this, and "nothing"
    Format format = Format::table;
};

constexpr int kDigits = 8;
constexpr std::size_t kTeams = 10;          // one label for each tenth of the schedules
constexpr std::size_t kRareSchedules = 50;  // have a label of their own, at every number of schedules
const std::string kSchedules = "/api/tenants/default/schedules";
const std::string kStarts = "/api/tenants/default/task-executions";
const std::string kStartBody = R"({"taskKind":"bench"})";

std::string name_of_number(std::size_t number) {
    auto digits = std::to_string(number);
    return "bench-" + std::string(kDigits - std::min<std::size_t>(digits.size(), kDigits), '0') + digits;
}

// Creates the missing schedules up to `count`; none of them fires during the benchmark.
Result<void> fill(store::Store& store, const spec::ZoneDatabase& zones, std::size_t have, std::size_t count) {
    const auto now = store.now();
    if (!now) return now.error();
    BenchSchedules wanted{count - have, *now};
    wanted.edit = [&, number = have](model::Schedule& schedule) mutable {
        schedule.name = name_of_number(number);
        schedule.spec.cron = {"0 0 1 1 *"};
        schedule.labels["team"] = "t" + std::to_string(number % kTeams);
        if (number % std::max<std::size_t>(1, count / kRareSchedules) == 0)
            schedule.labels["rare"] = "r" + std::to_string(count);
        ++number;
    };
    return create_schedules(store, zones, wanted);
}

// The cursor after half of the schedules. A cursor belongs to its list, so the only way there is to read the list.
Result<std::string> middle_of(store::Store& store, std::size_t count) {
    std::string after;
    for (std::size_t seen = 0; seen < count / 2;) {
        const auto page = std::min(store::kPageMax, count / 2 - seen);
        const auto listing = store.schedules({.tenant = model::kDefaultTenant}, {.after = after, .limit = page});
        if (!listing) return listing.error();
        after = listing->next;
        seen += page;
    }
    return api::cursor_text(after);
}

struct Kind {
    std::string name;
    RequestBytes request;
    std::size_t items = 1;  // in one request
    LoadResult all = {};
    std::clock_t cpu = 0;  // of the whole process, client included; other load delays a request but does not raise this
    std::vector<double> ratios = {};
};

class ApiBench {
public:
    ApiBench(const ApiBenchOptions& options, const Console& console)
        : options_(options), console_(console), place_(options.address) {}

    Result<void> run() {
        std::size_t have = 0;
        for (const auto count : options_.schedules) {
            if (auto done = run_with(have, count); !done) return done;
            have = std::max(have, count);
        }
        print_rows(console_, options_.format,
                   {"SCHEDULES", "REQUEST", "PER SECOND", "RATIO", "CPU US", "P50 MS", "P99 MS"}, rows_);
        return {};
    }

private:
    Result<void> run_with(std::size_t have, std::size_t count) {
        std::string middle;
        {
            auto store = have == 0 ? place_.open_empty_store(console_.zones()) : place_.open_store(console_.zones());
            if (!store) return store.error();
            if (count > have) {
                console_.note("creating " + std::to_string(count - have) + " schedules…");
                if (auto filled = fill(**store, console_.zones(), have, count); !filled) return filled;
            }
            auto found = middle_of(**store, count);
            if (!found) return found.error();
            middle = std::move(*found);
        }
        const auto loaded = load_settings({});
        if (!loaded) return loaded.error();
        auto settings = loaded->values;
        settings.store = place_.address();
        settings.listen = "127.0.0.1:0";
        settings.rate_limit = 0;
        settings.http_threads = options_.threads.value_or(settings.http_threads);
        settings.schedules_per_tenant = kBenchSchedulesMax;
        const SystemClock clock;
        const Log log(LogLevel::error, LogFormat::text);
        const api::auth::Trust trust;  // an open server on this machine
        Server server(settings, console_.zones(), clock, trust, log);
        if (auto listening = server.listen(); !listening) return listening;
        if (auto begun = server.begin({}); !begun) return begun;
        auto measured = measure(server.port(), count, middle);
        server.drain();
        return measured;
    }

    // Each round measures every kind in turn, so that other load on the machine affects all of them alike.
    Result<void> measure(unsigned short port, std::size_t count, const std::string& middle) {
        auto kinds = kinds_for(count, middle);
        kinds.erase(std::remove_if(kinds.begin() + 1, kinds.end(),
                                   [&](const Kind& kind) { return !kind.name.starts_with(options_.only); }),
                    kinds.end());
        HttpLoad load(port, options_.connections);
        const auto time = std::chrono::milliseconds{options_.round_ms};
        for (auto& kind : kinds) {  // warms the caches; not counted
            if (auto warm = load.run(time / 5, kind.request); !warm) return warm.error();
        }
        for (int round = 0; round < options_.rounds; ++round) {
            double floor = 0;
            for (auto& kind : kinds) {
                const auto begun = std::clock();
                const auto result = load.run(time, kind.request);
                if (!result) return result.error();
                kind.cpu += std::clock() - begun;
                if (floor == 0) floor = result->per_second();
                kind.all.add(*result);
                kind.ratios.push_back(result->per_second() * static_cast<double>(kind.items) / floor);
            }
        }
        for (auto& kind : kinds) add_row(count, kind);
        return {};
    }

    std::vector<Kind> kinds_for(std::size_t count, const std::string& middle) {
        const auto one_target = [](std::string target) {
            return [bytes = get_request(std::move(target))](std::size_t, std::size_t) { return bytes; };
        };
        const auto some = [count](std::size_t connection, std::size_t number) {
            return name_of_number((number * 7'919 + connection * 104'729) % count);
        };
        const auto round = std::to_string(rows_.size());
        return {{"nothing (/healthz)", one_target("/healthz")},
                {"get one",
                 [some](std::size_t connection, std::size_t number) {
                     return get_request(kSchedules + "/" + some(connection, number));
                 }},
                {"list 50, first page", one_target(kSchedules + "?limit=50")},
                {"list 50, from the middle", one_target(kSchedules + "?limit=50&cursor=" + middle)},
                {"list 50 by a label that a tenth has", one_target(kSchedules + "?limit=50&label=team:t3")},
                {"list 50 by a label that 50 have",
                 one_target(kSchedules + "?limit=50&label=rare:r" + std::to_string(count))},
                {"list by a status that none has", one_target(kSchedules + "?limit=50&status=paused")},
                {"create",
                 [round](std::size_t connection, std::size_t number) {
                     return post_request(
                         kSchedules,
                         R"({"name":"made-)" + round + "-" + std::to_string(connection) + "-" + std::to_string(number) +
                             R"(","spec":{"cron":["0 0 1 1 *"]},"target":{"type":"task","taskKind":"bench"}})");
                 }},
                {"trigger",
                 [some](std::size_t connection, std::size_t number) {
                     return post_request(kSchedules + "/" + some(connection, number) + "/trigger", "{}");
                 }},
                {"start", [](std::size_t, std::size_t) { return post_request(kStarts, kStartBody); }},
                {"starts, 100 in a request", starts(100), 100},
                {"starts, 1000 in a request", starts(1'000), 1'000}};
    }

    static RequestBytes starts(std::size_t items) {
        std::string body = R"({"items":[)";
        for (std::size_t i = 0; i < items; ++i) body += (i == 0 ? "" : ",") + kStartBody;
        return [bytes = post_request(kStarts + "/batch", body + "]}")](std::size_t, std::size_t) { return bytes; };
    }

    void add_row(std::size_t count, Kind& kind) {
        std::ranges::sort(kind.all.took);
        const auto at = [&kind](double share) {
            const auto& took = kind.all.took;
            return static_cast<double>(took[std::min(took.size() - 1, static_cast<std::size_t>(
                                                                          share * static_cast<double>(took.size())))]
                                           .count()) /
                   1000.0;
        };
        const auto items = static_cast<double>(kind.items);
        const auto rate = kind.all.per_second() * items;
        const auto ratio = median(kind.ratios);
        const auto cpu_us =
            static_cast<double>(kind.cpu) * 1e6 / CLOCKS_PER_SEC / (static_cast<double>(kind.all.took.size()) * items);
        rows_.push_back(
            {{{"schedules", count},
              {"request", kind.name},
              {"perSecond", rate},
              {"ratio", ratio},
              {"cpuUs", cpu_us},
              {"p50Ms", at(0.5)},
              {"p99Ms", at(0.99)}},
             {std::to_string(count), kind.name, std::to_string(static_cast<std::int64_t>(rate)), ratio_text(ratio),
              std::to_string(static_cast<std::int64_t>(cpu_us)), ratio_text(at(0.5)), ratio_text(at(0.99))}});
    }

    const ApiBenchOptions& options_;
    const Console& console_;
    BenchPlace place_;
    std::vector<OutputRow> rows_ = {};
};

Result<void> measure(const ApiBenchOptions& options, const Console& console) {
    return ApiBench(options, console).run();
}

}  // namespace

void add_bench_api(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "api", "Measure requests per second through the whole server, against a request that does nothing");
    auto options = std::make_shared<ApiBenchOptions>();
    command->footer("  belfry-bench api\n  belfry-bench api --schedules 1000,1000000");
    add_bench_store_option(*command, options->address);
    command
        ->add_option("--schedules", options->schedules, "Number of schedules; several sizes in ascending order [1000]")
        ->delimiter(',')
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N,…");
    command->add_option("--connections", options->connections, "Number of client connections [8]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_option("--threads", options->threads, "Number of HTTP threads [the server's default]")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of measurements per request [5]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command->add_option("--round-ms", options->round_ms, "Duration of each measurement [500]")
        ->check(CLI::Range(10, 60'000))
        ->type_name("MS");
    command
        ->add_option("--only", options->only,
                     "Measure only requests whose name starts with this, and the one that does nothing")
        ->type_name("TEXT");
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure);
}

}  // namespace belfry::bench
