// Assignees: register one, list them, read one with what it has used today, remove one.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/percent.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"
#include "api/usage_dto.hpp"
#include "model/limits.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Credits;
using model::Permission;

constexpr std::int64_t kRunsPerDayMost = 1'000'000'000;

Json or_null(const std::optional<Credits>& credits) { return credits ? model::to_json(*credits) : Json(nullptr); }

// Reports may say more than was reserved for them.
Credits at_least_none(Credits credits) { return std::max(credits, Credits{}); }

Json policies_json(const model::AssigneePolicies& policies) {
    return object{{"spendingLimitCredits", or_null(policies.spending_limit)},
                  {"creditsPerDay", or_null(policies.credits_per_day)},
                  {"maxRunsPerDay", api::or_null(policies.max_runs_per_day)},
                  {"maxTokens", api::or_null(policies.max_tokens)},
                  {"maxToolCalls", api::or_null(policies.max_tool_calls)},
                  {"allowTools", policies.allow_tools ? Json(array_of(*policies.allow_tools)) : Json(nullptr)}};
}

object assignee_json(const model::AssigneeRecord& record) {
    return {{"id", record.id},
            {"type", name_of(record.type)},
            {"displayName", record.display_name},
            {"policies", policies_json(record.policies)},
            {"createdAt", format_instant(record.created_at)},
            {"version", record.version}};
}

Json today_json(const model::AssigneePolicies& policies, const model::BudgetDay& today) {
    object json{{"runs", today.runs}, {"spent", model::to_json(today.spent)}, {"reserved", model::to_json(today.reserved)}};
    json["runsLeft"] = policies.max_runs_per_day ? Json(std::max<std::int64_t>(0, *policies.max_runs_per_day - today.runs)) : Json(nullptr);
    json["creditsLeft"] =
        policies.credits_per_day ? model::to_json(at_least_none(*policies.credits_per_day - today.spent - today.reserved)) : nullptr;
    return json;
}

Result<Response> assignee_response(engine::Engine& engine, const Call& call, const Result<model::AssigneeRecord>& record) {
    if (!record) return record.error();
    const auto today = engine.assignees().today(call.tenant(), record->id);
    if (!today) return today.error();
    auto json = assignee_json(*record);
    json["today"] = today_json(record->policies, *today);
    auto response = json_response(std::move(json), 200);
    response.headers.push_back(etag(record->version));
    return response;
}

model::AssigneePolicies read_policies(const Values& values) {
    model::AssigneePolicies policies;
    policies.spending_limit = read_credits(values, "spendingLimitCredits");
    policies.credits_per_day = read_credits(values, "creditsPerDay");
    policies.max_runs_per_day = values.integer("maxRunsPerDay");
    policies.max_tokens = values.integer("maxTokens");
    policies.max_tool_calls = values.integer("maxToolCalls");
    if (values.has("allowTools")) {
        auto& tools = policies.allow_tools.emplace();
        for (const auto& tool : values.array("allowTools")) tools.emplace_back(std::string_view(tool.get_string()));
    }
    return policies;
}

