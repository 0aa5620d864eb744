// Schedules as things: create, list, read, replace, delete.
#include <boost/json/array.hpp>

#include "api/handlers.hpp"
#include "api/run_dto.hpp"
#include "api/schedule_dto.hpp"
#include "base/parse_integer.hpp"

namespace belfry::api {

namespace {

constexpr std::size_t kPurgeBatch = 1'000;  // runs removed in one transaction
constexpr int kPurgeRounds = 1'000;         // in one request; what is left goes with the next

Result<Response> create(engine::Engine& engine, const model::ScheduleDefaults& defaults, const Call& call) {
    if (auto error = check_switch(call.body, true)) return *error;
    auto definition = read_new_schedule(call.body, call.at("tenant"), defaults);
    if (!definition) return definition.error();
    const auto created = engine.schedules().create(std::move(*definition), call.context());
    if (!created) return in_words_of(call.body, created.error());
    auto response = schedule_response(engine, *created, 201);
    if (response) response->headers.emplace_back("Location", tenant_path(call.at("tenant"), "/schedules/" + created->definition.id));
    return response;
}

Result<std::pair<std::string, std::string>> parse_label(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return invalid("must be key:value, for example team:billing");
    return std::pair{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    store::ScheduleFilter filter{.tenant = call.at("tenant")};
    const auto page = read_page(parameters);
    filter.status = parameters.parsed("status", &model::parse_schedule_status);
    filter.name_prefix = parameters.text("namePrefix").value_or("");
    filter.label = parameters.parsed("label", &parse_label);
    if (auto error = parameters.finish()) return *error;
    const auto listing = engine.store().schedules(filter, page);
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& record : listing->items) items.push_back(to_json(record, engine.zones(), {}));
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> get(engine::Engine& engine, const Call& call) {
    const auto record = engine.store().schedule(schedule_of(call));
    if (!record) return record.error();
    return schedule_response(engine, *record);
}

// `"3"` as an ETag says it, or a bare number; `*` and nothing mean any version.
Result<std::optional<std::int64_t>> version_of(std::string_view if_match) {
    if (if_match.empty() || if_match == "*") return std::optional<std::int64_t>();
    auto text = if_match;
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    const auto version = parse_integer(text);
    if (!version) return invalid("If-Match " + in_quotes(if_match) + R"(: use the ETag of an answer, for example "3")");
    return version;
}

Result<Response> replace(engine::Engine& engine, const Call& call) {
    const auto version = version_of(call.request.header("If-Match"));
    if (!version) return version.error();
    auto ref = schedule_of(call);
    if (call.body.get_object().contains("enabled")) {
        const auto record = engine.store().schedule(ref);
        if (!record) return record.error();
        if (auto error = check_switch(call.body, record->state.status == model::ScheduleStatus::active)) return *error;
    }
    const auto changed = engine.schedules().update(
        ref, *version, [&](const model::Schedule& stored) { return read_changed_schedule(call.body, stored); }, call.context());
    if (!changed) return in_words_of(call.body, changed.error());
    return schedule_response(engine, *changed);
}

Result<bool> parse_flag(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return invalid("must be true or false");
}

Result<Response> remove(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    const auto reason = parameters.text("reason").value_or("");
    const bool purge = parameters.parsed("purge", &parse_flag).value_or(false);
    if (auto error = parameters.finish()) return *error;
    auto record = engine.store().schedule(schedule_of(call));
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.at("tenant"), .id = record->definition.id};
    // Deleted already, and its runs are to go as well.
    if (!purge || record->state.status != model::ScheduleStatus::deleted) record = engine.schedules().remove(ref, reason, call.context());
    if (!record) return record.error();
    for (int i = 0; purge && i < kPurgeRounds; ++i) {
        const auto purged = engine.store().purge(ref, kPurgeBatch);
        if (!purged) return purged.error();
        if (*purged < static_cast<std::int64_t>(kPurgeBatch)) break;
    }
    return schedule_response(engine, *record);
}

}  // namespace

void add_schedule_routes(Routes& routes, engine::Engine& engine, const model::ScheduleDefaults& defaults) {
    const std::string all = "/api/tenants/{tenant}/schedules";
    const std::string one = all + "/{schedule}";
    routes.push_back({"POST", all, "createSchedule", "Create a schedule.", Body::required,
                      [&engine, defaults](const Call& call) { return create(engine, defaults, call); }});
    routes.push_back({"GET", all, "listSchedules", "List schedules by name.", Body::none, [&](const Call& call) { return list(engine, call); }});
    routes.push_back({"GET", one, "getSchedule", "Read a schedule.", Body::none, [&](const Call& call) { return get(engine, call); }});
    routes.push_back(
        {"PUT", one, "replaceSchedule", "Replace a schedule's definition.", Body::required, [&](const Call& call) { return replace(engine, call); }});
    routes.push_back({"DELETE", one, "deleteSchedule", "Delete a schedule; its history stays readable.", Body::none,
                      [&](const Call& call) { return remove(engine, call); }});
}

}  // namespace belfry::api
