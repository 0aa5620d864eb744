// Routes for approvals: list them, approve and reject. Attempts to bypass an approval are recorded.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <set>

#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/text/json_size.hpp"
#include "decide/approval/approval.hpp"
#include "engine/explain/run_definitions.hpp"
#include "engine/usecases/runs.hpp"
#include "model/identity.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr const char* kApprovalStatus = "approvalStatus";
constexpr std::int64_t kCommentMax = 4'000;

// The context of an approval: its run, the definition that decided the run, and the version in force now. Empty when
// the run is deleted.
struct Subject {
    std::optional<model::Run> run;
    model::DefinitionPtr definition;
    model::WorkflowRun workflow_run = {};  // set when a node waits
    std::int64_t version_in_force = 0;
};

Result<void> add_workflow_run(store::StoreReader& reader, const std::string& tenant, const model::Approval& approval,
                              Subject& subject) {
    if (approval.node.empty() || !subject.run || subject.workflow_run.workflow) return {};
    auto workflow_run = reader.workflow_run(tenant, approval.run_id);
    if (!workflow_run) return workflow_run.error();
    subject.workflow_run = std::move(*workflow_run);
    return {};
}

constexpr std::size_t kRunsAtOnce = 32;  // approvals whose runs are read together

// Reads each run once, because several of its nodes may wait.
Result<std::map<std::string, Subject>> subjects_of(store::StoreReader& reader, const std::string& tenant,
                                                   const std::vector<model::Approval>& approvals) {
    std::map<std::string, Subject> subjects;
    std::set<std::int64_t> keys;
    for (const auto& approval : approvals) {
        if (const auto known = subjects.find(approval.run_id); known != subjects.end()) {
            if (auto told = add_workflow_run(reader, tenant, approval, known->second); !told) return told.error();
            continue;
        }
        auto run = reader.run(tenant, approval.run_id);
        if (!run && run.error().code != ErrorCode::not_found) return run.error();
        auto& subject = subjects[approval.run_id];
        if (!run) continue;
        auto definition = engine::definition_of(reader, tenant, *run);
        if (!definition) return definition.error();
        keys.insert(model::key_of(run->schedule_id));
        subject = {std::move(*run), std::move(*definition)};
        if (auto told = add_workflow_run(reader, tenant, approval, subject); !told) return told.error();
    }
    const auto records = reader.schedules_by_keys(tenant, std::vector<std::int64_t>(keys.begin(), keys.end()));
    if (!records) return records.error();
    std::map<std::string, std::int64_t> versions;
    for (const auto& record : *records) versions[record.definition.id] = record.definition.version;
    for (auto& [id, subject] : subjects) {
        if (subject.run) subject.version_in_force = versions[subject.run->schedule_id];
    }
    return subjects;
}

// Returns the exact target that an approval starts.
Json target_json(const model::Approval& approval, const Subject& subject) {
    auto target = subject.definition->target;
    if (approval.workflow_version) target.version = approval.workflow_version;
    if (!approval.node.empty() && subject.workflow_run.workflow)
        target.version = subject.workflow_run.workflow->version;
    return model::to_json(target);
}

Json input_json(const model::Approval& approval, const Subject& subject) {
    const auto* const node = approval.node.empty() ? nullptr : subject.workflow_run.find(approval.node);
    return node != nullptr ? node->input : subject.run->input;
}

