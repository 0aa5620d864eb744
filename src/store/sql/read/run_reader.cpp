#include "store/sql/read/run_reader.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "model/schedule/schedule_json.hpp"
#include "store/listing.hpp"
#include "store/rules/run_rows.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/unreadable.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

Result<DefinitionPtr> read_definition(std::string_view body) {
    auto json = parse_stored(body);
    auto definition = json ? model::schedule_from_json(*json) : Result<model::Schedule>(json.error());
    if (!definition)
        return Error{ErrorCode::corrupt, "a stored definition cannot be read: " + definition.error().message};
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
    const bool unreadable = row.unreadable;
    return {std::move(row.run), definition, unreadable};
}

}  // namespace

Result<void> read_versions(Session& session, DefinitionVersions& definitions, DefinitionCache& cache, Sees sees) {
    Batch missing;
    for (auto& [version, definition] : definitions) {
        definition = cache.find(version.first, version.second);
        if (!definition) missing.add_row(version.first, version.second);
    }
    auto read = session.run(kDefinitionVersions, missing, [&](const DefinitionVersion& row) {
        auto definition = sees == Sees::committed ? cache.keep(row.version.first, row.version.second, row.body)
                                                  : read_definition(row.body);
        if (definition) definitions[row.version] = std::move(*definition);
    });
    if (!read) return read.error();
    return {};
}

std::optional<std::vector<RunWithDefinition>> complete_from_memory(const std::vector<RunRow>& rows,
                                                                   DefinitionCache& cache) {
    std::vector<RunWithDefinition> runs;
    runs.reserve(rows.size());
    for (const auto& row : rows) {
        const auto definition = cache.find(row.key.schedule, row.run.version);
        if (!definition) return std::nullopt;
        runs.push_back(with_definition(row, definition));
    }
    return runs;
}

Result<std::set<model::RunKey>> unreadable_among(Session& session, const std::vector<RunRow>& rows,
                                                 DefinitionCache& cache) {
    DefinitionVersions definitions;
    for (const auto& row : rows) {
        if (!cache.find(row.key.schedule, row.run.version)) definitions[{row.key.schedule, row.run.version}] = nullptr;
    }
    if (!definitions.empty()) {
        if (auto read = read_versions(session, definitions, cache, Sees::anything); !read) return read.error();
    }
    std::set<model::RunKey> unreadable;
    for (const auto& row : rows) {
        const auto found = definitions.find({row.key.schedule, row.run.version});
        if (row.unreadable || (found != definitions.end() && !found->second)) unreadable.insert(row.key);
    }
    return unreadable;
}

namespace {

// Adds all their definitions at once.
Result<std::vector<RunWithDefinition>> complete(Session& session, std::span<RunRow> rows, DefinitionCache& cache,
                                                Sees sees) {
    DefinitionVersions definitions;
    for (const auto& row : rows) definitions[{row.key.schedule, row.run.version}] = nullptr;
    if (auto read = read_versions(session, definitions, cache, sees); !read) return read.error();
    Batch lost;
    for (const auto& [version, definition] : definitions) {
        if (!definition) lost.add_row(version.first);
    }
    const auto known = read_known(session, lost);
    if (!known) return known.error();

    std::vector<RunWithDefinition> runs;
    runs.reserve(rows.size());
    for (auto& row : rows) {
        const auto key = row.key.schedule;
        if (const auto& definition = definitions[{key, row.run.version}]) {
            runs.push_back(with_definition(std::move(row), definition));
        } else if (const auto standing_in = known->find(key); standing_in != known->end()) {
            runs.push_back(with_definition(std::move(row), standing_in->second));
            runs.back().unreadable = true;
        } else {
            return Error{ErrorCode::corrupt, "the definition of run " + row.run.id + " is missing"};
        }
    }
    return runs;
}

// Reads rows until they fill the page by themselves. The last row may be one too many.
Result<std::vector<RunRow>> read_rows_of_page(Session& session, const Query<RunRow>& query, const Batch& batch,
                                              const Page& page) {
    std::vector<RunRow> rows;
    PageBudget budget(page);
    auto read = session.scan(query, batch, [&](RunRow row) {
        const bool full = budget.is_full();
        rows.push_back(std::move(row));
        if (!full) budget.add(bytes_of(rows.back().run));
        return !full;
    });
    if (!read) return read.error();
    return rows;
}

}  // namespace

Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session, const Query<RunRow>& query,
                                                                  const Batch& batch, DefinitionCache& cache,
                                                                  Sees sees) {
    auto rows = read_all(session, query, batch);
    if (!rows) return rows.error();
    return complete(session, *rows, cache, sees);
}

Result<RunPage> read_run_page(Session& session, const Query<RunRow>& query, const Batch& batch, const Page& page,
                              DefinitionCache& cache) {
    auto rows = read_rows_of_page(session, query, batch, page);
    if (!rows) return rows.error();
    RunPage found;
    RunPageBudget budget(page);
    for (std::size_t begin = 0; begin < rows->size(); begin += kDefinitionsAtOnce) {
        const auto some = std::span(*rows).subspan(begin, std::min(kDefinitionsAtOnce, rows->size() - begin));
        auto runs = complete(session, some, cache, Sees::committed);
        if (!runs) return runs.error();
        for (auto& [run, definition, unreadable] : *runs) {
            found.more = budget.is_full();
            if (found.more) return found;
            budget.add(run, *definition);
            found.runs.push_back(std::move(run));
        }
    }
    return found;
}

Result<std::vector<model::Run>> read_runs(Session& session, const Query<RunRow>& query, const Batch& batch,
                                          DefinitionCache& cache, Sees sees) {
    auto with_definitions = read_runs_with_definitions(session, query, batch, cache, sees);
    if (!with_definitions) return with_definitions.error();
    std::vector<model::Run> runs;
    runs.reserve(with_definitions->size());
    for (auto& each : *with_definitions) runs.push_back(std::move(each.run));
    return runs;
}

}  // namespace belfry::store::sql
