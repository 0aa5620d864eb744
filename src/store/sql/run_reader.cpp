#include "store/sql/run_reader.hpp"

#include <map>

#include "model/schedule_json.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

Result<DefinitionPtr> read_definition(std::string_view body) {
    auto json = parse_stored(body);
    auto definition = json ? model::schedule_from_json(*json) : Result<model::Schedule>(json.error());
    if (!definition) return Error{ErrorCode::corrupt, "a stored definition cannot be read: " + definition.error().message};
    return std::make_shared<const model::Schedule>(std::move(*definition));
}

Result<DefinitionPtr> DefinitionCache::keep(std::int64_t key, std::int64_t version, std::string_view body) {
    auto definition = read_definition(body);
    if (definition) definitions_.keep({key, version}, *definition, body.size());
    return definition;
}

namespace {

RunWithDefinition with_definition(RunRow row, const DefinitionPtr& definition) {
    row.run.schedule_id = definition->id;
    if (row.own_input) row.run.input = own_input(*definition, row.run.rotation_index_used);
    return {std::move(row.run), definition};
}

}  // namespace

Result<std::vector<RunRow>> read_run_rows(Session& session, const Statement& statement, const Batch& batch) {
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
    return rows;
}

std::optional<std::vector<RunWithDefinition>> complete_from_memory(const std::vector<RunRow>& rows, DefinitionCache& cache) {
    std::vector<RunWithDefinition> runs;
    runs.reserve(rows.size());
    for (const auto& row : rows) {
        const auto definition = cache.find(row.key.schedule, row.run.version);
        if (!definition) return std::nullopt;
        runs.push_back(with_definition(row, definition));
    }
    return runs;
}

Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session, const Statement& statement, const Batch& batch,
                                                                  DefinitionCache& cache, Sees sees) {
    auto found = read_run_rows(session, statement, batch);
    if (!found) return found.error();
    auto& rows = *found;

    std::optional<Error> failed;
    std::map<std::pair<std::int64_t, std::int64_t>, DefinitionPtr> definitions;
    Batch missing;
    for (const auto& row : rows) {
        const std::pair version{row.key.schedule, row.run.version};
        if (definitions.contains(version)) continue;
        auto& definition = definitions[version];
        definition = cache.find(version.first, version.second);
        if (!definition) missing.add_row(version.first, version.second);
    }
    auto read = session.run(kDefinitionVersions, missing, [&](const Row& row) {
        const auto key = row.integer(0);
        const auto version = row.integer(1);
        auto definition = sees == Sees::committed ? cache.keep(key, version, row.text(2)) : read_definition(row.text(2));
        if (definition) {
            definitions[{key, version}] = std::move(*definition);
        } else {
            failed = definition.error();
        }
    });
    if (!read) return read.error();
    if (failed) return *failed;

    std::vector<RunWithDefinition> runs;
    runs.reserve(rows.size());
    for (auto& row : rows) {
        const auto& definition = definitions[{row.key.schedule, row.run.version}];
        if (!definition) return Error{ErrorCode::corrupt, "the definition of run " + row.run.id + " is missing"};
        runs.push_back(with_definition(std::move(row), definition));
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
