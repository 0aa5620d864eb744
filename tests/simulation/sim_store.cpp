#include "simulation/sim_store.hpp"

#include <algorithm>

#include "model/identity.hpp"
#include "support/oracles/store_snapshot.hpp"

namespace belfry::sim {

namespace {

constexpr Micros kHealthyLatencyMax = std::chrono::milliseconds{2};

template <typename T>
std::string words_of(const Result<T>& result) {
    return result ? "ok" : "refused: " + result.error().message;
}

// In the order in which they were decided: what ends makes room for what starts.
std::vector<std::string> rows_of(const decide::Plan& plan) {
    std::vector<std::string> ids;
    for (const auto& change : plan.nodes) {
        const bool ends = std::ranges::find(plan.ends, change.run_id, &decide::RunEnd::run_id) != plan.ends.end();
        if (!ends && (ids.empty() || ids.back() != change.run_id)) ids.push_back(change.run_id);
    }
    for (const auto& end : plan.ends) ids.push_back(end.run_id);
    for (const auto& start : plan.starts) ids.push_back(start.run_id);
    for (const auto& run : plan.releases) ids.push_back(run.id);
    for (const auto& run : plan.runs) ids.push_back(run.id);
    return ids;
}

}  // namespace

void SimStore::tell(std::string_view verb, std::string_view outcome, const std::string& what) {
    context_.trace.mix(verb);
    context_.tell(server_, outcome.size(),
                  [&] { return std::string(verb) + ": " + std::string(outcome) + (what.empty() ? "" : " " + what); });
}

void SimStore::wait(bool before_commit) {
    const auto& faults = context_.options.store;
    auto delay = context_.random.between(Micros{50}, faulty() ? faults.latency_max : kHealthyLatencyMax);
    if (faulty() && context_.random.permille(faults.slow)) {
        context_.coverage.see(Sight::slow_call);
        delay = context_.random.between(Micros{0}, faults.slow_max);
    }
    context_.loop.sleep(delay);
    if (!faulty() || context_.loop.current_process() == kNobody || !context_.random.permille(faults.crash)) return;
    context_.coverage.see(before_commit ? Sight::crash_before_commit : Sight::crash_after_commit);
    tell("crash", before_commit ? "before the commit" : "after the commit");
    throw Crash{};
}

template <typename T>
Result<T> SimStore::call(std::string_view verb, Kind kind, const std::function<Result<T>()>& effect) {
    auto& random = context_.random;
    const auto& faults = context_.options.store;
    wait(true);
    const auto fail = [&](ErrorCode code, Sight sight, const char* outcome) -> Result<T> {
        context_.coverage.see(sight);
        tell(verb, outcome);
        return Error{code, outcome};
    };
    if (faulty()) {
        if (context_.loop.time() < context_.store_out_until || random.permille(faults.unavailable)) {
            return fail(ErrorCode::unavailable, Sight::call_unavailable, "unavailable");
        }
        if (kind == Kind::decides && random.permille(faults.conflict))
            return fail(ErrorCode::conflict, Sight::call_conflict, "conflict");
        if (kind != Kind::reads && random.permille(faults.unknown / 2)) {
            if (context_.mutant == Mutant::blind_retry) return effect();
            return fail(ErrorCode::unknown, Sight::unknown_not_committed, "unknown, not committed");
        }
    }
    auto result = effect();
    if (kind != Kind::reads) {
        tell(verb, words_of(result));
        context_.oracle.check_budgets();
    }
    if (faulty() && kind != Kind::reads && random.permille(faults.unknown / 2)) {
        wait(false);
        if (context_.mutant == Mutant::blind_retry) return effect();
        return fail(ErrorCode::unknown, Sight::unknown_committed, "unknown, committed");
    }
    // The answer takes its time as well, now and then: long enough for what it says to be no longer true.
    if (random.percent(20)) wait(false);
    return result;
}

void SimStore::show(const decide::Plan& plan, Commit commit) {
    if (plan.empty()) return;
    commit.schedule = plan.schedule_id;
    commit.runs = rows_of(plan);
    // A line alone: what is mixed into the hash must not depend on who reads it.
    if (context_.trace.keeps_lines())
        context_.trace.add_line(format_instant(context_.clock.now()) + " " + server_ + " commits " +
                                test::text_of(plan));
    context_.trace.mix(static_cast<std::uint64_t>(plan.state.revision));
    context_.oracle.committed(commit);
}

Result<Instant> SimStore::now() {
    const auto asked_at = context_.loop.time();
    const auto read = [&] {
        return call<Instant>("now", Kind::reads, [&] {
            if (times_.empty()) context_.clock.believe();
            return inner_.now();
        });
    };
    auto now = guard_ != nullptr ? guard_->read(read) : read();
    if (now) times_.emplace_back(*now, asked_at);
    if (times_.size() > kTimesKept) times_.pop_front();
    return now;
}

LeaseTime SimStore::lease_time(Instant now) const {
    return {asked_at(now), server_, now, guard_ != nullptr ? guard_->last_move() : ClockGuard::Move{}};
}

std::optional<Micros> SimStore::asked_at(Instant now) const {
    const auto found = std::ranges::find(times_.rbegin(), times_.rend(), now, &std::pair<Instant, Micros>::first);
    return found == times_.rend() ? std::nullopt : std::optional(found->second);
}

Result<store::ClusterView> SimStore::renew_membership(const store::MembershipRequest& request) {
    return call<store::ClusterView>("renew_membership", Kind::writes, [&] {
        auto view = inner_.renew_membership(request);
        if (view) context_.oracle.attended(*view);
        return view;
    });
}

Result<void> SimStore::leave(const std::string& server) {
    return call<void>("leave", Kind::writes, [&] { return inner_.leave(server); });
}

Result<store::CalendarRecord> SimStore::calendar(const std::string& tenant, const std::string& name) {
    return call<store::CalendarRecord>("calendar", Kind::reads, [&] { return inner_.calendar(tenant, name); });
}

Result<void> SimStore::create(std::span<const decide::Plan> plans) {
    return call<void>("create", Kind::writes, [&] {
        auto created = inner_.create(plans);
        if (!created) return created;
        for (const auto& plan : plans) {
            context_.schedules.push_back(plan.schedule_id);
            show(plan);
        }
        return created;
    });
}

// What stands in for it does, when the decision can do with that.
std::optional<Error> SimStore::unreadable(const decide::Facts& facts, const store::FactsRequest& needs) {
    const auto& id = facts.schedule->definition.id;
    if (!context_.poisoned.contains(id)) return std::nullopt;
    context_.oracle.poisoned(id);
    if (needs.stand_in) return std::nullopt;
    return Error{ErrorCode::corrupt, "the row cannot be read"};
}

Result<decide::Plan> SimStore::change(const store::ScheduleRef& schedule, const store::FactsRequest& needs,
                                      const store::Planner& planner) {
    return call<decide::Plan>("change", Kind::decides, [&] {
        auto plan = inner_.change(schedule, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
            if (auto error = unreadable(facts, needs)) return *error;
            return planner(facts);
        });
        if (plan) show(*plan);
        return plan;
    });
}

