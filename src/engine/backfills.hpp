// Past occurrences, run now: asking for them, watching, pausing, cancelling. The Backfiller works them off. Thread-safe.
#pragma once

#include "base/uuid.hpp"
#include "decide/backfill.hpp"
#include "engine/answered.hpp"
#include "engine/observer.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kBackfillOccurrencesMax = 100'000;  // that one backfill may cover
inline constexpr std::size_t kDryRunRowsMax = 1'000;
inline constexpr std::size_t kBackfillAtOnceMax = 1'000;  // occurrences that one transaction runs

class Backfills {
public:
    // REQUIRES: all of them outlive it.
    Backfills(store::Store& store, Observer& observer, UuidMaker& ids) : store_(store), observer_(observer), ids_(ids) {}

    using Ref = store::ScheduleRef;
    using Context = model::CommandContext;

    // Begins; the occurrences follow in the background. With a request key in the context it begins once, however often it is
    // asked for.
    [[nodiscard]] Result<Answered<model::Backfill>> start(const Ref& ref, const decide::BackfillRequest& request, const Context& context);

    struct DryRun {
        std::vector<decide::PlannedRun> runs;              // of the first kDryRunRowsMax occurrences
        std::vector<decide::PassedOver> passed_over = {};  // the others of them
        bool more = false;
    };
    // What it would do; nothing is changed.
    [[nodiscard]] Result<DryRun> dry_run(const Ref& ref, const decide::BackfillRequest& request);

    struct Occurrence {
        Instant at = {};
        std::optional<model::Run> run = {};  // nothing: it had been run before, by a tick or a backfill
    };
    // The whole range in one transaction instead of in the background: what became of each occurrence, from the oldest. The list
    // ends early when maxRuns is exhausted. Refuses a range of more than kBackfillAtOnceMax occurrences.
    [[nodiscard]] Result<std::vector<Occurrence>> run_at_once(const Ref& ref, const decide::BackfillRequest& request, const Context& context);

    [[nodiscard]] Result<model::Backfill> pause(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<model::Backfill> resume(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<model::Backfill> cancel(const std::string& tenant, const std::string& id);

private:
    [[nodiscard]] Result<model::Backfill> start_now(const Ref& ref, const decide::BackfillRequest& request, const Context& context);
    // The last occurrence of the range, of which there are at most `most`: the rows up to there are facts of the decision.
    [[nodiscard]] Result<Instant> reach_of(const Ref& ref, const decide::BackfillRequest& request, Instant now, std::size_t most);
    [[nodiscard]] Result<model::Backfill> become(const std::string& tenant, const std::string& id, model::BackfillStatus status);

    store::Store& store_;
    Observer& observer_;
    UuidMaker& ids_;
};

}  // namespace belfry::engine
