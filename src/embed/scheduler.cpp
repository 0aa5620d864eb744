#include <belfry/scheduler.hpp>

#include <unistd.h>

#include <algorithm>

#include "api/http/percent.hpp"
#include "base/log.hpp"
#include "base/time/clock_guard.hpp"
#include "embed/local_api.hpp"
#include "embed/task_runner.hpp"
#include "engine/engine.hpp"
#include "engine/telemetry/decision_log.hpp"
#include "engine/telemetry/health.hpp"
#include "engine/telemetry/observers.hpp"
#include "store/observed_store.hpp"
#include "store/open.hpp"
#include "store/sql/sql_store.hpp"
#include "store/store_log.hpp"
#include "store/store_metrics.hpp"

namespace belfry::embed {

namespace {

constexpr int kConcurrencyMax = 256;
constexpr Micros kClockStepConfirm = Seconds{60};  // the default of the server's clock_step_confirm

Result<void> check(const SchedulerOptions& options) {
    if (options.concurrency < 1 || options.concurrency > kConcurrencyMax)
        return invalid("concurrency is " + std::to_string(options.concurrency) + ": use 1 to 256");
    if (options.lease < std::chrono::milliseconds{100}) return invalid("lease is too short: use 100 ms or more");
    if (options.min_interval < std::chrono::seconds{1}) return invalid("min_interval is too short: use 1 s or more");
    if (options.queue.empty()) return invalid("queue is empty: name one, such as default");
    return {};
}

std::string worker_name() {
    std::string host(256, '\0');
    if (::gethostname(host.data(), host.size() - 1) != 0) host = "localhost";
    host.resize(std::min(host.find('\0'), host.size()));
    return host + ":" + std::to_string(::getpid());
}

}  // namespace

// In the order of construction: each uses those above it.
class Scheduler::Parts {
public:
    Parts(SchedulerOptions options, spec::ZoneDatabase zones)
        : options_(std::move(options)), zones_(std::move(zones)) {}

    [[nodiscard]] Result<void> open() {
        auto database = store::open_database(options_.store);
        if (!database) return database.error();
        auto opened = store::sql::open_store(std::move(*database), zones_);
        if (!opened) return opened.error();
        store_ = std::make_unique<store::ObservedStore>(std::move(*opened), store_log_, &guard_);
        engine::EngineOptions options;
        options.min_interval = options_.min_interval;
        options.member.clock = options.reaper.clock = options.janitor.clock = options.archiver.clock = &guard_;
        engine_ = std::make_unique<engine::Engine>(*store_, zones_, observers_, options);
        api_ = std::make_unique<api::Api>(
            *engine_, api::ApiOptions{.health = [this] { return health_.read(); }, .default_tenant = options_.tenant});
        local_ = std::make_unique<LocalApi>(*api_, options_.tenant);
        return {};
    }

    void start() {
        if (running_) return;
        running_ = true;
        engine_->start();
        if (functions_.empty()) return;
        runner_ = std::make_unique<TaskRunner>(*local_, functions_,
                                               TaskRunner::Options{.queue = options_.queue,
                                                                   .worker = worker_name(),
                                                                   .concurrency = options_.concurrency,
                                                                   .lease = options_.lease});
        runner_->start();
    }

    void stop() {
        runner_.reset();
        if (engine_) engine_->stop();
        running_ = false;
    }

    void on_task(std::string kind, TaskFunction function) { functions_[std::move(kind)] = std::move(function); }
    [[nodiscard]] const LocalApi& api() const { return *local_; }

private:
    const SchedulerOptions options_;
    const spec::ZoneDatabase zones_;
    const SystemClock clock_;
    const SystemSteadyClock steady_;
    ClockGuard guard_{steady_, kClockStepConfirm};
    const Log log_{LogLevel::warn, LogFormat::text};
    store::StoreMetrics store_metrics_;
    store::StoreLog store_log_{log_, store_metrics_};
    engine::Health health_{clock_};
    engine::DecisionLog decisions_{log_};
    engine::Observers observers_{decisions_, health_};
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<LocalApi> local_;
    TaskFunctions functions_;
    std::unique_ptr<TaskRunner> runner_;
    bool running_ = false;
};

Scheduler::Scheduler(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Scheduler::~Scheduler() { stop(); }

Scheduler::Opened Scheduler::open(SchedulerOptions options) {
    if (const auto checked = check(options); !checked) return {nullptr, checked.error().message};
    auto zones = spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder());
    if (!zones) return {nullptr, zones.error().message};
    auto parts = std::make_unique<Parts>(std::move(options), std::move(*zones));
    if (const auto opened = parts->open(); !opened) return {nullptr, opened.error().message};
    return {std::unique_ptr<Scheduler>(new Scheduler(std::move(parts)))};
}

void Scheduler::on_task(std::string kind, TaskFunction function) {
    parts_->on_task(std::move(kind), std::move(function));
}

void Scheduler::start() { parts_->start(); }

void Scheduler::stop() { parts_->stop(); }

Response Scheduler::call(std::string_view method, std::string_view path, std::string_view body) {
    return parts_->api().call(method, path, body);
}

Response Scheduler::history(std::string_view name, std::optional<int> limit,
                            std::optional<std::int64_t> after_sequence) {
    auto path = at(name, "/history");
    char separator = '?';
    if (limit) path += std::exchange(separator, '&') + ("limit=" + std::to_string(*limit));
    if (after_sequence) path += std::exchange(separator, '&') + ("after_sequence=" + std::to_string(*after_sequence));
    return call("GET", path);
}

std::string Scheduler::at(std::string_view name, std::string_view part) {
    return "/schedules/" + api::percent_encode(name) + std::string(part);
}

}  // namespace belfry::embed
