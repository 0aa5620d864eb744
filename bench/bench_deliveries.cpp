// belfry-bench deliveries: messages per second that one receiver on this machine gets from a backlog.
#include <chrono>

#include "base/net/curl_http_client.hpp"
#include "bench/bench_figures.hpp"
#include "bench/bench_options.hpp"
#include "bench/bench_place.hpp"
#include "bench/bench_receiver.hpp"
#include "bench/bench_schedules.hpp"
#include "engine/jobs/deliverer.hpp"
#include "engine/usecases/webhooks.hpp"

namespace belfry::bench {

namespace {

using std::chrono::steady_clock;

struct DeliveriesOptions {
    std::string address;
    std::size_t messages = 12'000;
    int seconds = 60;
    Format format = Format::table;
};

// Counts the delivered messages, and keeps the first error.
class Arrivals final : public engine::Observer {
public:
    void delivered(const std::string& /*tenant*/, const model::Delivery& delivery) override {
        count_ += delivery.status == model::DeliveryStatus::delivered ? 1 : 0;
        if (failure_.empty()) failure_ = delivery.last_error;
    }
    void failed(std::string_view /*worker*/, const Error& error, Micros /*wait*/) override {
        if (failure_.empty()) failure_ = error.message;
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const std::string& failure() const { return failure_; }

private:
    std::size_t count_ = 0;
    std::string failure_ = {};
};

// Creates schedules; each creation is one message.
Result<void> make_backlog(store::Store& store, const Console& console, std::size_t messages) {
    console.note("creating " + std::to_string(messages) + " schedules…");
    const auto now = store.now();
    if (!now) return now.error();
    BenchSchedules wanted{messages, *now};
    wanted.edit = [](model::Schedule& schedule) { schedule.spec.cron = {"0 0 1 1 *"}; };
    return create_schedules(store, console.zones(), wanted);
}

Result<void> measure_deliveries(const DeliveriesOptions& options, const Console& console) {
    const BenchPlace place(options.address);
    auto store = place.open_empty_store(console.zones());
    if (!store) return store.error();
    BenchReceiver receiver;
    if (auto listening = receiver.listen(); !listening) return listening;
    CurlHttpClient http({.permitted = {parse_network("127.0.0.0/8").value()}});
    Sealer sealer([]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'b')}; });
    UuidMaker ids(&system_random);
    engine::Webhooks webhooks({**store, http, sealer, ids});
    if (auto made = webhooks.create(model::kDefaultTenant, {.url = receiver.url()}, {.principal = "bench"}); !made)
        return made.error();
    if (auto made = make_backlog(**store, console, options.messages); !made) return made;

    Arrivals arrivals;
    engine::Deliverer deliverer(
        **store, arrivals, [] { return true; }, {http, sealer}, {}, &system_random);
    const auto begin = steady_clock::now();
    const auto end = begin + std::chrono::seconds{options.seconds};
    while (arrivals.count() < options.messages && steady_clock::now() < end) {
        if (deliverer.step() > Micros{0}) std::this_thread::yield();
        if (!arrivals.failure().empty()) return Error{ErrorCode::unavailable, arrivals.failure()};
    }
    const auto seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    const auto rate = rate_text(arrivals.count(), seconds);
    print_record(console, options.format,
                 {{"delivered", "delivered", std::to_string(arrivals.count()), arrivals.count()},
                  {"seconds", "seconds", ratio_text(seconds), seconds},
                  {"perSecond", "a second", rate, static_cast<double>(arrivals.count()) / seconds}});
    return {};
}

}  // namespace

void add_bench_deliveries(CLI::App& parent, Chosen& chosen) {
    auto* const command =
        parent.add_subcommand("deliveries", "Measure messages per second that one webhook gets from a backlog");
    auto options = std::make_shared<DeliveriesOptions>();
    command->footer(
        "  belfry-bench deliveries\n  belfry-bench deliveries --messages 100000 --store postgres://localhost/bench");
    command->add_option("--messages", options->messages, "Number of messages in the backlog [12000]")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N");
    command->add_option("--seconds", options->seconds, "Maximum duration [60]")
        ->check(CLI::Range(1, 86'400))
        ->type_name("N");
    add_bench_store_option(*command, options->address);
    add_format(*command, options->format);
    measure_when_chosen(*command, chosen, options, &measure_deliveries);
}

}  // namespace belfry::bench
