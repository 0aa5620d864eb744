// Ends attempts: with the run, or with another attempt. sql_leases.cpp explains what a lease protects against.
#include <algorithm>

#include "store/errors.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/shared/one_by_one.hpp"
#include "store/sql/shared/waves.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/attempt_ender.hpp"

namespace belfry::store::sql {

// The lease was removed with its attempt. The reaper, which also ends attempts, would have done the same, unless the
// run has ended.
Result<SqlStore::CommitOutcome> SqlStore::look_for_retry(Session& session, const model::LeaseRef& lease) {
    const auto key = *model::parse_run_id(lease.run_id);
    auto read = session.run(kLockStatesWait, {key.schedule});
    if (!read) return read.error();
    const auto held = read_one(session, kLockLeases, {key.schedule, key.slot, lease.node});
    if (!held) return held.error();
    if (*held && (*held)->lease.ref.attempt == lease.attempt) return CommitOutcome::no;
    const auto run = read_one(session, kRunEnd, {key.schedule, key.slot});
    if (!run) return run.error();
    if (!*run) return CommitOutcome::unclear;
    const bool goes_on = !is_terminal((*run)->execution) || (*run)->attempts > lease.attempt;
    return goes_on ? CommitOutcome::yes : CommitOutcome::unclear;
}

// A report for a continuing attempt writes only usage, and writing that again would change nothing.
Result<SqlStore::CommitOutcome> SqlStore::look_for_report(Session& session, const AttemptReport& report) {
    if (!report.end.usage) return CommitOutcome::yes;
    const auto key = *model::parse_run_id(report.lease.run_id);
    if (auto locked = session.run(kLockStatesWait, {key.schedule}); !locked) return locked.error();
    const auto used = read_usage(session, {key.schedule, key.slot});
    if (!used) return used.error();
    const auto run = used->find(key);
    if (run == used->end()) return CommitOutcome::no;
    const auto attempt = run->second.find({report.lease.node, report.lease.attempt});
    if (attempt == run->second.end()) return CommitOutcome::no;
    return raised(attempt->second, *report.end.usage) == attempt->second ? CommitOutcome::yes : CommitOutcome::no;
}

SqlStore::AttemptPlans SqlStore::complete_together(std::span<const PendingReport> reports, Instant now) {
    std::vector<Result<decide::AttemptPlan>> results;
    std::vector<PendingReport> named;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        results.emplace_back(run_not_found(reports[i].report->lease.run_id));
        if (!model::parse_run_id(reports[i].report->lease.run_id)) continue;
        named.push_back(reports[i]);
        places.push_back(i);
    }
    std::vector<PlanWriter> writers;
    std::vector<Result<decide::AttemptPlan>> answers;
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& each : named) answers.emplace_back(run_not_found(each.report->lease.run_id));
        const auto waves = waves_by(
            named, [](const PendingReport& each) { return model::parse_run_id(each.report->lease.run_id)->schedule; });
        for (const auto& wave : waves) {
            auto& writer = writers.emplace_back();
            AttemptEnder ender(session, memory_, zones_, named, now, answers);
            if (auto ended = ender.end(wave, writer); !ended) return ended;
        }
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        for (const auto& writer : writers) {
            if (!writer.traces().empty()) return look_for(session, writer.traces());
        }
        const auto is_retry = [](const Result<decide::AttemptPlan>& answer) {
            return answer && std::holds_alternative<decide::Retry>(*answer);
        };
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (is_retry(answers[i])) return look_for_retry(session, named[i].report->lease);
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i]) return look_for_report(session, *named[i].report);
        }
        return CommitOutcome::yes;
    });
    if (!done) return done.error();
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(answers[i]);
    return results;
}

std::vector<SqlStore::AttemptPlans> SqlStore::complete_round(const std::vector<ReportingCall>& calls) {
    std::vector<PendingReport> all;
    auto now = calls.front().now;
    for (const auto& call : calls) {
        now = std::max(now, call.now);
        for (const auto& report : call.reports) all.push_back({&report, call.planner, call.ends});
    }
    const auto is_own = [](const Error& error) {
        return error.code == ErrorCode::conflict || error.code == ErrorCode::corrupt;
    };
    auto done = batch_else_one_by_one(
        std::span<const PendingReport>(all),
        [&](std::span<const PendingReport> some) { return complete_together(some, now); }, is_own);
    std::vector<AttemptPlans> answers;
    std::size_t next = 0;
    for (const auto& call : calls) {
        if (!done) {
            answers.emplace_back(done.error());
            continue;
        }
        std::vector<Result<decide::AttemptPlan>> own;
        for (std::size_t i = 0; i < call.reports.size(); ++i) own.push_back(std::move((*done)[next++]));
        answers.emplace_back(std::move(own));
    }
    return answers;
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::complete(std::span<const AttemptReport> reports, Instant now,
                                                                    const AttemptPlanner& planner) {
    return reports_.ask(0, reports.size(), {reports, now, &planner});
}

Result<std::vector<Result<decide::AttemptPlan>>> SqlStore::report_usage(std::span<const UsageReport> reports,
                                                                        Instant now, const UsagePlanner& planner) {
    const auto attempts = as_attempt_reports(reports);
    const auto attempt_planner = as_attempt_planner(planner);
    return reports_.ask(0, attempts.size(), {attempts, now, &attempt_planner, false});
}

}  // namespace belfry::store::sql