Result<store::TickOutcome> SimStore::tick(const store::TickRequest& request, const store::Planner& planner) {
    return call<store::TickOutcome>("tick", Kind::writes, [&]() -> Result<store::TickOutcome> {
        auto looked = request;
        // Somebody else holds the row.
        std::erase_if(looked.keys, [&](std::int64_t) {
            const bool held = faulty() && context_.random.permille(context_.options.store.passed_over);
            if (held) context_.coverage.see(Sight::passed_over);
            return held;
        });
        if (looked.keys.empty() && !request.keys.empty()) return store::TickOutcome{};
        const auto poisoning = [&](const decide::Facts& facts) -> Result<decide::Plan> {
            if (auto error = unreadable(facts, {})) return *error;
            return planner(facts);
        };
        auto outcome = inner_.tick(looked, poisoning);
        if (!outcome) return outcome;
        for (const auto& plan : outcome->plans) {
            if (helped_.contains(model::key_of(plan.schedule_id))) context_.coverage.see(Sight::helped_another);
            if (plan.state.next_fire && *plan.state.next_fire <= request.now)
                context_.coverage.see(Sight::catch_up_split);
            if (std::cmp_greater(plan.runs.size(), context_.options.engine.ticker.limits.catchup_per_tick + 1)) {
                context_.oracle.breach(16, "a tick decided " + std::to_string(plan.runs.size()) + " occurrences");
            }
            show(plan, {.by_tick = true});
        }
        return outcome;
    });
}

Result<std::vector<model::Task>> SimStore::claim(const store::ClaimRequest& request) {
    return call<std::vector<model::Task>>("claim", Kind::writes, [&] {
        auto tasks = inner_.claim(request);
        if (tasks) context_.oracle.claimed(*tasks, request, lease_time(request.now));
        return tasks;
    });
}

Result<std::vector<model::LeaseRef>> SimStore::heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                         Instant until, const ClockGuard::Move& step) {
    return call<std::vector<model::LeaseRef>>("heartbeat", Kind::writes, [&] {
        auto held = inner_.heartbeat(leases, now, until, guard_ != nullptr ? guard_->last_move() : step);
        if (held) context_.oracle.renewed(*held, until, until - now, lease_time(now));
        return held;
    });
}

