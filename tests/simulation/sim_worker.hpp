// A worker process: it claims tasks of some server, says that it is still at it, and tells how it went, over a line
// that loses, delays and doubles what is sent. It may die or freeze with a task in its hands.
#pragma once

#include <string>

#include "simulation/sim_cluster.hpp"

namespace belfry::sim {

class SimWorker {
public:
    SimWorker(SimContext& context, SimCluster& cluster, std::string name)
        : context_(context), cluster_(cluster), name_(std::move(name)) {}

    // The body of its activity: until it dies, or the world is healed and others take over.
    void run();
    // One round when everything works: whatever is ready is claimed, done and told, quickly.
    void run_healed_round();

private:
    [[nodiscard]] std::vector<model::Task> claim(const std::string& lane, std::size_t limit);
    // False when the worker died over it.
    [[nodiscard]] bool work_on(const model::Task& task);
    [[nodiscard]] bool renew(const model::LeaseRef& lease);
    // Tells what it has used so far; now and then with more than before.
    void report(const model::LeaseRef& lease, model::Usage& used);
    void use(model::Usage& used);
    void complete(const model::LeaseRef& lease, const decide::AttemptEnd& end);
    [[nodiscard]] decide::AttemptEnd draw_end(const model::LeaseRef& lease);
    // The planted bug: a thread that goes on although the work is gone.
    void keep_alive_for_ever(const model::LeaseRef& lease);

    SimContext& context_;
    SimCluster& cluster_;
    std::string name_;
};

}  // namespace belfry::sim
