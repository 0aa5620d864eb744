// Runs as people see them: the row, completed by what the definition of its version says.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lru_cache.hpp"
#include "store/sql/database.hpp"
#include "store/sql/rows.hpp"

namespace belfry::store::sql {

using model::DefinitionPtr;

// Definitions by schedule and version. They never change once they are committed, so only sessions that read what is
// committed may fill it. Thread-safe.
class DefinitionCache {
public:
    [[nodiscard]] DefinitionPtr find(std::int64_t key, std::int64_t version) { return definitions_.find({key, version}); }
    // Reads a stored definition and keeps it.
    [[nodiscard]] Result<DefinitionPtr> keep(std::int64_t key, std::int64_t version, std::string_view body);

private:
    // In bytes of their texts; as values they take a few times as much.
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20U;

    using Version = std::pair<std::int64_t, std::int64_t>;
    struct Hash {
        // Keys end in random bits, and a schedule has few versions.
        std::size_t operator()(const Version& version) const { return static_cast<std::size_t>(version.first + version.second); }
    };
    LruCache<Version, model::Schedule, Hash> definitions_{kBytesMax};
};

// The definition in a stored text.
[[nodiscard]] Result<DefinitionPtr> read_definition(std::string_view body);

// By the key of the schedule and the version.
using DefinitionVersions = std::map<std::pair<std::int64_t, std::int64_t>, DefinitionPtr>;

struct RunWithDefinition {
    model::Run run;
    DefinitionPtr definition;
    bool unreadable = false;  // so much that nobody can be told what to do: the definition is what is known of the schedule, or the input is null
};

// What a session sees: a reading one only what is committed, a writing one also what may never be.
enum class Sees : std::uint8_t { committed, anything };

// Those that are asked for. What cannot be read stays null: one definition must not hide the runs of all others.
[[nodiscard]] Result<void> read_versions(Session& session, DefinitionVersions& definitions, DefinitionCache& cache, Sees sees);

// Runs a statement that answers kRunColumns. The rows alone say nothing of what their definitions know.
[[nodiscard]] Result<std::vector<RunRow>> read_run_rows(Session& session, const Statement& statement, const Batch& batch);

// Rows completed by definitions that are in memory; nothing when one of them is not.
[[nodiscard]] std::optional<std::vector<RunWithDefinition>> complete_from_memory(const std::vector<RunRow>& rows, DefinitionCache& cache);

// Those of which nobody can be told what to do: their definitions or their inputs cannot be read. For sessions that write.
[[nodiscard]] Result<std::set<model::RunKey>> unreadable_among(Session& session, const std::vector<RunRow>& rows, DefinitionCache& cache);

[[nodiscard]] Result<std::vector<RunWithDefinition>> read_runs_with_definitions(Session& session, const Statement& statement, const Batch& batch,
                                                                                DefinitionCache& cache, Sees sees);
[[nodiscard]] Result<std::vector<model::Run>> read_runs(Session& session, const Statement& statement, const Batch& batch, DefinitionCache& cache,
                                                        Sees sees);

}  // namespace belfry::store::sql
