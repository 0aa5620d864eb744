// The route for connections: where tasks are delivered, and their state.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "engine/telemetry/server_status.hpp"

namespace belfry::api {

namespace {

struct WaitingTasks {
    std::int64_t tasks = 0;
    std::int64_t handed_over = 0;
};

Result<std::map<std::string, WaitingTasks>> waiting_tasks(store::StoreReader& reader) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto counts = reader.counts(*now);
    if (!counts) return counts.error();
    std::map<std::string, WaitingTasks> waiting;
    for (const auto& depth : counts->queues) {
        const auto name = model::connection_of(depth.queue);
        if (name.empty()) continue;
        waiting[name].tasks += depth.ready + depth.delayed;
        waiting[name].handed_over += depth.leased;
    }
    return waiting;
}

Json connection_json(const engine::ConnectionReading& reading, const WaitingTasks& waiting, bool configured) {
    const auto* const state = !configured ? "not_configured" : reading.unavailable_since ? "unavailable" : "ok";
    return boost::json::object{{"name", reading.name},
                               {"kind", or_null(reading.kind)},
                               {"place", or_null(reading.place)},
                               {"callbacks", reading.callbacks},
                               {"state", state},
                               {"since", or_null(reading.unavailable_since)},
                               {"lastError", or_null(reading.last_error)},
                               {"waiting", waiting.tasks},
                               {"inFlight", waiting.handed_over},
                               {"lastHandedOver", or_null(reading.last_handed_over)}};
}

Result<Response> list(const engine::ServerStatus& status, store::StoreReader& reader, const Call& call) {
    auto waiting = waiting_tasks(reader);
    if (!waiting) return waiting.error();
    boost::json::array items;
    for (const auto& reading : status.connections.read()) {
        items.push_back(connection_json(reading, (*waiting)[reading.name], true));
        waiting->erase(reading.name);
    }
    // Tasks of connections that are no longer configured: no server delivers them.
    for (const auto& [name, tasks] : *waiting) items.push_back(connection_json({.name = name}, tasks, false));
    return page_response(call.query, std::move(items), "name");
}

ShapePtr connection_shape() {
    return record(
        "Connection",
        {{"name", text(), "Name of the connection, as nodes, schedules and workflows refer to it.", Presence::required},
         {"kind", or_null(one_of({"redis", "rabbitmq", "nats", "http", "durable", "temporal"})),
          "Kind of the connection.", Presence::required},
         {"place", or_null(text()), "Address of the connection, without secrets.", Presence::required},
         {"callbacks", boolean(), "Whether a task ends when its receiver reports the result.", Presence::required},
         {"state", one_of({"ok", "unavailable", "not_configured"}),
          "State of the connection on this server. `not_configured` means that tasks wait for a connection that the "
          "server does not have.",
          Presence::required},
         {"since", or_null(instant()), "Time since which the connection is unavailable.", Presence::required},
         {"lastError", or_null(text()), "Last error of the connection, even if it has recovered.", Presence::required},
         {"waiting", integer(), "Number of tasks of all tenants that wait for delivery.", Presence::required},
         {"inFlight", integer(), "Number of tasks that are being delivered or that receivers are executing.",
          Presence::required},
         {"lastHandedOver", or_null(instant()), "Time at which this server last delivered a task.",
          Presence::required}});
}

}  // namespace

void add_connection_routes(Routes& routes, const engine::ServerStatus& status, store::StoreReader& reader) {
    routes.push_back({.method = "GET",
                      .pattern = "/api/connections",
                      .operation = "listConnections",
                      .summary = "List the connections that deliver tasks, with their state.",
                      .group = "Server",
                      .permission = model::Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(connection_shape())}},
                      .handler = [&status, &reader](const Call& call) { return list(status, reader, call); }});
}

}  // namespace belfry::api
