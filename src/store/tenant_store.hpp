// Tenants and what people define for them: calendars, assignees, workflow assignments and workflows. store.hpp has the
// contract of all calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/tenant/assignee.hpp"
#include "model/tenant/assignment.hpp"
#include "model/tenant/tenant.hpp"
#include "model/workflow/workflow.hpp"
#include "spec/calendar/calendar.hpp"
#include "store/page.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

// A tenant's usage of its limits.
struct TenantUsage {
    std::int64_t schedules = 0;                     // not deleted
    std::int64_t runs_today = 0;                    // by UTC; without its own limit: as of the last settle_usage
    std::optional<std::int64_t> stored_bytes = {};  // empty: not measured yet
    std::optional<Instant> measured_at = {};
    friend bool operator==(const TenantUsage&, const TenantUsage&) = default;
};

struct CalendarRecord {
    spec::CalendarText calendar;
    std::int64_t version = 1;
    friend bool operator==(const CalendarRecord&, const CalendarRecord&) = default;
};

// A workflow in a list: its newest version.
struct WorkflowHead {
    std::string name;
    std::int64_t version = 0;
    friend bool operator==(const WorkflowHead&, const WorkflowHead&) = default;
};

// Returns why the next version must not be written after this one; empty: it may. Must not call the store.
using WorkflowCheck = std::function<std::optional<Error>(const model::Workflow& newest)>;

class TenantStore : public virtual StoreClock {
public:
    // -- Tenants. `default` always exists. `version` must be the stored version plus one, or 1 for a new tenant.
    virtual Result<void> put_tenant(const model::Tenant& tenant) = 0;
    virtual Result<model::Tenant> tenant(const std::string& name) = 0;
    virtual Result<std::vector<model::Tenant>> tenants() = 0;
    virtual Result<TenantUsage> usage(const std::string& tenant, Instant now) = 0;

    // -- Calendars of a tenant, without the built-in ones. `version` as for tenants. A calendar that a schedule uses
    // cannot be removed. A change applies to a schedule from its next decision.
    virtual Result<void> put_calendar(const std::string& tenant, const CalendarRecord& record) = 0;
    virtual Result<void> remove_calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<CalendarRecord> calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<Listing<CalendarRecord>> calendars(const std::string& tenant, const Page& page) = 0;  // by name

    // -- Assignees of a tenant, by id. `version` as for tenants. A record can be removed while schedules use it: the
    // assignee then has no limits. If it is added again on the same day, the usage of that day still counts.
    virtual Result<void> put_assignee(const std::string& tenant, const model::AssigneeRecord& record) = 0;
    virtual Result<void> remove_assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::AssigneeRecord> assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::AssigneeRecord>> assignees(const std::string& tenant, const Page& page) = 0;
    // The budget that the assignee's runs of that day have taken. A plan that dispatches a run with a budget reserves
    // the run's maximum. When a plan ends the run, the same transaction settles the reservation, exactly once.
    virtual Result<model::BudgetDay> budget(const std::string& tenant, const std::string& assignee, model::Day day) = 0;

    // -- Workflow assignments of a tenant, by id. Ids are never reused. `version` as for tenants. An assignment that
    // a schedule uses cannot be removed, and a schedule cannot use one that does not exist: invalid_argument. A
    // change applies to a schedule from its next decision.
    virtual Result<void> put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) = 0;
    virtual Result<void> remove_assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::WorkflowAssignment> assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::WorkflowAssignment>> assignments(const std::string& tenant, const Page& page) = 0;

    // -- Workflows of a tenant. `version` must be the newest plus one, 1 for a new workflow, or 0 for the next one;
    // the call returns it. A version never changes. A removed workflow is not_found, but its runs continue, and a new
    // version continues the numbering. The store first calls `check` with the newest version, even of a removed
    // workflow, and writes nothing if it returns an error.
    virtual Result<std::int64_t> put_workflow(const model::Workflow& workflow, const WorkflowCheck& check = {}) = 0;
    virtual Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) = 0;
    // Returns the newest version if `version` is empty.
    virtual Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                                std::optional<std::int64_t> version) = 0;
    virtual Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) = 0;  // by name
};

}  // namespace belfry::store