Result<std::vector<model::LeaseRef>> SimStore::transfer_lease(std::span<const store::LeaseTransfer> leases,
                                                              Instant now) {
    return call<std::vector<model::LeaseRef>>("transfer_lease", Kind::writes,
                                              [&] { return inner_.transfer_lease(leases, now); });
}

Result<std::vector<model::Lease>> SimStore::expired(Instant now, std::size_t limit) {
    return call<std::vector<model::Lease>>("expired", Kind::reads, [&] { return inner_.expired(now, limit); });
}

Result<void> SimStore::redate(std::span<const store::Redated> leases, Instant now) {
    return call<void>("redate", Kind::writes, [&] {
        auto done = inner_.redate(leases, now);
        if (done) context_.oracle.redated(leases);
        return done;
    });
}

Result<std::vector<Result<decide::AttemptPlan>>> SimStore::complete(std::span<const store::AttemptReport> reports,
                                                                    Instant now, const store::AttemptPlanner& planner) {
    return take("complete", reports,
                [&](std::size_t i) { return inner_.complete(reports.subspan(i, 1), now, planner); });
}

Result<std::vector<Result<decide::AttemptPlan>>> SimStore::report_usage(std::span<const store::UsageReport> reports,
                                                                        Instant now,
                                                                        const store::UsagePlanner& planner) {
    std::vector<store::AttemptReport> shown;
    for (const auto& report : reports)
        shown.push_back({report.lease, {.status = model::ExecutionStatus::running, .usage = report.usage}});
    return take("report_usage", shown,
                [&](std::size_t i) { return inner_.report_usage(reports.subspan(i, 1), now, planner); });
}

// One by one, so that the oracle sees each as it happens. `one` takes the report at this place.
Result<SimStore::AttemptPlans> SimStore::take(std::string_view verb, std::span<const store::AttemptReport> reports,
                                              const std::function<Result<AttemptPlans>(std::size_t)>& one) {
    return call<AttemptPlans>(verb, Kind::writes, [&]() -> Result<AttemptPlans> {
        AttemptPlans all;
        for (std::size_t i = 0; i < reports.size(); ++i) {
            const auto& report = reports[i];
            // Worse than a schedule that cannot be read: its runs cannot be, either.
            const auto run = inner_.run("default", report.lease.run_id);
            if (run && context_.poisoned.contains(run->schedule_id)) {
                all.emplace_back(Error{ErrorCode::corrupt, "the row cannot be read"});
                continue;
            }
            const auto counted = context_.oracle.counted(report);
            auto ended = one(i);
            if (!ended) return ended;
            auto& decided = ended->front();
            if (decided) context_.oracle.taken(report.lease, counted);
            if (decided) look_at_hand_over(report);
            const Commit commit{{}, {}, report.lease, counted, report.expired_before, false, began_at_, server_};
            if (decided && std::holds_alternative<decide::Plan>(*decided)) {
                show(std::get<decide::Plan>(*decided), commit);
            } else if (decided) {
                auto retried = commit;
                retried.schedule = inner_.run("default", report.lease.run_id).value().schedule_id;
                retried.runs = {report.lease.run_id};
                context_.oracle.committed(retried);
            }
            all.push_back(std::move(decided));
        }
        return all;
    });
}

// 24: what was handed over has arrived, under the key of its occurrence.
void SimStore::look_at_hand_over(const store::AttemptReport& report) {
    if (report.end.put_back) return context_.coverage.see(Sight::put_back);
    const auto* const receipt = report.end.result.if_object();
    if (receipt == nullptr || !receipt->contains("connection")) return;
    context_.coverage.see(Sight::handed_over);
    const auto run = inner_.run("default", report.lease.run_id).value();
    const auto key =
        model::idempotency_key(run.schedule_id, run.slot) + (report.lease.node.empty() ? "" : ":" + report.lease.node);
    if (context_.arrived.contains(key)) return;
    context_.oracle.breach(24, report.lease.run_id + " is done, and the broker does not have it");
}

Result<void> SimStore::create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                       const std::optional<model::RequestKey>& request) {
    return call<void>("create_backfill", Kind::decides,
                      [&] { return inner_.create_backfill(tenant, backfill, request); });
}

Result<std::vector<std::pair<std::string, model::Backfill>>> SimStore::running_backfills(std::size_t limit) {
    return call<std::vector<std::pair<std::string, model::Backfill>>>("running_backfills", Kind::reads,
                                                                      [&] { return inner_.running_backfills(limit); });
}

