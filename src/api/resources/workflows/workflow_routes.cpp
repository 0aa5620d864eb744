// Routes that deploy, list, read and remove workflows.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/percent.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/workflows/workflow_shape.hpp"
#include "base/text/yaml.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/workflows.hpp"
#include "model/workflow/workflow_check.hpp"
#include "model/workflow/workflow_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

constexpr const char* kYamlMedia = "application/yaml";
constexpr std::int64_t kYamlMost = 1 << 20;
constexpr std::int64_t kVersionsMost = 100;
constexpr std::int64_t kVersionsUsual = 20;

// Returns nothing when the trigger sets no status: then the schedule keeps the status that its operator chose.
Result<std::optional<bool>> read_enabled(const Json& trigger) {
    const auto off = wanted_status(trigger, model::ScheduleStatus::active);
    if (!off) return off.error();
    const Values values(trigger);
    if (!values.has("enabled") && !values.has("status")) return std::optional<bool>();
    return std::optional(*off != model::ScheduleStatus::paused);
}

// Returns the schedule that a trigger defines: a request for a schedule with the workflow as its target.
Result<engine::Workflows::Wanted> schedule_of_trigger(engine::Schedules& schedules, engine::Assignments& assignments,
                                                      const model::Workflow& workflow, const Json& trigger,
                                                      std::size_t index, const ScheduleLimits& limits) {
    const auto place = "/triggers/" + std::to_string(index);
    const auto in_trigger = [&place](Error error) {
        error.field = place + error.field;
        for (auto& other : error.more) other.field = place + other.field;
        return error;
    };
    object body = trigger.get_object();
    body.erase("type");
    object target{{"type", "workflow"}, {"workflowKind", workflow.name}};
    if (const auto* const input = body.if_contains("input")) {
        target["input"] = *input;
        body.erase("input");
    }
    // A trigger may use a short form of its timing: `cron` and `timezone` as its own members.
    if (!body.contains("spec") && !body.contains("scheduleType")) {
        object spec;
        for (const auto* const member : {"cron", "timezone", "intervals", "at", "startAt", "endAt", "jitter", "dst"}) {
            const auto* const value = body.if_contains(member);
            if (value == nullptr) continue;
            spec[member] =
                std::string_view(member) == "cron" && value->is_string() ? Json(boost::json::array{*value}) : *value;
            body.erase(member);
        }
        body["spec"] = std::move(spec);
    }
    body["target"] = std::move(target);
    if (!body.contains("name"))
        body["name"] = workflow.name + (index == 0 ? std::string() : "-" + std::to_string(index + 1));
    const Json whole(std::move(body));
    if (auto errors = check(whole, *schedule_request_shape()); !errors.empty())
        return in_trigger(combine_errors(std::move(errors)));
    const auto enabled = read_enabled(whole);
    if (!enabled) return in_trigger(enabled.error());
    const auto filled = with_assignment(assignments, workflow.tenant, whole);
    if (!filled) return in_trigger(filled.error());
    auto schedule = checked_schedule(read_new_schedule(*filled, workflow.tenant, limits), limits);
    if (!schedule) return in_trigger(schedule.error());
    // Compile it as a task, because the workflow may not be stored yet.
    auto free = *schedule;
    free.target.type = model::TargetType::task;
    if (auto compiled = schedules.compile(free); !compiled) return in_trigger(compiled.error());
    return engine::Workflows::Wanted{std::move(*schedule), *enabled};
}

