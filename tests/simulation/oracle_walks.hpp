// The oracle's part for runs that walk a workflow: what each node may do, given those before it, what the run may end as, and
// what its events tell. Written from DESIGN.md and docs/; it shares no code with src/decide.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/sights.hpp"
#include "simulation/sim_clock.hpp"
#include "store/memory_store.hpp"

namespace belfry::sim {

struct Commit;

// A lease as its worker and the reaper must see it.
struct SeenLease {
    int attempt = 0;
    Instant until = {};
    std::optional<Instant> deadline = {};  // no heartbeat reaches beyond
};

struct SeenNode {
    model::NodeRun row = {};  // as after the last commit
    std::optional<SeenLease> lease = {};
    int claims = 0;
    std::map<std::string, int> tries = {};  // claims by assignee
    std::string key = {};                   // of its first claim
    int failures = 0;
    std::map<std::string, int> told = {};  // events by their type
};

struct SeenWalk {
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

class OracleWalks {
public:
    using Breach = std::function<void(int, const std::string&)>;
    OracleWalks(store::MemoryStore& database, const DatabaseClock& clock, Sights& sights, Breach breach)
        : database_(database), clock_(clock), sights_(sights), breach_(std::move(breach)) {}

    void deployed(const model::Workflow& workflow, std::int64_t version);
    void removed(const std::string& name);
    [[nodiscard]] bool is_removed(const std::string& name) const;

    [[nodiscard]] bool knows(const std::string& run_id) const { return walks_.contains(run_id); }
    void forget(const std::string& run_id) { walks_.erase(run_id); }
    [[nodiscard]] const SeenLease* find_lease(const model::LeaseRef& lease) const;

    // A commit has touched the run, which is now as `row` says.
    void take(const model::Run& row, const Commit& commit, const model::Schedule& definition);
    void claimed(const model::Task& task, const store::ClaimRequest& request, const model::Schedule& definition, const model::Run& row);
    void prolonged(const model::LeaseRef& lease, Instant until);
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
    void read_events(const model::Run& row, SeenWalk& walk);
    void take_event(const model::Run& row, SeenWalk& walk, const model::RunEvent& event);
    void check_told(const std::string& run_id, const SeenWalk& walk);

    store::MemoryStore& database_;
    const DatabaseClock& clock_;
    Sights& sights_;
    Breach breach_;
    std::map<std::string, SeenWalk> walks_;         // by run
    std::map<std::string, std::int64_t> versions_;  // the newest of each workflow
    std::map<std::string, bool> removed_;           // by workflow
};

}  // namespace belfry::sim