Result<store::BackfillStep> SimStore::step_backfill(const std::string& tenant, const std::string& id,
                                                    const store::FactsRequest& needs,
                                                    const store::BackfillPlanner& planner) {
    return call<store::BackfillStep>("step_backfill", Kind::decides, [&] {
        auto step = inner_.step_backfill(
            tenant, id, needs,
            [&](const decide::Facts& facts, const model::Backfill& backfill) -> Result<store::BackfillStep> {
                if (auto error = unreadable(facts, needs)) return *error;
                return planner(facts, backfill);
            });
        if (!step) return step;
        if (!step->plan.runs.empty()) context_.coverage.see(Sight::backfill_page);
        if (step->backfill.status == model::BackfillStatus::completed) context_.coverage.see(Sight::backfill_finished);
        show(step->plan);
        return step;
    });
}

Result<std::int64_t> SimStore::put_workflow(const model::Workflow& workflow, const store::WorkflowCheck& check) {
    return call<std::int64_t>("put_workflow", Kind::decides, [&] {
        auto version = inner_.put_workflow(workflow, check);
        if (version) context_.oracle.deployed(workflow, *version);
        return version;
    });
}

Result<void> SimStore::remove_workflow(const std::string& tenant, const std::string& name, Instant now) {
    return call<void>("remove_workflow", Kind::writes, [&] {
        auto removed = inner_.remove_workflow(tenant, name, now);
        if (removed) context_.oracle.removed(name);
        return removed;
    });
}

Result<model::WorkflowPtr> SimStore::workflow(const std::string& tenant, const std::string& name,
                                              std::optional<std::int64_t> version) {
    return call<model::WorkflowPtr>("workflow", Kind::reads, [&] { return inner_.workflow(tenant, name, version); });
}

Result<store::Listing<model::Approval>> SimStore::approvals(const store::ApprovalFilter& filter,
                                                            const store::Page& page) {
    return call<store::Listing<model::Approval>>("approvals", Kind::reads,
                                                 [&] { return inner_.approvals(filter, page); });
}

Result<std::vector<model::Approval>> SimStore::approvals_of(const std::string& tenant,
                                                            std::span<const std::string> run_ids) {
    return call<std::vector<model::Approval>>("approvals_of", Kind::reads,
                                              [&] { return inner_.approvals_of(tenant, run_ids); });
}

Result<std::vector<store::OverdueApproval>> SimStore::overdue_approvals(Instant now, std::size_t limit) {
    return call<std::vector<store::OverdueApproval>>("overdue_approvals", Kind::reads,
                                                     [&] { return inner_.overdue_approvals(now, limit); });
}

Result<std::vector<store::OverdueRun>> SimStore::overdue(Instant now, std::size_t limit) {
    return call<std::vector<store::OverdueRun>>("overdue", Kind::reads, [&] { return inner_.overdue(now, limit); });
}

Result<store::ScheduleRecord> SimStore::schedule(const store::ScheduleRef& schedule) {
    return call<store::ScheduleRecord>("schedule", Kind::reads, [&] { return inner_.schedule(schedule); });
}

Result<model::Run> SimStore::run(const std::string& tenant, const std::string& run_id) {
    return call<model::Run>("run", Kind::reads, [&] { return inner_.run(tenant, run_id); });
}

Result<store::Listing<model::Run>> SimStore::runs(const store::RunFilter& filter, const store::Page& page) {
    return call<store::Listing<model::Run>>("runs", Kind::reads, [&] { return inner_.runs(filter, page); });
}

Result<std::vector<store::Upcoming>> SimStore::upcoming(std::int64_t after_key, std::size_t limit) {
    return call<std::vector<store::Upcoming>>("upcoming", Kind::reads,
                                              [&] { return inner_.upcoming(after_key, limit); });
}

Result<std::vector<store::Upcoming>> SimStore::peek_next_fires(std::span<const std::int64_t> keys) {
    return call<std::vector<store::Upcoming>>("look", Kind::reads, [&] {
        auto found = inner_.peek_next_fires(keys);
        helped_.clear();
        for (const auto& each : found ? *found : std::vector<store::Upcoming>{}) {
            if (each.next_fire && *each.next_fire <= context_.clock.now()) helped_.insert(each.key);
        }
        return found;
    });
}

Result<store::PruneOutcome> SimStore::prune_some(const store::PruneRequest& request) {
    return call<store::PruneOutcome>("prune_some", Kind::writes, [&] {
        auto outcome = inner_.prune_some(request);
        if (outcome && outcome->removed > 0) context_.oracle.pruned(outcome->removed);
        return outcome;
    });
}

Result<store::RemovalOutcome> SimStore::remove_ended(const store::RemovalRequest& request) {
    return call<store::RemovalOutcome>("remove_ended", Kind::writes, [&] {
        auto outcome = inner_.remove_ended(request);
        if (outcome && outcome->runs > 0) context_.oracle.pruned(outcome->runs);
        if (outcome && outcome->schedules > 0) context_.oracle.removed_in_full(outcome->schedules);
        return outcome;
    });
}

}  // namespace belfry::sim
