#include "engine/backfills.hpp"

#include "engine/nothing.hpp"

namespace belfry::engine {

using model::BackfillStatus;

Result<Answered<model::Backfill>> Backfills::start(const Ref& ref, const decide::BackfillRequest& request, const Context& context) {
    const auto make = [&] { return start_now(ref, request, context); };
    const auto recall = [&](const store::RequestRecord& earlier) { return store_.backfill(ref.tenant, earlier.backfill_id); };
    return answer_once<model::Backfill>(store_, ref.tenant, context.request, make, recall);
}

Result<model::Backfill> Backfills::start_now(const Ref& ref, const decide::BackfillRequest& request, const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    model::Backfill backfill;
    // Asked of the decision itself, so that what begins can also go on.
    const auto checked = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        if (auto page = decide::plan_backfill(facts, request, *now, 1, context); !page) return page.error();
        const auto& spec = facts.schedule->spec;
        if (spec.between(request.from, request.to, kBackfillOccurrencesMax + 1).size() > kBackfillOccurrencesMax) {
            return Error{ErrorCode::invalid_argument,
                         "a backfill covers at most " + std::to_string(kBackfillOccurrencesMax) + " occurrences: choose a shorter range", "/from"};
        }
        backfill.schedule_id = facts.schedule->definition.id;
        return nothing(facts);
    });
    if (!checked) return checked.error();
    backfill.id = ids_.make(*now);
    backfill.from = request.from;
    backfill.to = request.to;
    backfill.overlap = request.overlap;
    backfill.next_from = request.from;
    backfill.created_by = context.principal;
    backfill.created_at = backfill.updated_at = *now;
    if (auto created = store_.create_backfill(ref.tenant, backfill, context.request); !created) return created.error();
    observer_.backfilled(ref.tenant, backfill);
    return backfill;
}

Result<Backfills::DryRun> Backfills::dry_run(const Ref& ref, const decide::BackfillRequest& request) {
    const auto now = store_.now();
    if (!now) return now.error();
    // How far the rows reach that the decision has to see.
    auto reach = request.from;
    const auto measured = store_.change(ref, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        const auto occurrences = facts.schedule->spec.between(request.from, request.to, kDryRunRowsMax);
        if (!occurrences.empty()) reach = occurrences.back();
        return nothing(facts);
    });
    if (!measured) return measured.error();
    store::Needs needs{.now = *now, .in_flight = true};
    needs.slots = std::pair{request.from, reach};
    DryRun answer;
    const auto planned = store_.change(ref, needs, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        auto page = decide::plan_backfill(facts, request, *now, kDryRunRowsMax);
        if (!page) return page.error();
        answer.runs = std::move(page->plan.runs);
        answer.more = page->next_from.has_value();
        return nothing(facts);
    });
    if (!planned) return planned.error();
    return answer;
}

Result<model::Backfill> Backfills::pause(const std::string& tenant, const std::string& id) { return become(tenant, id, BackfillStatus::paused); }
Result<model::Backfill> Backfills::resume(const std::string& tenant, const std::string& id) { return become(tenant, id, BackfillStatus::running); }
Result<model::Backfill> Backfills::cancel(const std::string& tenant, const std::string& id) { return become(tenant, id, BackfillStatus::cancelled); }

Result<model::Backfill> Backfills::become(const std::string& tenant, const std::string& id, BackfillStatus status) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::optional<model::Backfill> same;
    const auto step =
        store_.step_backfill(tenant, id, {.now = *now}, [&](const decide::Facts& facts, model::Backfill backfill) -> Result<store::BackfillStep> {
            if (is_over(backfill.status)) {
                return Error{ErrorCode::conflict, "the backfill is " + std::string(name_of(backfill.status)) + ": it cannot be changed any more"};
            }
            if (backfill.status == status) {
                same = backfill;
                return store::BackfillStep{nothing(facts), backfill};
            }
            backfill.status = status;
            backfill.updated_at = *now;
            backfill.version += 1;
            return store::BackfillStep{nothing(facts), backfill};
        });
    // The store refuses a step that does not move on.
    if (same) return *same;
    if (!step) return step.error();
    observer_.backfilled(tenant, step->backfill);
    return step->backfill;
}

}  // namespace belfry::engine
