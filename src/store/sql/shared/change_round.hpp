// Changes of schedules that share a transaction. Each has its own result: a change that is rejected leaves the others
// alone.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "store/schedule_store.hpp"
#include "store/sql/read/facts_reader.hpp"
#include "store/sql/read/schedule_names.hpp"
#include "store/sql/shared/waves.hpp"
#include "store/sql/write/plan_writer.hpp"

namespace belfry::store::sql {

// Empty: the change did not take part, because another transaction holds its schedule. A shared transaction waits for
// no single schedule, since all its callers would wait.
using ChangeAnswer = std::optional<Result<decide::Plan>>;

class ChangeRound {
public:
    enum class Locked : std::uint8_t { skip, wait };  // schedules that another transaction holds

    // REQUIRES: the requests outlive it.
    ChangeRound(std::span<const ChangeRequest* const> requests, StoreMemory& memory, const spec::ZoneDatabase& zones,
                Locked locked);

    // The whole work of the transaction.
    [[nodiscard]] Result<void> decide(Session& session);

    // Of some of the plans, because all commit together; empty if none was written.
    [[nodiscard]] std::vector<CommitEvidence> traces() const;
    [[nodiscard]] std::vector<ChangeAnswer> take_answers() { return std::move(answers_); }

private:
    using Keys = std::vector<std::optional<std::int64_t>>;  // by request; empty: there is no such schedule
    [[nodiscard]] Result<Keys> find(Session& session);
    [[nodiscard]] Result<void> decide_wave(Session& session, Wave wave);
    [[nodiscard]] std::set<std::int64_t> tenants_of(const Wave& wave) const;
    [[nodiscard]] Result<std::vector<StateRow>> lock(Session& session, const Wave& wave);
    // Leaves out what cannot be decided, with the reason in `broken`.
    [[nodiscard]] Result<void> check(Session& session, const Wave& wave, std::vector<Subject>& subjects);
    [[nodiscard]] Result<decide::Plan> decide_one(Session& session, Subject& subject, const Planner& planner,
                                                  TenantGuard& tenants, PlanWriter& writer);

    const std::span<const ChangeRequest* const> requests_;
    StoreMemory& memory_;
    const spec::ZoneDatabase& zones_;
    const Locked locked_;
    Instant now_ = {};  // the latest of the requests
    std::vector<ChangeAnswer> answers_;
    ScheduleNames names_ = {};          // as last read
    std::set<std::int64_t> held_ = {};  // by other transactions
    std::vector<PlanWriter> writers_ = {};
    std::vector<Notification> notifications_ = {};
};

}  // namespace belfry::store::sql
