#include "simulation/sim_world.hpp"

#include "simulation/sim_chaos.hpp"
#include "simulation/sim_cluster.hpp"
#include "simulation/sim_operator.hpp"
#include "simulation/sim_schedules.hpp"
#include "simulation/sim_worker.hpp"
#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

namespace {

constexpr std::uint64_t kEventsMax =
    400'000;  // ten times what the longest worlds need: more is a loop that does not wait
// After healing: how often it is looked, and by when leases, quarantines and backoffs of every kind must be over.
constexpr int kLookPaces = 6;
constexpr int kBoundPaces = 240;

class World {
public:
    World(Fibers& fibers, const WorldSettings& settings)
        : settings_(settings),
          context_(fibers, settings.seed, settings.mutant, settings.keeps_lines),
          cluster_(context_),
          operator_(context_, cluster_),
          chaos_(context_, cluster_) {}

    Verdict run() {
        begin();
        live_until(context_.options.duration());
        if (sound()) heal();
        if (sound()) judge();
        Verdict verdict;
        verdict.breaches = context_.oracle.breaches();
        verdict.trace = context_.trace.hash();
        verdict.lines.assign(context_.trace.lines().begin(), context_.trace.lines().end());
        verdict.events = context_.loop.events();
        verdict.coverage = context_.coverage;
        return verdict;
    }

private:
    [[nodiscard]] bool sound() const { return context_.oracle.breaches().empty(); }

    void begin() {
        [[maybe_unused]] const auto made = context_.database.put_calendar("default", {calendar(), 1});
        [[maybe_unused]] const auto registered = context_.database.put_assignee(
            "default", {.id = kAgent, .policies = context_.options.agent, .created_at = context_.options.beginning});
        cluster_.start_all();
        context_.loop.start(kNobody, [this] { operator_.run(); });
        context_.loop.start(kNobody, [this] { operator_.approve_what_waits(); });
        for (int i = 0; i < context_.options.workers; ++i) hire();
        chaos_.begin();
    }

    // A worker, and another in its place when it dies.
    void hire() {
        const auto name = "worker-" + std::to_string(++workers_);
        context_.loop.start(kNobody, [this, name] {
            SimWorker(context_, cluster_, name).run();
            if (!context_.healed) hire();
        });
    }

    void live_until(Micros end) {
        while (sound() && context_.loop.step(end)) {
            cluster_.bury();
            if (cluster_.leaders() > 1) context_.oracle.stand(cluster_.standing());
            if (context_.loop.events() > kEventsMax) context_.oracle.breach(16, "it does not stop working");
        }
    }

    // Everything works from here on: one server at least, workers that succeed, and nobody who asks for anything.
    void heal() {
        context_.healed = true;
        context_.poisoned.clear();
        if (context_.random.percent(30)) lose_one();
        context_.tell("world", 1, [] { return std::string("is healed"); });
        cluster_.start_all();
        context_.loop.start(kNobody, [this] {
            SimWorker worker(context_, cluster_, "healer");
            while (true) {
                worker.run_healed_round();
                context_.loop.rest(context_.options.pace);
            }
        });
        const auto& pace = context_.options.pace;
        for (int paces = 0; paces < kBoundPaces && sound() && !settled(); paces += kLookPaces)
            live_until(context_.loop.time() + pace * kLookPaces);
    }

    // One of them never gets well: the others must not notice.
    void lose_one() {
        if (context_.schedules.empty()) return;
        const auto id = context_.random.pick(context_.schedules);
        context_.poisoned.insert(id);
        context_.oracle.lost(id);
        context_.coverage.see(Sight::lost_for_good);
        context_.tell("database", 2, [&] { return "will never read " + id; });
    }

    // What came up since the last look is still on its way.
    [[nodiscard]] std::vector<std::string> unsettled() const {
        auto all = context_.oracle.unsettled(context_.options.pace * kLookPaces);
        if (cluster_.leaders() == 0) all.emplace_back("nobody leads");
        return all;
    }
    [[nodiscard]] bool settled() const { return unsettled().empty(); }

    void judge() {
        for (const auto& each : unsettled()) context_.oracle.breach(15, each);
        context_.oracle.check_rows();
        // Dear, because it steps through every minute: some worlds are enough.
        if (settings_.seed % 16 == 0) context_.oracle.check_by_brute_force();
    }

    const WorldSettings settings_;
    SimContext context_;
    SimCluster cluster_;
    SimOperator operator_;
    SimChaos chaos_;
    int workers_ = 0;
};

}  // namespace

Verdict simulate(Fibers& fibers, const WorldSettings& settings) { return World(fibers, settings).run(); }

}  // namespace belfry::sim
