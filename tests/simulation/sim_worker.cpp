#include "simulation/sim_worker.hpp"

#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

using model::ExecutionStatus;
using AttemptPlans = Result<std::vector<Result<decide::AttemptPlan>>>;

namespace {

constexpr int kTellsMax = 4;  // how often a worker repeats what it was not answered

model::LeaseRef lease_of(const model::Task& task) { return {task.run_id, task.attempt, task.node}; }

// Nobody else says the same, so what stands in the row tells whose word was taken.
Json output(const std::string& worker, const model::LeaseRef& lease) {
    auto words = worker + " " + std::to_string(lease.attempt);
    if (lease.node.empty()) return Json(words);
    return boost::json::object{{"of", lease.node + " by " + words}};
}

}  // namespace

void SimWorker::run() {
    auto& random = context_.random;
    while (!context_.healed) {
        context_.loop.sleep(random.between(Micros{0}, context_.options.pace * 4));
        const auto* const lane = random.percent(60) ? "" : random.pick({kAgent, kFallback});
        for (const auto& task : claim(lane, static_cast<std::size_t>(random.pick({1, 1, 3})))) {
            if (!work_on(task)) return;
        }
    }
}

void SimWorker::run_healed_round() {
    constexpr std::size_t kAtOnce = 20;
    // What was done in one lane may make something ready in another.
    for (bool found = true; found;) {
        found = false;
        for (const auto* const lane : kLanes) {
            for (const auto& task : claim(lane, kAtOnce)) {
                found = true;
                const auto lease = lease_of(task);
                complete(lease, {ExecutionStatus::succeeded, {}, output(name_, lease), {}});
            }
        }
    }
}

std::vector<model::Task> SimWorker::claim(const std::string& lane, std::size_t limit) {
    using Claimed = Result<std::vector<model::Task>>;
    const engine::Runs::Claim request{"default", "default", name_, limit, context_.options.worker_lease, lane};
    const auto answer =
        cluster_.ask<Claimed>([request](SimServer& server) { return server.runs().claim(request); }, true);
    return answer && *answer ? **answer : std::vector<model::Task>{};
}

decide::AttemptEnd SimWorker::draw_end(const model::LeaseRef& lease) {
    auto& random = context_.random;
    const auto result = output(name_, lease);
    if (!random.percent(context_.options.work_fails)) {
        // Now and then without what others were promised.
        if (!lease.node.empty() && random.percent(2)) return {ExecutionStatus::succeeded, {}, Json(name_), {}};
        return {ExecutionStatus::succeeded, {}, result, {}};
    }
    if (random.percent(20)) return {ExecutionStatus::timed_out, model::FailureCategory::timeout, result, "too slow"};
    decide::AttemptEnd end{ExecutionStatus::failed, static_cast<model::FailureCategory>(random.number(0, 3)), result,
                           "broken"};
    if (random.percent(20)) end.retry_after = random.between(Micros{0}, context_.options.pace * 3);
    return end;
}

bool SimWorker::work_on(const model::Task& task) {
    auto& random = context_.random;
    const auto& chaos = context_.options.chaos;
    const auto lease = lease_of(task);
    auto left = random.between(Micros{0}, context_.options.work_max);
    const auto beat = context_.options.worker_lease / 3;
    model::Usage used;
    while (left > Micros{0}) {
        context_.loop.sleep(std::min(left, beat));
        left -= std::min(left, beat);
        if (context_.healed) return false;
        if (random.percent(chaos.worker_crash)) {
            context_.coverage.see(Sight::worker_crashed);
            context_.tell(name_, 1, [&] { return "dies with " + task.run_id; });
            keep_alive_for_ever(lease);
            return false;
        }
        if (random.percent(chaos.worker_freeze)) {
            context_.coverage.see(Sight::worker_frozen);
            context_.loop.sleep(context_.options.worker_lease * random.number(1, 4));
            continue;  // it does not know, and goes on as if nothing had happened
        }
        if (random.percent(40)) report(lease, used);
        if (left > Micros{0} && !renew(lease)) return true;
    }
    auto end = draw_end(lease);
    if (random.percent(60)) {
        use(used);
        end.usage = used;
    }
    complete(lease, end);
    return true;
}

void SimWorker::use(model::Usage& used) {
    used.credits += model::Credits{context_.random.number(0, 1'500'000)};
    used.tokens += context_.random.number(0, 100);
}

void SimWorker::report(const model::LeaseRef& lease, model::Usage& used) {
    use(used);
    [[maybe_unused]] const auto answer = cluster_.ask<AttemptPlans>(
        [lease, used](SimServer& server) {
            return server.runs().report_usage("default", {{lease, used}});
        },
        true);
}

// Whether to go on. Without an answer it goes on: the lease is its server's business.
bool SimWorker::renew(const model::LeaseRef& lease) {
    using Held = Result<std::vector<model::LeaseRef>>;
    const auto duration = context_.options.worker_lease;
    const auto answer = cluster_.ask<Held>(
        [lease, duration](SimServer& server) { return server.runs().heartbeat({lease}, duration); }, true);
    return !answer || !*answer || !(*answer)->empty();
}

void SimWorker::complete(const model::LeaseRef& lease, const decide::AttemptEnd& end) {
    for (int i = 0; i < kTellsMax; ++i) {
        const auto answer = cluster_.ask<AttemptPlans>(
            [lease, end](SimServer& server) {
                return server.runs().complete("default", {{lease, end}});
            },
            true);
        if (!answer || !*answer) continue;  // lost, or the store was away: once more
        const auto& one = (**answer).front();
        if (!one && one.error().code == ErrorCode::conflict && i == 0) {
            context_.coverage.see(lease.node.empty() ? Sight::late_completion_refused : Sight::late_node_refused);
        }
        if (one && std::holds_alternative<decide::Plan>(*one)) context_.oracle.completion_acknowledged(lease, end);
        return;
    }
}

void SimWorker::keep_alive_for_ever(const model::LeaseRef& lease) {
    if (context_.mutant != Mutant::heartbeat_outlives_work) return;
    while (true) {
        context_.loop.sleep(context_.options.worker_lease / 3);
        [[maybe_unused]] const auto held = renew(lease);
    }
}

}  // namespace belfry::sim
