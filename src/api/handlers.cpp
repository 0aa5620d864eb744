#include "api/handlers.hpp"

#include <map>

#include "api/cursor.hpp"
#include "api/percent.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"
#include "api/schedule_dto.hpp"
#include "base/uuid.hpp"
#include "decide/gate.hpp"

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
    const auto schedule = engine.store().schedule({.tenant = tenant, .id = run->schedule_id});
    if (!schedule) return schedule.error();
    auto json = run_json(engine, *run, schedule->definition);
    if (!json) return json.error();
    return json_response(*json);
}

Result<std::vector<model::Approval>> approvals_of(engine::Engine& engine, const model::Schedule& schedule, std::span<const model::Run> runs) {
    std::vector<std::string> ids;
    if (decide::may_ask(schedule)) {
        for (const auto& run : runs) ids.push_back(run.id);
    }
    if (ids.empty()) return std::vector<model::Approval>();
    return engine.store().approvals_of(schedule.tenant, ids);
}

Result<Json> run_json(engine::Engine& engine, const model::Run& run, const model::Schedule& schedule) {
    const auto approvals = approvals_of(engine, schedule, {&run, 1});
    if (!approvals) return approvals.error();
    return to_json(run, schedule, *approvals);
}

Result<boost::json::array> runs_json(engine::Engine& engine, const std::string& tenant, const std::vector<model::Run>& runs) {
    std::map<std::string, model::Schedule> schedules;
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.id);
    const auto approvals = engine.store().approvals_of(tenant, ids);
    if (!approvals) return approvals.error();
    boost::json::array items;
    for (const auto& run : runs) {
        auto known = schedules.find(run.schedule_id);
        if (known == schedules.end()) {
            auto record = engine.store().schedule({.tenant = tenant, .id = run.schedule_id});
            if (!record) return record.error();
            known = schedules.emplace(run.schedule_id, std::move(record->definition)).first;
        }
        items.push_back(to_json(run, known->second, *approvals));
    }
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