Result<boost::json::array> approvals_json(store::StoreReader& reader, const std::string& tenant,
                                          const std::vector<model::Approval>& approvals) {
    const auto subjects = subjects_of(reader, tenant, approvals);
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

Result<Response> list(store::StoreReader& reader, const Call& call) {
    const store::ApprovalFilter filter{
        call.tenant(),
        call.query.parsed("status", &model::parse_approval_status).value_or(model::ApprovalStatus::pending)};
    const auto listing = reader.approvals(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    // The run and the definition of an approval fill a page sooner than the approval itself.
    boost::json::array items;
    store::PageBudget budget({.limit = store::kPageMax});
    for (std::size_t begin = 0; begin < listing->items.size(); begin += kRunsAtOnce) {
        const auto end = std::min(begin + kRunsAtOnce, listing->items.size());
        auto some = approvals_json(reader, call.tenant(),
                                   {listing->items.begin() + static_cast<std::ptrdiff_t>(begin),
                                    listing->items.begin() + static_cast<std::ptrdiff_t>(end)});
        if (!some) return some.error();
        for (auto& item : *some) {
            if (budget.is_full()) {
                const auto& last = listing->items[items.size() - 1];
                return json_response(
                    page_json(std::move(items), store::approval_cursor(filter, store::place_of(last))));
            }
            budget.add(text_size(item));
            items.push_back(std::move(item));
        }
    }
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> list_of_run(store::StoreReader& reader, const Call& call) {
    if (const auto run = reader.run(call.tenant(), call.at("run")); !run) return run.error();
    const auto approvals = reader.approvals_of(call.tenant(), {&call.at("run"), 1});
    if (!approvals) return approvals.error();
    auto items = approvals_json(reader, call.tenant(), *approvals);
    if (!items) return items.error();
    return page_response(call.query, std::move(*items), {});
}

Result<Response> decide_approval(engine::Runs& runs, store::StoreReader& reader, const Call& call, bool approved) {
    const Values values(call.body);
    const auto comment = values.text("comment").value_or(values.text("reason").value_or(""));
    const decide::ApprovalDecision decision{
        .approved = approved, .comment = comment, .node = values.text("node").value_or("")};
    return run_response(reader, call.tenant(),
                        runs.approve(call.tenant(), call.at("run"), decision, call.context(comment)));
}

// Records that a principal without the role tried to decide on an existing run.
std::optional<Error> record_decider(engine::Runs& runs, store::StoreReader& reader, const Call& call) {
    const auto run = reader.run(call.tenant(), call.at("run"));
    if (!run) return std::nullopt;
    const decide::BypassAttempt attempt{.run = run->id, .how = "decided_without_role"};
    const auto recorded = runs.record_bypass({call.tenant(), run->schedule_id}, attempt, call.context());
    return recorded ? std::nullopt : std::optional(recorded.error());
}

ShapePtr decision_shape() {
    return record(
        "ApprovalDecision",
        {{"node", or_null(text()), "Node to decide on. If null or omitted, the decision is about the run as a whole."},
         {"comment", or_null(text(kCommentMax)), "Comment to store with the approval."},
         {"reason", or_null(text(kCommentMax)), "Deprecated alias of `comment`."}});
}

}  // namespace

Member approval_status_member() {
    return {kApprovalStatus, anything(),
            "Not allowed. A request cannot set the approval status; an approver decides while the run waits."};
}

std::optional<Error> refuse_to_skip_approval(engine::Runs& runs, const Call& call) {
    if (!Values(call.body).has(kApprovalStatus)) return std::nullopt;
    const auto recorded = runs.record_bypass(schedule_of(call), {.how = "asked_to_skip"}, call.context());
    if (!recorded) return recorded.error();
    return in_field(Error{ErrorCode::forbidden,
                          "a request cannot set the approval of a run; leave approvalStatus out, and have the run "
                          "approved while it waits"},
                    std::string("/") + kApprovalStatus);
}

void add_approval_routes(Routes& routes, engine::Runs& runs, store::StoreReader& reader) {
    const std::string run = "/api/tenants/{tenant}/runs/{run}";
    const std::string group = "Approvals";
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants/{tenant}/approvals",
                      .operation = "listApprovals",
                      .summary = "List approvals, oldest request first.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters({{"status", approval_status_names(),
                                                 "Return only approvals with this status. Defaults to `pending`."}}),
                      .answers = {{200, page_of(approval_shape())}},
                      .handler = [&](const Call& call) { return list(reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = run + "/approvals",
                      .operation = "listRunApprovals",
                      .summary = "List all approvals of a run and their decisions.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(approval_shape())}},
                      .handler = [&](const Call& call) { return list_of_run(reader, call); }});
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary,
                         bool approved) {
        routes.push_back(
            {.method = "POST",
             .pattern = run + "/" + verb,
             .operation = operation,
             .summary = summary,
             .details = "Repeating the same decision changes nothing and returns the same response. A different "
                        "decision is a conflict. "
                        "An attempt without the role is recorded in the schedule's history.",
             .group = group,
             .permission = Permission::approve,
             .body = decision_shape(),
             .body_presence = Presence::optional,
             .answers = {{200, run_shape()}},
             .handler = [&runs, &reader,
                         approved](const Call& call) { return decide_approval(runs, reader, call, approved); },
             .when_forbidden = [&runs, &reader](const Call& call) { return record_decider(runs, reader, call); }});
    };
    add("approve", "approveRun", "Approve a run, or one of its nodes, that waits for approval.", true);
    add("reject", "rejectRun", "Reject a run, or one of its nodes, that waits for approval.", false);
}

}  // namespace belfry::api
