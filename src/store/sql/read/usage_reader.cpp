#include "store/sql/read/usage_reader.hpp"

#include <boost/json/array.hpp>

#include "store/sql/read/rows.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

// Columns of kUsageOfRuns, from the fifth on.
Result<model::Usage> read_one(const Row& row) {
    model::Usage usage{model::Credits{row.integer(4)}, row.integer(5), row.integer(6)};
    const auto tools = parse_stored(row.text(7));
    if (!tools) return tools.error();
    if (!tools->is_array()) return Error{ErrorCode::corrupt, "the tools of a run cannot be read"};
    for (const auto& tool : tools->get_array()) {
        if (tool.is_string()) usage.tools.emplace(std::string_view(tool.get_string()));
    }
    return usage;
}

}  // namespace

Result<std::map<model::RunKey, UsageByAttempt>> read_usage(Session& session, const Batch& runs) {
    std::map<model::RunKey, UsageByAttempt> used;
    if (runs.empty()) return used;
    std::optional<Error> failed;
    auto read = session.run(kUsageOfRuns, runs, [&](const Row& row) {
        auto usage = read_one(row);
        if (!usage) {
            failed = usage.error();
            return;
        }
        used[{row.integer(0), row.integer(1)}][{text_at(row, 2), static_cast<int>(row.integer(3))}] = std::move(*usage);
    });
    if (!read) return read.error();
    if (failed) return *failed;
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
