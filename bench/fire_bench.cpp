#include <algorithm>
#include <chrono>

#include "bench/store_bench.hpp"
#include "decide/run/attempt.hpp"
#include "decide/schedule/tick.hpp"
#include "model/identity.hpp"

namespace belfry::bench {

namespace {

const Instant kStart = std::chrono::sys_days{std::chrono::year{2030} / 1 / 1} + std::chrono::minutes{30};

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Result<void> FireBench::create(std::size_t count) {
    BenchSchedules wanted{count, kStart};
    wanted.edit = [](model::Schedule& schedule) { schedule.spec.cron = {"0 * * * *"}; };
    wanted.sink = [this](const decide::CompiledPtr& compiled, const decide::Plan& plan) {
        keys_.push_back(model::key_of(plan.schedule_id));
        auto& facts = facts_.emplace_back();
        facts.schedule = compiled;
        facts.state = plan.state;
    };
    return create_schedules(store_, zones_, wanted);
}

Result<double> FireBench::fire(std::size_t count) {
    const auto now = kStart + std::chrono::minutes{30} + std::chrono::hours{hour_++};
    const auto planner = [now](const decide::Facts& facts) -> Result<decide::Plan> {
        return decide::plan_tick(facts, now);
    };
    const auto begin = std::chrono::steady_clock::now();
    std::size_t fired = 0;
    for (std::size_t at = 0; at < count; at += kBenchBatch) {
        const auto end = std::min(count, at + kBenchBatch);
        const auto from = keys_.begin() + static_cast<std::ptrdiff_t>(at);
        auto outcome = store_.tick({now, {from, keys_.begin() + static_cast<std::ptrdiff_t>(end)}}, planner);
        if (!outcome) return outcome.error();
        for (std::size_t i = at; i < end && i - at < outcome->plans.size(); ++i)
            facts_[i].state = outcome->plans[i - at].state;
        fired += outcome->plans.size();
    }
    const auto seconds = seconds_since(begin);
    if (fired != count)
        return Error{ErrorCode::corrupt, std::to_string(fired) + " of " + std::to_string(count) + " schedules fired"};
    return seconds;
}

Result<double> FireBench::apply(std::size_t count) {
    const auto now = kStart + std::chrono::minutes{30} + std::chrono::hours{hour_++};
    std::vector<decide::Plan> plans;
    for (std::size_t i = 0; i < count; ++i) {
        plans.push_back(decide::plan_tick(facts_[i], now));
        facts_[i].state = plans.back().state;
    }
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < count; at += kBenchBatch) {
        auto results = store_.apply(std::span(plans).subspan(at, std::min(kBenchBatch, count - at)));
        if (!results) return results.error();
        for (const auto& each : *results) {
            if (each) return *each;
        }
    }
    return seconds_since(begin);
}

Result<std::pair<double, std::size_t>> FireBench::work_off(std::size_t most, std::size_t batch) const {
    const auto now = kStart + std::chrono::minutes{30} + std::chrono::hours{hour_};
    const auto planner = [now](const decide::Facts& facts, const decide::AttemptEnd& end) {
        return decide::plan_attempt_end(facts, end, now);
    };
    const auto begin = std::chrono::steady_clock::now();
    std::size_t done = 0;
    while (done < most) {
        auto tasks = store_.claim({.tenant = model::kDefaultTenant, .worker = "bench", .limit = batch, .now = now});
        if (!tasks) return tasks.error();
        if (tasks->empty()) break;
        std::vector<store::AttemptReport> endings;
        for (const auto& task : *tasks)
            endings.push_back({{task.run_id, task.attempt}, {.result = Json{{"ok", true}}}});
        auto ended = store_.complete(endings, now, planner);
        if (!ended) return ended.error();
        for (const auto& each : *ended) {
            if (!each) return each.error();
        }
        done += tasks->size();
    }
    return std::pair{seconds_since(begin), done};
}

}  // namespace belfry::bench
