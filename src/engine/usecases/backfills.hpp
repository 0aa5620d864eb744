// Runs past occurrences on request: start, pause, resume, cancel. The Backfiller processes them. Thread-safe.
#pragma once

#include "base/crypto/uuid.hpp"
#include "decide/schedule/backfill.hpp"
#include "engine/telemetry/observer.hpp"
#include "engine/usecases/idempotent_result.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kBackfillOccurrencesMax = 100'000;  // in one backfill
inline constexpr std::size_t kDryRunRowsMax = 1'000;
inline constexpr std::size_t kBackfillAtOnceMax = 1'000;  // occurrences that one transaction runs

class Backfills {
public:
    // REQUIRES: all of them outlive it.
    Backfills(store::Store& store, Observer& observer, UuidMaker& ids)
        : store_(store), observer_(observer), ids_(ids) {}

    using Ref = store::ScheduleRef;
    using Context = model::CommandContext;

    // Starts a backfill; its occurrences follow in the background. With a request key in the context, repeated
    // requests start it once.
    [[nodiscard]] Result<IdempotentResult<model::Backfill>> start(const Ref& ref,
                                                                  const decide::BackfillRequest& request,
                                                                  const Context& context);

    struct DryRun {
        std::vector<decide::PlannedRun> runs;              // of the first kDryRunRowsMax occurrences
        std::vector<decide::PassedOver> passed_over = {};  // those of them that get no run
        bool more = false;
    };
    // Returns what the backfill would do; changes nothing.
    [[nodiscard]] Result<DryRun> dry_run(const Ref& ref, const decide::BackfillRequest& request);

    struct Occurrence {
        Instant at = {};
        std::optional<model::Run> run = {};  // empty: a tick or a backfill ran it before
    };
    // Runs the whole range in one transaction instead of in the background. Returns the result of each occurrence,
    // oldest first. The list ends early when maxRuns is reached. Rejects a range of more than kBackfillAtOnceMax
    // occurrences.
    [[nodiscard]] Result<std::vector<Occurrence>> run_at_once(const Ref& ref, const decide::BackfillRequest& request,
                                                              const Context& context);

    [[nodiscard]] Result<model::Backfill> pause(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<model::Backfill> resume(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<model::Backfill> cancel(const std::string& tenant, const std::string& id);

private:
    [[nodiscard]] Result<model::Backfill> start_now(const Ref& ref, const decide::BackfillRequest& request,
                                                    const Context& context);
    // Returns the last occurrence of the range, of the first `most`. The decision needs the rows up to there as
    // facts.
    [[nodiscard]] Result<Instant> reach_of(const Ref& ref, const decide::BackfillRequest& request, Instant now,
                                           std::size_t most);
    [[nodiscard]] Result<model::Backfill> become(const std::string& tenant, const std::string& id,
                                                 model::BackfillStatus status);

    store::Store& store_;
    Observer& observer_;
    UuidMaker& ids_;
};

}  // namespace belfry::engine
