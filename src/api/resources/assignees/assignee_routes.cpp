// Routes that register, list, read and remove assignees. Reading one includes its usage of today.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/percent.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/tenants/usage_dto.hpp"
#include "base/text/control_characters.hpp"
#include "engine/usecases/assignees.hpp"
#include "model/limits.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Credits;
using model::Permission;

constexpr std::int64_t kRunsPerDayMost = 1'000'000'000;

Json or_null(const std::optional<Credits>& credits) { return credits ? model::to_json(*credits) : Json(nullptr); }

// Reported usage can exceed the reserved amount.
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
    object json{
        {"runs", today.runs}, {"spent", model::to_json(today.spent)}, {"reserved", model::to_json(today.reserved)}};
    json["runsLeft"] = policies.max_runs_per_day
                           ? Json(std::max<std::int64_t>(0, *policies.max_runs_per_day - today.runs))
                           : Json(nullptr);
    json["creditsLeft"] = policies.credits_per_day
                              ? model::to_json(at_least_none(*policies.credits_per_day - today.spent - today.reserved))
                              : nullptr;
    return json;
}

Result<Response> assignee_response(engine::Assignees& assignees, const Call& call,
                                   const Result<model::AssigneeRecord>& record) {
    if (!record) return record.error();
    const auto today = assignees.today(call.tenant(), record->id);
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

Result<Response> put(engine::Assignees& assignees, const ScheduleLimits& limits, const Call& call) {
    const Values values(call.body);
    if (auto error = check_definition_size(call.body, limits.definition_max)) return *error;
    const auto& id = call.at("assignee");
    if (const auto error = check_name(id)) return in_field(*error, "/id");
    if (const auto sent = values.text("id"); sent && *sent != id) {
        return in_field(invalid("must be " + in_quotes(id) + ", as in the path; change it or leave it out"), "/id");
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    model::AssigneeRecord record{.id = id, .type = *values.parsed("type", &model::parse_assignee_type)};
    record.display_name = values.text("displayName").value_or("");
    if (auto error = control_error(record.display_name)) return in_field(*error, "/displayName");
    if (const auto* const policies = values.any("policies"); policies != nullptr && policies->is_object()) {
        record.policies = read_policies(Values(*policies));
    }
    const auto stored = assignees.put(call.tenant(), std::move(record), *version);
    auto response = assignee_response(assignees, call, stored);
    if (response && stored->version == 1) {
        response->status = 201;
        response->headers.emplace_back("Location", tenant_path(call.tenant(), "/assignees/" + percent_encode(id)));
    }
    return response;
}

Result<Response> list(engine::Assignees& assignees, const Call& call) {
    const auto listing = assignees.list(call.tenant(), read_page(call.query));
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& record : listing->items) items.push_back(assignee_json(record));
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> remove(engine::Assignees& assignees, const Call& call) {
    if (auto removed = assignees.remove(call.tenant(), call.at("assignee")); !removed) return removed.error();
    return Response{.status = 204};
}

std::vector<Member> policy_members(bool answer) {
    const auto nullable = [answer](ShapePtr shape) { return answer ? api::or_null(shape) : shape; };
    return {{"spendingLimitCredits", nullable(decimal()), "Credits that one run may use. Null means no limit."},
            {"creditsPerDay", nullable(decimal()), "Credits that all runs of a UTC day may use. Null means no limit."},
            {"maxRunsPerDay", nullable(integer(0, kRunsPerDayMost)),
             "Number of runs that may be dispatched on a UTC day. Null means no limit."},
            {"maxTokens", nullable(integer(0, model::kUsageMax)),
             "Model tokens that one run may use. Null means no limit."},
            {"maxToolCalls", nullable(integer(0, model::kUsageMax)),
             "Tool calls that one run may make. Null means no limit."},
            {"allowTools", nullable(list_of(name_text(), static_cast<std::int64_t>(model::kToolsMax))),
             "Tools that runs may call. Null means all tools."}};
}

ShapePtr type_names() { return one_of({"agent", "team"}); }

ShapePtr request_shape() {
    return with_example(
        record("AssigneeRequest",
               {{"id", name_text(), "Identifier of the assignee. If sent, it must match the path."},
                {"type", type_names(), "Whether the assignee is an `agent` or a `team`.", Presence::required},
                {"displayName", text(static_cast<std::int64_t>(model::kTextBytesMax)), "Display name of the assignee."},
                {"policies", record("AssigneePoliciesRequest", policy_members(false)),
                 "Limits and budgets of the assignee. If omitted, there are none."},
                {"today", anything(), "Set by the server. Ignored in requests."},
                {"createdAt", anything(), "Set by the server. Ignored in requests."},
                {"version", anything(), "Set by the server. Ignored in requests."}}),
        Json{{"type", "agent"},
             {"policies",
              {{"spendingLimitCredits", 2.5}, {"creditsPerDay", 20}, {"allowTools", {"search", "browse"}}}}});
}

std::vector<Member> answer_members() {
    return {
        {"id", text(), "Identifier of the assignee, as schedules and nodes refer to it."},
        {"type", type_names(), "Whether the assignee is an `agent` or a `team`."},
        {"displayName", text(), "Display name of the assignee."},
        {"policies", answer_record("AssigneePolicies", policy_members(true)), "Limits and budgets of the assignee."},
        {"createdAt", instant(), "Time at which the assignee was registered."},
        {"version", integer(1), "Version of the assignee. Also sent as the ETag."}};
}

ShapePtr listed_shape() { return answer_record("ListedAssignee", answer_members()); }

ShapePtr assignee_shape() {
    auto members = answer_members();
    members.push_back(
        {"today",
         answer_record("BudgetOfToday",
                       {{"runs", integer(), "Number of runs dispatched today (UTC)."},
                        {"spent", decimal(), "Credits used by those runs that have ended."},
                        {"reserved", decimal(), "Credits reserved for runs in flight."},
                        {"runsLeft", api::or_null(integer()), "Number of runs left today. Null means no limit."},
                        {"creditsLeft", api::or_null(decimal()), "Credits left today. Null means no limit."}}),
         "Budget used today."});
    return answer_record("RegisteredAssignee", std::move(members));
}

}  // namespace

void add_assignee_routes(Routes& routes, engine::Assignees& assignees, const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/assignees";
    const std::string one = all + "/{assignee}";
    const auto add = [&](Route route) {
        route.group = "Assignees";
        routes.push_back(std::move(route));
    };
    add({.method = "GET",
         .pattern = all,
         .operation = "listAssignees",
         .summary = "List registered assignees, ordered by id.",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(listed_shape())}},
         .handler = [&](const Call& call) { return list(assignees, call); }});
    add({.method = "GET",
         .pattern = one,
         .operation = "getAssignee",
         .summary = "Retrieve an assignee with its budget of today.",
         .permission = Permission::read,
         .answers = {{200, assignee_shape()}},
         .handler = [&](const Call& call) {
             return assignee_response(assignees, call, assignees.get(call.tenant(), call.at("assignee")));
         }});
    add({.method = "PUT",
         .pattern = one,
         .operation = "putAssignee",
         .summary = "Register an assignee, or replace its limits.",
         .details = "Later decisions and usage reports apply the new limits. Schedules can also name assignees that "
                    "are not registered; those have "
                    "no limits.",
         .permission = Permission::write,
         .headers = {if_match_header()},
         .body = request_shape(),
         .answers = {{200, assignee_shape()}, {201, assignee_shape(), "The assignee was registered."}},
         .handler = [&assignees, limits](const Call& call) { return put(assignees, limits, call); }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteAssignee",
         .summary = "Remove an assignee's registration and its limits.",
         .details = "Runs in flight keep and settle their reserved credits. If the assignee is registered again on the "
                    "same day, that day's budget "
                    "continues.",
         .permission = Permission::write,
         .answers = {{204, {}, "The assignee was removed."}},
         .handler = [&](const Call& call) { return remove(assignees, call); }});
}

}  // namespace belfry::api