Result<Response> put(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    const auto& id = call.at("assignee");
    if (const auto error = check_name(id)) return in_field(*error, "/id");
    if (const auto sent = values.text("id"); sent && *sent != id) {
        return in_field(invalid("must be " + in_quotes(id) + ", as in the path, or be left out"), "/id");
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    model::AssigneeRecord record{.id = id, .type = *values.parsed("type", &model::parse_assignee_type)};
    record.display_name = values.text("displayName").value_or("");
    if (const auto* const policies = values.any("policies"); policies != nullptr && policies->is_object()) {
        record.policies = read_policies(Values(*policies));
    }
    const auto stored = engine.assignees().put(call.tenant(), std::move(record), *version);
    auto response = assignee_response(engine, call, stored);
    if (response && stored->version == 1) {
        response->status = 201;
        response->headers.emplace_back("Location", tenant_path(call.tenant(), "/assignees/" + percent_encode(id)));
    }
    return response;
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    const auto listing = engine.store().assignees(call.tenant(), read_page(call.query));
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& record : listing->items) items.push_back(assignee_json(record));
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> remove(engine::Engine& engine, const Call& call) {
    if (auto removed = engine.store().remove_assignee(call.tenant(), call.at("assignee")); !removed) return removed.error();
    return Response{.status = 204};
}

std::vector<Member> policy_members(bool answer) {
    const auto nullable = [answer](ShapePtr shape) { return answer ? api::or_null(shape) : shape; };
    return {{"spendingLimitCredits", nullable(decimal()), "How much one run may use; null: no limit."},
            {"creditsPerDay", nullable(decimal()), "How much all runs of a UTC day may use; null: no limit."},
            {"maxRunsPerDay", nullable(integer(0, kRunsPerDayMost)), "How many runs may be dispatched on a UTC day; null: no limit."},
            {"maxTokens", nullable(integer(0, model::kUsageMax)), "In one run; null: no limit."},
            {"maxToolCalls", nullable(integer(0, model::kUsageMax)), "In one run; null: no limit."},
            {"allowTools", nullable(list_of(name_text(), static_cast<std::int64_t>(model::kToolsMax))), "Which tools; null: all of them."}};
}

ShapePtr type_names() { return one_of({"agent", "team"}); }

ShapePtr request_shape() {
    return with_example(
        record("AssigneeRequest", {{"id", name_text(), "May be sent back; it is in the path."},
                                   {"type", type_names(), "What it is.", Presence::required},
                                   {"displayName", text(static_cast<std::int64_t>(model::kTextBytesMax)), "For people."},
                                   {"policies", record("AssigneePoliciesRequest", policy_members(false)), "What it may use; absent: what it likes."},
                                   {"today", anything(), "The server's own; not looked at in a request."},
                                   {"createdAt", anything(), "The server's own; not looked at in a request."},
                                   {"version", anything(), "The server's own; not looked at in a request."}}),
        Json{{"type", "agent"}, {"policies", {{"spendingLimitCredits", 2.5}, {"creditsPerDay", 20}, {"allowTools", {"search", "browse"}}}}});
}

std::vector<Member> answer_members() {
    return {{"id", text(), "The name that schedules and nodes use."},
            {"type", type_names(), "What it is."},
            {"displayName", text(), "For people."},
            {"policies", answer_record("AssigneePolicies", policy_members(true)), "What it may use."},
            {"createdAt", instant(), "When it was registered."},
            {"version", integer(1), "Also the ETag."}};
}

ShapePtr listed_shape() { return answer_record("ListedAssignee", answer_members()); }

ShapePtr assignee_shape() {
    auto members = answer_members();
    members.push_back({"today",
                       answer_record("BudgetOfToday", {{"runs", integer(), "Dispatched today, by UTC."},
                                                       {"spent", decimal(), "By those of them that have ended."},
                                                       {"reserved", decimal(), "For those that are in flight."},
                                                       {"runsLeft", api::or_null(integer()), "Null: no limit."},
                                                       {"creditsLeft", api::or_null(decimal()), "Null: no limit."}}),
                       "What is taken of its budget."});
    return answer_record("RegisteredAssignee", std::move(members));
}

}  // namespace

void add_assignee_routes(Routes& routes, engine::Engine& engine) {
    const std::string all = "/api/tenants/{tenant}/assignees";
    const std::string one = all + "/{assignee}";
    const auto add = [&](Route route) {
        route.group = "Assignees";
        routes.push_back(std::move(route));
    };
    add({.method = "GET",
         .pattern = all,
         .operation = "listAssignees",
         .summary = "List the registered assignees by id.",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(listed_shape())}},
         .handler = [&](const Call& call) { return list(engine, call); }});
    add({.method = "GET",
         .pattern = one,
         .operation = "getAssignee",
         .summary = "Read an assignee, with what its runs have taken of its budget today.",
         .permission = Permission::read,
         .answers = {{200, assignee_shape()}},
         .handler = [&](const Call& call) { return assignee_response(engine, call, engine.store().assignee(call.tenant(), call.at("assignee"))); }});
    add({.method = "PUT",
         .pattern = one,
         .operation = "putAssignee",
         .summary = "Register an assignee, or replace what it may use.",
         .details = "Decisions and reports heed it from then on. Schedules may name assignees that nobody has registered: those have no limits.",
         .permission = Permission::write,
         .headers = {if_match_header()},
         .body = request_shape(),
         .answers = {{200, assignee_shape()}, {201, assignee_shape(), "It was not registered before."}},
         .handler = [&](const Call& call) { return put(engine, call); }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteAssignee",
         .summary = "Remove an assignee's record: it has no limits any more.",
         .details =
             "Runs in flight keep what was reserved for them, and settle it. Registered again on the same day, it goes on with that day's budget.",
         .permission = Permission::write,
         .answers = {{204, {}, "It is gone."}},
         .handler = [&](const Call& call) { return remove(engine, call); }});
}

}  // namespace belfry::api
