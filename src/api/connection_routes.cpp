// Where tasks are handed over to, and how that goes.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"

namespace belfry::api {

namespace {

struct Waiting {
    std::int64_t tasks = 0;
    std::int64_t handed_over = 0;
};

Result<std::map<std::string, Waiting>> waiting_tasks(engine::Engine& engine) {
    const auto now = engine.store().now();
    if (!now) return now.error();
    const auto counts = engine.store().counts(*now);
    if (!counts) return counts.error();
    std::map<std::string, Waiting> waiting;
    for (const auto& depth : counts->queues) {
        const auto name = model::connection_of(depth.queue);
        if (name.empty()) continue;
        waiting[name].tasks += depth.ready + depth.delayed;
        waiting[name].handed_over += depth.leased;
    }
    return waiting;
}

Json connection_json(const engine::ConnectionReading& reading, const Waiting& waiting, bool configured) {
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

Result<Response> list(engine::Engine& engine, const Call& call) {
    auto waiting = waiting_tasks(engine);
    if (!waiting) return waiting.error();
    boost::json::array items;
    for (const auto& reading : engine.connection_readings()) {
        items.push_back(connection_json(reading, (*waiting)[reading.name], true));
        waiting->erase(reading.name);
    }
    // Named once, and gone from the file since: nobody hands these over.
    for (const auto& [name, tasks] : *waiting) items.push_back(connection_json({.name = name}, tasks, false));
    return page_response(call.query, std::move(items), "name");
}

ShapePtr connection_shape() {
    return record("Connection", {{"name", text(), "What nodes, schedules and workflows call it.", Presence::required},
                                 {"kind", or_null(one_of({"redis", "rabbitmq", "nats", "http"})), "What it is.", Presence::required},
                                 {"place", or_null(text()), "Where it is, without secrets.", Presence::required},
                                 {"callbacks", boolean(), "Whether a task ends with what its receiver tells.", Presence::required},
                                 {"state", one_of({"ok", "unavailable", "not_configured"}),
                                  "As this server sees it; `not_configured`: tasks wait, but nobody knows it.", Presence::required},
                                 {"since", or_null(instant()), "Since when it is unavailable.", Presence::required},
                                 {"lastError", or_null(text()), "Of the connection, also when it has passed.", Presence::required},
                                 {"waiting", integer(), "Tasks of all tenants that wait to be handed over.", Presence::required},
                                 {"inFlight", integer(), "Tasks that are being handed over, or whose receivers are at them.", Presence::required},
                                 {"lastHandedOver", or_null(instant()), "When this server last handed one over.", Presence::required}});
}

}  // namespace

void add_connection_routes(Routes& routes, engine::Engine& engine) {
    routes.push_back({.method = "GET",
                      .pattern = "/api/connections",
                      .operation = "listConnections",
                      .summary = "List the connections that tasks are handed over to, and how that goes.",
                      .group = "Server",
                      .permission = model::Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(connection_shape())}},
                      .handler = [&engine](const Call& call) { return list(engine, call); }});
}

}  // namespace belfry::api
