#include "store/sql/run_reader.hpp"

#include "model/schedule_json.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

DefinitionPtr DefinitionCache::find(std::int64_t key, std::int64_t version) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find({key, version});
    return found != entries_.end() ? found->second : nullptr;
}

void DefinitionCache::keep(std::int64_t key, std::int64_t version, DefinitionPtr definition) {
    const MutexLock lock(mutex_);
    // Any one goes when it is full: whatever is needed again is read again.
    if (entries_.size() >= kMax) entries_.erase(entries_.begin());
    entries_[{key, version}] = std::move(definition);
}

Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session, const Statement& statement, const Batch& batch,
                                                                  DefinitionCache& cache, Sees sees) {
    std::vector<RunRow> rows;
    std::optional<Error> failed;
    auto read = session.run(statement, batch, [&](const Row& row) {
        auto run = read_run(row);
        if (run) {
            rows.push_back(std::move(*run));
        } else {
            failed = run.error();
        }
    });
    if (!read) return read.error();
    if (failed) return *failed;

    std::map<std::pair<std::int64_t, std::int64_t>, DefinitionPtr> definitions;
    Batch missing;
    for (const auto& row : rows) {
        const std::pair version{row.key.schedule, row.run.version};
        if (definitions.contains(version)) continue;
        auto& definition = definitions[version];
        definition = cache.find(version.first, version.second);
        if (!definition) missing.add_row(version.first, version.second);
    }
    read = session.run(kDefinitionVersions, missing, [&](const Row& row) {
        auto json = parse_stored(row.text(2));
        auto definition = json ? model::schedule_from_json(*json) : Result<model::Schedule>(json.error());
        if (!definition) {
            failed = Error{ErrorCode::corrupt, "a stored definition cannot be read: " + definition.error().message};
            return;
        }
        auto& kept = definitions[{row.integer(0), row.integer(1)}];
        kept = std::make_shared<const model::Schedule>(std::move(*definition));
        if (sees == Sees::committed) cache.keep(row.integer(0), row.integer(1), kept);
    });
    if (!read) return read.error();
    if (failed) return *failed;

    std::vector<RunWithDefinition> runs;
    runs.reserve(rows.size());
    for (auto& row : rows) {
        const auto& definition = definitions[{row.key.schedule, row.run.version}];
        if (!definition) return Error{ErrorCode::corrupt, "the definition of run " + row.run.id + " is missing"};
        row.run.schedule_id = definition->id;
        if (row.own_input) row.run.input = own_input(*definition, row.run.rotation_index_used);
        runs.push_back({std::move(row.run), definition});
    }
    return runs;
}

Result<std::vector<model::Run>> read_runs(Session& session, const Statement& statement, const Batch& batch, DefinitionCache& cache, Sees sees) {
    auto with_definitions = read_runs_with_definitions(session, statement, batch, cache, sees);
    if (!with_definitions) return with_definitions.error();
    std::vector<model::Run> runs;
    runs.reserve(with_definitions->size());
    for (auto& each : *with_definitions) runs.push_back(std::move(each.run));
    return runs;
}

}  // namespace belfry::store::sql
