#include "simulation/sim_cluster.hpp"

#include <algorithm>

namespace belfry::sim {

SimCluster::SimCluster(SimContext& context)
    : context_(context), servers_(static_cast<std::size_t>(context.options.servers)) {
    context_.database.listen([this](const store::Notification& notification) { notify(notification); });
}

SimCluster::~SimCluster() {
    context_.database.listen({});
    for (const auto& server : servers_) {
        if (server) context_.loop.kill(server->process());
    }
}

void SimCluster::start_all() {
    for (std::size_t place = 0; place < servers_.size(); ++place) start(place);
}

void SimCluster::start(std::size_t place) {
    if (servers_[place]) return;
    const auto process = ++processes_;
    // Its id is different with every start.
    const auto name = "server-" + std::to_string(place + 1) + "." + std::to_string(process);
    context_.tell(name, 1, [] { return std::string("starts"); });
    servers_[place] = std::make_unique<SimServer>(context_, process, name);
    servers_[place]->start();
}

void SimCluster::kill(std::size_t place, std::optional<Micros> downtime) {
    if (!servers_[place]) return;
    context_.tell(servers_[place]->name(), 2, [] { return std::string("is gone"); });
    context_.loop.kill(servers_[place]->process());
    servers_[place].reset();
    if (downtime) context_.loop.after(*downtime, [this, place] { start(place); });
}

void SimCluster::stop(std::size_t place, Micros downtime) {
    if (!servers_[place] || context_.loop.is_frozen(servers_[place]->process())) return;
    context_.coverage.see(Sight::server_left);
    const auto process = servers_[place]->process();
    // Its loops have ended; the last thing that it does is to leave.
    context_.loop.kill(process);
    context_.loop.start(process, [this, place, process, downtime] {
        try {
            servers_[place]->leave();
        } catch (const Crash&) {
        }
        context_.loop.after(Micros{0}, [this, place, process, downtime] {
            if (servers_[place] && servers_[place]->process() == process) kill(place, downtime);
        });
    });
}

void SimCluster::freeze(std::size_t place, Micros duration) {
    auto* const server = servers_[place].get();
    if (server == nullptr) return;
    context_.coverage.see(Sight::server_frozen);
    if (duration > context_.options.engine.member.lease) context_.coverage.see(Sight::frozen_beyond_lease);
    context_.tell(server->name(), 3,
                  [&] { return "is frozen for " + std::to_string(duration.count() / 1'000'000) + " s"; });
    context_.loop.freeze(server->process(), context_.loop.time() + duration);
    if (context_.mutant != Mutant::lease_from_answer) return;
    context_.loop.after(duration, [this, place, process = server->process(), duration] {
        if (servers_[place] && servers_[place]->process() == process) servers_[place]->steady().lose(duration);
    });
}

void SimCluster::bury() {
    const auto crashed = std::move(context_.crashed);
    context_.crashed.clear();
    for (const auto process : crashed) {
        for (std::size_t place = 0; place < servers_.size(); ++place) {
            if (!servers_[place] || servers_[place]->process() != process) continue;
            kill(place, context_.random.between(Micros{0}, context_.options.pace * 10));
        }
    }
}

std::vector<Standing> SimCluster::standing() const {
    std::vector<Standing> all;
    for (const auto& server : servers_) {
        if (server) all.push_back(server->standing());
    }
    return all;
}

std::size_t SimCluster::leaders() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(servers_, [](const auto& server) { return server && server->leads(); }));
}

Micros SimCluster::delay(const LineFaults& line) {
    constexpr Micros kHealthyDelayMax = std::chrono::milliseconds{2};
    return context_.random.between(Micros{100}, context_.healed ? kHealthyDelayMax : line.delay_max);
}

void SimCluster::send(std::function<void(SimServer&)> request) {
    const auto place =
        static_cast<std::size_t>(context_.random.between(0, static_cast<std::int64_t>(servers_.size()) - 1));
    context_.loop.after(delay(context_.options.line), [this, place, request = std::move(request)] {
        auto* const server = servers_[place].get();
        if (server == nullptr) return;  // nobody listens
        context_.loop.start(server->process(), [this, server, request] {
            try {
                request(*server);
            } catch (const Crash&) {
                context_.crashed.push_back(server->process());
            }
        });
    });
}

void SimCluster::notify(const store::Notification& notification) {
    const auto& line = context_.options.notifications;
    for (std::size_t place = 0; place < servers_.size(); ++place) {
        const auto tell = [this, place, notification] {
            if (servers_[place]) servers_[place]->on_notification(notification);
        };
        if (happens(line.lost)) {
            context_.coverage.see(Sight::announcement_lost);
            continue;
        }
        context_.loop.after(delay(line), tell);
        if (!happens(line.doubled)) continue;
        context_.coverage.see(Sight::announcement_doubled);
        context_.loop.after(delay(line), tell);
    }
}

}  // namespace belfry::sim
