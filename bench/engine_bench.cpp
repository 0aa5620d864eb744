#include "bench/engine_bench.hpp"

#include <algorithm>
#include <thread>

namespace belfry::bench {

namespace {

constexpr Seconds kPatience{30};  // without any fire

}  // namespace

void FireLedger::decided(const model::Schedule& /*schedule*/, const decide::Plan& plan, Instant at) {
    const auto told_at = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    for (const auto& run : plan.runs) {
        if (run.dispatch == model::DispatchStatus::dispatched)
            fires_.push_back({run.slot.occurrence, at - run.fire_at, told_at});
    }
    // Notify only at the end, so that the waiting thread does not disturb the measurement.
    if (fires_.size() >= wanted_) changed_.notify_all();
}

void FireLedger::failed(std::string_view worker, const Error& error, Micros /*wait*/) {
    const std::lock_guard lock(mutex_);
    failure_ = std::string(worker) + ": " + error.message;
}

Result<void> FireLedger::wait_for(std::size_t count, Micros until_first) {
    std::unique_lock lock(mutex_);
    wanted_ = count;
    changed_.wait_for(lock, until_first, [&] { return !fires_.empty(); });
    while (fires_.size() < count) {
        const auto before = fires_.size();
        changed_.wait_for(lock, kPatience, [&] { return fires_.size() >= count; });
        if (fires_.size() > before) continue;
        return Error{ErrorCode::unavailable, "only " + std::to_string(before) + " of " + std::to_string(count) +
                                                 " runs were fired" + (failure_.empty() ? "" : "; " + failure_)};
    }
    return {};
}

std::string FireLedger::failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
}

std::vector<FireLedger::Fire> FireLedger::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fires_, {});
}

Result<void> EngineBench::start(int servers, const engine::EngineOptions& options) {
    for (int i = 0; i < servers; ++i) {
        auto store = place_.open_store(zones_);
        if (!store) return store.error();
        auto each = options;
        each.member.server = "bench-" + std::to_string(i);
        // Before the first engine reads the members, so that none takes over the others' shares.
        const auto now = (*store)->now();
        if (!now) return now.error();
        if (auto attended = (*store)->renew_membership({each.member.server, *now, Seconds{60}}); !attended)
            return attended.error();
        auto engine = std::make_unique<engine::Engine>(**store, zones_, observers_, each);
        servers_.push_back({std::move(*store), std::move(engine)});
    }
    for (auto& server : servers_) server.engine->start();
    const auto ready = [servers](const Server& server) {
        return server.engine->status().ticker.standing().complete &&
               server.engine->status().member.servers() == static_cast<std::size_t>(servers);
    };
    while (!std::ranges::all_of(servers_, ready)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return {};
}

void EngineBench::stop() {
    for (auto& server : servers_) server.engine->stop();
}

}  // namespace belfry::bench
