// The route for the feed of a tenant, a stream of Server-Sent Events.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/resources/events/event_stream.hpp"
#include "base/text/parse_integer.hpp"
#include "decide/explain/feed.hpp"
#include "engine/usecases/tenants.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::size_t kTypesMax = 50;

// `run.*,schedule.created`
Result<std::vector<std::string>> parse_types(std::string_view text) {
    std::vector<std::string> types;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const auto type = text.substr(0, end);
        if (auto unknown = decide::check_feed_type(type)) return *unknown;
        types.emplace_back(type);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (types.size() > kTypesMax)
        return invalid("more than " + std::to_string(kTypesMax) + " types; leave types out to receive all");
    return types;
}

// A browser that reconnects sends its last position in a header, which takes precedence over the URL.
Result<std::optional<std::int64_t>> last_position(const Call& call) {
    const auto header = call.request.header("Last-Event-ID");
    if (header.empty()) return call.query.integer("after");
    const auto position = parse_integer(header);
    if (!position || *position < 0)
        return invalid("Last-Event-ID " + in_quotes(header) +
                       " is not the id of an event; send it unchanged, or leave it out");
    return position;
}

Result<Response> events(engine::Tenants& tenants, store::StoreReader& reader, store::Registry& registry,
                        const Call& call) {
    static const SystemSteadyClock kSteady;
    if (auto tenant = tenants.get(call.tenant()); !tenant) return tenant.error();
    EventFilter filter{.types = call.query.parsed("types", &parse_types).value_or(std::vector<std::string>())};
    if (const auto wanted = call.query.text("schedule")) {
        const auto schedule = reader.schedule(schedule_named(call.tenant(), *wanted));
        if (!schedule) return schedule.error();
        filter.schedule_id = schedule->definition.id;
    }
    const auto after = last_position(call);
    if (!after) return after.error();
    const auto now = [&reader] { return reader.now(); };
    const auto stream = std::make_shared<EventStream>(registry, now, kSteady, call.tenant(), std::move(filter));
    auto first = stream->begin(*after);
    if (!first) return first.error();
    return Response{200,
                    {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
                    std::move(*first),
                    [stream] { return stream->next_chunk(); }};
}

}  // namespace

void add_event_routes(Routes& routes, engine::Tenants& tenants, store::StoreReader& reader, store::Registry& registry) {
    routes.push_back(
        {.method = "GET",
         .pattern = "/api/tenants/{tenant}/events",
         .operation = "streamEvents",
         .summary = "Stream the events of a tenant as Server-Sent Events.",
         .details =
             "Each event has its position as `id`, its type as `event`, and `{\"type\", \"timestamp\", \"data\"}` as "
             "`data`, "
             "like a webhook. The server sends a comment every 15 seconds. A client that reconnects with "
             "`Last-Event-ID` misses "
             "nothing. If that position is too old, the first event is `reset`, and the client must reload its data.",
         .group = "Events",
         .permission = Permission::read,
         .query = {{"types", checked_text("event-types", &parses<&parse_types>),
                    "Return only events of these types, for example `run.*,schedule.created`."},
                   {"schedule", text(), "Return only events of this schedule. Accepts its id or its current name."},
                   {"after", integer(),
                    "Position of the last event that the client has. If omitted, the stream begins now."}},
         .headers = {{"Last-Event-ID", integer(),
                      "Position of the last event that the client has. Takes precedence over `after`."}},
         .answers = {{200, {}, "Events, for as long as the client reads.", "text/event-stream"}},
         .handler = [&](const Call& call) { return events(tenants, reader, registry, call); }});
}

}  // namespace belfry::api
