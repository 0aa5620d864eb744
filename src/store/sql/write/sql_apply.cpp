// Applies plans that were made earlier.
#include <algorithm>

#include "store/errors.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"
#include "store/sql/write/waves.hpp"

namespace belfry::store::sql {

namespace {

// Columns of kLockForPlans; the plan has the rest of the state.
StateRow read_for_plan(const Row& row) {
    StateRow read{row.integer(0), row.integer(1), {}, text_at(row, 6)};
    read.state.revision = row.integer(2);
    read.state.status = static_cast<model::ScheduleStatus>(row.integer(3));
    read.state.next_fire = optional_instant(row, 4);
    read.state.events = row.integer(5);
    return read;
}

}  // namespace

Result<std::vector<std::optional<Error>>> SqlStore::apply_together(std::span<const decide::Plan> plans) {
    std::vector<std::optional<Error>> results(plans.size());
    std::vector<PlanWriter> writers;
    const auto waves = waves_by(plans, [](const decide::Plan& plan) { return model::key_of(plan.schedule_id); });
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& wave : waves) {
            Batch keys;
            for (const auto& [key, index] : wave) keys.add_row(key);
            std::vector<StateRow> rows;
            rows.reserve(wave.size());
            auto locked =
                session.run(kLockForPlans, keys, [&rows](const Row& row) { rows.push_back(read_for_plan(row)); });
            if (!locked) return locked.error();
            FactsReader reader(session, memory_, zones_);
            auto subjects = reader.subjects(std::move(rows), Unreadable::broken);
            if (!subjects) return subjects.error();
            if (auto told = reader.tell_workflows(*subjects); !told) return told;
            auto& writer = writers.emplace_back(wave.size());
            TenantGuard tenants(session, memory_.usage, plans.front().decided_at);
            BudgetGuard::Runs runs;
            for (const auto& [key, index] : wave) {
                for (const auto& end : plans[index].ends)
                    runs.ending.push_back(model::parse_run_id(end.run_id).value_or(model::RunKey{}));
            }
            if (auto loaded = tenants.load(*subjects, runs); !loaded) return loaded;
            std::vector<Notification> notifications;
            for (const auto& [key, index] : wave) results[index] = schedule_not_found({{}, plans[index].schedule_id});
            for (const auto& subject : *subjects) {
                const auto index = wave.at(subject.row.key);
                const auto& plan = plans[index];
                results[index] = subject.broken;
                if (subject.broken || (plan.empty() && plan.revision == subject.row.state.revision)) continue;
                const bool followed = tenants.follow(subject);
                results[index] = writer.add(*subject.schedule, subject.row, subject.facts, plan, followed);
                if (results[index]) continue;
                tenants.count(subject, plan);
                // Beyond this number they become one Resync, so more need not be collected.
                if (notifications.size() > kNotifiedMax) continue;
                const NewsOf news{is_moved(plan, subject.row.state.next_fire), followed, limits_.default_connection};
                for (auto& each : notifications_of(plan, subject.schedule->compiled->definition, news)) {
                    notifications.push_back(std::move(each));
                }
            }
            if (auto written = writer.write(session, memory_); !written) return written;
            if (auto counted = tenants.write(); !counted) return counted;
            if (auto told = notify(session, notifications); !told) return told;
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
    auto together = apply_together(plans);
    const auto one_does_not_fit = [](const Error& error) {
        return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists;
    };
    if (together || !one_does_not_fit(together.error())) return together;
    if (plans.size() == 1) return std::vector<std::optional<Error>>{together.error()};
    // One plan does not fit; it must not affect the others.
    std::vector<std::optional<Error>> results;
    for (const auto& plan : plans) {
        auto one = apply({&plan, 1});
        results.push_back(one ? std::move(one->front()) : std::optional(one.error()));
    }
    return results;
}

}  // namespace belfry::store::sql
