// Takes ready tasks from a queue, inside the transaction of a claim.
#pragma once

#include <map>
#include <vector>

#include "store/sql/database.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct PickedTask : QueuedTask {
    const ClaimRequest* by = nullptr;  // who gets it
    std::size_t bytes = 0;             // about so many in the answer, for claims with a bound

    [[nodiscard]] std::optional<Instant> deadline() const {
        return timeout_us ? std::optional(by->now + Micros{*timeout_us}) : std::nullopt;
    }
    [[nodiscard]] Instant lease_until() const;
};

// Tasks taken from a queue, with the rows of their runs.
struct Picks {
    std::vector<PickedTask> tasks = {};
    std::map<model::RunKey, RunRow> runs = {};
};

// How much one transaction takes from a queue.
struct PickLimits {
    std::size_t tasks = 0;
    std::size_t bytes = 0;  // all of them; the last one may go beyond
};

class TaskPicker {
public:
    // `request` is any of those who ask.
    TaskPicker(Session& session, std::int64_t queue, const ClaimRequest& request, Instant now,
               DefinitionCache& definitions)
        : session_(session), queue_(queue), request_(request), now_(now), definitions_(definitions) {}

    // The next ready tasks of the queue, without those whose runs were ended meanwhile: their rows go.
    [[nodiscard]] Result<Picks> pick(PickLimits limits);

    // Tasks that were picked and do not fit: they are ready again in their old places, and lose no attempt.
    [[nodiscard]] Result<void> put_back(const std::vector<PickedTask>& tasks);

private:
    [[nodiscard]] Result<std::vector<PickedTask>> take_ready(std::size_t limit);
    [[nodiscard]] Result<void> take_into(std::vector<PickedTask>& taken, std::size_t limit);
    [[nodiscard]] Result<void> promote(const std::vector<QueuedTask>& due, const std::vector<PickedTask>& taken);
    [[nodiscard]] Result<void> keep_fitting(std::vector<PickedTask>& tasks, std::size_t bytes);
    [[nodiscard]] Result<void> weigh(std::vector<PickedTask>& tasks);
    [[nodiscard]] Result<void> sort_out(std::vector<PickedTask> found, PickLimits& limits, Picks& picks);
    [[nodiscard]] Result<void> set_aside(const std::vector<PickedTask>& tasks);

    Session& session_;
    std::int64_t queue_;
    const ClaimRequest& request_;
    Instant now_;
    DefinitionCache& definitions_;
};

}  // namespace belfry::store::sql