Result<Response> deploy(engine::Schedules& schedules, engine::Assignments& assignments, engine::Workflows& workflows,
                        const ScheduleLimits& limits, const Call& call, const Json& body) {
    const auto expected = expected_version(call);
    if (!expected) return expected.error();
    if (!body.is_object()) return invalid("a workflow must be an object with nodes");
    object definition = body.get_object();
    const auto& name = call.at("workflow");
    if (const auto* const own = definition.if_contains("name");
        own != nullptr && !own->is_null() && *own != Json(name)) {
        return in_field(invalid("must be " + in_quotes(name) + ", as in the path; change it or leave it out"), "/name");
    }
    definition["name"] = name;
    for (const auto* const member : {"version", "createdBy", "createdAt", "tenant"}) definition.erase(member);
    auto workflow = model::checked_workflow_from_json(definition);
    if (!workflow) return workflow.error();
    if (auto error = check_definition_size(model::to_json(*workflow), limits.definition_max)) return *error;
    workflow->tenant = call.tenant();
    const auto schedule_of = [&](const model::Workflow& of, const Json& trigger, std::size_t index) {
        return schedule_of_trigger(schedules, assignments, of, trigger, index, limits);
    };
    // If-Match names the version on which the change is based.
    const auto next = *expected ? std::optional(**expected + 1) : std::nullopt;
    const auto deployed = workflows.deploy(std::move(*workflow), next, schedule_of, call.context());
    if (!deployed) return deployed.error();
    auto answer = model::to_whole_json(*deployed->workflow).get_object();
    const auto names = [](const std::vector<std::string>& all) {
        boost::json::array array;
        for (const auto& each : all) array.emplace_back(each);
        return array;
    };
    answer["schedules"] = names(deployed->schedules);
    answer["schedulesRemoved"] = names(deployed->removed);
    const bool first = deployed->changed && deployed->workflow->version == 1;
    auto response = json_response(answer, first ? 201 : 200);
    response.headers.push_back(etag(deployed->workflow->version));
    if (first)
        response.headers.emplace_back("Location", tenant_path(call.tenant(), "/workflows/" + percent_encode(name)));
    return response;
}

Result<Response> deploy_yaml(engine::Schedules& schedules, engine::Assignments& assignments,
                             engine::Workflows& workflows, const ScheduleLimits& limits, const Call& call) {
    const auto body = parse_yaml(call.request.body);
    if (!body) return body.error();
    return deploy(schedules, assignments, workflows, limits, call, *body);
}

Result<Response> list(engine::Workflows& workflows, const Call& call) {
    const auto listing = workflows.list(call.tenant(), read_page(call.query));
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& head : listing->items) items.push_back(object{{"name", head.name}, {"version", head.version}});
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> get(engine::Workflows& workflows, const Call& call) {
    const auto workflow = workflows.get(call.tenant(), call.at("workflow"), call.query.integer("version"));
    if (!workflow) return workflow.error();
    auto response = json_response(model::to_whole_json(**workflow));
    response.headers.push_back(etag((*workflow)->version));
    return response;
}

// Lists versions newest first. They have no gaps, so the first one identifies a page.
Result<Response> versions(engine::Workflows& workflows, const Call& call) {
    const auto newest = workflows.get(call.tenant(), call.at("workflow"), {});
    if (!newest) return newest.error();
    const auto limit = call.query.integer("limit").value_or(kVersionsUsual);
    const auto before =
        call.query.integer("before").value_or(call.query.integer("cursor").value_or((*newest)->version + 1));
    auto version = std::min((*newest)->version, before - 1);
    boost::json::array items;
    for (; version >= 1 && std::cmp_less(items.size(), limit); --version) {
        const auto workflow = workflows.get(call.tenant(), call.at("workflow"), version);
        if (!workflow) return workflow.error();
        items.push_back(object{{"version", version},
                               {"createdBy", or_null((*workflow)->created_by)},
                               {"createdAt", format_instant((*workflow)->created_at)},
                               {"nodes", (*workflow)->nodes.size()}});
    }
    const bool more = version >= 1;
    auto page = list_json(std::move(items), more ? std::to_string(version + 1) : std::string());
    page.get_object()["hasMore"] = more;
    return json_response(page);
}

Result<Response> remove(engine::Workflows& workflows, const Call& call) {
    if (auto removed = workflows.remove(call.tenant(), call.at("workflow"), call.query.flag("force")); !removed)
        return removed.error();
    return Response{.status = 204};
}

ShapePtr deployed_shape() {
    auto members = workflow_shape()->members;
    members.push_back({"schedules", list_of(text()), "Names of the schedules that the triggers created or changed."});
    members.push_back({"schedulesRemoved", list_of(text()),
                       "Names of the schedules removed because no trigger defines them any more."});
    return answer_record("DeployedWorkflow", std::move(members));
}

}  // namespace

