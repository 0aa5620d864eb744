#include "engine/workflows.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"

namespace belfry::engine {

namespace {

// Apart from who wrote it, when, and as which version.
bool same_text(const model::Workflow& a, model::Workflow b) {
    b.version = a.version;
    b.created_by = a.created_by;
    b.created_at = a.created_at;
    return a == b;
}

}  // namespace

Result<Workflows::Deployed> Workflows::deploy(model::Workflow workflow, std::optional<std::int64_t> expected, const ScheduleOf& schedule_of,
                                              const model::CommandContext& context) {
    if (auto unknown = check_names(workflow)) return *unknown;
    // The triggers first: a workflow whose schedules are refused is not deployed.
    std::vector<Wanted> wanted;
    if (const auto* const triggers = workflow.triggers.if_array()) {
        for (std::size_t i = 0; i < triggers->size(); ++i) {
            auto schedule = schedule_of(workflow, (*triggers)[i], i);
            if (!schedule) return schedule.error();
            schedule->schedule.labels[kDeployedLabel] = workflow.name;
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
        const auto version = store_.put_workflow(workflow);
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
        const auto removed =
            schedules_.remove({.tenant = deployed.workflow->tenant, .name = name}, "no trigger of the workflow asks for it", context);
        if (!removed && removed.error().code != ErrorCode::not_found) return removed.error();
        deployed.removed.push_back(name);
    }
    return deployed;
}

std::optional<Error> Workflows::check_names(const model::Workflow& workflow) const {
    Errors errors;
    const auto check = [&](const std::optional<std::string>& name, const std::string& field) {
        if (!name) return;
        if (auto unknown = check_connection(connections_, workflow.tenant, *name)) errors.push_back(in_field(std::move(*unknown), field));
    };
    check(workflow.connection, "/connection");
    for (std::size_t i = 0; i < workflow.nodes.size(); ++i) {
        const auto& node = workflow.nodes[i];
        const auto field = "/nodes/" + std::to_string(i);
        check(node.connection, field + "/connection");
        if (node.kind != model::NodeKind::command) continue;
        if (auto unknown = check_command_of(commands_, workflow.tenant, node.input))
            errors.push_back(in_field(std::move(*unknown), field + "/input"));
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
                     "a schedule named " + schedule.name + " exists that this workflow did not make: give the trigger another name", "/triggers"};
    }
    return change(ref, wanted, context);
}

Result<void> Workflows::change(const store::ScheduleRef& ref, const Wanted& wanted, const model::CommandContext& context) {
    auto updated = schedules_.update(
        ref, {},
        [&schedule = wanted.schedule](const model::Schedule& before) -> Result<model::Schedule> {
            auto after = schedule;
            after.id = before.id;
            after.created_by = before.created_by;
            after.created_at = before.created_at;
            after.updated_at = before.updated_at;
            after.version = before.version;
            return after;
        },
        context);
    if (!updated) return updated.error();
    const auto& state = updated->state;
    if (wanted.enabled == false && state.status == model::ScheduleStatus::active) {
        updated = schedules_.pause(ref, {.reason = kPausedByTrigger}, context);
    } else if (state.status == model::ScheduleStatus::paused && wanted.enabled.value_or(state.pause_reason == kPausedByTrigger)) {
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
        return Error{ErrorCode::conflict,
                     "schedule " + users->items.front().definition.name +
                         " starts this workflow: delete or change it first, or insist with force=true (its runs will then be skipped)"};
    }
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.remove_workflow(tenant, name, *now);
}

}  // namespace belfry::engine
