// belfry-bench handover: messages per second that a broker accepts from Belfry, compared in the same run with its bare
// client library, and with the rate when the engine decides, claims, publishes and settles every task.
#include <algorithm>
#include <chrono>

#include "bench/bare_publisher.hpp"
#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/handover_bench.hpp"
#include "brokers/broker.hpp"

namespace belfry::bench {

namespace {

struct HandoverOptions {
    std::string address;  // of the store
    std::vector<std::string> urls;
    std::size_t messages = 20'000;
    std::size_t batch = 100;
    std::size_t bytes = 500;
    int rounds = 3;
    Format format = Format::table;
};

constexpr const char* kHandOverQueue = "belfry-bench";

// Publishes one batch after the other and returns the duration. Each call uses new keys, because NATS drops repeats.
template <typename Publish>
Result<double> measure_batches(const HandoverOptions& options, const Publish& publish) {
    const auto name = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    std::vector<brokers::Message> batch(options.batch);
    for (auto& message : batch)
        message = {.key = {}, .subject = kHandOverQueue, .body = "\"" + std::string(options.bytes, 'x') + "\""};
    std::chrono::steady_clock::duration took{};
    for (std::size_t sent = 0; sent < options.messages; sent += batch.size()) {
        batch.resize(std::min(options.batch, options.messages - sent));
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i].key = name + "-" + std::to_string(sent + i);
        const auto begin = std::chrono::steady_clock::now();
        if (Result<void> published = publish(batch); !published) return published.error();
        took += std::chrono::steady_clock::now() - begin;
    }
    return std::chrono::duration<double>(took).count();
}

class HandoverBench {
public:
    HandoverBench(const HandoverOptions& options, const Console& console)
        : options_(options), console_(console), place_(options.address) {}

    Result<void> run() {
        console_.note("creating " + std::to_string(options_.messages) + " schedules…");
        if (auto created = engine_.create(options_.messages); !created) return created;
        for (const auto& url : options_.urls) {
            if (auto measured = measure(url); !measured) return measured;
        }
        print_rows(console_, options_.format, {"BROKER", "ROUND", "MESSAGES/S", "BARE/S", "RATIO", "ENGINE/S"}, rows_);
        return {};
    }

private:
    Result<void> measure(const std::string& url) {
        auto parsed = brokers::parse_connection(url);
        if (!parsed) return parsed.error();
        const std::string kind(brokers::name_of(parsed->kind()));
        const auto bare = brokers::open_bare(*parsed);
        if (!bare) return bare.error();
        auto made = brokers::make_broker(std::move(*parsed));
        if (!made) return made.error();
        const std::shared_ptr<brokers::Broker> broker = std::move(*made);

        std::vector<double> rates;
        std::vector<double> ratios;
        std::vector<double> through;
        // The first round warms the caches and is not counted.
        for (int round = 0; round <= options_.rounds; ++round) {
            const auto ours =
                measure_batches(options_, [&](const auto& batch) { return all_of(broker->publish(batch, {})); });
            if (!ours) return ours.error();
            const auto least = measure_batches(options_, [&](const auto& batch) { return (*bare)->publish(batch); });
            if (!least) return least.error();
            const auto carried = engine_.measure(broker, std::min(options_.batch, store::kClaimMax));
            if (!carried) return carried.error();
            if (round == 0) continue;
            rates.push_back(static_cast<double>(options_.messages) / *ours);
            ratios.push_back(*least / *ours);
            through.push_back(static_cast<double>(options_.messages) / *carried);
            add_row(kind, std::to_string(round), rates.back(), ratios.back(), through.back());
        }
        add_row(kind, "median", median(rates), median(ratios), median(through));
        return {};
    }

    static Result<void> all_of(const brokers::Receipts& receipts) {
        for (const auto& receipt : receipts) {
            if (!receipt) return receipt.error();
        }
        return {};
    }

    void add_row(const std::string& kind, const std::string& round, double rate, double ratio, double through) {
        const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
        rows_.push_back({{{"broker", kind},
                          {"round", round},
                          {"perSecond", rate},
                          {"barePerSecond", rate / ratio},
                          {"ratio", ratio},
                          {"enginePerSecond", through}},
                         {kind, round, whole(rate), whole(rate / ratio), ratio_text(ratio), whole(through)}});
    }

    const HandoverOptions& options_;
    const Console& console_;
    const BenchPlace place_;
    HandoverThroughEngine engine_{place_, console_.zones()};
    std::vector<OutputRow> rows_ = {};
};

Result<void> measure_handover(const HandoverOptions& options, const Console& console) {
    return HandoverBench(options, console).run();
}

}  // namespace

void add_bench_handover(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "handover", "Measure messages per second to a broker, against its bare client library and through the engine");
    auto options = std::make_shared<HandoverOptions>();
    command->footer(
        "  belfry-bench handover --url redis://localhost\n  belfry-bench handover --url amqp://localhost --url "
        "nats://localhost --batch 1000");
    command
        ->add_option(
            "--url", options->urls,
            "Broker for the benchmark: redis://…, amqp://…, nats://…; fills its queues belfry-bench and default")
        ->required()
        ->type_name("URL");
    command->add_option("--messages", options->messages, "Number of messages per round [20000]")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--batch", options->batch, "Number of messages per batch [100]")
        ->check(CLI::Range(1, 10'000))
        ->type_name("N");
    command->add_option("--bytes", options->bytes, "Size of each message's body [500]")
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N");
    command->add_option("--rounds", options->rounds, "Number of rounds [3]")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    add_bench_store_option(*command, options->address);
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure_handover);
}

}  // namespace belfry::bench
