// What people ask of workflows: deploy, read, remove. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "engine/schedules.hpp"
#include "model/workflow.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class Workflows {
public:
    // A schedule that a trigger of a workflow asks for: read from it, and checked, by whoever knows how schedules are written. A trigger that
    // is not `enabled` wants it paused; one that does not say leaves it as its operator has it.
    struct Wanted {
        model::Schedule schedule;
        std::optional<bool> enabled = {};
    };
    using ScheduleOf = std::function<Result<Wanted>(const model::Workflow& workflow, const Json& trigger, std::size_t index)>;

    // REQUIRES: all outlive it.
    Workflows(store::Store& store, Schedules& schedules, const Connections& connections, const Commands& commands)
        : store_(store), schedules_(schedules), connections_(connections), commands_(commands) {}

    struct Deployed {
        model::WorkflowPtr workflow;
        bool changed = false;                     // a new version was made
        std::vector<std::string> schedules = {};  // names, of those that its triggers upserted
        std::vector<std::string> removed = {};    // and of those that no trigger asks for any more
    };
    // Writes the next version, unless the newest is the same, and upserts the schedules of its triggers. `version` of the
    // request is not looked at, unless it is `expected`: then the newest must be just before it.
    // REQUIRES: it was checked (model/workflow_check.hpp).
    [[nodiscard]] Result<Deployed> deploy(model::Workflow workflow, std::optional<std::int64_t> expected, const ScheduleOf& schedule_of,
                                          const model::CommandContext& context);

    // A conflict while a schedule that is not deleted starts it, unless the caller insists.
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& name, bool insist);

    [[nodiscard]] Result<model::WorkflowPtr> get(const std::string& tenant, const std::string& name, std::optional<std::int64_t> version) {
        return store_.workflow(tenant, name, version);
    }

private:
    [[nodiscard]] std::optional<Error> check_names(const model::Workflow& workflow) const;
    [[nodiscard]] Result<void> upsert(Wanted wanted, const model::CommandContext& context);
    [[nodiscard]] Result<void> change(const store::ScheduleRef& ref, const Wanted& wanted, const model::CommandContext& context);
    [[nodiscard]] Result<std::vector<std::string>> schedules_of(const std::string& tenant, const std::string& workflow);

    store::Store& store_;
    Schedules& schedules_;
    const Connections& connections_;
    const Commands& commands_;
};

// Marks the schedules that a workflow's triggers made; the value is the workflow's name.
inline constexpr const char* kDeployedLabel = "belfry.workflow";

// Why a schedule is paused whose trigger is not enabled: the next deployment knows by it whose pause it is.
inline constexpr const char* kPausedByTrigger = "the workflow's trigger is not enabled";

}  // namespace belfry::engine
