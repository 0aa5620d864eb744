// Approvals: what waits for a person, their word, and whoever tries to do without it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <set>

#include "api/handlers.hpp"
#include "api/names.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"
#include "decide/approval.hpp"
#include "engine/run_definitions.hpp"
#include "model/identity.hpp"
#include "model/schedule_json.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr const char* kApprovalStatus = "approvalStatus";
constexpr std::int64_t kCommentMax = 4'000;

// What an approval is about: the run, what decided it, and what is in force now. A run that is gone leaves nulls.
struct Subject {
    std::optional<model::Run> run;
    model::DefinitionPtr definition;
    model::Walk walk = {};  // when one of its nodes waits
    std::int64_t version_in_force = 0;
};

Result<void> add_walk(engine::Engine& engine, const std::string& tenant, const model::Approval& approval, Subject& subject) {
    if (approval.node.empty() || !subject.run || subject.walk.workflow) return {};
    auto walk = engine.store().walk(tenant, approval.run_id);
    if (!walk) return walk.error();
    subject.walk = std::move(*walk);
    return {};
}

// Each run is read once: several of its nodes may wait.
Result<std::map<std::string, Subject>> subjects_of(engine::Engine& engine, const std::string& tenant, const std::vector<model::Approval>& approvals) {
    std::map<std::string, Subject> subjects;
    std::set<std::int64_t> keys;
    for (const auto& approval : approvals) {
        if (const auto known = subjects.find(approval.run_id); known != subjects.end()) {
            if (auto told = add_walk(engine, tenant, approval, known->second); !told) return told.error();
            continue;
        }
        auto run = engine.store().run(tenant, approval.run_id);
        if (!run && run.error().code != ErrorCode::not_found) return run.error();
        auto& subject = subjects[approval.run_id];
        if (!run) continue;
        auto definition = engine::definition_of(engine.store(), tenant, *run);
        if (!definition) return definition.error();
        keys.insert(model::key_of(run->schedule_id));
        subject = {std::move(*run), std::move(*definition)};
        if (auto told = add_walk(engine, tenant, approval, subject); !told) return told.error();
    }
    const auto records = engine.store().schedules_by_keys(tenant, std::vector<std::int64_t>(keys.begin(), keys.end()));
    if (!records) return records.error();
    std::map<std::string, std::int64_t> versions;
    for (const auto& record : *records) versions[record.definition.id] = record.definition.version;
    for (auto& [id, subject] : subjects) {
        if (subject.run) subject.version_in_force = versions[subject.run->schedule_id];
    }
    return subjects;
}

// Exactly what will start.
Json target_json(const model::Approval& approval, const Subject& subject) {
    auto target = subject.definition->target;
    if (approval.workflow_version) target.version = approval.workflow_version;
    if (!approval.node.empty() && subject.walk.workflow) target.version = subject.walk.workflow->version;
    return model::to_json(target);
}

Json input_json(const model::Approval& approval, const Subject& subject) {
    const auto* const node = approval.node.empty() ? nullptr : subject.walk.find(approval.node);
    return node != nullptr ? node->input : subject.run->input;
}

