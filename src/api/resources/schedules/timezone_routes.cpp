// Routes for time zones: their names, local times and clock changes. Clients use them to let people choose a zone.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/cursor.hpp"
#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "spec/zone/offset_text.hpp"
#include "spec/zone/zone_search.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

Json transition_json(const spec::Zone& zone, Instant now) {
    const auto at = zone.next_transition(now);
    if (!at) return nullptr;
    return object{{"at", format_instant(*at)},
                  {"offset", spec::offset_text(zone.offset_at(*at))},
                  {"abbreviation", zone.abbreviation_at(*at)}};
}

Result<object> zone_json(const spec::ZoneDatabase& zones, const std::string& name, Instant now) {
    const auto zone = zones.find(name);
    if (!zone) return zone.error();
    const auto canonical = zones.canonical(name);
    return object{{"name", name},
                  {"aliasOf", canonical == name ? Json(nullptr) : Json(canonical)},
                  {"common", spec::is_common_zone(name)},
                  {"localTime", format_local((*zone)->to_local(now))},
                  {"offset", spec::offset_text((*zone)->offset_at(now))},
                  {"offsetSeconds", (*zone)->offset_at(now).count()},
                  {"abbreviation", (*zone)->abbreviation_at(now)},
                  {"dst", spec::is_dst(**zone, now)},
                  {"nextTransition", transition_json(**zone, now)}};
}

// The cursor is the number of zones on earlier pages.
Result<Response> list(store::StoreClock& clock, const spec::ZoneDatabase& zones, const Call& call) {
    const auto now = clock.now();
    if (!now) return now.error();
    const auto names = spec::search_zones(zones, call.query.text("query").value_or(""), *now);
    const auto page = read_page(call.query);
    const auto first = page.after.empty() ? 0 : parse_integer(page.after).value_or(-1);
    if (first < 0)
        return in_page({ErrorCode::invalid_argument,
                        "the cursor does not come from this list; send nextCursor unchanged", "/cursor"});
    auto place = static_cast<std::size_t>(first);
    boost::json::array items;
    for (; place < names.size() && items.size() < page.limit; ++place) {
        auto item = zone_json(zones, names[place], *now);
        if (!item) return item.error();
        items.push_back(std::move(*item));
    }
    auto answer = page_json(std::move(items), place < names.size() ? std::to_string(place) : std::string());
    answer.get_object()["tzdata"] = zones.version();
    answer.get_object()["now"] = format_instant(*now);
    return json_response(answer);
}

Result<Response> get(store::StoreClock& clock, const spec::ZoneDatabase& zones, const Call& call) {
    const auto now = clock.now();
    if (!now) return now.error();
    auto zone = zone_json(zones, call.at("zone"), *now);
    if (!zone) return Error{ErrorCode::not_found, zone.error().message};
    zone->emplace("aliases", array_of(zones.aliases_of(call.at("zone"))));
    zone->emplace("tzdata", zones.version());
    zone->emplace("now", format_instant(*now));
    return json_response(*zone);
}

std::vector<Member> zone_members() {
    auto transition = or_null(
        record("ZoneTransition", {{"at", instant(), "Time of the change.", Presence::required},
                                  {"offset", text(), "UTC offset after the change.", Presence::required},
                                  {"abbreviation", text(), "Abbreviation after the change.", Presence::required}}));
    return {{"name", text(), "IANA name of the zone.", Presence::required},
            {"aliasOf", or_null(text()), "Canonical name, if this name is an alias.", Presence::required},
            {"common", boolean(), "Whether this is a commonly used zone.", Presence::required},
            {"localTime", local_time(), "Current local time in the zone.", Presence::required},
            {"offset", text(), "Current offset from UTC, for example `+05:45`.", Presence::required},
            {"offsetSeconds", integer(-100'000), "Current offset from UTC, in seconds.", Presence::required},
            {"abbreviation", text(), "Current abbreviation: `EDT`, `CET`, or `+03` if the zone has no letters.",
             Presence::required},
            {"dst", boolean(), "Whether daylight saving time is in effect.", Presence::required},
            {"nextTransition", transition, "Next change of the offset. Null if there is none.", Presence::required}};
}

std::vector<Member> server_members() {
    return {{"tzdata", text(), "Version of the time zone data.", Presence::required},
            {"now", instant(), "Current time of the server.", Presence::required}};
}

ShapePtr page_shape() {
    auto members = page_of(record("Timezone", zone_members()))->members;
    for (auto& member : server_members()) members.push_back(std::move(member));
    return record("TimezonePage", std::move(members));
}

ShapePtr zone_shape() {
    auto members = zone_members();
    members.push_back({"aliases", list_of(text()), "Other names of the zone.", Presence::required});
    for (auto& member : server_members()) members.push_back(std::move(member));
    return record("TimezoneDetails", std::move(members));
}

}  // namespace

void add_timezone_routes(Routes& routes, store::StoreClock& clock, const spec::ZoneDatabase& zones) {
    routes.push_back(
        {.method = "GET",
         .pattern = "/api/timezones",
         .operation = "listTimezones",
         .summary = "Search time zones. Common zones come first.",
         .group = "Time zones",
         .permission = Permission::open,
         .query = page_parameters({{"query", text(), "Words of a name (`new york`), or an offset (`utc+3`)."}}),
         .answers = {{200, page_shape()}},
         .handler = [&](const Call& call) { return list(clock, zones, call); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/timezones/{zone}",
                      .operation = "getTimezone",
                      .summary = "Retrieve a time zone.",
                      .details = "Encode the slash of a name as %2F: `/api/timezones/America%2FNew_York`.",
                      .group = "Time zones",
                      .permission = Permission::open,
                      .answers = {{200, zone_shape()}},
                      .handler = [&](const Call& call) { return get(clock, zones, call); }});
}

}  // namespace belfry::api
