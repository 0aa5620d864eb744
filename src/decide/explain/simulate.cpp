#include "decide/explain/simulate.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "decide/apply.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

namespace {

class Simulation {
public:
    Simulation(const Facts& facts, const SimulationRequest& request, const Limits& limits)
        : facts_(facts), request_(request), limits_(limits), before_(facts.last_24h) {
        // They count as running from now on.
        before_.total = std::max<std::int64_t>(0, before_.total - std::ssize(facts_.in_flight));
        for (const auto& run : facts_.in_flight) start(run.id, request_.from);
    }

    std::vector<SimulatedRun> run() {
        const auto rows_max = std::min(request_.rows_max, kSimulatedRunsMax);
        while (rows_.size() < rows_max && bytes_ < request_.bytes_max && !(request_.stop && request_.stop())) {
            const auto ending = std::ranges::min_element(running_, {}, &Running::ends_at);
            const auto tick = facts_.state.next_fire;
            // Ends come before ticks of the same instant, because an ended run does not overlap.
            if (ending != running_.end() && (!tick || ending->ends_at <= *tick)) {
                if (ending->ends_at > request_.to) break;
                complete(ending);
            } else if (tick && *tick <= request_.to) {
                const auto now = std::max(*tick, request_.from);
                follow(plan_tick(facts_at(now), now, limits_), now);
            } else {
                break;
            }
        }
        if (rows_.size() > rows_max) rows_.resize(rows_max);  // the last tick decided several
        return std::move(rows_);
    }

private:
    struct Running {
        std::string id;
        Instant ends_at;
        const AssumedRun* assumed = nullptr;  // a pointer into the request, because a result may be large
    };

    void start(const std::string& id, Instant at) {
        const auto& assumed = request_.runs[started_++ % request_.runs.size()];
        running_.push_back({id, at + assumed.duration, &assumed});
    }

    // The facts with the statistics of the 24 hours before `now`. The age of runs before the simulation is unknown,
    // so they count for its first day.
    const Facts& facts_at(Instant now) {
        constexpr std::chrono::hours kDay{24};
        while (!ended_.empty() && ended_.front().at <= now - kDay) ended_.pop_front();
        facts_.last_24h = now < request_.from + kDay ? before_ : RunStats{};
        facts_.last_24h.total += std::ssize(running_) + std::ssize(ended_);
        for (const auto& end : ended_) {
            if (end.outcome == ExecutionStatus::succeeded) ++facts_.last_24h.succeeded;
            if (end.outcome == ExecutionStatus::failed) ++facts_.last_24h.failed;
        }
        return facts_;
    }

    void complete(std::vector<Running>::iterator ending) {
        const auto over = *ending;
        running_.erase(ending);
        ended_.push_back({over.ends_at, over.assumed->outcome});
        facts_.prior_run_result = over.assumed->result;
        const auto plan = plan_completion(
            facts_at(over.ends_at),
            {over.id, ExecutionStatus::running, over.assumed->outcome, over.assumed->result, {}}, over.ends_at);
        follow(plan.value(), over.ends_at);
        // A tick decides buffered runs that the end of the run could not release.
        if (waits_for_release(facts_.state))
            follow(plan_tick(facts_at(over.ends_at), over.ends_at, limits_), over.ends_at);
    }

    void follow(const Plan& plan, Instant now) {
        apply(plan, facts_);
        for (const auto& end : plan.ends) note_end(end.run_id, end.status, now);
        for (const auto& run : plan.runs) add(run, now);
        for (const auto& run : plan.releases) {
            if (const auto row = row_of_.find(run.id); row != row_of_.end()) {
                bytes_ += to_text(run.input).size();
                rows_[row->second].run = run;
            }
            if (is_in_flight(run.execution)) start(run.id, run.fire_at);
            if (is_terminal(run.execution)) note_end(run.id, run.execution, now);
        }
    }

    void add(const PlannedRun& run, Instant now) {
        row_of_[run.id] = rows_.size();
        rows_.push_back({now, run, {}, {}});
        bytes_ += to_text(run.input).size();
        if (is_in_flight(run.execution)) start(run.id, run.fire_at);
        if (is_terminal(run.execution)) note_end(run.id, run.execution, now);
    }

    void note_end(const std::string& id, ExecutionStatus status, Instant now) {
        if (std::erase_if(running_, [&id](const auto& each) { return each.id == id; }) > 0)
            ended_.push_back({now, status});
        const auto row = row_of_.find(id);
        if (row == row_of_.end()) return;  // it was in flight before the simulation started
        rows_[row->second].ended_at = now;
        rows_[row->second].end = status;
    }

    struct Ended {
        Instant at;
        ExecutionStatus outcome;
    };

    Facts facts_;
    const SimulationRequest& request_;
    const Limits& limits_;
    RunStats before_;  // of the runs before the simulation
    std::size_t started_ = 0;
    std::vector<Running> running_;
    std::deque<Ended> ended_;
    std::vector<SimulatedRun> rows_;
    std::size_t bytes_ = 0;                                // of their inputs
    std::unordered_map<std::string, std::size_t> row_of_;  // by run id
};

}  // namespace

std::vector<SimulatedRun> simulate(const Facts& facts, const SimulationRequest& request, const Limits& limits) {
    if (request.runs.empty())
        return simulate(facts,
                        {request.from, request.to, {AssumedRun{}}, request.rows_max, request.bytes_max, request.stop},
                        limits);
    return Simulation(facts, request, limits).run();
}

std::size_t input_bytes(const std::vector<SimulatedRun>& rows) {
    std::size_t bytes = 0;
    for (const auto& row : rows) bytes += to_text(row.run.input).size();
    return bytes;
}

}  // namespace belfry::decide