void add_workflow_routes(Routes& routes, engine::Workflows& workflows, engine::Schedules& schedules,
                         engine::Assignments& assignments, const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/workflows";
    const std::string one = all + "/{workflow}";
    const std::string details =
        "A definition never changes: each deployment creates the next version, unless it equals the newest. Runs in "
        "flight keep their version. "
        "`If-Match` names the version on which the change is based.";
    routes.push_back({.method = "PUT",
                      .pattern = one,
                      .operation = "deployWorkflow",
                      .summary = "Deploy a workflow: store its next version and update the schedules of its triggers.",
                      .details = details,
                      .group = "Workflows",
                      .permission = Permission::write,
                      .headers = {if_match_header()},
                      .body = workflow_request_shape(),
                      .answers = {{200, deployed_shape()}, {201, deployed_shape(), "The first version was created."}},
                      .handler = [&schedules, &assignments, &workflows, limits](const Call& call) {
                          return deploy(schedules, assignments, workflows, limits, call, call.body);
                      }});
    routes.push_back({.method = "PUT",
                      .pattern = one + "/definition.yaml",
                      .operation = "deployWorkflowYaml",
                      .summary = "Deploy a workflow from a YAML definition.",
                      .details = details,
                      .group = "Workflows",
                      .permission = Permission::write,
                      .headers = {if_match_header()},
                      .body = text(kYamlMost),
                      .body_media = kYamlMedia,
                      .answers = {{200, deployed_shape()}, {201, deployed_shape(), "The first version was created."}},
                      .handler = [&schedules, &assignments, &workflows, limits](const Call& call) {
                          return deploy_yaml(schedules, assignments, workflows, limits, call);
                      }});
    routes.push_back(
        {.method = "GET",
         .pattern = all,
         .operation = "listWorkflows",
         .summary = "List workflows with their newest versions, ordered by name.",
         .group = "Workflows",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(answer_record("WorkflowHead",
                                                 {{"name", text(), "Name of the workflow."},
                                                  {"version", integer(1), "Newest version of the workflow."}}))}},
         .handler = [&](const Call& call) { return list(workflows, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "getWorkflow",
                      .summary = "Retrieve a workflow.",
                      .group = "Workflows",
                      .permission = Permission::read,
                      .query = {{"version", integer(1), "Version to retrieve. Defaults to the newest."}},
                      .answers = {{200, workflow_shape()}},
                      .handler = [&](const Call& call) { return get(workflows, call); }});
    const auto version_shape =
        answer_record("WorkflowVersion", {{"version", integer(1), "Number of the version."},
                                          {"createdBy", or_null(text()), "Principal that deployed the version."},
                                          {"createdAt", instant(), "Time at which the version was deployed."},
                                          {"nodes", integer(), "Number of nodes in the version."}});
    routes.push_back(
        {.method = "GET",
         .pattern = one + "/versions",
         .operation = "listWorkflowVersions",
         .summary = "List the versions of a workflow, newest first.",
         .group = "Workflows",
         .permission = Permission::read,
         .query = {{"limit", integer(1, kVersionsMost), "Maximum number of versions to return. Defaults to 20."},
                   {"cursor", integer(1), "`nextCursor` of the previous page."},
                   {"before", integer(1), "Return only versions before this one. Alias of `cursor`."}},
         .answers = {{200, page_with_more("WorkflowVersions", version_shape)}},
         .handler = [&](const Call& call) { return versions(workflows, call); }});
    routes.push_back(
        {.method = "DELETE",
         .pattern = one,
         .operation = "removeWorkflow",
         .summary = "Remove a workflow. Runs in flight continue.",
         .group = "Workflows",
         .permission = Permission::write,
         .query = {{"force", boolean(),
                    "Remove the workflow even if schedules start it. Their runs are skipped from then on."}},
         .answers = {{204, {}, "The workflow was removed."}},
         .handler = [&](const Call& call) { return remove(workflows, call); }});
}

}  // namespace belfry::api
