// Applies plans that were made earlier.
#include <algorithm>

#include "store/errors.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/shared/one_by_one.hpp"
#include "store/sql/shared/waves.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

namespace {

using PlanResults = std::vector<std::optional<Error>>;

// Applies the plans of one wave, which belong to different schedules, inside a transaction.
class WaveApplier {
public:
    WaveApplier(Session& session, StoreMemory& memory, std::span<const decide::Plan> plans, const Wave& wave,
                PlanResults& results)
        : session_(session),
          memory_(memory),
          plans_(plans),
          wave_(wave),
          results_(results),
          tenants_(session, memory.usage, plans.front().decided_at) {}

    Result<void> apply(const spec::ZoneDatabase& zones, PlanWriter& writer) {
        auto subjects = lock(zones);
        if (!subjects) return subjects.error();
        if (auto loaded = tenants_.load(*subjects, ending_runs()); !loaded) return loaded;
        for (const auto& [key, index] : wave_) results_[index] = schedule_not_found({{}, plans_[index].schedule_id});
        for (const auto& subject : *subjects) {
            const auto index = wave_.at(subject.row.key);
            results_[index] = add(subject, plans_[index], writer);
        }
        if (auto written = writer.write(session_, memory_); !written) return written;
        if (auto counted = tenants_.write(); !counted) return counted;
        return notify(session_, notifications_);
    }

private:
    Result<std::vector<Subject>> lock(const spec::ZoneDatabase& zones) {
        Batch keys;
        for (const auto& [key, index] : wave_) keys.add_row(key);
        std::vector<StateRow> rows;
        rows.reserve(wave_.size());
        auto locked = session_.run(kLockForPlans, keys, [&rows](StateRow row) { rows.push_back(std::move(row)); });
        if (!locked) return locked.error();
        FactsReader reader(session_, memory_, zones);
        auto subjects = reader.subjects(std::move(rows), Unreadable::broken);
        if (!subjects) return subjects;
        if (auto told = reader.tell_workflows(*subjects); !told) return told.error();
        return subjects;
    }

    [[nodiscard]] BudgetGuard::Runs ending_runs() const {
        BudgetGuard::Runs runs;
        for (const auto& [key, index] : wave_) {
            for (const auto& end : plans_[index].ends)
                runs.ending.push_back(model::parse_run_id(end.run_id).value_or(model::RunKey{}));
        }
        return runs;
    }

    std::optional<Error> add(const Subject& subject, const decide::Plan& plan, PlanWriter& writer) {
        if (subject.broken || (plan.empty() && plan.revision == subject.row.state.revision)) return subject.broken;
        const bool followed = tenants_.follow(subject);
        if (auto error = writer.add(*subject.schedule, subject.row, subject.facts, plan, {followed})) return error;
        tenants_.count(subject, plan);
        // Beyond this number they become one Resync, so more need not be collected.
        if (notifications_.size() > kNotifiedMax) return std::nullopt;
        const NewsOf news{is_moved(plan, subject.row.state.next_fire), followed, memory_.default_connection};
        for (auto& each : notifications_of(plan, subject.schedule->compiled->definition, news)) {
            notifications_.push_back(std::move(each));
        }
        return std::nullopt;
    }

    Session& session_;
    StoreMemory& memory_;
    std::span<const decide::Plan> plans_;
    const Wave& wave_;
    PlanResults& results_;
    TenantGuard tenants_;
    std::vector<Notification> notifications_ = {};
};

}  // namespace

Result<std::vector<std::optional<Error>>> SqlStore::apply_together(std::span<const decide::Plan> plans) {
    PlanResults results(plans.size());
    std::vector<PlanWriter> writers;
    const auto waves = waves_by(plans, [](const decide::Plan& plan) { return model::key_of(plan.schedule_id); });
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& wave : waves) {
            WaveApplier applier(session, memory_, plans, wave, results);
            if (auto applied = applier.apply(zones_, writers.emplace_back(wave.size())); !applied) return applied;
        }
        return {};
    };
    auto done = commit(work, [&writers](Session& session) -> Result<CommitOutcome> {
        for (const auto& writer : writers) {
            if (!writer.traces().empty()) return look_for(session, writer.traces());
        }
        return CommitOutcome::yes;
    });
    if (!done) return done.error();
    return results;
}

Result<std::vector<std::optional<Error>>> SqlStore::apply(std::span<const decide::Plan> plans) {
    const auto one_does_not_fit = [](const Error& error) {
        return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists;
    };
    return batch_else_one_by_one(
        plans, [this](std::span<const decide::Plan> some) { return apply_together(some); }, one_does_not_fit);
}

}  // namespace belfry::store::sql
