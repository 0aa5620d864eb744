// The servers of a world: who runs, who is dead, and the line between them and their clients. Announcements of the
// database reach them over a line of their own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "simulation/sim_server.hpp"

namespace belfry::sim {

class SimCluster {
public:
    explicit SimCluster(SimContext& context);
    ~SimCluster();

    void start_all();
    void start(std::size_t place);
    // The process is gone with all it knew; another starts in its place after `downtime`.
    void kill(std::size_t place, std::optional<Micros> downtime);
    // As it is asked to stop: it gives up its place first.
    void stop(std::size_t place, Micros downtime);
    void freeze(std::size_t place, Micros duration);
    // Buries the processes whose code said that they died. From outside the fibers.
    void bury();

    [[nodiscard]] std::size_t size() const { return servers_.size(); }
    [[nodiscard]] SimServer* at(std::size_t place) { return servers_[place].get(); }
    [[nodiscard]] std::vector<Standing> standing() const;
    [[nodiscard]] std::size_t leaders() const;

    // A request to some server, from an activity of a client: what `handle` answers there, or nothing when the request
    // or the answer got lost, or the server died. Doubled requests are handled twice.
    template <typename T>
    std::optional<T> ask(const std::function<T(SimServer&)>& handle, bool may_double);

private:
    void notify(const store::Notification& notification);
    [[nodiscard]] Micros delay(const LineFaults& line);
    [[nodiscard]] bool happens(int percent) { return !context_.healed && context_.random.percent(percent); }
    void send(std::function<void(SimServer&)> request);

    SimContext& context_;
    std::vector<std::unique_ptr<SimServer>> servers_;  // null while one is down
    ProcessId processes_ = 0;
};

template <typename T>
std::optional<T> SimCluster::ask(const std::function<T(SimServer&)>& handle, bool may_double) {
    struct Pending {
        std::optional<T> answer = {};
        bool over = false;
    };
    const auto pending = std::make_shared<Pending>();
    const auto client = context_.loop.current();
    const auto request = [this, handle, pending, client](SimServer& server) {
        auto answer = handle(server);
        if (happens(context_.options.line.lost)) return context_.coverage.see(Sight::answer_lost);
        context_.loop.after(delay(context_.options.line), [this, pending, client, answer = std::move(answer)] {
            if (pending->over) return;
            if (!pending->answer) pending->answer = answer;
            context_.loop.wake(client);
        });
    };
    if (happens(context_.options.line.lost)) {
        context_.coverage.see(Sight::message_lost);
    } else {
        send(request);
        if (may_double && happens(context_.options.line.doubled)) {
            context_.coverage.see(Sight::message_doubled);
            send(request);
        }
    }
    const auto deadline = context_.loop.time() + context_.options.pace * 4;
    while (!pending->answer && context_.loop.time() < deadline) context_.loop.rest(deadline - context_.loop.time());
    pending->over = true;
    return pending->answer;
}

}  // namespace belfry::sim
