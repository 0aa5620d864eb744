#include "decide/apply.hpp"

#include <cassert>

namespace belfry::decide {

using model::DispatchStatus;

void apply(const Plan& plan, Facts& facts) {
    assert(plan.revision == facts.state.revision);
    facts.state = plan.state;
    for (const auto& end : plan.ends) {
        if (const auto key = model::parse_run_id(end.run_id); key && is_failure(end.status))
            facts.failed.push_back(model::slot_from_number(key->slot));
        std::erase_if(facts.in_flight, [&end](const auto& run) { return run.id == end.run_id; });
    }
    for (const auto& run : plan.releases) {
        std::erase_if(facts.buffered, [&run](const auto& each) { return each.slot == run.slot; });
        if (run.dispatch == DispatchStatus::skipped) facts.skipped.push_back(run.slot);
        if (is_in_flight(run.execution)) facts.in_flight.push_back({run.id, run.slot});
    }
    for (const auto& run : plan.runs) {
        if (run.replaces) {
            std::erase(facts.taken, run.slot);
            std::erase(facts.skipped, run.slot);
        }
        if (run.dispatch == DispatchStatus::buffered) facts.buffered.push_back({run.slot, run.input});
        if (run.dispatch == DispatchStatus::skipped) facts.skipped.push_back(run.slot);
        if (is_in_flight(run.execution)) facts.in_flight.push_back({run.id, run.slot});
        facts.taken.push_back(run.slot);
    }
}

}  // namespace belfry::decide
