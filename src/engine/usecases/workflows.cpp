#include "engine/usecases/workflows.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "decide/approval/approval_order.hpp"
#include "decide/approval/gate.hpp"
#include "engine/outgoing/http_task.hpp"

namespace belfry::engine {

namespace {

// Ignores the author, the time and the version.
bool same_text(const model::Workflow& a, model::Workflow b) {
    b.version = a.version;
    b.created_by = a.created_by;
    b.created_at = a.created_at;
    return a == b;
}

}  // namespace

Result<Workflows::Deployed> Workflows::deploy(model::Workflow workflow, std::optional<std::int64_t> expected,
                                              const ScheduleOf& schedule_of, const model::CommandContext& context) {
    if (auto unknown = check_names(workflow)) return *unknown;
    // Triggers first: a workflow whose schedules are rejected is not deployed.
    std::vector<Wanted> wanted;
    if (const auto* const triggers = workflow.triggers.if_array()) {
        for (std::size_t i = 0; i < triggers->size(); ++i) {
            auto schedule = schedule_of(workflow, (*triggers)[i], i);
            if (!schedule) return schedule.error();
            schedule->schedule.labels[kDeployedLabel] = workflow.name;
            if (auto allowed = check_loosening(schedule->schedule, context); !allowed) return allowed.error();
            wanted.push_back(std::move(*schedule));
        }
    }
    const auto now = store_.now();
    if (!now) return now.error();
    const auto newest = store_.workflow(workflow.tenant, workflow.name, {});
    if (!newest && newest.error().code != ErrorCode::not_found) return newest.error();
    Deployed deployed;
    if (newest && !expected && same_text(**newest, workflow)) {
        deployed.workflow = *newest;
    } else {
        workflow.created_by = context.principal;
        workflow.created_at = *now;
        workflow.version = expected.value_or(0);
        const auto version = put(workflow, context);
        if (!version) return version.error();
        workflow.version = *version;
        deployed.changed = true;
        deployed.workflow = std::make_shared<const model::Workflow>(workflow);
    }
    std::set<std::string> names;
    for (auto& each : wanted) {
        names.insert(each.schedule.name);
        deployed.schedules.push_back(each.schedule.name);
        if (auto done = upsert(std::move(each), context); !done) return done.error();
    }
    auto before = schedules_of(deployed.workflow->tenant, deployed.workflow->name);
    if (!before) return before.error();
    for (const auto& name : *before) {
        if (names.contains(name)) continue;
        const auto removed = schedules_.remove({.tenant = deployed.workflow->tenant, .name = name},
                                               "no trigger of the workflow needs the schedule any more", context);
        if (!removed && removed.error().code != ErrorCode::not_found) return removed.error();
        deployed.removed.push_back(name);
    }
    return deployed;
}

// The policies of the schedules and assignments of the workflow. Their gates name actions of its nodes, so a version
// without the action would free the node.
Result<std::vector<model::ApprovalPolicy>> Workflows::policies_elsewhere(const model::Workflow& workflow) {
    std::vector<model::ApprovalPolicy> all;
    const auto add = [&all](const model::ApprovalPolicy& policy) {
        if (decide::asks(policy) && std::ranges::find(all, policy) == all.end()) all.push_back(policy);
    };
    const store::ScheduleFilter started{
        .tenant = workflow.tenant, .target_type = model::TargetType::workflow, .target_kind = workflow.name};
    store::Page page{.limit = store::kPageMax};
    do {
        const auto schedules = store_.schedules(started, page);
        if (!schedules) return schedules.error();
        for (const auto& each : schedules->items) add(each.definition.approval);
        page.after = schedules->next;
    } while (!page.after.empty());
    do {
        const auto assignments = store_.assignments(workflow.tenant, page);
        if (!assignments) return assignments.error();
        for (const auto& each : assignments->items) {
            if (each.workflow == workflow.name) add(each.approval);
        }
        page.after = assignments->next;
    } while (!page.after.empty());
    return all;
}

// Compares with the newest version in the transaction that writes, so that a concurrent version with more approvals is
// not overlooked.
Result<std::int64_t> Workflows::put(const model::Workflow& workflow, const model::CommandContext& context) {
    if (context.may_loosen) return store_.put_workflow(workflow);
    const auto elsewhere = policies_elsewhere(workflow);
    if (!elsewhere) return elsewhere.error();
    // One policy at a time: a strict schedule must not hide that another one loses its gate.
    const auto loosens_under = [&workflow](const model::ApprovalPolicy& policy, const model::Workflow& newest) {
        const auto under = [&policy](model::Workflow version) {
            version.approval = decide::stricter_of(version.approval, policy);
            return version;
        };
        return decide::loosens(under(workflow), under(newest));
    };
    bool loosened = false;
    const auto version = store_.put_workflow(workflow, [&](const model::Workflow& newest) -> std::optional<Error> {
        loosened = decide::loosens(workflow, newest) ||
                   std::ranges::any_of(*elsewhere, [&](const auto& policy) { return loosens_under(policy, newest); });
        return loosened ? std::optional(Error{ErrorCode::forbidden, "requires fewer approvals"}) : std::nullopt;
    });
    if (version || !loosened) return version;
    return schedules_.refuse_loosening(workflow.tenant, workflow.name, "workflow " + workflow.name, context);
}

Result<void> Workflows::check_loosening(model::Schedule wanted, const model::CommandContext& context) {
    const auto stored = store_.schedule({.tenant = wanted.tenant, .name = wanted.name});
    if (!stored && stored.error().code != ErrorCode::not_found) return stored.error();
    // The workflow may not exist yet.
    wanted.target.type = model::TargetType::task;
    return schedules_.check_loosening(wanted, stored ? &*stored : nullptr, context);
}

std::optional<Error> Workflows::check_names(const model::Workflow& workflow) const {
    Errors errors;
    const auto check = [&](const std::optional<std::string>& name, const std::string& field) {
        if (!name) return;
        if (auto unknown = check_connection(connections_, workflow.tenant, *name))
            errors.push_back(in_field(std::move(*unknown), field));
    };
    check(workflow.connection, "/connection");
    for (std::size_t i = 0; i < workflow.nodes.size(); ++i) {
        const auto& node = workflow.nodes[i];
        const auto field = "/nodes/" + std::to_string(i);
        check(node.connection, field + "/connection");
        std::optional<Error> wrong;
        if (node.kind == model::NodeKind::command) wrong = check_command_of(commands_, workflow.tenant, node.input);
        if (node.kind == model::NodeKind::http) wrong = check_http_timeout(http_timeout_, node.input);
        if (wrong) errors.push_back(in_field(std::move(*wrong), field + "/input"));
    }
    return together_if_any(std::move(errors));
}

Result<void> Workflows::upsert(Wanted wanted, const model::CommandContext& context) {
    auto& schedule = wanted.schedule;
    const store::ScheduleRef ref{.tenant = schedule.tenant, .name = schedule.name};
    const auto stored = store_.schedule(ref);
    if (!stored && stored.error().code != ErrorCode::not_found) return stored.error();
    if (!stored) {
        const bool off = wanted.enabled == false;
        const auto paused = off ? Schedules::Paused(decide::PauseRequest{.reason = kPausedByTrigger}) : std::nullopt;
        const auto created = schedules_.create(std::move(schedule), context, paused);
        if (!created) return created.error();
        return {};
    }
    const auto label = stored->definition.labels.find(kDeployedLabel);
    if (label == stored->definition.labels.end() || label->second != schedule.labels.at(kDeployedLabel)) {
        return Error{ErrorCode::conflict,
                     "a schedule named " + schedule.name +
                         " exists and was not created by this workflow: give the trigger another name",
                     "/triggers"};
    }
    return change(ref, wanted, context);
}

Result<void> Workflows::change(const store::ScheduleRef& ref, const Wanted& wanted,
                               const model::CommandContext& context) {
    auto updated = schedules_.update(
        ref, {},
        [&schedule = wanted.schedule](const model::Schedule& before) -> Result<model::Schedule> {
            auto after = schedule;
            after.id = before.id;
            after.created_by = before.created_by;
            after.created_at = before.created_at;
            after.updated_at = before.updated_at;
            after.version = before.version;
            after.run_key_name = before.run_key_name;
            return after;
        },
        context);
    if (!updated) return updated.error();
    const auto& state = updated->state;
    if (wanted.enabled == false && state.status == model::ScheduleStatus::active) {
        updated = schedules_.pause(ref, {.reason = kPausedByTrigger}, context);
    } else if (state.status == model::ScheduleStatus::paused &&
               wanted.enabled.value_or(state.pause_reason == kPausedByTrigger)) {
        updated = schedules_.resume(ref, context);
    }
    if (!updated) return updated.error();
    return {};
}

Result<std::vector<std::string>> Workflows::schedules_of(const std::string& tenant, const std::string& workflow) {
    store::ScheduleFilter filter{.tenant = tenant};
    filter.label = std::pair{std::string(kDeployedLabel), workflow};
    std::vector<std::string> names;
    store::Page page{.limit = store::kPageMax};
    do {
        const auto listing = store_.schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) names.push_back(record.definition.name);
        page.after = listing->next;
    } while (!page.after.empty());
    return names;
}

Result<void> Workflows::remove(const std::string& tenant, const std::string& name, bool insist) {
    store::ScheduleFilter filter{.tenant = tenant};
    filter.target_type = model::TargetType::workflow;
    filter.target_kind = name;
    const auto users = store_.schedules(filter, {.limit = 1});
    if (!users) return users.error();
    if (!insist && !users->items.empty()) {
        return Error{ErrorCode::conflict, "schedule " + users->items.front().definition.name +
                                              " starts this workflow: delete or change the schedule first, or set "
                                              "force=true (its runs will then be skipped)"};
    }
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.remove_workflow(tenant, name, *now);
}

}  // namespace belfry::engine
