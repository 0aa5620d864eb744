#include "api/handlers.hpp"

#include "api/cursor.hpp"
#include "api/percent.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"
#include "api/schedule_dto.hpp"
#include "base/uuid.hpp"
#include "decide/gate.hpp"
#include "engine/run_definitions.hpp"

namespace belfry::api {

store::ScheduleRef schedule_named(const std::string& tenant, const std::string& text) {
    if (const auto uuid = parse_uuid(text)) return {.tenant = tenant, .id = format_uuid(*uuid)};
    return {.tenant = tenant, .name = text};
}

store::ScheduleRef schedule_of(const Call& call) { return schedule_named(call.tenant(), call.at("schedule")); }

std::vector<Member> page_parameters(std::vector<Member> others) {
    others.push_back({"limit", integer(1, static_cast<std::int64_t>(store::kPageMax)), "How many at most; 50 when absent."});
    others.push_back({"cursor", checked_text("cursor", &parses<&parse_cursor>), "`nextCursor` of the page before."});
    return others;
}

store::Page read_page(const Parameters& parameters) {
    store::Page page;
    page.limit = static_cast<std::size_t>(parameters.integer("limit").value_or(static_cast<std::int64_t>(page.limit)));
    page.after = parameters.parsed("cursor", &parse_cursor).value_or("");
    return page;
}

Result<Json> last_result(engine::Engine& engine, const store::ScheduleRecord& record) {
    if (record.state.last_completed_run.empty()) return Json(nullptr);
    auto run = engine.store().run(record.definition.tenant, record.state.last_completed_run);
    if (run) return std::move(run->result);
    if (run.error().code == ErrorCode::not_found) return Json(nullptr);
    return run.error();
}

Result<Response> schedule_response(engine::Engine& engine, const store::ScheduleRecord& record, int status) {
    const auto result = last_result(engine, record);
    if (!result) return result.error();
    auto response = json_response(to_json(record, engine.zones(), *result), status);
    response.headers.push_back(etag(record));
    return response;
}

Result<Response> run_response(engine::Engine& engine, const std::string& tenant, const Result<model::Run>& run) {
    if (!run) return run.error();
    auto json = run_json(engine, tenant, *run);
    if (!json) return json.error();
    return json_response(*json);
}

Result<Json> run_json(engine::Engine& engine, const std::string& tenant, const model::Run& run) {
    auto items = runs_json(engine, tenant, {&run, 1});
    if (!items) return items.error();
    return std::move(items->front());
}

Result<boost::json::array> runs_json(engine::Engine& engine, const std::string& tenant, std::span<const model::Run> runs) {
    const auto definitions = engine::definitions_of(engine.store(), tenant, runs);
    if (!definitions) return definitions.error();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (decide::may_ask(*(*definitions)[i])) ids.push_back(runs[i].id);
    }
    const auto approvals = ids.empty() ? std::vector<model::Approval>() : engine.store().approvals_of(tenant, ids);
    if (!approvals) return approvals.error();
    boost::json::array items;
    for (std::size_t i = 0; i < runs.size(); ++i) items.push_back(to_json(runs[i], *(*definitions)[i], *approvals));
    return items;
}

std::optional<Instant> last_place(std::optional<Instant> to) {
    if (to && *to <= kInstantMax - model::kRerunSpan && std::chrono::floor<Seconds>(*to) == *to) *to += model::kRerunSpan;
    return to;
}

Json page_json(boost::json::array items, const std::string& next) { return list_json(std::move(items), cursor_text(next)); }

Error in_query(Error error) {
    if (error.field.starts_with('/')) error.field.front() = '?';
    return error;
}

Error in_page(Error error) {
    if (error.field == "/cursor") error.field = "?cursor";
    return error;
}

Result<std::optional<std::int64_t>> expected_version(const Call& call) { return version_of(call.request.header("If-Match")); }

Header etag(std::int64_t version) { return {"ETag", '"' + std::to_string(version) + '"'}; }
Header etag(const store::ScheduleRecord& record) {
    return {"ETag", '"' + std::to_string(record.definition.version) + '.' + std::to_string(record.state.revision) + '"'};
}

std::string tenant_path(const std::string& tenant, const std::string& rest) { return "/api/tenants/" + percent_encode(tenant) + rest; }

}  // namespace belfry::api
