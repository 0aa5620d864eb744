#include "engine/usecases/backfills.hpp"

#include <algorithm>
#include <utility>

#include "engine/usecases/no_op_plan.hpp"
#include "store/rules/run_rows.hpp"

namespace belfry::engine {

using model::BackfillStatus;

namespace {

Error too_many(std::size_t most) {
    return Error{ErrorCode::invalid_argument,
                 "a backfill covers at most " + std::to_string(most) + " occurrences: choose a shorter range", "/from"};
}

// What the plan did with each of these occurrences.
std::vector<Backfills::Occurrence> outcomes(const decide::Facts& facts, const decide::Plan& plan,
                                            const std::vector<Instant>& occurrences) {
    std::vector<Backfills::Occurrence> all;
    const bool over = plan.state.status != model::ScheduleStatus::active;
    for (const auto at : occurrences) {
        // The ticker decides this one and all later ones.
        if (facts.state.next_occurrence && at >= *facts.state.next_occurrence) break;
        const auto planned =
            std::ranges::find(plan.runs, at, [](const decide::PlannedRun& run) { return run.slot.occurrence; });
        if (planned != plan.runs.end()) {
            all.push_back({at, store::run_row(plan, *planned, facts.schedule->definition.version)});
        } else if (!over || (!plan.runs.empty() && at < plan.runs.back().slot.occurrence)) {
            all.push_back({at, std::nullopt});
        }
    }
    return all;
}

}  // namespace

Result<IdempotentResult<model::Backfill>> Backfills::start(const Ref& ref, const decide::BackfillRequest& request,
                                                           const Context& context) {
    const auto make = [&] { return start_now(ref, request, context); };
    const auto recall = [&](const store::RequestRecord& earlier) {
        return store_.backfill(ref.tenant, earlier.backfill_id);
    };
    return run_idempotent<model::Backfill>(store_, ref.tenant, context.request, make, recall);
}

Result<model::Backfill> Backfills::start_now(const Ref& ref, const decide::BackfillRequest& request,
                                             const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    model::Backfill backfill;
    // The decision itself validates the request, so that the Backfiller can continue what starts here.
    const auto checked = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        if (auto page = decide::plan_backfill(facts, request, *now, 1, context); !page) return page.error();
        const auto& spec = facts.schedule->spec;
        if (std::cmp_greater(spec.count(request.from - Micros{1}, request.to, kBackfillOccurrencesMax + 1),
                             kBackfillOccurrencesMax)) {
            return too_many(kBackfillOccurrencesMax);
        }
        backfill.schedule_id = facts.schedule->definition.id;
        return no_op_plan(facts);
    });
    if (!checked) return checked.error();
    backfill.id = ids_.make(*now);
    backfill.from = request.from;
    backfill.to = request.to;
    backfill.overlap = request.overlap;
    backfill.concurrency = request.concurrency;
    backfill.rerun = request.rerun;
    backfill.next_from = request.from;
    backfill.created_by = context.principal;
    backfill.created_at = backfill.updated_at = *now;
    if (auto created = store_.create_backfill(ref.tenant, backfill, context.request); !created) return created.error();
    observer_.backfilled(ref.tenant, backfill);
    return backfill;
}

Result<Instant> Backfills::reach_of(const Ref& ref, const decide::BackfillRequest& request, Instant now,
                                    std::size_t most) {
    auto reach = request.from;
    const auto measured = store_.change(ref, {.now = now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto occurrences = facts.schedule->spec.between(request.from, request.to, most);
        if (!occurrences.empty()) reach = occurrences.back();
        return no_op_plan(facts);
    });
    if (!measured) return measured.error();
    return reach;
}

Result<Backfills::DryRun> Backfills::dry_run(const Ref& ref, const decide::BackfillRequest& request) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto reach = reach_of(ref, request, *now, kDryRunRowsMax);
    if (!reach) return reach.error();
    store::FactsRequest needs{.now = *now, .in_flight = true};
    needs.slots = std::pair{request.from, *reach + model::kRerunSpan};
    DryRun answer;
    auto foreseen = request;
    foreseen.foreseen = true;
    const auto planned = store_.change(ref, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        auto page = decide::plan_backfill(facts, foreseen, *now, kDryRunRowsMax);
        if (!page) return page.error();
        answer.runs = std::move(page->plan.runs);
        answer.passed_over = std::move(page->passed_over);
        answer.more = page->next_from.has_value();
        return no_op_plan(facts);
    });
    if (!planned) return planned.error();
    return answer;
}

Result<std::vector<Backfills::Occurrence>> Backfills::run_at_once(const Ref& ref,
                                                                  const decide::BackfillRequest& request,
                                                                  const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto reach = reach_of(ref, request, *now, kBackfillAtOnceMax + 1);
    if (!reach) return reach.error();
    store::FactsRequest needs{.now = *now, .in_flight = true};
    needs.slots = std::pair{request.from, *reach + model::kRerunSpan};
    std::vector<Occurrence> answer;
    decide::CompiledPtr schedule;
    const auto applied = store_.change(ref, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        schedule = facts.schedule;
        auto page = decide::plan_backfill(facts, request, *now, static_cast<int>(kBackfillAtOnceMax), context);
        if (!page) return page.error();
        const auto occurrences = facts.schedule->spec.between(request.from, request.to, kBackfillAtOnceMax + 1);
        if (occurrences.size() > kBackfillAtOnceMax) return too_many(kBackfillAtOnceMax);
        if (!occurrences.empty() && occurrences.back() > *reach)
            return Error{ErrorCode::conflict, "the schedule has just changed; retry the request"};
        answer = outcomes(facts, page->plan, occurrences);
        return std::move(page->plan);
    });
    if (!applied) return applied.error();
    if (!applied->empty()) observer_.decided(schedule->definition, *applied, *now);
    return answer;
}

Result<model::Backfill> Backfills::pause(const std::string& tenant, const std::string& id) {
    return become(tenant, id, BackfillStatus::paused);
}
Result<model::Backfill> Backfills::resume(const std::string& tenant, const std::string& id) {
    return become(tenant, id, BackfillStatus::running);
}
Result<model::Backfill> Backfills::cancel(const std::string& tenant, const std::string& id) {
    return become(tenant, id, BackfillStatus::cancelled);
}

Result<model::Backfill> Backfills::become(const std::string& tenant, const std::string& id, BackfillStatus status) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::optional<model::Backfill> same;
    const auto step = store_.step_backfill(
        tenant, id, {.now = *now, .stand_in = true},
        [&](const decide::Facts& facts, model::Backfill backfill) -> Result<store::BackfillStep> {
            if (is_over(backfill.status)) {
                return Error{ErrorCode::conflict, "the backfill is " + std::string(name_of(backfill.status)) +
                                                      ": an ended backfill cannot be changed"};
            }
            if (backfill.status == status) {
                same = backfill;
                return store::BackfillStep{no_op_plan(facts), backfill};
            }
            backfill.status = status;
            backfill.updated_at = *now;
            backfill.version += 1;
            return store::BackfillStep{no_op_plan(facts), backfill};
        });
    // The store rejects a step without progress.
    if (same) return *same;
    if (!step) return step.error();
    observer_.backfilled(tenant, step->backfill);
    return step->backfill;
}

}  // namespace belfry::engine