Result<boost::json::array> approvals_json(engine::Engine& engine, const std::string& tenant, const std::vector<model::Approval>& approvals) {
    const auto subjects = subjects_of(engine, tenant, approvals);
    if (!subjects) return subjects.error();
    boost::json::array items;
    for (const auto& approval : approvals) {
        auto item = to_json(approval);
        auto& out = item.get_object();
        const auto& subject = subjects->at(approval.run_id);
        const auto& run = subject.run;
        out["scheduleId"] = run ? Json(run->schedule_id) : Json(nullptr);
        out["scheduleName"] = run ? Json(subject.definition->name) : Json(nullptr);
        out["scheduleVersion"] = run ? Json(run->version) : Json(nullptr);
        out["definitionChanged"] = run && run->version != subject.version_in_force;
        out["target"] = run ? target_json(approval, subject) : Json(nullptr);
        out["input"] = run ? input_json(approval, subject) : Json(nullptr);
        items.push_back(std::move(item));
    }
    return items;
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    const store::ApprovalFilter filter{call.tenant(),
                                       call.query.parsed("status", &model::parse_approval_status).value_or(model::ApprovalStatus::pending)};
    const auto listing = engine.store().approvals(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    auto items = approvals_json(engine, call.tenant(), listing->items);
    if (!items) return items.error();
    return json_response(page_json(std::move(*items), listing->next));
}

Result<Response> list_of_run(engine::Engine& engine, const Call& call) {
    if (const auto run = engine.store().run(call.tenant(), call.at("run")); !run) return run.error();
    const auto approvals = engine.store().approvals_of(call.tenant(), {&call.at("run"), 1});
    if (!approvals) return approvals.error();
    auto items = approvals_json(engine, call.tenant(), *approvals);
    if (!items) return items.error();
    return page_response(call.query, std::move(*items), {});
}

Result<Response> decide_approval(engine::Engine& engine, const Call& call, bool approved) {
    const Values values(call.body);
    const auto comment = values.text("comment").value_or(values.text("reason").value_or(""));
    const decide::ApprovalDecision decision{.approved = approved, .comment = comment, .node = values.text("node").value_or("")};
    return run_response(engine, call.tenant(), engine.runs().approve(call.tenant(), call.at("run"), decision, call.context(comment)));
}

// Somebody without the role decides: that they tried is kept, for a run that there is.
std::optional<Error> record_decider(engine::Engine& engine, const Call& call) {
    const auto run = engine.store().run(call.tenant(), call.at("run"));
    if (!run) return std::nullopt;
    const decide::BypassAttempt attempt{.run = run->id, .how = "decided_without_role"};
    const auto recorded = engine.runs().record_bypass({call.tenant(), run->schedule_id}, attempt, call.context());
    return recorded ? std::nullopt : std::optional(recorded.error());
}

ShapePtr decision_shape() {
    return record("ApprovalDecision", {{"node", or_null(text()), "Which node; null or absent: the run as a whole."},
                                       {"comment", or_null(text(kCommentMax)), "What there is to say; kept with the approval."},
                                       {"reason", or_null(text(kCommentMax)), "The same by its older name."}});
}

}  // namespace

Member approval_status_member() { return {kApprovalStatus, anything(), "Refused: only whoever may approve decides, and after the fact."}; }

std::optional<Error> refuse_to_skip_approval(engine::Engine& engine, const Call& call) {
    if (!Values(call.body).has(kApprovalStatus)) return std::nullopt;
    const auto recorded = engine.runs().record_bypass(schedule_of(call), {.how = "asked_to_skip"}, call.context());
    if (!recorded) return recorded.error();
    return in_field(Error{ErrorCode::forbidden, "nobody sets the approval of a run: leave it out, and have the run approved when it waits"},
                    std::string("/") + kApprovalStatus);
}

void add_approval_routes(Routes& routes, engine::Engine& engine) {
    const std::string run = "/api/tenants/{tenant}/runs/{run}";
    const std::string group = "Approvals";
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants/{tenant}/approvals",
                      .operation = "listApprovals",
                      .summary = "List what waits for approval, the longest asked for first.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters({{"status", approval_status_names(), "Only these; `pending` when absent."}}),
                      .answers = {{200, page_of(approval_shape())}},
                      .handler = [&](const Call& call) { return list(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = run + "/approvals",
                      .operation = "listRunApprovals",
                      .summary = "List all that was to be approved in a run, and what was said.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(approval_shape())}},
                      .handler = [&](const Call& call) { return list_of_run(engine, call); }});
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary, bool approved) {
        routes.push_back({.method = "POST",
                          .pattern = run + "/" + verb,
                          .operation = operation,
                          .summary = summary,
                          .details =
                              "The same decision again changes nothing and is answered alike; another one is a conflict. An attempt without the "
                              "role is kept in the schedule's history.",
                          .group = group,
                          .permission = Permission::approve,
                          .body = decision_shape(),
                          .body_presence = Presence::optional,
                          .answers = {{200, run_shape()}},
                          .handler = [&engine, approved](const Call& call) { return decide_approval(engine, call, approved); },
                          .when_forbidden = [&engine](const Call& call) { return record_decider(engine, call); }});
    };
    add("approve", "approveRun", "Let a run, or a node of it, begin that waits for approval.", true);
    add("reject", "rejectRun", "Refuse a run, or a node of it, that waits for approval.", false);
}

}  // namespace belfry::api
