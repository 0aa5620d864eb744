// Workflows: deploy, read, remove. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "engine/usecases/schedules.hpp"
#include "model/workflow/workflow.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class Workflows {
public:
    // The schedule that a workflow's trigger describes. The caller's ScheduleOf reads and validates it. A trigger
    // with `enabled: false` pauses the schedule; one without `enabled` leaves it as the operator set it.
    struct Wanted {
        model::Schedule schedule;
        std::optional<bool> enabled = {};
    };
    using ScheduleOf =
        std::function<Result<Wanted>(const model::Workflow& workflow, const Json& trigger, std::size_t index)>;

    // REQUIRES: all of them outlive it.
    Workflows(store::Store& store, Schedules& schedules, const Connections& connections, const Commands& commands,
              std::chrono::milliseconds http_timeout)
        : store_(store),
          schedules_(schedules),
          connections_(connections),
          commands_(commands),
          http_timeout_(http_timeout) {}

    struct Deployed {
        model::WorkflowPtr workflow;
        bool changed = false;                     // a new version was created
        std::vector<std::string> schedules = {};  // names of those that its triggers created or updated
        std::vector<std::string> removed = {};    // names of those without a trigger
    };
    // Writes the next version, unless the newest is the same, and creates or updates the schedules of its triggers.
    // Ignores the request's `version`, unless it is `expected`: then the newest version must be the one just before
    // it.
    //
    // A caller without the permission `approve` cannot deploy a version that requires fewer approvals than the
    // newest, even of a removed workflow, nor such schedules: the request is forbidden and recorded
    // (Schedules::refuse_loosening).
    //
    // REQUIRES: the workflow is validated (model/workflow/workflow_check.hpp).
    [[nodiscard]] Result<Deployed> deploy(model::Workflow workflow, std::optional<std::int64_t> expected,
                                          const ScheduleOf& schedule_of, const model::CommandContext& context);

    // Returns a conflict while a schedule that is not deleted starts the workflow, unless `insist` is set.
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& name, bool insist);

    [[nodiscard]] Result<model::WorkflowPtr> get(const std::string& tenant, const std::string& name,
                                                 std::optional<std::int64_t> version) {
        return store_.workflow(tenant, name, version);
    }
    [[nodiscard]] Result<store::Listing<store::WorkflowHead>> list(const std::string& tenant, const store::Page& page) {
        return store_.workflows(tenant, page);
    }

private:
    [[nodiscard]] Result<std::vector<model::ApprovalPolicy>> policies_elsewhere(const model::Workflow& workflow);
    [[nodiscard]] Result<std::int64_t> put(const model::Workflow& workflow, const model::CommandContext& context);
    [[nodiscard]] Result<void> check_loosening(model::Schedule wanted, const model::CommandContext& context);
    [[nodiscard]] std::optional<Error> check_names(const model::Workflow& workflow) const;
    [[nodiscard]] Result<void> upsert(Wanted wanted, const model::CommandContext& context);
    [[nodiscard]] Result<void> change(const store::ScheduleRef& ref, const Wanted& wanted,
                                      const model::CommandContext& context);
    [[nodiscard]] Result<std::vector<std::string>> schedules_of(const std::string& tenant, const std::string& workflow);

    store::Store& store_;
    Schedules& schedules_;
    const Connections& connections_;
    const Commands& commands_;
    const std::chrono::milliseconds http_timeout_;  // the longest call of an http node; rejects more
};

// Marks the schedules of a workflow's triggers; the value is the workflow's name.
inline constexpr const char* kDeployedLabel = "belfry.workflow";

// The pause reason of a schedule whose trigger is not enabled. The next deployment recognizes its own pause by it.
inline constexpr const char* kPausedByTrigger = "the workflow's trigger is not enabled";

}  // namespace belfry::engine
