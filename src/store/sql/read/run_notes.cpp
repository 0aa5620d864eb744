// Writes run events and assigns their sequence numbers.
#include <algorithm>

#include "store/sql/statements/statements_workflow_runs.hpp"
#include "store/sql/write/plan_writer.hpp"

namespace belfry::store::sql {

// A run without a workflow has no event counter: its history follows from the run and from events that already have a
// number.
Result<void> write_notes(Session& session, const RunNotes& notes) {
    if (notes.empty()) return {};
    Batch more;
    for (const auto& [run, events] : notes) {
        const auto unnumbered = std::ranges::count(events, 0, &model::RunEvent::sequence);
        if (unnumbered > 0) more.add_row(std::int64_t{unnumbered}, run.schedule, run.slot);
    }
    std::map<model::RunKey, std::int64_t> last;
    auto counted =
        session.run(kCountRunEvents, more, [&last](const RunEventCount& row) { last[row.run] = row.events; });
    if (!counted) return counted.error();
    Batch rows;
    for (const auto& [run, events] : notes) {
        const auto found = last.find(run);
        auto next =
            found == last.end() ? 0 : found->second - std::ranges::count(events, 0, &model::RunEvent::sequence) + 1;
        for (const auto& event : events) {
            if (event.sequence == 0 && found == last.end()) continue;
            const auto sequence = event.sequence != 0 ? event.sequence : next++;
            rows.add_row(run.schedule, run.slot, sequence, event.type, epoch_us(event.at), event.node,
                         to_text(event.payload));
        }
    }
    return run_batch(session, kInsertRunEvent, rows);
}

}  // namespace belfry::store::sql
