// Ends attempts inside one transaction, or takes reports of their usage. sql_complete.cpp calls it.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "store/sql/read/facts_reader.hpp"
#include "store/sql/shared/waves.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/write/plan_writer.hpp"
#include "store/task_store.hpp"

namespace belfry::store::sql {

struct PendingReport {
    const AttemptReport* report;
    const AttemptPlanner* planner;
    bool ends;  // otherwise the attempt continues, unless the planner ends it
};

// The reports of one wave belong to different schedules.
class AttemptEnder {
public:
    // Sets the result of each report in the wave, at its place.
    AttemptEnder(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones,
                 std::span<const PendingReport> asked, Instant now, std::vector<Result<decide::AttemptPlan>>& results)
        : session_(session),
          memory_(memory),
          reader_(session, memory, zones),
          asked_(asked),
          now_(now),
          results_(results) {}

    [[nodiscard]] Result<void> end(const Wave& wave, PlanWriter& writer);

private:
    struct Attempt {
        std::size_t index = 0;  // of its report and its result
        const AttemptReport* report = nullptr;
        model::RunKey key = {};
        // Its lease is removed when it is read. If the attempt may continue, it is only locked.
        bool takes_lease = false;
        std::optional<LeaseRow> lease = {};
        std::optional<RunWithDefinition> run = {};
    };

    using Taken = std::vector<std::pair<Subject*, const Attempt*>>;

    [[nodiscard]] Attempt attempt_at(std::size_t index) const;
    [[nodiscard]] Attempt& attempt_of(std::int64_t schedule);
    [[nodiscard]] std::set<std::int64_t> known_tenants() const;
    [[nodiscard]] Result<void> lock();
    [[nodiscard]] Result<void> gather_walks();
    // A run keeps the definition that decided it.
    [[nodiscard]] Result<void> tell_own_definitions();
    // The attempts whose reports are accepted, added to the facts of their schedules.
    [[nodiscard]] std::pair<Taken, BudgetGuard::Runs> take();
    [[nodiscard]] std::optional<Error> refusal(const Subject& subject, const Attempt& attempt);
    // Removes the attempt's lease, unless it was taken.
    void drop(const Attempt& attempt);
    // Gives a taken lease back: the attempt has not ended.
    void restore(const Attempt& attempt);
    [[nodiscard]] std::optional<Error> keep(const Subject& subject, const Attempt& attempt,
                                            const decide::AttemptPlan& decided, PlanWriter& writer,
                                            TenantGuard& tenants);
    [[nodiscard]] std::optional<Error> keep_plan(const Subject& subject, const Attempt& attempt,
                                                 const decide::Plan& plan, PlanWriter& writer, TenantGuard& tenants);
    void keep_retry(const Subject& subject, const Attempt& attempt, const decide::Retry& retry, PlanWriter& writer,
                    TenantGuard& tenants);
    [[nodiscard]] Result<void> write(PlanWriter& writer, TenantGuard& tenants);

    Session& session_;
    StoreMemory& memory_;
    FactsReader reader_;
    std::span<const PendingReport> asked_;
    Instant now_;
    std::vector<Result<decide::AttemptPlan>>& results_;

    std::vector<Attempt> attempts_ = {};  // by schedule
    std::vector<Subject> subjects_ = {};
    std::map<model::RunKey, WorkflowRunRow> walks_ = {};
    Batch usage_ = {};
    Batch lost_ = {};
    Batch restored_ = {};
    Batch retries_ = {};
    TaskRows tasks_ = {};
    RunNotes notes_ = {};
    std::vector<Notification> notifications_ = {};
};

}  // namespace belfry::store::sql
