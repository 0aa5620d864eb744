#include "store/sql/read/usage_reader.hpp"

#include <boost/json/array.hpp>

#include "store/sql/read/read_all.hpp"
#include "store/sql/statements/statements_budgets.hpp"

namespace belfry::store::sql {

Result<std::map<model::RunKey, UsageByAttempt>> read_usage(Session& session, const Batch& runs) {
    std::map<model::RunKey, UsageByAttempt> used;
    if (runs.empty()) return used;
    auto attempts = read_all(session, kUsageOfRuns, runs);
    if (!attempts) return attempts.error();
    for (auto& [run, node, attempt, usage] : *attempts) used[run][{std::move(node), attempt}] = std::move(usage);
    return used;
}

void add_usage(Batch& batch, const model::RunKey& run, const std::string& node, int attempt,
               const model::Usage& usage) {
    boost::json::array tools;
    for (const auto& tool : usage.tools) tools.emplace_back(tool);
    batch.add_row(run.schedule, run.slot, node, std::int64_t{attempt}, usage.credits.micros, usage.tokens,
                  usage.tool_calls, to_text(tools));
}

Result<void> show_usage(Session& session, std::vector<model::Run>& runs) {
    Batch keys;
    for (const auto& run : runs) {
        if (run.dispatch != model::DispatchStatus::dispatched) continue;  // it never started
        const auto key = model::parse_run_id(run.id).value_or(model::RunKey{});
        keys.add_row(key.schedule, key.slot);
    }
    const auto used = read_usage(session, keys);
    if (!used) return used.error();
    for (auto& run : runs) {
        const auto found = used->find(model::parse_run_id(run.id).value_or(model::RunKey{}));
        if (found != used->end()) run.used = used_by_all(found->second);
    }
    return {};
}

}  // namespace belfry::store::sql
