#include "api/handlers.hpp"

#include <algorithm>

#include "api/contract/cursor.hpp"
#include "api/contract/names.hpp"
#include "api/http/percent.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "base/crypto/uuid.hpp"
#include "base/text/json_size.hpp"
#include "base/text/parse_integer.hpp"
#include "decide/approval/gate.hpp"
#include "engine/explain/run_definitions.hpp"

namespace belfry::api {

store::ScheduleRef schedule_named(const std::string& tenant, const std::string& text) {
    if (const auto uuid = parse_uuid(text)) return {.tenant = tenant, .id = format_uuid(*uuid)};
    return {.tenant = tenant, .name = text};
}

store::ScheduleRef schedule_of(const Call& call) { return schedule_named(call.tenant(), call.at("schedule")); }

std::vector<Member> page_parameters(std::vector<Member> others) {
    others.push_back({"limit", integer(1, static_cast<std::int64_t>(store::kPageMax)),
                      "Maximum number of items to return. Defaults to 50."});
    others.push_back({"cursor", checked_text("cursor", &parses<&parse_cursor>), "`nextCursor` of the previous page."});
    return others;
}

store::Page read_page(const Parameters& parameters) {
    store::Page page;
    page.limit = static_cast<std::size_t>(parameters.integer("limit").value_or(static_cast<std::int64_t>(page.limit)));
    page.after = parameters.parsed("cursor", &parse_cursor).value_or("");
    return page;
}

Result<Json> last_result(store::StoreReader& reader, const store::ScheduleRecord& record) {
    if (record.state.last_completed_run.empty()) return Json(nullptr);
    auto run = reader.run(record.definition.tenant, record.state.last_completed_run);
    if (run) return std::move(run->result);
    if (run.error().code == ErrorCode::not_found) return Json(nullptr);
    return run.error();
}

Result<Response> schedule_response(const ScheduleView& view, const store::ScheduleRecord& record, int status) {
    const auto result = last_result(view.reader, record);
    if (!result) return result.error();
    auto response = json_response(to_json(record, view.zones, *result), status);
    response.headers.push_back(etag(record));
    return response;
}

Result<Response> run_response(store::StoreReader& reader, const std::string& tenant, const Result<model::Run>& run) {
    if (!run) return run.error();
    auto json = run_json(reader, tenant, *run);
    if (!json) return json.error();
    return json_response(*json);
}

Result<Json> run_json(store::StoreReader& reader, const std::string& tenant, const model::Run& run) {
    auto items = runs_json(reader, tenant, {&run, 1});
    if (!items) return items.error();
    return std::move(items->front());
}

Result<Json> run_json(store::StoreReader& reader, const model::Run& run, const model::Schedule& definition) {
    const auto approvals = decide::may_ask(definition) ? reader.approvals_of(definition.tenant, std::span(&run.id, 1))
                                                       : std::vector<model::Approval>();
    if (!approvals) return approvals.error();
    return to_json(run, definition, *approvals);
}

Result<boost::json::array> runs_json(store::StoreReader& reader, const std::string& tenant,
                                     std::span<const model::Run> runs) {
    const auto definitions = engine::definitions_of(reader, tenant, runs);
    if (!definitions) return definitions.error();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (decide::may_ask(*(*definitions)[i])) ids.push_back(runs[i].id);
    }
    const auto approvals = ids.empty() ? std::vector<model::Approval>() : reader.approvals_of(tenant, ids);
    if (!approvals) return approvals.error();
    boost::json::array items;
    for (std::size_t i = 0; i < runs.size(); ++i) items.push_back(to_json(runs[i], *(*definitions)[i], *approvals));
    return items;
}

std::optional<Instant> last_place(std::optional<Instant> to) {
    if (to && *to <= kInstantMax - model::kRerunSpan && std::chrono::floor<Seconds>(*to) == *to)
        *to += model::kRerunSpan;
    return to;
}

Json page_json(boost::json::array items, const std::string& next) {
    return list_json(std::move(items), cursor_text(next));
}

namespace {

// `PLACE KEY`: where the page begins, and the key of the item before it.
std::string cursor_at(std::size_t place, const boost::json::array& items, std::string_view key) {
    return std::to_string(place) + ' ' + (key.empty() ? std::string() : to_text(items[place - 1].at(key)));
}

std::optional<std::size_t> place_after(const std::string& cursor, const boost::json::array& items,
                                       std::string_view key) {
    if (cursor.empty()) return 0;
    const auto blank = std::min(cursor.find(' '), cursor.size());
    const auto place = parse_integer(std::string_view(cursor).substr(0, blank));
    if (!place || *place < 0 || blank == cursor.size()) return std::nullopt;
    for (std::size_t next = 1; !key.empty() && next <= items.size(); ++next) {
        if (to_text(items[next - 1].at(key)) == std::string_view(cursor).substr(blank + 1)) return next;
    }
    return std::min(static_cast<std::size_t>(*place), items.size());
}

}  // namespace

Result<Response> page_response(const Parameters& query, boost::json::array items, std::string_view key) {
    const auto page = read_page(query);
    const auto first = place_after(page.after, items, key);
    if (!first)
        return in_field(invalid("the cursor does not come from this list; send nextCursor unchanged"), "?cursor");
    store::PageBudget budget(page);
    auto end = *first;
    while (end < items.size() && !budget.is_full()) budget.add(text_size(items[end++]));
    const auto next = end < items.size() ? cursor_at(end, items, key) : std::string();
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(end), items.end());
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(*first));
    return json_response(page_json(std::move(items), next));
}

std::vector<Member> run_state_parameters() {
    return {{"status", run_state_names(), "Return only runs with this status."},
            {"state", run_state_names(), "Alias of `status`."}};
}

Result<std::optional<store::RunState>> read_run_state(const Parameters& query) {
    const auto status = query.parsed("status", &parse_run_state);
    const auto state = query.parsed("state", &parse_run_state);
    if (status && state && *status != *state)
        return in_field(invalid("contradicts status, of which it is an alias; send only one of them"), "?state");
    return status ? status : state;
}

Error in_query(Error error) {
    if (error.field.starts_with('/')) error.field.front() = '?';
    for (auto& other : error.more) other = in_query(std::move(other));
    return error;
}

Error in_page(Error error) {
    if (error.field == "/cursor") error.field = "?cursor";
    return error;
}

Result<std::optional<std::int64_t>> expected_version(const Call& call) {
    return version_of(call.request.header("If-Match"));
}

Header etag(std::int64_t version) { return {"ETag", '"' + std::to_string(version) + '"'}; }
Header etag(const store::ScheduleRecord& record) {
    return {"ETag",
            '"' + std::to_string(record.definition.version) + '.' + std::to_string(record.state.revision) + '"'};
}

std::string tenant_path(const std::string& tenant, const std::string& rest) {
    return "/api/tenants/" + percent_encode(tenant) + rest;
}

}  // namespace belfry::api
