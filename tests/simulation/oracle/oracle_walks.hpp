// The oracle's part for runs that walk a workflow: what each node may do, given those before it, what the run may end
// as, and what its events tell. Written from DESIGN.md and docs/; it shares no code with src/decide.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/fibers/sim_clock.hpp"
#include "simulation/oracle/coverage.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::sim {

struct Commit;

// A lease as its worker and the reaper must see it.
// When a lease was given or renewed, in real time; nothing when that is not known.
struct LeaseTime {
    std::optional<Micros> at = {};
    std::string server = {};     // that gave it
    Instant now = {};            // as that server showed the time
    ClockGuard::Move step = {};  // the newest that it has accepted
};

struct SeenLease {
    int attempt = 0;
    Instant until = {};
    std::optional<Instant> deadline = {};  // no heartbeat reaches beyond
    // The same in real time, which is what its worker counts by; nothing when that is not known.
    std::optional<Micros> ends_at = {};
    std::optional<Micros> dies_at = {};
    Micros since = {};
    Instant renewed = {};
    std::string server = {};  // that gave or renewed it

    // As it is given. `time` is the real time of `now`.
    static SeenLease given(int attempt, const store::ClaimRequest& request, std::optional<Micros> timeout,
                           const LeaseTime& time) {
        SeenLease lease{.attempt = attempt};
        if (timeout) lease.deadline = request.now + *timeout;
        if (timeout && time.at) lease.dies_at = *time.at + *timeout;
        lease.since = time.at.value_or(Micros{0});
        lease.renewed = request.now;
        // A claim that was asked before a step and made after it is of the old time, with all its times.
        lease.hold(request.now + request.lease, request.lease, time);
        return lease;
    }
    void renew(Instant to, Micros by, const LeaseTime& time) {
        // An attempt has as much time as its timeout says, whatever the clock does.
        if (deadline && renewed < time.step.before) *deadline += time.step.by;
        renewed = time.now;
        hold(to, by, time);
    }
    void hold(Instant to, Micros by, const LeaseTime& time) {
        const auto real = time.at ? std::optional(*time.at + by) : std::nullopt;
        server = time.server;
        until = deadline ? std::min(to, *deadline) : to;
        ends_at = real && dies_at ? std::min(*real, *dies_at) : real;
    }
};

struct SeenNode {
    model::NodeRun row = {};  // as after the last commit
    std::optional<SeenLease> lease = {};
    int claims = 0;
    std::map<std::string, int> tries = {};  // claims by assignee
    std::string key = {};                   // of its first claim
    int failures = 0;
    int redeliveries = 0;                  // its worker was lost, and it was handed out again
    bool went_back = false;                // so the last attempt ended
    std::map<std::string, int> told = {};  // events by their type
};

struct SeenWorkflowRun {
    model::WorkflowPtr workflow = {};
    std::optional<Instant> deadline = {};
    std::map<std::string, SeenNode> nodes = {};  // that have begun or are over
    std::int64_t sequence = 1;                   // of its newest event
    std::string ended = {};                      // the type of the event that ended it
    bool started = false;                        // told so
    bool refused = false;                        // the newest commit refused one of its nodes

    [[nodiscard]] bool succeeded(const std::string& node) const {
        const auto found = nodes.find(node);
        return found != nodes.end() && found->second.row.status == model::NodeStatus::succeeded;
    }
};

class WorkflowRunOracle {
public:
    using Breach = std::function<void(int, const std::string&)>;
    // 11: a lease that the reaper has ended was over, by the clock of the store and by that of its worker.
    void check_reaped(const SeenLease& lease, const std::string& what, const Commit& commit);
    WorkflowRunOracle(store::MemoryStore& database, const DatabaseClock& clock, Coverage& coverage, Breach breach)
        : database_(database), clock_(clock), coverage_(coverage), breach_(std::move(breach)) {}

    void deployed(const model::Workflow& workflow, std::int64_t version);
    void removed(const std::string& name);
    [[nodiscard]] bool is_removed(const std::string& name) const;

    [[nodiscard]] bool knows(const std::string& run_id) const { return walks_.contains(run_id); }
    void forget(const std::string& run_id) { walks_.erase(run_id); }
    [[nodiscard]] const SeenLease* find_lease(const model::LeaseRef& lease) const;
    [[nodiscard]] SeenLease* find_lease(const model::LeaseRef& lease);

    // A commit has touched the run, which is now as `row` says.
    void take(const model::Run& row, const Commit& commit, const model::Schedule& definition);
    void claimed(const model::Task& task, const store::ClaimRequest& request, const model::Schedule& definition,
                 const model::Run& row, const LeaseTime& asked);
    void renewed(const model::LeaseRef& lease, Instant until, Micros by, const LeaseTime& time);
    void acknowledged(const model::LeaseRef& lease, const decide::AttemptEnd& end);

private:
    struct Look;  // at one commit

    void begin(const Look& look);
    void end_attempt(const Look& look);
    void check_change(const Look& look, const model::NodeRun& node);
    void check_consent(const Look& look, SeenNode& seen, const model::NodeRun& node);
    void check_place(const Look& look, const model::WorkflowNode& described);
    void check_end(const Look& look);
    void check_verdict(const Look& look);
    void read_events(const model::Run& row, SeenWorkflowRun& walk);
    void take_event(const model::Run& row, SeenWorkflowRun& walk, const model::RunEvent& event);
    void check_told(const std::string& run_id, const SeenWorkflowRun& walk);

    store::MemoryStore& database_;
    const DatabaseClock& clock_;
    Coverage& coverage_;
    Breach breach_;
    std::map<std::string, SeenWorkflowRun> walks_;  // by run
    std::map<std::string, std::int64_t> versions_;  // the newest of each workflow
    std::map<std::string, std::int64_t>
        awaited_;                          // by a run that waits for approval: what it walks once it is approved
    std::map<std::string, bool> removed_;  // by workflow
};

}  // namespace belfry::sim
