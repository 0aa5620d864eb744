#include "support/oracles/store_verbs.hpp"

#include <gtest/gtest.h>

#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <random>

#include "base/crypto/uuid.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "model/run/audit.hpp"

namespace belfry::test {

using decide::Facts;
using decide::Plan;
using store::FactsRequest;
using store::ScheduleRef;
using store::Store;

namespace {

constexpr std::size_t kPagesMax = 10'000;  // a listing that never ends is a failure, not a hang

template <typename T, typename Fetch>
std::vector<T> all_pages(const Fetch& fetch) {
    std::vector<T> all;
    std::string after;
    for (std::size_t page = 0; page < kPagesMax; ++page) {
        const Result<store::Listing<T>> listing = fetch(after);
        if (!listing) {
            ADD_FAILURE() << "a page was refused: " << listing.error().message;
            return all;
        }
        all.insert(all.end(), listing->items.begin(), listing->items.end());
        if (listing->next.empty()) return all;
        after = listing->next;
    }
    ADD_FAILURE() << "a listing without an end";
    return all;
}

// A plan that changes nothing.
Plan no_op_plan(const Facts& facts) {
    Plan plan;
    plan.schedule_id = facts.schedule->definition.id;
    plan.revision = facts.state.revision;
    plan.state = facts.state;
    return plan;
}

std::string hex(const std::string& bytes) {
    std::string text;
    boost::algorithm::hex_lower(bytes.begin(), bytes.end(), std::back_inserter(text));
    return text;
}

}  // namespace

std::string new_id() {
    static std::mt19937_64 random(20260601);
    static UuidMaker maker([] { return random(); });
    return maker.make(instant("2026-05-01T00:00:00Z"));
}

model::Schedule task_schedule(const Edit& edit) {
    return definition([&edit](model::Schedule& schedule) {
        schedule.id = new_id();
        schedule.target.type = model::TargetType::task;
        if (edit) edit(schedule);
    });
}

model::Workflow diamond() {
    const auto node = [](const std::string& id, std::vector<std::string> before, const char* input) {
        model::WorkflowNode each;
        each.id = id;
        each.depends_on = std::move(before);
        each.input = json(input);
        return each;
    };
    model::Workflow workflow;
    workflow.tenant = "default";
    workflow.name = "steps";
    workflow.nodes = {node("a", {}, R"({"audience":"${input/audience}"})"),
                      node("b", {"a"}, R"({"from":"${nodes.a.output/rows}"})"), node("c", {"a"}, "null"),
                      node("d", {"b", "c"}, R"({"b":"${nodes.b.output}","c":"${nodes.c.output}"})")};
    workflow.created_by = "tests";
    workflow.created_at = instant("2026-06-01T08:00:00Z");
    return workflow;
}

model::Schedule workflow_schedule(const Edit& edit) {
    return task_schedule([&edit](model::Schedule& schedule) {
        schedule.target.type = model::TargetType::workflow;
        schedule.target.kind = "steps";
        schedule.target.input = json(R"({"audience":"all"})");
        if (edit) edit(schedule);
    });
}

ScheduleRef ref_of(const model::Schedule& schedule) { return {.tenant = schedule.tenant, .id = schedule.id}; }

Result<void> create(Store& store, const std::vector<model::Schedule>& schedules, Instant now) {
    std::vector<Plan> plans;
    for (const auto& schedule : schedules) plans.push_back(decide::plan_create(compiled(schedule), now).value());
    return store.create(plans);
}

Result<store::TickOutcome> tick(Store& store, Instant now, std::vector<std::int64_t> keys,
                                const decide::Limits& limits) {
    return store.tick({.now = now, .keys = std::move(keys)},
                      [&](const Facts& facts) -> Result<Plan> { return decide::plan_tick(facts, now, limits); });
}

Result<Plan> trigger(Store& store, const ScheduleRef& schedule, Instant now, const decide::TriggerRequest& request) {
    using model::OverlapPolicy;
    const auto slot = std::chrono::floor<std::chrono::milliseconds>(now);
    const bool acts =
        request.overlap == OverlapPolicy::cancel_other || request.overlap == OverlapPolicy::terminate_other;
    return store.change(schedule, {.now = now, .in_flight = acts, .slots = std::pair<Instant, Instant>{slot, slot}},
                        [&](const Facts& facts) { return decide::plan_trigger(facts, request, now); });
}

Result<Plan> pause(Store& store, const ScheduleRef& schedule, Instant now, const decide::PauseRequest& request) {
    return store.change(schedule, {.now = now},
                        [&](const Facts& facts) { return decide::plan_pause(facts, request, now); });
}

Result<Plan> resume(Store& store, const ScheduleRef& schedule, Instant now) {
    return store.change(schedule, {.now = now}, [&](const Facts& facts) { return decide::plan_resume(facts, now); });
}

Result<Plan> update(Store& store, const ScheduleRef& schedule, Instant now, const Edit& edit) {
    return store.change(schedule, {.now = now}, [&](const Facts& facts) {
        auto changed = facts.schedule->definition;
        edit(changed);
        return decide::plan_update(facts, compiled(changed), now);
    });
}

Result<Plan> remove(Store& store, const ScheduleRef& schedule, Instant now) {
    return store.change(schedule, {.now = now},
                        [&](const Facts& facts) { return decide::plan_delete(facts, "asked", now); });
}

Result<Plan> judge(Store& store, const ScheduleRef& schedule, const std::string& run,
                   const decide::ApprovalDecision& decision, Instant now) {
    return store.change(schedule, {.now = now, .run = run},
                        [&](const Facts& facts) { return decide::plan_approval(facts, decision, now); });
}

Result<Plan> expire_approval(Store& store, const ScheduleRef& schedule, const std::string& run, const std::string& node,
                             Instant now) {
    return store.change(schedule, {.now = now, .run = run},
                        [&](const Facts& facts) { return decide::plan_approval_expiry(facts, node, now); });
}

Result<Plan> replay(Store& store, const ScheduleRef& schedule, const std::string& run, Instant now) {
    const auto slot = std::chrono::floor<std::chrono::milliseconds>(now);
    return store.change(schedule, {.now = now, .slots = std::pair<Instant, Instant>{slot, slot}, .run = run},
                        [&](const Facts& facts) {
                            auto plan = decide::plan_trigger(facts, {.input = facts.run->input}, now);
                            if (plan) plan->replays = run;
                            return plan;
                        });
}

Result<Plan> cancel(Store& store, const ScheduleRef& schedule, const std::string& run, Instant now) {
    return store.change(schedule, {.now = now, .run = run}, [&](const Facts& facts) {
        return decide::plan_completion(
            facts, {run, facts.run->execution, model::ExecutionStatus::cancelled, nullptr, "asked"}, now);
    });
}

model::LeaseRef lease_of(const model::Task& task) { return {task.run_id, task.attempt, task.node}; }

decide::AttemptEnd succeeded(Json result) {
    return {.status = model::ExecutionStatus::succeeded, .result = std::move(result)};
}
decide::AttemptEnd failed(const std::string& error) {
    return {.status = model::ExecutionStatus::failed, .error = error};
}

store::AttemptReport reaped(const model::LeaseRef& lease, Instant now) {
    return {
        lease, {model::ExecutionStatus::timed_out, model::FailureCategory::timeout, nullptr, "the lease ran out"}, now};
}

store::AttemptReport lost(const model::LeaseRef& lease, Instant now) {
    auto report = reaped(lease, now);
    report.end.worker_lost = true;
    return report;
}

Result<std::vector<Result<decide::AttemptPlan>>> complete(Store& store,
                                                          const std::vector<store::AttemptReport>& reports,
                                                          Instant now) {
    return store.complete(reports, now, [now](const Facts& facts, const decide::AttemptEnd& end) {
        return decide::plan_attempt_end(facts, end, now);
    });
}

Result<decide::AttemptPlan> complete(Store& store, const store::AttemptReport& report, Instant now) {
    auto done = complete(store, std::vector{report}, now);
    if (!done) return done.error();
    if (done->size() != 1) return Error{ErrorCode::corrupt, std::to_string(done->size()) + " answers to one report"};
    return std::move(done->front());
}

Result<std::vector<Result<decide::AttemptPlan>>> report_usage(Store& store,
                                                              const std::vector<store::UsageReport>& reports,
                                                              Instant now) {
    return store.report_usage(reports, now,
                              [now](const Facts& facts) { return decide::plan_usage_report(facts, now); });
}

model::Backfill new_backfill(const model::Schedule& schedule, Instant from, Instant to, Instant now) {
    model::Backfill backfill;
    backfill.id = new_id();
    backfill.schedule_id = schedule.id;
    backfill.from = from;
    backfill.to = to;
    backfill.next_from = from;
    backfill.created_by = "tests";
    backfill.created_at = now;
    backfill.updated_at = now;
    return backfill;
}

Result<store::BackfillStep> step(Store& store, const std::string& tenant, const model::Backfill& backfill, Instant now,
                                 int page) {
    const FactsRequest needs{
        .now = now, .in_flight = true, .slots = std::pair{backfill.from, backfill.to + model::kRerunSpan}};
    return store.step_backfill(
        tenant, backfill.id, needs,
        [&](const Facts& facts, const model::Backfill& current) -> Result<store::BackfillStep> {
            using model::BackfillStatus;
            if (current.status != BackfillStatus::running)
                return Error{ErrorCode::conflict, "the backfill is " + std::string(name_of(current.status))};
            store::BackfillStep next{.plan = no_op_plan(facts), .backfill = current};
            next.backfill.version += 1;
            next.backfill.updated_at = now;
            const decide::BackfillRequest request{current.next_from.value_or(current.from), current.to, current.overlap,
                                                  current.concurrency, current.rerun};
            const auto planned = decide::plan_backfill(facts, request, now, page);
            if (!planned) {
                next.backfill.status = BackfillStatus::failed;
                next.backfill.error = planned.error().message;
                return next;
            }
            for (const auto& run : planned->plan.runs) {
                (run.dispatch == model::DispatchStatus::dispatched ? next.backfill.dispatched
                                                                   : next.backfill.skipped) += 1;
            }
            next.plan = planned->plan;
            next.backfill.next_from = planned->next_from;
            if (!planned->next_from) next.backfill.status = BackfillStatus::completed;
            return next;
        });
}

Result<store::BackfillStep> set_status(Store& store, const std::string& tenant, const std::string& id,
                                       model::BackfillStatus status, Instant now) {
    return store.step_backfill(
        tenant, id, {.now = now},
        [&](const Facts& facts, const model::Backfill& current) -> Result<store::BackfillStep> {
            if (is_over(current.status))
                return Error{ErrorCode::conflict, "the backfill is " + std::string(name_of(current.status))};
            store::BackfillStep next{.plan = no_op_plan(facts), .backfill = current};
            next.backfill.status = status;
            next.backfill.version += 1;
            next.backfill.updated_at = now;
            return next;
        });
}

std::vector<store::ScheduleRecord> all_schedules(Store& store, const store::ScheduleFilter& filter, std::size_t page) {
    return all_pages<store::ScheduleRecord>([&](const std::string& after) {
        return store.schedules(filter, {after, page});
    });
}

std::vector<model::Run> all_runs(Store& store, const store::RunFilter& filter, std::size_t page) {
    return all_pages<model::Run>([&](const std::string& after) { return store.runs(filter, {after, page}); });
}

std::vector<model::Run> all_dead_letters(Store& store, const std::string& tenant, std::size_t page) {
    return all_pages<model::Run>([&](const std::string& after) { return store.dead_letters(tenant, {after, page}); });
}

std::vector<store::WorkflowHead> all_workflows(Store& store, const std::string& tenant, std::size_t page) {
    return all_pages<store::WorkflowHead>([&](const std::string& after) {
        return store.workflows(tenant, {after, page});
    });
}

std::vector<store::EventRecord> all_events(Store& store, const ScheduleRef& schedule, std::size_t page) {
    std::vector<store::EventRecord> all;
    for (std::size_t pages = 0; pages < kPagesMax; ++pages) {
        const auto found = store.events(schedule, all.empty() ? 0 : all.back().event.sequence, page);
        if (!found) ADD_FAILURE() << "events were refused: " << found.error().message;
        if (!found || found->empty()) return all;
        all.insert(all.end(), found->begin(), found->end());
    }
    ADD_FAILURE() << "events without an end";
    return all;
}

std::vector<store::Upcoming> all_upcoming(Store& store, std::size_t page) {
    std::vector<store::Upcoming> all;
    for (std::size_t pages = 0; pages < kPagesMax; ++pages) {
        const auto found = store.upcoming(all.empty() ? -1 : all.back().key, page);
        if (!found) ADD_FAILURE() << "upcoming was refused: " << found.error().message;
        if (!found || found->empty()) return all;
        all.insert(all.end(), found->begin(), found->end());
    }
    ADD_FAILURE() << "upcoming without an end";
    return all;
}

void expect_chain(const store::ScheduleRecord& schedule, const std::vector<store::EventRecord>& events) {
    SCOPED_TRACE("events of " + schedule.definition.name);
    EXPECT_EQ(static_cast<std::int64_t>(events.size()), schedule.state.events);
    model::ChainHash previous;
    std::int64_t sequence = 0;
    for (const auto& [event, hash] : events) {
        EXPECT_EQ(event.sequence, ++sequence) << "8: the stream has no gap";
        const auto error = model::check_payload(event.type, event.payload);
        EXPECT_FALSE(error) << error->message;
        previous = model::chain_hash(previous, schedule.definition.id, event, to_text(event.payload));
        EXPECT_EQ(hash, hex(previous)) << "8: event " << event.sequence << " breaks the chain";
    }
}

}  // namespace belfry::test
